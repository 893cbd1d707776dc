"""The model of a module of PyTorch beside the module itself, by autograd."""
from __future__ import annotations

import contextlib
import copy
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple
from unittest import mock

from poet._compared import (JITTER, TOLERANCE, TRIES, UNASKED_FLOP, Check, Computed, Row, compare_unasked, distance,
                            first_that_differs)
from poet._options import Duration, Size
from poet._platform import PlatformLike
from poet.errors import InputError, PoetError
from poet.torch._document import trace
from poet.torch._pytorch import in_training, torch
from poet.torch._state import arrays_of, entries

functional: Any = torch.nn.functional
#: Functions of `torch.nn.functional` that drop something.
DROPOUTS = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
BUDGETS = ("60%", "75%", "90%", "100%")
#: Gradients are compared in shares of their largest element, or of this part of the largest of all gradients: the
#: gradient of a bias before a batch norm is zero but for rounding.
LEAST_SHARE = 1e-2
Arrays = Dict[str, Any]


def check(net: Any, x: Any, y: Any = None, *, platform: PlatformLike = "m4", ram: Optional[Size] = None,
          runtime: Duration = 2, loss: Optional[str] = None, tolerance: float = TOLERANCE, effort: str = "fast",
          via: Optional[str] = None, seed: int = 1, most_flop: Optional[float] = None) -> Check:
    """Imports a module, solves a schedule for it, runs that, and compares outputs, loss and gradients with PyTorch's.

    Args:
        net: a `torch.nn.Module`, which is left as it is. Random layers drop nothing while it is compared.
        x: its input, or a tuple of several; samples in the first extent.
        y: what the loss compares with: classes (int64) or numbers; without, seeded ones.
        platform: that the schedule is solved for.
        ram: the RAM budget; without one, the first of 60 %, 75 %, 90 % and 100 % of what keeping everything takes that
            has a schedule.
        runtime: the runtime budget.
        loss: "cross_entropy" or "mse"; without, as `poet.torch.trace` chooses.
        tolerance: the largest error that counts as agreement; float32 sums in another order differ by 1e-6 or so.
        effort: of the solve.
        via: "fx" or "onnx", as for `poet.torch.trace`.
        seed: of what is not given.
        most_flop: that a step may take.

    Raises:
        poet.torch.Refused: no layers stand for a part of it.
        poet.PoetError: as `poet.optimize` and `poet.Schedule.run`; a step takes too much.
    """
    given = tuple(x) if isinstance(x, (tuple, list)) else (x,)
    arrays: Arrays = {}
    document = trace(net, *given, loss=loss, notes=[], parameters=arrays, via=via)
    model = Computed(document, arrays, given[0].shape[0], platform, BUDGETS if ram is None else [ram], runtime, effort)
    step_flop = model.flop()
    if most_flop is not None and step_flop > most_flop:
        raise InputError(f"its step takes {step_flop:.3g} FLOPs")
    with _plain(net) as rates:
        return Compared(net, given, model, tolerance, rates).check(y, seed)


def seeded(net: Any, shapes: Sequence[Sequence[int]], indices: bool, seed: int = 1) -> Tuple[Any, ...]:
    """Inputs of these extents: numbers, or indices for the smallest embedding."""
    draw = torch.Generator().manual_seed(seed)
    most = min([each.num_embeddings for each in net.modules() if isinstance(each, torch.nn.Embedding)], default=2)
    return tuple(torch.randint(0, most, tuple(shape), generator=draw) if indices else
                 torch.randn(tuple(shape), generator=draw) for shape in shapes)


