"""The import of an ONNX file beside the file itself, computed by the reference in numpy.

Numbers of the file that are weights are moved by seeded random amounts first, as zeros and ones hide what is done with
them. What is a weight, and to which place of the model it goes, is asked of the import alone: a number is one if other
numbers in its place give the same layers; and along a direction in the file's weights the model's parameters move as the
import of the moved file says. So neither names nor layouts of the import have to be known here.
"""
from __future__ import annotations

import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from ._compared import TOLERANCE, Check, Computed, Row, distance, first_that_differs, imported
from ._matrices import require_numpy
from ._onnx_file import FLOAT, Graph, Node, Tensor, ancestors, read_graph, rewritten
from ._onnx_reference import evaluate
from ._onnx_shapes import rates
from ._options import Duration, PathLike, Size, options
from ._platform import PlatformLike
from ._program import Files
from .errors import InputError, PoetError

numpy: Any = require_numpy()
Arrays = Dict[str, Any]
BATCH = 2
STEP = 1e-5  # of central differences, in units of a tensor's numbers
MOST_GROUPS = 50
#: A derivative below this share of the largest one is none.
LEAST_DERIVATIVE = 1e-6
#: Operators whose further inputs are sizes and rates, which have no derivative.
SIZED = {"Resize", "Upsample", "Dropout"}
NORM_SCALES = {"BatchNormalization": (1, 4), "LayerNormalization": (1,), "InstanceNormalization": (1,)}


