"""An imported model beside the network that it was made of: what a comparison finds, and what the model computes."""
from __future__ import annotations

import copy
import json
import math
import sys
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ._layer_lists import layers_behind, trains
from ._matrices import require_numpy
from ._model import Model
from ._optimize import optimize
from ._options import Duration, Size
from ._platform import PlatformLike
from ._program import Files, run_or_raise
from ._records import Run
from ._schedule import Schedule
from .errors import NoSchedule, PoetError

#: FLOPs that a comparison which nobody asked for may take.
UNASKED_FLOP = 20 * 10**9
TOLERANCE = 1e-4
#: A difference of up to so many times float32's own noise does not count.
NOISES = 3
#: How often, and by which share, all numbers are moved to see what float32 may do to a derivative that differs: an
#: element near a kink, such as the zero of a relu, may be on either side of it.
TRIES, JITTER = 16, 1e-6
RANDOM_OPS = ("dropout", "stochastic_depth")


class Differs(PoetError):
    """An imported model computes something else than the network that it was made of.

    Attributes:
        check: the comparison.
    """

    def __init__(self, check: Check) -> None:
        super().__init__(f"the imported model is another network: {check.reason}")
        self.check = check


@dataclass(frozen=True)
class Row:
    """A tensor, or a derivative: how far the model's numbers are from the network's.

    Attributes:
        error: the largest difference as a share of the largest element; docs/python.md has the details.
        noise: of what the network computes in float32 from what it computes in float64, in the same unit.
    """

    name: str
    count: int
    error: float
    noise: float = 0.0

    def agrees(self, tolerance: float) -> bool:
        """Whether the difference is within the tolerance, or within the noise."""
        return self.error <= max(tolerance, NOISES * self.noise if math.isfinite(self.noise) else 0.0)


@dataclass(frozen=True)
class Check:
    """An imported model beside its network, in training and in evaluation mode; true if they agree. Printed: a table.

    Attributes:
        rows: one for each gradient: of a parameter that trains, or of a group of them along one direction.
        outputs: one for each mode, and one for rates of random layers.
        loss, expected_loss: of the schedule and of the network; not numbers if the outputs differ already.
        loss_noise: of the network's loss in float32.
        tolerance: the largest error that counts as agreement.
        schedule: that was run, with its model; None if the outputs differ already.
        run: its run, which was also compared, bit for bit, with the same step unscheduled.
        first: the first layer that differs.
        untrained: numbers of the network that have a derivative and do not train.
        skipped: what was not compared, and why.
    """

    rows: Tuple[Row, ...]
    loss: float
    expected_loss: float
    tolerance: float
    schedule: Optional[Schedule]
    run: Optional[Run]
    outputs: Tuple[Row, ...] = ()
    loss_noise: float = 0.0
    first: Optional[str] = None
    untrained: Tuple[str, ...] = ()
    skipped: Tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether outputs, loss and all gradients agree, and the schedule changes no bit."""
        return self.run is not None and self.run.equal and all(
            row.agrees(self.tolerance) for row in (self._loss_row, *self.outputs, *self.rows))

    @property
    def loss_error(self) -> float:
        """The difference of the losses as a share of the network's."""
        return abs(self.loss - self.expected_loss) / max(abs(self.expected_loss), 1e-30)

    @property
    def reason(self) -> str:
        """What differs, and where first."""
        losses = [] if self.run is None else [self._loss_row]
        names = [f"{row.name} ({row.error:.1e})" for row in (*self.outputs, *losses, *self.rows)
                 if not row.agrees(self.tolerance)]
        where = f"; the first layer that differs is {self.first}" if self.first else ""
        return f"found another {', another '.join(names) or 'schedule'}{where}"

    @property
    def _loss_row(self) -> Row:
        return Row("loss", 1, self.loss_error if self.loss == self.loss else float("inf"), self.loss_noise)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        width = max([len("gradient")] + [len(row.name) for row in (*self.rows, *self.outputs)])
        lines = [f"{'gradient':<{width}} {'elements':>9} {'error':>9}"]
        for row in (*self.rows, *self.outputs):
            said = "" if row.agrees(self.tolerance) else "  differs"
            lines.append(f"{row.name:<{width}} {row.count:>9} {row.error:>9.1e}{said}")
        if self.schedule is not None and self.run is not None:
            said = "" if self._loss_row.agrees(self.tolerance) else "  differs"
            lines.append(f"{'loss':<{width}} {self.loss:>9.6g} {self.loss_error:>9.1e}{said}")
            bits = "the same bits as" if self.run.equal else "OTHER BITS than"
            program = [each.op for each in self.schedule.program]
            lines.append(f"scheduled in {self.run.arena_bytes} bytes, "
                         f"{program.count('compute') - len(self.schedule.nodes)} recomputations and "
                         f"{program.count('page_out')} page-outs: {bits} unscheduled")
        lines += [f"does not train: {', '.join(self.untrained)}"] if self.untrained else []
        lines += [f"not compared: {each}" for each in self.skipped]
        lines += [f"the first layer that differs: {self.first}"] if self.first else []
        return "\n".join(lines)


