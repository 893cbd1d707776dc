"""What functions and methods of tensors are as layers."""
from __future__ import annotations

import importlib
import operator
from typing import Any, Callable, Dict, List, Sequence, Tuple

from poet.torch._pytorch import torch
from poet.torch._layers import Layers, Unsupported, window
from poet.torch._modules import (drop_samples, dropped, expect_undilated, exponential, leak, of_rank, other_than,
                                 resize, smooth, soften, softmax_axis, view)
from poet.torch._recurrence import State

F: Any = importlib.import_module("torch.nn.functional")


class Value:
    """A tensor of the trace: the name of what makes it and its shape. A State has its own shape."""

    def __init__(self, name: str, tensor: Any) -> None:
        self.name, self.shape, self.tensor = name, tuple(tensor.shape), tensor


class Stack(Value):
    """The last states of a recurrence, one for each layer and direction. A single one has no extent for that."""

    def __init__(self, state: State, tensor: Any) -> None:
        super().__init__(str(state), tensor[0] if len(state.parts) == 1 else tensor)
        self.parts = [Value(part, row) for part, row in zip(state.parts, tensor)]


class Use:
    """A function that is called in a trace. Tensors among the arguments are Values."""

    def __init__(self, layers: Layers, name: str, args: Sequence[Any], kwargs: Dict[str, Any], output: Any) -> None:
        self.layers, self.name, self.args, self.kwargs, self.output = layers, name, args, kwargs, output

    @property
    def x(self) -> Value:
        return self.value(0, "input")

    def value(self, place: int, key: str) -> Value:
        found = self.get(place, key)
        if not isinstance(found, Value):
            raise Unsupported(f"its argument {key} is {found!r}; expected a tensor that depends on the input, or a "
                              "weight")
        return found

    def get(self, place: int, key: str, otherwise: Any = None) -> Any:
        return self.args[place] if place < len(self.args) else self.kwargs.get(key, otherwise)

    def rest(self, start: int, key: str) -> List[int]:
        """The numbers from one place on, or the one list that is there."""
        found = self.args[start:] or [self.kwargs[key]]
        return list(found[0] if len(found) == 1 and isinstance(found[0], (tuple, list, torch.Size)) else found)

    def add(self, op: str, **attributes: Any) -> str:
        return self.layers.add(op, self.name, [self.x.name], **attributes)


def stated(value: Any) -> Any:
    """A number that a layer can state; None for others."""
    return float(value) if isinstance(value, (int, float)) and abs(value) <= 1e30 else None


def operand(use: Use, value: Any) -> Value:
    """A tensor, or a number as one that does not train."""
    if isinstance(value, Value):
        return value
    name = use.layers.add("parameter", use.name + ".number", [], shape=[1], trainable=False, value=stated(value))
    use.layers.numbers[name] = torch.tensor([float(value)]).numpy()
    return Value(name, torch.zeros(1))


def binary(op: str) -> Callable[[Use], Any]:
    def work(use: Use) -> Any:
        a, b = use.get(0, "input"), use.get(1, "other")
        if not isinstance(a, Value) and not isinstance(b, Value):
            return None
        name = use.layers.add(op, use.name, [operand(use, a).name, operand(use, b).name])
        for key, usual in (("alpha", 1), ("rounding_mode", None)):
            if use.kwargs.get(key, usual) != usual:
                use.layers.differs(f"it has {key}={use.kwargs[key]}, the layer has none")
        return name
    return work


def plain(op: str) -> Callable[[Use], Any]:
    return lambda use: use.add(op)


def dropout(use: Use) -> str:
    rate = use.get(1, "p", 0.5) if use.get(2, "training", True) else 0
    return dropped(use.layers, "dropout", use.name, [use.x.name], rate)


def stochastic_depth(use: Use) -> str:
    rate = use.get(1, "p") if use.get(3, "training", True) else 0
    return drop_samples(use.layers, use.name, [use.x.name], rate, use.get(2, "mode"))


def leaky_relu(use: Use) -> str:
    return leak(use.layers, use.name, [use.x.name], use.get(1, "negative_slope", 0.01))


def elu(use: Use) -> str:
    return exponential(use.layers, use.name, [use.x.name], use.get(1, "alpha", 1.0))


def softplus(use: Use) -> str:
    return soften(use.layers, use.name, [use.x.name], use.get(1, "beta", 1), use.get(2, "threshold", 20))


def gelu(use: Use) -> str:
    return smooth(use.layers, use.name, [use.x.name], use.get(1, "approximate", "none"))


def reshape(use: Use) -> str:
    return view(use.layers, use.name, use.x.name, use.x.shape, tuple(use.output.shape))


def permute(use: Use) -> str:
    order = [axis % len(use.x.shape) for axis in use.rest(1, "dims")]
    return use.add("permute", order=order)


def transpose(use: Use) -> str:
    order = list(range(len(use.x.shape)))
    a, b = use.get(1, "dim0"), use.get(2, "dim1")
    order[a], order[b] = order[b], order[a]
    return use.add("permute", order=order)