class Network:
    """An ONNX file with seeded numbers, and what an import makes of it.

    Attributes:
        values: of the inputs.
        passed: inputs that are weights, with seeded numbers.
        moved: weights with the numbers that they were moved to.
        computed: the import of the file with these numbers.
        batch_statistics: what the reference is told of norms in a training.
    """

    def __init__(self, path: PathLike, words: Sequence[str], numbers: Mapping[str, float], seed: int,
                 settings: Mapping[str, Any]) -> None:
        self.words, self.settings, self.draw = list(words), settings, numpy.random.default_rng(seed)
        with open(path, "rb") as file:
            self.data = file.read()
        self.graph = read_graph(self.data)
        document, _ = imported(os.fspath(path), words, numbers=False)
        self.document = document
        self.names = self._data_names(Computed(document, {}, BATCH), set(numbers))
        self.values = self._values(Computed(document, {}, BATCH), numbers)
        self.passed = {name: self._drawn(name, tensor) for name, tensor in self.graph.inputs.items()
                       if name not in self.values}
        self.moved: Arrays = {}
        changed = {name: self._shaken(array) for name, array in self.floats().items()}
        single = [name for name in changed if changed[name].size == 1]
        movable = self._movable(single, changed) + self._movable([name for name in changed if name not in single], changed)
        self.moved = {name: changed[name] for name in movable}
        # What the model has not, such as a number of a pattern that is not looked at, stays as the file has it.
        there = self._imported({}).arrays.values()
        self.moved = {name: array for name, array in self.moved.items() if is_within(array, there)}
        self.computed = self._imported({})
        modes = [node.attributes.get("training_mode", 0) for node in self.graph.nodes if node.op == "BatchNormalization"]
        self.batch_statistics = None if any(modes) else True

    def _data_names(self, model: Computed, set_by_user: "set[str]") -> Dict[str, str]:
        """The inputs of the file by the names of the model's, whose first is always called `input`."""
        def plain(name: str) -> str:
            return "".join(each for each in name if each.isalnum())
        read = {name for node in self.graph.nodes for name in node.inputs}
        left = [name for name in self.graph.inputs if name in read and name not in set_by_user]
        first, *others = model.inputs
        found = {name: next(each for each in left if plain(each) == plain(name)) for name in others}
        return {first: next(each for each in left if each not in found.values()), **found}

    def _values(self, model: Computed, numbers: Mapping[str, float]) -> Arrays:
        found: Arrays = {}
        tables = [self.graph.initializers[node.inputs[0]].shape[node.attributes.get("axis", 0)]
                  for node in self.graph.nodes if node.op == "Gather" and node.inputs[0] in self.graph.initializers]
        for name, own in self.names.items():
            kind, shape = self.graph.inputs[own].kind, model.inputs[name]
            stated = self.graph.inputs[own].shape
            if len(stated) != len(shape):
                shape = tuple(1 if extent is None else extent for extent in stated)
            if kind in (FLOAT, 10, 11, 16):
                found[own] = self.draw.standard_normal(shape).astype("f4")
            else:
                found[own] = self.draw.integers(0, 2 if kind == 9 or not tables else min(tables), shape)
                found[own] = found[own].astype(bool) if kind == 9 else found[own]
        for name, number in numbers.items():
            tensor = self.graph.inputs[name]
            kind = {6: "i4", 7: "i8", 9: "?"}.get(tensor.kind, "f4")
            found[name] = numpy.full([1 if extent is None else extent for extent in tensor.shape], number, kind)
        return found

    def _drawn(self, name: str, tensor: Tensor) -> Any:
        """Numbers for a weight that the file has as an input."""
        shape = [1 if extent is None else extent for extent in tensor.shape]
        if tensor.kind not in (FLOAT, 10, 11, 16):
            return numpy.zeros(shape, "i8")
        is_scale = any(name in [node.inputs[i] for i in NORM_SCALES.get(node.op, ()) if i < len(node.inputs)]
                       for node in self.graph.nodes)
        noise = self.draw.uniform(-1, 1, shape)
        width = 0.1 if len(shape) < 2 else (3 * shape[0] / max(1, numpy.prod(shape))) ** 0.5
        return (width * noise + is_scale).astype("f4")

    def floats(self) -> Arrays:
        """Initializers and Constant nodes of floats that may have a derivative."""
        sized = {name for node in self.graph.nodes if node.op in SIZED for name in node.inputs[1:]}
        found = {name: self.passed.get(name, array) for name, array in {**self.graph.initializers, **self.passed}.items()}
        for node in self.graph.nodes:
            value = node.attributes.get("value") if node.op == "Constant" else None
            if isinstance(value, numpy.ndarray) and value.size > 1:
                found[node.outputs[0]] = value
        return {name: array for name, array in found.items() if array.dtype.kind == "f" and array.size and name not in sized}

    def _shaken(self, array: Any) -> Any:
        """Other numbers of the same sign and size; small ones for zeros."""
        finite = array[numpy.isfinite(array)].astype(float)
        size = float(numpy.sqrt((finite ** 2).mean())) if finite.size else 0.0
        zeros = numpy.where(array == 0, 0.1 * (size or 1.0) * self.draw.standard_normal(array.shape), 0)
        return (array * (1 + 0.3 * self.draw.uniform(-1, 1, array.shape)) + zeros).astype("f4")

    def _imported(self, changes: Arrays) -> Computed:
        """The import with other numbers. Raises InputError, also if the layers are others."""
        with Files() as files:
            path = files.path("net.onnx")
            with open(path, "wb") as file:
                file.write(rewritten(self.data, {**self.passed, **self.moved, **changes}))
            document, arrays = imported(path, self.words)
        if document["layers"] != self.document["layers"]:
            raise InputError("the import has other layers")
        return Computed(document, arrays, BATCH, **self.settings)

    def _movable(self, names: List[str], changed: Arrays) -> List[str]:
        """Those of the names that are weights: other numbers give the same layers."""
        if not names:
            return []
        try:
            self._imported({name: changed[name] for name in names})
            return names
        except InputError:
            half = len(names) // 2
            return self._movable(names[:half], changed) + self._movable(names[half:], changed) if half else []

    def tensors(self, training: bool, changes: Optional[Arrays] = None, real: Any = numpy.float64) -> Arrays:
        """Every tensor of the file, by the reference."""
        return evaluate(self.graph, {**self.values, **self.passed, **self.moved, **(changes or {})}, real=real,
                        batch_statistics=self.batch_statistics if training else False)

    def inputs(self, model: Computed) -> Arrays:
        """The inputs of an import by its names."""
        return {name: self.values[self.names[name]].reshape(shape) for name, shape in model.inputs.items()}

    @property
    def last(self) -> Node:
        """The node that makes the first output."""
        return next(node for node in self.graph.nodes if self.graph.outputs[0] in node.outputs)

    def scores(self, found: Arrays) -> Any:
        """What the loss is computed from: the output; of a cross entropy log-probabilities, or logits that no softmax
        follows, with classes in the last extent."""
        output = found[self.graph.outputs[0]]
        if self.computed.loss != "cross_entropy":
            return output
        last, axis = self.last, 1 if output.ndim in (2, 4) else output.ndim - 1
        if last.op not in ("Softmax", "LogSoftmax"):
            return numpy.moveaxis(output, axis, -1)
        logs = output if last.op == "LogSoftmax" else numpy.log(output)
        if self.graph.opset < 13:
            rows = int(numpy.prod(output.shape[:last.attributes.get("axis", 1)]))
            return logs.reshape(rows, -1)
        return numpy.moveaxis(logs, last.attributes.get("axis", -1), -1)

    def loss(self, found: Arrays, target: Any) -> float:
        """Of the reference's tensors."""
        scores = self.scores(found)
        if self.computed.loss != "cross_entropy":
            return float(((scores - target.reshape(scores.shape)) ** 2).mean())
        rows = log_softmax(scores).reshape(-1, scores.shape[-1])
        return float(-rows[numpy.arange(len(rows)), target.reshape(-1)].mean())

    def output_row(self, training: bool) -> Tuple[Row, Arrays]:
        """How far the import's output is from the reference's, and the reference's tensors."""
        found = self.tensors(training)
        expected, narrow = self.scores(found), self.scores(self.tensors(training, real=numpy.float32))
        ours = self.computed.tensor(self.inputs(self.computed), training).astype(float)
        if self.last.op in ("Softmax", "LogSoftmax") and self.computed.loss == "cross_entropy":
            ours = log_softmax(ours)
        same = [each for each in ours.shape if each != 1] == [each for each in expected.shape if each != 1]
        return Row(f"output in {'training' if training else 'evaluation'}", expected.size,
                   distance(ours, expected) if same or ours.size == expected.size and expected.ndim == 2 else float("inf"),
                   distance(narrow, expected)), found

    def first_layer(self, training: bool, found: Arrays) -> Optional[str]:
        """The first node that an import of what it needs computes otherwise."""
        places = {node.outputs[0]: node for node in self.graph.nodes if found[node.outputs[0]].dtype.kind == "f"}
        shapes = {name: Tensor(FLOAT, value.shape) for name, value in found.items() if value.dtype.kind == "f"}
        shapes.update((name, Tensor(self.graph.inputs[name].kind, value.shape)) for name, value in self.values.items())

        def differs(name: str) -> Optional[bool]:
            part = rewritten(self.data, {**self.passed, **self.moved}, shapes, name)
            with Files() as files:
                path = files.path("net.onnx")
                with open(path, "wb") as file:
                    file.write(part)
                try:
                    model = Computed(*imported(path, ["--loss", "mse"]), BATCH)
                    names = {"input": next(each for each in self.values if each in ancestors(self.graph, name))}
                    inputs = {each: self.values[names.get(each, self.names.get(each, each))].reshape(shape)
                              for each, shape in model.inputs.items()}
                    return distance(model.tensor(inputs, training), found[name]) > TOLERANCE
                except (PoetError, KeyError, ValueError, StopIteration):
                    return None
        name = self.graph.outputs[0]
        while True:  # what is before it in the file need not be below it
            needed = ancestors(self.graph, name)
            nearest = first_that_differs([each for each in places if each in needed], differs)
            if nearest is None or nearest == name:
                return places[name].title
            name = nearest