def distance(found: Any, expected: Any, least: float = 1e-30) -> float:
    """The largest difference of two elements as a share of the largest expected one; infinite for another shape."""
    numpy: Any = require_numpy()
    ours, theirs = (numpy.asarray(each, dtype=numpy.float64).reshape(-1) for each in (found, expected))
    if ours.shape != theirs.shape:
        return float("inf")
    if theirs.size == 0:
        return 0.0
    share = float(abs(ours - theirs).max()) / max(float(abs(theirs).max()), least)
    return share if share == share else float("inf")


def compare_unasked(name: str, check: Callable[[], Check]) -> None:
    """Compares what was imported, and says on stderr what could not be. Raises Differs."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = check()
    except Exception as error:  # also of a user's code
        line = next(iter(str(error).splitlines()), "")
        print(f"poet: {name} was not compared with what was imported: {type(error).__name__}: {line}", file=sys.stderr)
        return
    if not found:
        raise Differs(found)
    for each in found.skipped:
        print(f"poet: {name}: not compared: {each}", file=sys.stderr)
    if found.untrained:
        print(f"poet: {name}: these numbers have a derivative and do not train: {', '.join(found.untrained)}",
              file=sys.stderr)


class Computed:
    """An imported model with its numbers, without randomness, and ready to be computed.

    Attributes:
        document: the model file, in which the rates of random layers are 0. If nothing trains, all numbers do, as
            there would be no training step to compare.
        trains: whether something trains.
        rates: what they were.
        settings: how a schedule is solved: platform, budgets to try, runtime, effort.
    """

    def __init__(self, document: Mapping[str, Any], arrays: Mapping[str, Any], batch: int,
                 platform: PlatformLike = "m4", budgets: Sequence[Size] = ("100%",), runtime: Duration = 2,
                 effort: str = "fast") -> None:
        self.rates = sorted(layer.get("rate", 0.1) for layer in document["layers"] if layer["op"] in RANDOM_OPS)
        layers = [{**layer, "rate": 0} if layer["op"] in RANDOM_OPS else layer for layer in document["layers"]]
        self.trains = trains(layers)
        if not self.trains:
            layers = [{key: value for key, value in layer.items() if key != "trainable"} for layer in layers]
        self.document: Dict[str, Any] = {**document, "layers": layers}
        has_batch = '"N"' in json.dumps([document.get("input"), document.get("inputs")])
        self.arrays, self.batch = arrays, batch if has_batch else 1
        self.platform, self.budgets, self.runtime, self.effort = platform, list(budgets), runtime, effort

    @property
    def loss(self) -> str:
        """The op that the network ends in."""
        return str(self.document["layers"][-1]["op"])

    @property
    def output(self) -> str:
        """The layer that the loss reads."""
        return str(self.document["layers"][-1]["inputs"][0])

    @property
    def inputs(self) -> Dict[str, Tuple[int, ...]]:
        """The shapes of the inputs that do not hold zeros, in their order."""
        first = {"input": self.document["input"]} if "input" in self.document else {}
        there: Dict[str, Any] = {**first, **self.document.get("inputs", {})}
        return {name: tuple(self.batch if extent == "N" else extent for extent in entry["shape"])
                for name, entry in there.items() if not entry.get("zeros")}

    def flop(self) -> int:
        """Of one training step."""
        return Model(self.document).info(batch_size=self.batch, backward="exact").flop

    def run(self, inputs: Mapping[str, Any], target: Any, backward: str = "exact") -> Tuple[Schedule, Run]:
        """A training step, or with "none" a forward pass, by the first budget that has a schedule."""
        for ram in self.budgets:
            try:
                schedule = optimize(Model(self.document), self.platform, ram, self.runtime, effort=self.effort,
                                    backward=backward, batch_size=self.batch, progress=False)
                break
            except NoSchedule:
                if ram == self.budgets[-1]:
                    raise
        return schedule, schedule.run(parameters=self.arrays, inputs=inputs, targets=target)

    def tensor(self, inputs: Mapping[str, Any], training: bool, layer: Optional[str] = None) -> Any:
        """What the loss reads, or what a layer makes, in training or in evaluation mode."""
        part = copy.copy(self) if layer is None else self.up_to(layer)
        part.budgets = ["100%"]
        _, run = part.run({name: inputs[name] for name in part.inputs}, None, "exact" if training else "none")
        return part.output_of(run)

    def shaped(self, target: Any, evaluated: Any) -> Any:
        """A target as the loss reads it beside an output."""
        shape = evaluated.shape[:-1] if self.loss == "cross_entropy" else evaluated.shape
        return target.reshape(shape) if math.prod(shape) == target.size else target

    def output_of(self, run: Run) -> Any:
        """What the loss of a run has read. A run has the source of a view, with other extents."""
        found = run.arrays["outputs"]
        if self.output in found:
            return found[self.output]
        source = next(iter(found.values()))
        view: Dict[str, Any] = next((layer for layer in self.document["layers"] if layer["name"] == self.output), {})
        stated = [self.batch if extent == "N" else extent for extent in view.get("shape", source.shape)]
        shape = [len(source), source.size // len(source)] if view.get("op") == "flatten" else stated
        return source.reshape(shape) if math.prod(shape) == source.size else source

    def up_to(self, name: str) -> Computed:
        """The model that ends in a layer."""
        kept = layers_behind(self.document["layers"], name)
        needed = {name, *(each for layer in kept for each in layer["inputs"])}
        loss = {"name": "loss", "op": "mse", "inputs": [name]}
        document: Dict[str, Any] = {**self.document, "layers": [*kept, loss]}
        if "inputs" in document:
            document["inputs"] = {each: entry for each, entry in document["inputs"].items() if each in needed}
        owners = {layer["name"] for layer in kept}
        arrays = {each: array for each, array in self.arrays.items()
                  if each in owners or each.rpartition(".")[0] in owners}
        return Computed(document, arrays, self.batch, self.platform, self.budgets, self.runtime, self.effort)


def first_that_differs(names: List[str], differs: Callable[[str], Optional[bool]]) -> str:
    """Halves a list of layers, of which the last one differs, until one that differs follows one that does not. What
    cannot be told of a layer is asked of its neighbours."""
    equal, other = -1, len(names) - 1
    while other - equal > 1:
        middle = (equal + other) // 2
        for place in [*range(middle, other), *range(middle - 1, equal, -1)]:
            found = differs(names[place])
            if found is not None:
                break
        else:
            break
        equal, other = (equal, place) if found else (place, other)
    return names[other]


def imported(path: str, words: Sequence[str] = (), numbers: bool = True) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """The model file of an ONNX file, and its numbers. Raises InputError."""
    with Files() as files:
        output, arrays = files.path("model.json"), files.path("numbers.npz")
        run_or_raise(["import", path, *words, "--output", output,
                      *(["--parameters-output", arrays] if numbers else [])], files)
        with open(output, encoding="utf-8") as file:
            document = json.load(file)
        if not numbers:
            return document, {}
        with require_numpy().load(arrays) as found:
            return document, {name: found[name] for name in found.files}