def check_unasked(net: Any, inputs: Tuple[Any, ...], document: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Compares a module that was traced, on seeded data, within 20 GFLOP. Raises Differs."""
    batches = [shape[:1] for shape in Computed(document, {}, 2).inputs.values()]
    data = seeded(net, [(*batch, *given.shape[1:]) for batch, given in zip(batches, inputs)],
                  not inputs[0].is_floating_point())
    compare_unasked(type(net).__name__, lambda: check(
        net, data, ram="100%", loss=settings.get("loss"), via=settings.get("via"), most_flop=UNASKED_FLOP))


@contextlib.contextmanager
def _plain(net: Any) -> Iterator[List[float]]:
    """The module with random layers that drop nothing, and a list that gets the rates with which they would. Its
    buffers stay as they are."""
    rates: List[float] = []

    def passed(tensor: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        rates.extend([p] if training and p > 0 else [])
        return tensor
    kept = [(buffer, buffer.clone()) for buffer in net.buffers()]
    depths = [(each, each.p) for each in net.modules() if type(each).__name__ == "StochasticDepth"]
    with contextlib.ExitStack() as stack:
        for name in DROPOUTS:
            stack.enter_context(mock.patch.object(functional, name, passed))
        for each, rate in depths:
            stack.enter_context(mock.patch.object(each, "p", 0.0))
            stack.callback(each.register_forward_pre_hook(
                lambda module, _, rate=rate: passed(None, rate, module.training)).remove)
        try:
            yield rates
        finally:
            with torch.no_grad():
                for buffer, before in kept:
                    buffer.copy_(before)


class Compared:
    """A module, what it is called with, and its model."""

    def __init__(self, net: Any, given: Tuple[Any, ...], model: Computed, tolerance: float, rates: List[float]) -> None:
        self.net, self.given, self.model, self.tolerance, self.rates = net, given, model, tolerance, rates
        self.inputs = {name: _numbers(each).reshape(shape) for (name, shape), each in zip(model.inputs.items(), given)}
        #: a copy of the module in float64, and its inputs; None if there is none, as of what makes float32 tensors
        self.exact: Optional[Tuple[Any, Tuple[Any, ...]]] = None
        with contextlib.suppress(Exception):
            exact = (copy.deepcopy(net).double(),
                     tuple(each.double() if each.is_floating_point() else each for each in given))
            self.output(*exact, False)  # which leaves running statistics as they are
            self.exact = exact

    def check(self, y: Any, seed: int) -> Check:
        evaluated = self.model.tensor(self.inputs, False)
        outputs = [self.output_row(evaluated, False)]
        if not outputs[0].agrees(self.tolerance):
            return self.failed(outputs, False)
        self.rates.clear()
        scores, _ = self.scores(self.output(self.net, self.given, True))
        stated, ours = sorted(self.rates), [rate for rate in self.model.rates if rate > 0]
        is_choice, draw = self.model.loss == "cross_entropy", torch.Generator().manual_seed(seed)
        if y is None:
            y = torch.randint(0, scores.shape[-1], scores.shape[:-1], generator=draw) if is_choice else \
                torch.randn(scores.shape, generator=draw)
        schedule, run = self.model.run(self.inputs, self.model.shaped(_numbers(y), evaluated))
        outputs.append(self.output_row(self.model.output_of(run), True))
        if not outputs[1].agrees(self.tolerance):
            return self.failed(outputs, True)
        outputs += [Row("rates of random layers", len(stated), distance(ours, stated))] if ours or stated else []
        loss, gradients = self.by_autograd(self.net, self.given, y)
        expected, exact = (loss, gradients) if self.exact is None else self.by_autograd(*self.exact, y)
        noises = {name: distance(gradients[name], exact[name], _least(exact)) for name in exact}
        rows = self.rows(run.arrays.get("gradients", {}), exact, noises)
        for _ in range(TRIES if self.exact is not None else 0):
            if all(row.agrees(self.tolerance) for row in rows):
                break
            _, others = self.by_autograd(*self.jittered(draw), y)
            noises = {name: max(noise, distance(others[name], exact[name], _least(exact)))
                      for name, noise in noises.items()}
            rows = self.rows(run.arrays.get("gradients", {}), exact, noises)
        return Check(rows, float(run.losses[0] or 0.0), expected, self.tolerance, schedule, run, tuple(outputs),
                     abs(loss - expected) / max(abs(expected), 1e-30))

    def failed(self, outputs: List[Row], training: bool) -> Check:
        """The comparison of a module whose outputs differ already."""
        return Check((), float("nan"), float("nan"), self.tolerance, None, None, tuple(outputs),
                     first=self.first_layer(training))

    def jittered(self, draw: Any) -> Tuple[Any, Tuple[Any, ...]]:
        """The module in float64 and its inputs, each number moved by what float32 may make of it."""
        assert self.exact is not None
        net, given = copy.deepcopy(self.exact[0]), tuple(each.clone() for each in self.exact[1])
        with torch.no_grad():
            for each in (*net.parameters(), *given):
                if each.is_floating_point():
                    each.mul_(1 + JITTER * torch.randn(each.shape, generator=draw, dtype=each.dtype))
        return net, given

    def output(self, net: Any, given: Tuple[Any, ...], training: bool) -> Any:
        """The first output in one of the modes."""
        with in_training(net), torch.no_grad():
            module = net if training else net.eval()
            return _first_tensor(module(*(each.clone() for each in given))).clone()

    def scores(self, output: Any) -> Tuple[Any, bool]:
        """What the loss is computed from; of a cross entropy with classes in the last extent, and whether these are
        log-probabilities. An output that sums to one along an extent, as after a softmax, has its classes there."""
        if self.model.loss != "cross_entropy":
            return output, False
        for logs, values in ((output, output.exp()), (output.log(), output)):
            for axis in reversed(range(1, output.dim())):
                sums = values.sum(axis)
                if bool((values >= 0).all()) and output.shape[axis] > 1 and torch.allclose(sums, torch.ones_like(sums),
                                                                                           atol=1e-4):
                    return logs.movedim(axis, -1), True
        return output.movedim(1 if output.dim() in (2, 4) else -1, -1), False

    def output_row(self, found: Any, training: bool) -> Row:
        """How far the model's output is from the module's."""
        scores, are_logs = self.scores(self.output(self.net, self.given, training))
        exact = scores if self.exact is None else self.scores(self.output(*self.exact, training))[0]
        ours = torch.from_numpy(found.astype("float64"))
        ours = functional.log_softmax(ours, -1) if are_logs else ours
        return Row(f"output in {'training' if training else 'evaluation'}", scores.numel(), distance(ours, exact),
                   distance(scores, exact))

    def by_autograd(self, net: Any, given: Tuple[Any, ...], y: Any) -> Tuple[float, Arrays]:
        """The loss, and gradients as arrays by the names of layers."""
        with in_training(net), torch.enable_grad():
            output = _first_tensor(net(*(each.clone() for each in given)))
            scores, are_logs = self.scores(output)
            if self.model.loss == "mse":
                value = functional.mse_loss(output, y.to(output.dtype).reshape(output.shape))
            else:
                compare = functional.nll_loss if are_logs else functional.cross_entropy
                value = compare(scores.reshape(-1, scores.shape[-1]), y.reshape(-1))
            trained = [(name, each) for name, each in net.named_parameters() if each.requires_grad]
            found = torch.autograd.grad(value, [each for _, each in trained], allow_unused=True) if trained else ()
        by_name = {name: gradient for (name, _), gradient in zip(trained, found) if gradient is not None}
        return float(value), arrays_of(by_name, entries(net))

    def rows(self, found: Arrays, expected: Arrays, noises: Mapping[str, float]) -> Tuple[Row, ...]:
        """A gradient that only one of the two has counts as another one. A weight that a function is given has another
        name in the model, and is known by its numbers."""
        state, least, rows = arrays_of(self.net.state_dict(), entries(self.net)), _least(expected), []
        left = [name for name in found if name not in expected]
        for name, gradient in expected.items():
            same = [name] if name in found else [each for each in left
                                                 if _equal(self.model.arrays[each], state[name])][:1]
            left = [each for each in left if each not in same]
            error = distance(found[same[0]], gradient, least) if same else float("inf")
            rows.append(Row(name, gradient.size if same else 0, error, noises.get(name, 0.0)))
        return (*rows, *(Row(name, 0, float("inf")) for name in left))

    def first_layer(self, training: bool) -> str:
        """The first module that its layer computes otherwise. A layer without a module of its own is known by the
        modules around it."""
        layers = [layer["name"] for layer in self.model.document["layers"][:-1]]
        made: Dict[str, List[Any]] = {name: [] for name in layers}
        hooks = [module.register_forward_hook(lambda _, __, output, name=name: made[name].append(
            output.detach().clone() if torch.is_tensor(output) else None))
            for name, module in self.net.named_modules() if name in made]
        try:
            self.output(self.net, self.given, training)
        finally:
            for hook in hooks:
                hook.remove()

        def differs(name: str) -> Optional[bool]:
            try:
                return distance(self.model.tensor(self.inputs, training, name), made[name][0]) > TOLERANCE
            except PoetError:
                return None
        names = [name for name in layers if len(made[name]) == 1 and made[name][0] is not None]
        if names and differs(names[-1]):
            return first_that_differs(names, differs)
        return self.model.output if not names else f"{self.model.output}, or one between {names[-1]} and it"


def _numbers(tensor: Any) -> Any:
    return tensor.detach().cpu().numpy()


def _first_tensor(output: Any) -> Any:
    while not torch.is_tensor(output):
        output = next(iter(output.values())) if isinstance(output, dict) else output[0]
    return output


def _least(gradients: Mapping[str, Any]) -> float:
    return max([1e-30] + [LEAST_SHARE * float(abs(each).max()) for each in gradients.values()])


def _equal(ours: Any, theirs: Any) -> bool:
    return bool(ours.size == theirs.size and (ours.reshape(-1) == theirs.reshape(-1)).all())