def is_within(array: Any, others: Iterable[Any]) -> bool:
    """Whether numbers of an array are among the numbers of others, which is so by chance for very few."""
    every = [each.reshape(-1) for each in others]
    return bool(every) and bool(numpy.isin(array.reshape(-1)[:64], numpy.concatenate(every)).all())


def log_softmax(x: Any) -> Any:
    x = x - x.max(-1, keepdims=True)
    return x - numpy.log(numpy.exp(x).sum(-1, keepdims=True))


class Slopes:
    """Directional derivatives of the loss beside the gradients of a run."""

    def __init__(self, net: Network, target: Any, gradients: Arrays, noise: float) -> None:
        self.net, self.target, self.gradients, self.noise = net, target, gradients, noise
        self.floats = {**net.floats(), **net.moved}
        learned = [net.computed.arrays[name] for name in gradients if name in net.computed.arrays]
        self.trained = [name for name, array in net.moved.items() if is_within(array, learned)]

    def along(self, names: Sequence[str]) -> Tuple[float, Arrays]:
        """The derivative along a random direction in some of the file's numbers, by central differences, and the direction."""
        moved: Arrays = {}
        for name in names:
            array = self.floats[name].astype("f4")
            finite = array[numpy.isfinite(array)].astype(float)
            size = float(numpy.sqrt((finite ** 2).mean())) if finite.size else 1.0
            moved[name] = (array + (size or 1.0) * self.net.draw.choice((-1.0, 1.0), array.shape)).astype("f4")
        sides = []
        for step in (STEP, -STEP):
            at = {name: self.floats[name] + step * (moved[name].astype(float) - self.floats[name]) for name in names}
            sides.append(self.net.loss(self.net.tensors(True, at), self.target))
        return (sides[0] - sides[1]) / (2 * STEP), moved

    def rows(self, groups: int) -> List[Row]:
        """One for each group of weights. A difference is a share of the length of the gradient, which a derivative along
        a random direction has in the mean, or of a hundredth of the greatest length."""
        found: List[Tuple[str, int, float, float]] = []
        for part in numpy.array_split(numpy.array(self.trained, object), min(groups, len(self.trained)) or 1):
            names = list(part)
            if not names:
                continue
            expected, moved = self.along(names)
            arrays = self.net._imported(moved).arrays
            products = [(gradient.astype(float) * (arrays[name].astype(float) - self.net.computed.arrays[name])).reshape(-1)
                        for name, gradient in self.gradients.items()]
            every = numpy.concatenate(products)
            title = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
            found.append((title, sum(self.floats[name].size for name in names), abs(float(every.sum()) - expected),
                          max(float(numpy.sqrt((every ** 2).sum())), abs(expected))))
        self.greatest = max([length for *_, length in found], default=0.0)
        return [Row(f"along {title}", count, error / max(length, 1e-2 * self.greatest, 1e-30), self.noise)
                for title, count, error, length in found]

    def untrained(self, most: int) -> Tuple[List[str], List[str]]:
        """Numbers that have a derivative and do not train, and those that were not looked at."""
        names = [name for name in self.floats if name not in self.trained]
        found: List[str] = []
        for name in names[:most]:
            try:
                slope = abs(self.along([name])[0])
            except (InputError, ValueError):  # the size of a tensor depends on it
                continue
            if slope > LEAST_DERIVATIVE * max(self.greatest, 1e-30):
                found.append(name)
        return found, names[most:]