def cat(use: Use) -> str:
    tensors, axis = use.get(0, "tensors"), use.get(1, "dim", 0)
    return use.layers.add("concat", use.name, [t.name for t in tensors],
                          axis=other_than(axis % len(tensors[0].shape), 1))


def chunk(use: Use) -> Tuple[str, ...]:
    axis = use.get(2, "dim", 0) % len(use.x.shape)
    name = use.add("split", sizes=[part.shape[axis] for part in use.output], axis=other_than(axis, 1))
    return tuple(f"{name}.{i}" for i in range(len(use.output)))


def mean(use: Use) -> str:
    axes = use.get(1, "dim")
    axes = list(range(len(use.x.shape))) if axes is None else list(axes) if isinstance(axes, (tuple, list)) else [axes]
    return use.add("mean", axes=axes, keep_dims=other_than(bool(use.get(2, "keepdim", False)), False))


def adaptive_avg_pool(use: Use) -> str:
    return use.add(of_rank("adaptive_avg_pool", use.x.shape), output_size=window(tuple(use.output.shape[2:])))


def max_pool(use: Use) -> str:
    kernel = window(use.get(1, "kernel_size"))
    stride = use.get(2, "stride")
    expect_undilated(use.get(4, "dilation", 1))
    return use.add(of_rank("max_pool", use.x.shape), kernel=kernel,
                   stride=other_than(window(stride) if stride else kernel, kernel),
                   padding=other_than(window(use.get(3, "padding", 0)), 0),
                   ceil_mode=other_than(bool(use.get(5, "ceil_mode", False)), False))


def avg_pool(use: Use) -> str:
    kernel = window(use.get(1, "kernel_size"))
    stride = use.get(2, "stride")
    return use.add(of_rank("avg_pool", use.x.shape), kernel=kernel,
                   stride=other_than(window(stride) if stride else kernel, kernel),
                   padding=other_than(window(use.get(3, "padding", 0)), 0),
                   ceil_mode=other_than(bool(use.get(4, "ceil_mode", False)), False),
                   count_include_pad=other_than(bool(use.get(5, "count_include_pad", True)), True))


def softmax(op: str) -> Callable[[Use], Any]:
    return lambda use: use.add(op, axis=other_than(softmax_axis(use.get(1, "dim")), -1))


def prelu(use: Use) -> str:
    weight = use.value(1, "weight")
    return use.layers.add_with_weight("prelu", use.name, weight.tensor, [use.x.name],
                                      per_channel=other_than(weight.tensor.numel() > 1, False))


def interpolate(use: Use) -> str:
    return resize(use.layers, use.name, use.x.name, use.x.shape, tuple(use.output.shape), use.get(3, "mode", "nearest"),
                  bool(use.get(4, "align_corners", False)))


def keep_numbers(use: Use, name: str, weight: Value, bias: Any) -> str:
    """What a function is given as weights, under the names of its layer."""
    for part, value in (("weight", weight), ("bias", bias)):
        if isinstance(value, Value):
            use.layers.numbers[f"{name}.{part}"] = value.tensor.detach().cpu().numpy()
    return name


def linear(use: Use) -> str:
    weight = use.value(1, "weight")
    name = use.layers.add_with_weight("linear", use.name, weight.tensor, [use.x.name], out_features=weight.shape[0],
                                      bias=other_than(use.get(2, "bias") is not None, True))
    return keep_numbers(use, name, weight, use.get(2, "bias"))


def layer_norm(use: Use) -> str:
    weight = use.value(2, "weight")
    name = use.layers.add_with_weight("layer_norm", weight.name.rsplit(".weight", 1)[0], weight.tensor, [use.x.name],
                                      dims=other_than(len(use.get(1, "normalized_shape")), 1),
                                      bias=other_than(use.get(3, "bias") is not None, True),
                                      epsilon=other_than(use.get(4, "eps", 1e-5), 1e-5))
    return keep_numbers(use, name, weight, use.get(3, "bias"))


def matmul(use: Use) -> str:
    a, b = use.value(0, "input"), use.value(1, "other")
    if len(a.shape) < 2 or len(b.shape) < 2 or a.shape[:-2] != b.shape[:-2]:
        raise Unsupported(f"its inputs have the shapes {a.shape} and {b.shape}; expected as many matrices of both")
    return use.layers.add("matmul", use.name, [a.name, b.name])


def repeat(use: Use) -> str:
    """Each op that may read a repeated weight repeats it by itself."""
    if use.x.shape != tuple(use.output.shape) and not getattr(use.x.tensor, "is_leaf", False):
        raise Unsupported(f"it repeats data of the shape {use.x.shape} to {tuple(use.output.shape)}; expected a "
                          "weight, or the data itself where +, -, * and / repeat it by themselves")
    return use.x.name


