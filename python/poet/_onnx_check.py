"""The import of an ONNX file beside the file itself, computed by the reference in numpy.

Numbers of the file that are weights are moved by seeded amounts first, as zeros and ones hide what is done with them.
What is a weight, and to which place of the model it goes, is asked of the import alone: a number is one if other
numbers in its place give the same layers; and along a direction in the file's weights the model's parameters move as
the import of the moved file says. So neither names nor layouts of the import have to be known here.
"""
from __future__ import annotations

import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from ._compared import (JITTER, NOISES, TOLERANCE, TRIES, Check, Computed, Row, distance, first_that_differs,
                        imported)
from ._matrices import require_numpy
from ._onnx_file import FLOAT, FLOATS, TYPES, Node, Tensor, ancestors, read_graph, rewritten
from ._onnx_reference import evaluate, log_softmax_over
from ._options import Duration, PathLike, Size, options
from ._platform import PlatformLike
from ._program import Files
from .errors import InputError, PoetError

numpy: Any = require_numpy()
Arrays = Dict[str, Any]
BATCH = 2
#: Of central differences, in units of a tensor's numbers; the second one if the first may have crossed a kink.
STEP, SHORT_STEP = 1e-5, 1e-7
MOST_GROUPS = 50
SAMPLED = 64  # of a tensor's numbers are looked for
#: Numbers of a mask up to this one hide an element; a direction that went as far as they do would say nothing.
HIDES = -1000
#: A derivative below this share of the greatest one is none.
LEAST_DERIVATIVE = 1e-6
#: Operators whose further inputs are sizes and rates, which have no derivative.
SIZED = ("Resize", "Upsample", "Dropout")