def check_onnx(path: PathLike, *, loss: Optional[str] = None, shape: Optional[Sequence[int]] = None,
               numbers: Optional[Mapping[str, float]] = None, seed: int = 1, tolerance: float = TOLERANCE,
               platform: PlatformLike = "m4", ram: Size = "100%", runtime: Duration = 2, effort: str = "fast",
               most_flop: Optional[float] = None) -> Check:
    """Compares the import of an ONNX file with the file, computed by the reference; as `poet.check` says.

    Raises:
        InputError: the file cannot be imported or computed, or it takes more than `most_flop`.
    """
    words = options({"--loss": loss, "--shape": None if shape is None else ",".join(map(str, shape))})
    for name, number in (numbers or {}).items():
        words += ["--set", f"{name}={number}"]
    net = Network(path, words, numbers or {}, seed, {"platform": platform, "budgets": [ram], "runtime": runtime,
                                                     "effort": effort})
    forward = max(net.computed.flop() / 3, 1.0)
    evaluations = 2 * MOST_GROUPS if most_flop is None else int(min(most_flop / forward - 6, 1e6)) // 2
    if evaluations < 1:
        raise InputError(f"its step takes {3 * forward:.3g} FLOPs")
    evaluated, found = net.output_row(False)
    trained, found_training = net.output_row(True)
    outputs = [evaluated, trained, *_rates(net, found)]
    for row, training, tensors in ((evaluated, False, found), (trained, True, found_training)):
        if not row.agrees(tolerance):
            return Check((), float("nan"), float("nan"), tolerance, None, None, tuple(outputs),
                         first=net.first_layer(training, tensors))
    scores = net.scores(found_training)
    target = net.draw.integers(0, scores.shape[-1], scores.shape[:-1]) if net.computed.loss == "cross_entropy" else \
        net.draw.standard_normal(scores.shape).astype("f4")
    shaped = net.computed.tensor(net.inputs(net.computed), True).shape
    schedule, run = net.computed.run(net.inputs(net.computed), target.reshape(
        shaped[:-1] if net.computed.loss == "cross_entropy" else shaped))
    expected = net.loss(found_training, target)
    noise = abs(net.loss(net.tensors(True, real=numpy.float32), target) - expected) / max(abs(expected), 1e-30)
    slopes = Slopes(net, target, run.arrays.get("gradients", {}), max(trained.noise, noise))
    rows = slopes.rows(min(MOST_GROUPS, evaluations))
    untrained, unseen = slopes.untrained(evaluations)
    skipped = [f"the derivatives of {', '.join(unseen)}"] if unseen else []
    return Check(tuple(rows), float(run.losses[0] or 0.0), expected, tolerance, schedule, run, tuple(outputs), noise,
                 untrained=tuple(untrained), skipped=tuple(skipped))


def _rates(net: Network, found: Arrays) -> List[Row]:
    """One row if there are random layers: whether each drops what the file says."""
    stated = _stated_rates(net.graph, found)
    ours = [rate for rate in net.computed.rates if rate > 0]
    if not stated and not ours:
        return []
    return [Row("rates of random layers", len(stated), distance(ours, stated))]


def _stated_rates(graph: Graph, found: Arrays) -> List[float]:
    """The rates of Dropout nodes in a training, in order of size."""
    every = []
    for node in graph.nodes:
        inputs = [found[name] if name else None for name in (*node.inputs, "", "")[1:3]]
        if node.op == "Dropout" and (graph.opset < 12 or (inputs[1] is not None and inputs[1].all())):
            every.append(rates(node, graph.opset, inputs[0]))
    return sorted(rate for rate in every if rate > 0)