def pick(use: Use) -> Any:
    """x[...] with whole numbers, slices of steps of 1, and None."""
    source, wanted = use.args
    if not isinstance(source, Value):
        found = source[wanted]
        return found if found is None or isinstance(found, (Value, tuple)) else found
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    if isinstance(source, Stack) and isinstance(wanted[0], int):
        source, wanted = source.parts[wanted[0]], wanted[1:]
    elif isinstance(source, Stack) and len(source.parts) == 1:
        raise Unsupported("it picks from the last state of one layer by more than a number; expected h[0] or h[-1]")
    if any(not (w is None or w is Ellipsis or isinstance(w, (int, slice))) for w in wanted):
        raise Unsupported("it picks elements by a tensor or a list; expected numbers and slices")
    if Ellipsis in wanted:
        at = wanted.index(Ellipsis)
        fill = len(source.shape) - sum(w is not None and w is not Ellipsis for w in wanted)
        wanted = wanted[:at] + (slice(None),) * fill + wanted[at + 1:]
    name, shape, axis = source.name, list(source.shape), 0
    for item in wanted:
        if item is None:
            continue
        if isinstance(item, slice) and item.step not in (None, 1):
            raise Unsupported(f"it takes elements in steps of {item.step}; expected steps of 1")
        start, stop, _ = (item if isinstance(item, slice) else slice(item, item + 1 or None)).indices(shape[axis])
        if stop - start != shape[axis]:
            name = use.layers.add("slice", use.name, [name], start=other_than(start, 0), size=stop - start,
                                  axis=other_than(axis, 1))
            shape[axis] = stop - start
        axis += 1
    return view(use.layers, use.name + ".shape", name, shape, tuple(use.output.shape))


def mask(use: Use) -> str:
    """x.masked_fill(mask, -inf) is the sum with a tensor that does not train."""
    hidden = use.value(1, "mask")
    return use.layers.add("add", use.name, [use.x.name, hidden.name])


def same(use: Use) -> str:
    return use.x.name


FUNCTIONS: Dict[Any, Callable[[Use], Any]] = {
    operator.eq: same, operator.getitem: pick, operator.matmul: matmul, torch.matmul: matmul, torch.bmm: matmul,
    torch.flatten: reshape, torch.reshape: reshape, torch.unsqueeze: reshape, torch.squeeze: reshape,
    torch.permute: permute, torch.transpose: transpose, torch.cat: cat, torch.concat: cat, torch.chunk: chunk,
    torch.split: chunk,
    torch.mean: mean, F.adaptive_avg_pool2d: adaptive_avg_pool, F.max_pool2d: max_pool, torch.max_pool2d: max_pool,
    F.max_pool1d: max_pool, torch.max_pool1d: max_pool, F.avg_pool1d: avg_pool, torch.avg_pool1d: avg_pool,
    F.adaptive_avg_pool1d: adaptive_avg_pool, torch.adaptive_avg_pool1d: adaptive_avg_pool,
    F.avg_pool2d: avg_pool, F.dropout: dropout, F.softmax: softmax("softmax"), torch.softmax: softmax("softmax"),
    F.log_softmax: softmax("log_softmax"), torch.log_softmax: softmax("log_softmax"),
    F.prelu: prelu, torch.prelu: prelu, F.elu: elu, F.softplus: softplus,
    F.interpolate: interpolate, F.linear: linear, F.layer_norm: layer_norm,
    F.relu: plain("relu"), torch.relu: plain("relu"), F.relu6: plain("relu6"), F.leaky_relu: leaky_relu,
    torch.sigmoid: plain("sigmoid"), F.sigmoid: plain("sigmoid"), torch.tanh: plain("tanh"), F.tanh: plain("tanh"),
    F.silu: plain("silu"), F.gelu: gelu, F.hardswish: plain("hard_swish"),
    F.hardsigmoid: plain("hard_sigmoid"),
}
for op, functions in {"add": (operator.add, operator.iadd, torch.add), "sub": (operator.sub, operator.isub, torch.sub),
                      "mul": (operator.mul, operator.imul, torch.mul),
                      "div": (operator.truediv, operator.itruediv, torch.div)
                      }.items():
    FUNCTIONS.update({function: binary(op) for function in functions})

METHODS: Dict[str, Callable[[Use], Any]] = {
    "view": reshape, "reshape": reshape, "flatten": reshape, "unsqueeze": reshape, "squeeze": reshape,
    "permute": permute, "transpose": transpose, "contiguous": same, "clone": same, "to": same, "float": same,
    "chunk": chunk, "split": chunk, "mean": mean, "softmax": softmax("softmax"),
    "log_softmax": softmax("log_softmax"), "prelu": prelu,
    "expand": repeat, "expand_as": repeat, "repeat": repeat,
    "matmul": matmul, "bmm": matmul, "relu": plain("relu"), "sigmoid": plain("sigmoid"), "tanh": plain("tanh"),
    "masked_fill": mask, "add": binary("add"), "add_": binary("add"), "mul": binary("mul"),
    "sub": binary("sub"), "div": binary("div"),
}

__all__ = ["FUNCTIONS", "METHODS", "Stack", "State", "Use", "Value"]