class Network:
    """An ONNX file with seeded numbers, and what an import makes of it.

    Attributes:
        values: of the inputs.
        moved: other numbers of weights, and seeded ones of weights that the file has as inputs.
        computed: the import of the file with these numbers.
        batch_statistics: what the reference is told of norms in a training.
    """

    def __init__(self, path: PathLike, words: Sequence[str], numbers: Mapping[str, float], seed: int,
                 settings: Mapping[str, Any]) -> None:
        self.words, self.settings, self.draw = list(words), settings, numpy.random.default_rng(seed)
        with open(path, "rb") as file:
            self.data = file.read()
        self.graph = read_graph(self.data)
        self.document, _ = imported(os.fspath(path), words, numbers=False)
        model = Computed(self.document, {}, BATCH)
        self.names = self._data_names(model, numbers)
        self.values = {own: self._data(self.graph.inputs[own], model.inputs[name]) for name, own in self.names.items()}
        self.values.update((name, self._full(self.graph.inputs[name], number)) for name, number in numbers.items())
        self.moved = {name: self._drawn(tensor) for name, tensor in self.graph.inputs.items()
                      if name not in self.values}
        self._move_weights()
        self.computed = self._imported({})
        modes = [node.attributes.get("training_mode", 0) for node in self.graph.nodes]
        self.batch_statistics = None if any(modes) else True

    def _data_names(self, model: Computed, numbers: Mapping[str, float]) -> Dict[str, str]:
        """The inputs of the file by the names of the model's, whose first is always called `input`."""
        read = {name for node in self.graph.nodes for name in node.inputs}
        left = [name for name in self.graph.inputs if name in read and name not in numbers]
        first, *others = model.inputs
        found = {name: name for name in others}
        return {first: next(each for each in left if each not in others), **found}

    def _data(self, tensor: Tensor, shape: Sequence[int]) -> Any:
        """Seeded numbers for an input; indices for the smallest table."""
        if len(tensor.shape) != len(shape):
            shape = [extent or 1 for extent in tensor.shape]
        if tensor.kind in FLOATS:
            return self.draw.standard_normal(shape).astype("f4")
        tables = [self.graph.initializers[node.inputs[0]].shape[node.attributes.get("axis", 0)]
                  for node in self.graph.nodes if node.op == "Gather" and node.inputs[0] in self.graph.initializers]
        return self.draw.integers(0, min(tables, default=2), shape).astype(TYPES[tensor.kind])

    def _full(self, tensor: Tensor, number: float) -> Any:
        return numpy.full([extent or 1 for extent in tensor.shape], number, TYPES[tensor.kind])

    def _drawn(self, tensor: Tensor) -> Any:
        """Numbers for a weight that the file has as an input; vectors may be variances, which are above 0."""
        shape = [extent or 1 for extent in tensor.shape]
        if tensor.kind not in FLOATS:
            return numpy.zeros(shape, TYPES[tensor.kind])
        if len(shape) < 2:
            return self.draw.uniform(0.5, 1.5, shape).astype("f4")
        return (self.draw.standard_normal(shape) / max(1, numpy.prod(shape[1:])) ** 0.5).astype("f4")

    def _move_weights(self) -> None:
        drawn = self.moved
        changed = {name: self._shaken(array) for name, array in self.floats().items()}
        single = [name for name in changed if changed[name].size == 1]
        movable = self._movable(single, changed)
        movable += self._movable([name for name in changed if name not in single], changed)
        # What the model does not have, such as a number of a pattern that is not looked at, stays as the file has it.
        there = numbers_of(self._imported({name: changed[name] for name in movable}).arrays.values())
        self.moved = {**drawn, **{name: changed[name] for name in movable if is_within(changed[name], there)}}

    def floats(self) -> Arrays:
        """Initializers and Constant nodes of floats that may have a derivative, with their numbers."""
        sized = {name for node in self.graph.nodes if node.op in SIZED for name in node.inputs[1:]}
        constants = {node.outputs[0]: numpy.asarray(node.attributes.get("value", 0)) for node in self.graph.nodes
                     if node.op == "Constant"}
        found = {**{name: array for name, array in constants.items() if array.size > 1}, **self.graph.initializers,
                 **self.moved}
        return {name: array for name, array in found.items()
                if array.dtype.kind == "f" and array.size and name not in sized}

    def _shaken(self, array: Any) -> Any:
        """Other numbers of the same sign and size; small ones for zeros."""
        zeros = numpy.where(array == 0, 0.1 * size_of(array) * self.draw.standard_normal(array.shape), 0)
        return (array * (1 + 0.3 * self.draw.uniform(-1, 1, array.shape)) + zeros).astype("f4")

    def _imported(self, changes: Arrays) -> Computed:
        """The import with other numbers. Raises InputError, also if the layers are others."""
        with Files() as files:
            path = files.add_bytes("net.onnx", rewritten(self.data, {**self.moved, **changes}))
            document, arrays = imported(path, self.words)
        if document["layers"] != self.document["layers"]:
            raise InputError("other numbers of weights give other layers")
        return Computed(document, arrays, BATCH, **self.settings)

    def _movable(self, names: List[str], changed: Arrays) -> List[str]:
        """The names of weights: other numbers give the same layers."""
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
        return evaluate(self.graph, {**self.values, **self.moved, **(changes or {})}, real=real,
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
        output, last = found[self.graph.outputs[0]], self.last
        if self.computed.loss != "cross_entropy":
            return output
        if last.op not in ("Softmax", "LogSoftmax"):
            return numpy.moveaxis(output, 1 if output.ndim in (2, 4) else -1, -1)
        logs = output if last.op == "LogSoftmax" else numpy.log(output)
        if self.graph.opset < 13:
            return logs.reshape(int(numpy.prod(output.shape[:last.attributes.get("axis", 1)])), -1)
        return numpy.moveaxis(logs, last.attributes.get("axis", -1), -1)

    def loss(self, found: Arrays, target: Any) -> float:
        """Of the reference's tensors."""
        scores = self.scores(found)
        if self.computed.loss != "cross_entropy":
            return float(((scores - target.reshape(scores.shape)) ** 2).mean())
        rows = log_softmax_over(scores, -1).reshape(-1, scores.shape[-1])
        return float(-rows[numpy.arange(len(rows)), target.reshape(-1)].mean())

    def output_row(self, ours: Any, found: Arrays, training: bool) -> Row:
        """How far the import's output is from the reference's tensors."""
        expected, narrow = self.scores(found), self.scores(self.tensors(training, real=numpy.float32))
        if self.last.op in ("Softmax", "LogSoftmax") and self.computed.loss == "cross_entropy":
            ours = log_softmax_over(ours, -1).reshape(-1, ours.shape[-1])
            expected = expected.reshape(-1, expected.shape[-1])
        same = [extent for extent in ours.shape if extent != 1] == [extent for extent in expected.shape if extent != 1]
        return Row(f"output in {'training' if training else 'evaluation'}", expected.size,
                   distance(ours, expected) if same else float("inf"), distance(narrow, expected))

    def first_layer(self, training: bool, found: Arrays) -> str:
        """The first node that an import of what it needs computes otherwise."""
        places = {node.outputs[0]: node for node in self.graph.nodes if found[node.outputs[0]].dtype.kind == "f"}
        shapes = {name: Tensor(FLOAT, value.shape) for name, value in found.items() if value.dtype.kind == "f"}
        shapes.update((name, Tensor(self.graph.inputs[name].kind, value.shape)) for name, value in self.values.items())

        def differs(name: str) -> Optional[bool]:
            below = ancestors(self.graph, name)
            with Files() as files:
                path = files.add_bytes("net.onnx", rewritten(self.data, self.moved, shapes, name))
                try:
                    model = Computed(*imported(path, ["--loss", "mse"]), BATCH)
                    names = {**self.names, "input": next(each for each in self.values if each in below)}
                    inputs = {each: self.values[names[each]].reshape(shape) for each, shape in model.inputs.items()}
                    return distance(model.tensor(inputs, training), found[name]) > TOLERANCE
                except (PoetError, KeyError, ValueError, StopIteration):
                    return None
        name, earlier = self.graph.outputs[0], ""
        while name != earlier:  # what is before it in the file need not be below it
            below = ancestors(self.graph, name)
            name, earlier = first_that_differs([each for each in places if each in below], differs), name
        return places[name].title

    def rates_row(self, found: Arrays) -> List[Row]:
        """One row if there are random layers: whether each drops what the file says."""
        stated, ours = [], [rate for rate in self.computed.rates if rate > 0]
        for node in [each for each in self.graph.nodes if each.op == "Dropout"]:
            rate, mode = [found[name] if name else None for name in (*node.inputs, "", "")[1:3]]
            if self.graph.opset < 12:
                stated.append(float(node.attributes.get("ratio", 0.5)))
            elif mode is not None and mode.all():
                stated.append(0.5 if rate is None else float(rate))
        stated = sorted(rate for rate in stated if rate > 0)
        return [Row("rates of random layers", len(stated), distance(ours, stated))] if stated or ours else []


def size_of(array: Any) -> float:
    """The root of the mean square of a tensor's numbers, but for those that hide; 1 if all are zero."""
    finite = array[numpy.isfinite(array) & (array > HIDES)].astype(float)
    return (float(numpy.sqrt((finite ** 2).mean())) if finite.size else 0.0) or 1.0


def numbers_of(arrays: Iterable[Any]) -> Any:
    """The numbers of all arrays, in order of size."""
    return numpy.sort(numpy.concatenate([numpy.zeros(0, "f4"), *(each.reshape(-1) for each in arrays)]))


def is_within(array: Any, numbers: Any) -> bool:
    """Whether numbers of an array are among others, which is so by chance for very few."""
    sample = array.reshape(-1)[:SAMPLED]
    places = numpy.minimum(numpy.searchsorted(numbers, sample), numbers.size - 1)
    return bool(numbers.size and (numbers[places] == sample).all())


class Slopes:
    """Derivatives of the loss along directions, beside the gradients of a run."""

    def __init__(self, net: Network, target: Any, gradients: Arrays, noise: float) -> None:
        self.net, self.target, self.gradients, self.noise = net, target, gradients, noise
        self.floats, self.greatest = net.floats(), 0.0
        learned = numbers_of(net.computed.arrays[name] for name in gradients if name in net.computed.arrays)
        self.trained = [name for name in self.floats if name in net.moved and is_within(net.moved[name], learned)]

    def moved(self, names: Sequence[str]) -> Arrays:
        """Some of the file's numbers, moved along a random direction."""
        return {name: (self.floats[name] + size_of(self.floats[name]) * self.net.draw.choice(
            (-1.0, 1.0), self.floats[name].shape)).astype("f4") for name in names}

    def difference(self, name: str, moved: Any) -> Any:
        """How far the numbers of an initializer were moved; those of a mask may be infinite, and stay."""
        before = self.floats[name]
        return numpy.subtract(moved, before, where=numpy.isfinite(before), out=numpy.zeros(before.shape))

    def along(self, moved: Arrays, jitter: float = 0.0, length: float = STEP) -> float:
        """The derivative along a direction; maybe where all inputs and weights are moved a little."""
        there = {**self.net.values, **self.net.moved, **{name: self.floats[name] for name in moved}}
        near = {name: array * (1 + jitter * self.net.draw.standard_normal(array.shape))
                for name, array in there.items() if array.dtype.kind == "f"}
        sides = []
        for step in (length, -length):
            at = {name: near[name] + step * self.difference(name, moved[name]) for name in moved}
            sides.append(self.net.loss(self.net.tensors(True, {**near, **at}), self.target))
        return (sides[0] - sides[1]) / (2 * length)

    def error_along(self, moved: Arrays, found: float, expected: float, length: float) -> Tuple[float, float]:
        """How far a derivative is from the reference's, and by how much that differs where float32 may have computed
        it."""
        error, noise = abs(found - expected) / length, self.noise
        if error > max(TOLERANCE, NOISES * noise):
            expected = self.along(moved, length=SHORT_STEP)
            error = abs(found - expected) / length
        for _ in range(TRIES):
            if error <= max(TOLERANCE, NOISES * noise):
                break
            noise = max(noise, abs(self.along(moved, JITTER, SHORT_STEP) - expected) / length)
        return error, noise

    def rows(self, groups: int) -> List[Row]:
        """One for each group of weights. A difference is a share of the length of the gradient, which a derivative
        along a random direction has in the mean, or of a hundredth of the greatest length."""
        found: List[Tuple[Arrays, float, float, float]] = []
        rows: List[Row] = []
        before = self.net.computed.arrays
        for part in numpy.array_split(numpy.array(self.trained, object), max(min(groups, len(self.trained)), 1)):
            if len(part) == 0:
                continue
            moved = self.moved(list(part))
            expected, after = self.along(moved), self.net._imported(moved).arrays
            # Parameters have the file's extents, and gradients the layer's: (C, 1, 1) and (C) for slopes of a prelu.
            products = numpy.concatenate([
                gradient.reshape(-1) * (after[name].astype(float) - before[name]).reshape(-1)
                for name, gradient in self.gradients.items()])
            # A number that the file shares and the model has twice has the same derivative, and trains apart.
            count = sum(array.size for array in moved.values())
            trained = sum(int(numpy.count_nonzero(after[name] != before[name])) for name in self.gradients)
            if trained > count:
                rows.append(Row(f"number of parameters made of {', '.join(part)}", count, trained / count - 1))
            found.append((moved, expected, float(products.sum()),
                          max(float(numpy.sqrt((products ** 2).sum())), abs(expected))))
        self.greatest = max([length for *_, length in found], default=0.0)
        for moved, expected, ours, length in found:
            name, length = next(iter(moved)), max(length, 1e-2 * self.greatest, 1e-30)
            rows.append(Row(f"along {name}" if len(moved) == 1 else f"along {name} and {len(moved) - 1} more",
                            sum(array.size for array in moved.values()),
                            *self.error_along(moved, ours, expected, length)))
        return rows

    def untrained(self, most: int) -> Tuple[List[str], List[str]]:
        """Numbers that have a derivative and do not train, and names of numbers that were not looked at."""
        names = [name for name in self.floats if name not in self.trained]
        found: List[str] = []
        for name in names[:most]:
            try:
                slope = abs(self.along(self.moved([name])))
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
    words += [word for name, number in (numbers or {}).items() for word in ("--set", f"{name}={number}")]
    net = Network(path, words, numbers or {}, seed, {"platform": platform, "budgets": [ram], "runtime": runtime,
                                                     "effort": effort})
    forward = max(net.computed.flop() / 3, 1.0)
    directions = 10 ** 6 if most_flop is None else int(most_flop / forward - 6) // 2
    if directions < 1:
        raise InputError(f"its step takes {3 * forward:.3g} FLOPs")
    found, inputs = net.tensors(False), net.inputs(net.computed)
    evaluated = net.computed.tensor(inputs, False)
    outputs = [net.output_row(evaluated, found, False), *net.rates_row(found)]
    if not outputs[0].agrees(tolerance):
        return _failed(net, found, outputs, tolerance, False)
    found = net.tensors(True)
    scores, is_choice = net.scores(found), net.computed.loss == "cross_entropy"
    target = net.draw.integers(0, scores.shape[-1], scores.shape[:-1]) if is_choice else \
        net.draw.standard_normal(scores.shape).astype("f4")
    schedule, run = net.computed.run(inputs, net.computed.shaped(target, evaluated))
    outputs.append(net.output_row(net.computed.output_of(run), found, True))
    if not outputs[-1].agrees(tolerance):
        return _failed(net, found, outputs, tolerance, True)
    expected = net.loss(found, target)
    noise = abs(net.loss(net.tensors(True, real=numpy.float32), target) - expected) / max(abs(expected), 1e-30)
    slopes = Slopes(net, target, run.arrays.get("gradients", {}), max(noise, *(row.noise for row in outputs)))
    rows = slopes.rows(min(MOST_GROUPS, directions))
    untrained, unseen = slopes.untrained(directions)
    untrained = untrained if net.computed.trains else [*slopes.trained, *untrained]
    return Check(tuple(rows), float(run.losses[0] or 0.0), expected, tolerance, schedule, run, tuple(outputs), noise,
                 untrained=tuple(untrained), skipped=(f"the derivatives of {', '.join(unseen)}",) if unseen else ())


def _failed(net: Network, found: Arrays, outputs: Sequence[Row], tolerance: float, training: bool) -> Check:
    """The comparison of a file whose outputs differ already."""
    return Check((), float("nan"), float("nan"), tolerance, None, None, tuple(outputs),
                 first=net.first_layer(training, found))
