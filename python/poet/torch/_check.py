"""The model of a module of PyTorch beside the module itself, by autograd."""
from __future__ import annotations

import contextlib
import copy
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple
from unittest import mock

from poet._compared import UNASKED_FLOP, Check, Computed, Row, compare_unasked, distance, first_that_differs
from poet._options import Duration, Size
from poet._platform import PlatformLike
from poet.errors import InputError, PoetError
from poet.torch._pytorch import in_training, torch
from poet.torch._state import arrays_of, entries

functional: Any = torch.nn.functional
#: Gradients are compared in shares of the largest element, or of this part of the largest of all gradients: the gradient
#: of a bias before a batch norm is zero but for rounding.
LEAST_SHARE = 1e-2


def check(net: Any, x: Any, y: Any = None, *, platform: PlatformLike = "m4", ram: Optional[Size] = None,
          runtime: Duration = 2, loss: Optional[str] = None, tolerance: float = 1e-4, effort: str = "fast",
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
        poet.PoetError: as `poet.optimize` and `poet.Schedule.run`.
    """
    from poet.torch import trace
    given = tuple(x) if isinstance(x, (tuple, list)) else (x,)
    arrays: Dict[str, Any] = {}
    notes: List[str] = []
    document = trace(net, *given, loss=loss, notes=notes, parameters=arrays, via=via)
    model = Computed(document, arrays, given[0].shape[0], platform, ["60%", "75%", "90%", "100%"] if ram is None else [ram],
                     runtime, effort)
    step_flop = model.flop()
    if most_flop is not None and step_flop > most_flop:
        raise InputError(f"its step takes {step_flop:.3g} FLOPs")
    inputs = {name: _numbers(each).reshape(shape) for (name, shape), each in zip(model.inputs.items(), given)}
    outputs, skipped = [], [note for note in notes if "custom layer" in note]
    with _plain(net) as rates:
        for training in (False, True):
            rates.clear()
            try:
                output = _output(net, given, training)
            except Exception as error:
                if training:
                    raise
                skipped.append(f"evaluation mode, in which it raises {type(error).__name__}")
                continue
            stated = sorted(rates)
            row = _output_row(net, given, model, inputs, output, training)
            outputs.append(row)
            if not row.agrees(tolerance):
                return Check((), float("nan"), float("nan"), tolerance, None, None, tuple(outputs),
                             first=_first_layer(net, given, model, inputs, training), skipped=tuple(skipped))
        target = _seeded_target(output, model, seed) if y is None else y
        expected, gradients, noises, loss_noise = _by_autograd(net, given, target, model)
    ours = [rate for rate in model.rates if rate > 0]
    if ours or stated:
        outputs.append(Row("rates of random layers", len(stated), distance(ours, stated)))
    schedule, run = model.run(inputs, _numbers(target).reshape(_target_shape(output, model)))
    found = run.arrays.get("gradients", {})
    names = _names(net, arrays, gradients, found)
    gradients, noises = ({names[name]: each for name, each in some.items()} for some in (gradients, noises))
    return Check(_rows(found, gradients, noises), float(run.losses[0] or 0.0), expected, tolerance,
                 schedule, run, tuple(outputs), loss_noise, skipped=tuple(skipped))


def seeded(net: Any, shapes: Sequence[Sequence[int]], indices: bool, seed: int = 1) -> Tuple[Any, ...]:
    """Inputs of these extents: numbers, or indices for the smallest embedding."""
    draw = torch.Generator().manual_seed(seed)
    most = min([each.num_embeddings for each in net.modules() if isinstance(each, torch.nn.Embedding)], default=2)
    return tuple(torch.randint(0, most, tuple(shape), generator=draw) if indices else
                 torch.randn(tuple(shape), generator=draw) for shape in shapes)


def check_unasked(net: Any, inputs: Tuple[Any, ...], document: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Compares a module that was traced, on seeded data, within 20 GFLOP. Raises Differs."""
    shapes = [(*shape[:1], *given.shape[1:]) for given, shape in zip(inputs, Computed(document, {}, 2).inputs.values())]
    data = seeded(net, shapes, not inputs[0].is_floating_point())
    compare_unasked(type(net).__name__, lambda: check(
        net, data, loss=settings.get("loss"), via=settings.get("via"), most_flop=UNASKED_FLOP))


def _numbers(tensor: Any) -> Any:
    return tensor.detach().cpu().numpy()


@contextlib.contextmanager
def _plain(net: Any) -> Iterator[List[float]]:
    """The module with random layers that drop nothing, and the rates with which they would in a training. Its gradients and
    buffers stay as they are."""
    found: List[float] = []

    def passed(tensor: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        found.extend([p] if training and p > 0 else [])
        return tensor
    kept = [(buffer, buffer.clone()) for buffer in net.buffers()]
    depths = [(each, each.p) for each in net.modules() if type(each).__name__ == "StochasticDepth"]
    hooks = [each.register_forward_pre_hook(lambda module, _, p=p: passed(None, p, module.training)) for each, p in depths]
    names = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
    try:
        with contextlib.ExitStack() as stack:
            for name in names:
                if hasattr(functional, name):
                    stack.enter_context(mock.patch.object(functional, name, passed))
            for each, _ in depths:
                each.p = 0.0
            yield found
    finally:
        for hook in hooks:
            hook.remove()
        for each, p in depths:
            each.p = p
        with torch.no_grad():
            for buffer, before in kept:
                buffer.copy_(before)


@contextlib.contextmanager
def _mode(net: Any, training: bool) -> Iterator[Any]:
    with in_training(net):
        yield net if training else net.eval()


def _first_tensor(output: Any) -> Any:
    while not torch.is_tensor(output):
        output = next(iter(output.values())) if isinstance(output, dict) else output[0]
    return output


def _output(net: Any, inputs: Tuple[Any, ...], training: bool) -> Any:
    with _mode(net, training) as module, torch.no_grad():
        return _first_tensor(module(*(each.clone() for each in inputs))).clone()


def _double(net: Any, inputs: Tuple[Any, ...]) -> Tuple[Any, Tuple[Any, ...]]:
    """A copy of the module in float64, and its inputs."""
    return copy.deepcopy(net).double(), tuple(each.double() if each.is_floating_point() else each for each in inputs)


def _log_scores(output: Any, model: Computed) -> Tuple[Any, bool]:
    """What a cross entropy is computed from, with classes in the last extent, and whether these are log-probabilities: an
    output that sums to one along an extent, as after a softmax, has its classes there."""
    for logs, values in ((output, output.exp()), (output.log(), output)):
        for axis in reversed(range(1, output.dim())):
            if bool((values >= 0).all()) and output.shape[axis] > 1 and torch.allclose(
                    values.sum(axis), torch.ones((), dtype=values.dtype), atol=1e-4):
                return logs.movedim(axis, -1), True
    return output.movedim(1 if output.dim() in (2, 4) else -1, -1), False


def _scores(output: Any, model: Computed) -> Any:
    return _log_scores(output, model)[0] if model.loss == "cross_entropy" else output


def _target_shape(output: Any, model: Computed) -> Tuple[int, ...]:
    shape = tuple(_scores(output, model).shape)
    return shape[:-1] if model.loss == "cross_entropy" else shape


def _seeded_target(output: Any, model: Computed, seed: int) -> Any:
    draw = torch.Generator().manual_seed(seed)
    shape = _target_shape(output, model)
    if model.loss == "cross_entropy":
        return torch.randint(0, _scores(output, model).shape[-1], shape, generator=draw)
    return torch.randn(shape, generator=draw)


def _output_row(net: Any, given: Tuple[Any, ...], model: Computed, inputs: Mapping[str, Any], output: Any,
                training: bool) -> Row:
    scores, are_logs = _log_scores(output, model) if model.loss == "cross_entropy" else (output, False)
    ours = torch.from_numpy(model.tensor(inputs, training).astype("float64"))
    ours = functional.log_softmax(ours, -1) if are_logs else ours
    noise = 0.0
    with contextlib.suppress(Exception):  # what makes float32 tensors of its own cannot be computed in float64
        exact = _scores(_output(*_double(net, given), training), model)
        noise = distance(scores, exact)
    return Row(f"output in {'training' if training else 'evaluation'}", scores.numel(), distance(ours, scores), noise)


def _value(output: Any, y: Any, model: Computed) -> Any:
    if model.loss == "mse":
        return functional.mse_loss(output, y.to(output.dtype).reshape(output.shape))
    scores, are_logs = _log_scores(output, model)
    compare = functional.nll_loss if are_logs else functional.cross_entropy
    return compare(scores.reshape(-1, scores.shape[-1]), y.reshape(-1))


def _gradients(net: Any, inputs: Tuple[Any, ...], y: Any, model: Computed) -> Tuple[float, Dict[str, Any]]:
    with _mode(net, True), torch.enable_grad():
        value = _value(_first_tensor(net(*(each.clone() for each in inputs))), y, model)
        trained = [(name, each) for name, each in net.named_parameters() if each.requires_grad]
        found = torch.autograd.grad(value, [each for _, each in trained], allow_unused=True) if trained else ()
    by_name = {name: gradient for (name, _), gradient in zip(trained, found) if gradient is not None}
    return float(value), arrays_of(by_name, entries(net))


def _by_autograd(net: Any, inputs: Tuple[Any, ...], y: Any, model: Computed) -> Tuple[float, Dict[str, Any], Dict[str, float],
                                                                                      float]:
    """The loss, gradients as arrays by the names of layers, and the noise of both in float32."""
    value, gradients = _gradients(net, inputs, y, model)
    noises: Dict[str, float] = {}
    loss_noise = 0.0
    with contextlib.suppress(Exception):
        exact, others = _gradients(*_double(net, inputs), y, model)
        least = _least(others)
        noises = {name: distance(gradients[name], others[name], least) for name in others}
        loss_noise = abs(value - exact) / max(abs(exact), 1e-30)
    return value, gradients, noises, loss_noise


def _least(gradients: Mapping[str, Any]) -> float:
    return max([1e-30] + [LEAST_SHARE * float(abs(each).max()) for each in gradients.values()])


def _names(net: Any, arrays: Mapping[str, Any], gradients: Mapping[str, Any], found: Mapping[str, Any]) -> Dict[str, str]:
    """The names of gradients in the model. A weight that a function is given is known by its numbers alone."""
    state = arrays_of(net.state_dict(), entries(net))
    left = [name for name in found if name not in gradients]
    names = {name: name for name in gradients}
    for name in gradients:
        same = [each for each in left if name not in found and arrays[each].size == state[name].size
                and (arrays[each].reshape(-1) == state[name].reshape(-1)).all()]
        if same:
            names[name] = same[0]
            left.remove(same[0])
    return names


def _rows(found: Mapping[str, Any], expected: Mapping[str, Any], noises: Mapping[str, float]) -> Tuple[Row, ...]:
    """A gradient that only one of the two has counts as another one."""
    least, rows = _least(expected), []
    for name in [*expected, *(name for name in found if name not in expected)]:
        if name in found and name in expected:
            rows.append(Row(name, expected[name].size, distance(found[name], expected[name], least), noises.get(name, 0.0)))
        else:
            rows.append(Row(name, 0, float("inf")))
    return tuple(rows)


def _kept(output: Any) -> Any:
    """A copy, as what comes after may change a tensor in place."""
    return output.detach().clone() if torch.is_tensor(output) else None


def _first_layer(net: Any, given: Tuple[Any, ...], model: Computed, inputs: Mapping[str, Any],
                 training: bool) -> Optional[str]:
    """The first module that its layer computes otherwise; of a layer that is no module, only the last one can be told."""
    layers = [layer["name"] for layer in model.document["layers"][:-1]]
    made: Dict[str, List[Any]] = {name: [] for name in layers}
    hooks = [module.register_forward_hook(lambda _, __, output, name=name: made[name].append(_kept(output)))
             for name, module in net.named_modules() if name in made]
    try:
        _output(net, given, training)
    finally:
        for hook in hooks:
            hook.remove()
    known = {name: found[0] for name, found in made.items() if len(found) == 1 and found[0] is not None}

    def differs(name: str) -> Optional[bool]:
        try:
            return distance(model.tensor(inputs, training, name), known[name]) > 1e-4
        except PoetError:
            return None
    names = [name for name in layers if name in known]
    if not names or not differs(names[-1]):
        return f"{model.output}, or one between {names[-1]} and it" if names else model.output
    return first_that_differs(names, differs)
