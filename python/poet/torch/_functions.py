"""What functions and methods of tensors are as layers."""
from __future__ import annotations

import importlib
import inspect
import operator
from typing import Any, Callable, Dict, List, Sequence, Set, Tuple

from poet.torch._pytorch import torch
from poet.torch._layers import Layers, Unsupported, window
from poet.torch._modules import (average, drop_samples, dropped, expect_scale, expect_undilated, exponential, leak,
                                 of_rank, other_than, padded, resize, smooth, soften, softmax_axis, view)
from poet.torch._recurrence import State

F: Any = importlib.import_module("torch.nn.functional")


class Value:
    """A tensor of the trace: the name of what makes it and its shape. A State has its own shape.

    `is_stored`: it is a parameter or a buffer itself, and nothing that is computed.
    """

    def __init__(self, name: str, tensor: Any, is_stored: bool = False) -> None:
        self.name, self.shape, self.tensor, self.is_stored = name, tuple(tensor.shape), tensor, is_stored


class Constant(Value):
    """A tensor that follows from no input and from nothing that trains. It is a layer if one reads it."""

    known = ""

    def __init__(self, layers: Layers, wanted: str, tensor: Any) -> None:
        super().__init__("", tensor, True)
        self.layers, self.wanted = layers, wanted

    @property
    def name(self) -> str:
        numbers = self.tensor if self.tensor.is_floating_point() else self.tensor.float()
        value = stated(numbers.item()) if numbers.numel() == 1 else None
        self.known = self.known or self.layers.add_parameter(self.wanted, numbers, value)
        return self.known

    @name.setter
    def name(self, known: str) -> None:
        self.known = known


class Stack(Value):
    """The last states of a recurrence, one for each layer and direction. A single one has no extent for that."""

    def __init__(self, state: State, tensor: Any) -> None:
        super().__init__(str(state), tensor[0] if len(state.parts) == 1 else tensor)
        self.parts = [Value(part, row) for part, row in zip(state.parts, tensor)]


class Use:
    """A function that is called in a trace. Tensors among the arguments are Values.

    `readers`: the functions, names of methods and classes of modules that read the result.
    """

    def __init__(self, layers: Layers, name: str, args: Sequence[Any], kwargs: Dict[str, Any], output: Any,
                 readers: Sequence[Any] = ()) -> None:
        self.layers, self.name, self.args, self.kwargs, self.output = layers, name, args, kwargs, output
        self.readers = readers
        self.seen: Set[Any] = {"inplace"}  # _trace looks at what is done in place

    @property
    def x(self) -> Value:
        return self.value(0, "input")

    def value(self, place: int, key: str) -> Value:
        found = self.get(place, key)
        if not isinstance(found, Value):
            raise Unsupported(f"its argument {key} is {found!r}; expected a tensor that depends on the input, or a "
                              "weight")
        if not found.tensor.is_floating_point() and not self.makes_no_numbers():
            raise Unsupported(f"its argument {key} has whole numbers or truths, which layers but an embedding do not "
                              "read; expected real numbers")
        return found

    def makes_no_numbers(self) -> bool:
        """Whether the result has whole numbers as well, as the view of an index has."""
        return all(torch.is_tensor(each) and not each.is_floating_point()
                   for each in (self.output if isinstance(self.output, (tuple, list)) else (self.output,)))

    def get(self, place: int, key: str, otherwise: Any = None) -> Any:
        self.seen.update((place, key))
        return self.args[place] if place < len(self.args) else self.kwargs.get(key, otherwise)

    def rest(self, start: int, key: str) -> List[int]:
        """The numbers from one place on, or the one list that is there."""
        self.follows()
        found = self.args[start:] or [self.kwargs[key]]
        return list(found[0] if len(found) == 1 and isinstance(found[0], (tuple, list, torch.Size)) else found)

    def follows(self) -> None:
        """All arguments are seen: the shape of the output says what they are."""
        self.seen.update(range(len(self.args)), self.kwargs)

    def left(self, function: Any) -> None:
        """Raises Unsupported if an argument was not asked for, and is not the usual one."""
        try:
            known = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            known = []
        kinds = [each.tensor.dtype for each in self.args if isinstance(each, Value)]
        usual: Dict[Any, Any] = {each.name: each.default for each in known}
        for place, value in (*enumerate(self.args), *self.kwargs.items()):
            key = known[place].name if isinstance(place, int) and place < len(known) else place
            is_usual = value is None or value is False or (not isinstance(value, Value) and value == usual.get(key))
            if not (place in self.seen or key in self.seen or is_usual or any(value is kind for kind in kinds)):
                raise Unsupported(f"its argument {key} is {value}, which no layer states; expected "
                                  f"{usual.get(key)}")

    def add(self, op: str, **attributes: Any) -> str:
        return self.layers.add(op, self.name, [self.x.name], **attributes)


def stated(value: Any) -> Any:
    """A number that a layer can state; None for others."""
    return float(value) if isinstance(value, (int, float)) and abs(value) <= 1e30 else None


def operand(use: Use, value: Any) -> Value:
    """A tensor, or a number as one that does not train."""
    if isinstance(value, Value):
        if not value.tensor.is_floating_point() and not isinstance(value, Constant):
            raise Unsupported("it computes with whole numbers or truths; expected real numbers")
        return value
    name = use.layers.add("parameter", use.name + ".number", [], shape=[1], trainable=False, value=stated(value))
    use.layers.numbers[name] = torch.tensor([float(value)]).numpy()
    return Value(name, torch.zeros(1))


def binary(op: str) -> Callable[[Use], Any]:
    def work(use: Use) -> Any:
        a, b = use.get(0, "input"), use.get(1, "other")
        if not isinstance(a, Value) and not isinstance(b, Value):
            return None
        second, alpha = operand(use, b).name, use.get(len(use.args), "alpha", 1)
        if alpha != 1:
            second = use.layers.add("mul", f"{use.name}.alpha", [second, operand(use, alpha).name])
        name = use.layers.add(op, use.name, [operand(use, a).name, second])
        rounding = use.get(len(use.args), "rounding_mode")
        if rounding is not None:
            use.layers.differs(f"it has rounding_mode={rounding}, the layer has none")
        return name
    return work


def plain(op: str) -> Callable[[Use], Any]:
    return lambda use: use.add(op)


def dropout(use: Use) -> str:
    rate = use.get(1, "p", 0.5) * bool(use.get(2, "training", True))
    return dropped(use.layers, "dropout", use.name, [use.x.name], rate)


def stochastic_depth(use: Use) -> str:
    rate = use.get(1, "p") * bool(use.get(3, "training", True))
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
    use.follows()
    return view(use.layers, use.name, use.x.name, use.x.shape, tuple(use.output.shape))


def permute(use: Use) -> str:
    order = [axis % len(use.x.shape) for axis in use.rest(1, "dims")]
    return use.add("permute", order=order)


def transpose(use: Use) -> str:
    order = list(range(len(use.x.shape)))
    a, b = use.get(1, "dim0", 0), use.get(2, "dim1", len(order) - 1)  # those of t()
    order[a], order[b] = order[b], order[a]
    return use.add("permute", order=order)


def cat(use: Use) -> str:
    tensors, axis = use.get(0, "tensors"), use.get(1, "dim", 0)
    return use.layers.add("concat", use.name, [t.name for t in tensors],
                          axis=other_than(axis % len(tensors[0].shape), 1))


def chunk(use: Use) -> Tuple[str, ...]:
    axis = use.get(2, "dim", 0) % len(use.x.shape)
    use.follows()
    name = use.add("split", sizes=[part.shape[axis] for part in use.output], axis=other_than(axis, 1))
    return tuple(f"{name}.{i}" for i in range(len(use.output)))


def mean(use: Use) -> str:
    axes = use.get(1, "dim")
    axes = list(range(len(use.x.shape))) if axes is None else list(axes) if isinstance(axes, (tuple, list)) else [axes]
    return use.add("mean", axes=axes, keep_dims=other_than(bool(use.get(2, "keepdim", False)), False))


def adaptive_avg_pool(use: Use) -> str:
    use.follows()
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
    return average(use.layers, use.name, [use.x.name], use.x.shape, use.get(1, "kernel_size"), use.get(2, "stride"),
                   use.get(3, "padding", 0), use.get(4, "ceil_mode", False), use.get(5, "count_include_pad", True),
                   use.get(6, "divisor_override"))


def softmax(op: str) -> Callable[[Use], Any]:
    return lambda use: use.add(op, axis=other_than(softmax_axis(use.get(1, "dim")), -1))


def prelu(use: Use) -> str:
    weight = use.value(1, "weight")
    expect_stored(weight)
    return use.layers.add_with_weight("prelu", use.name, {"weight": weight.tensor}, [use.x.name], True,
                                      per_channel=other_than(weight.tensor.numel() > 1, False))


def interpolate(use: Use) -> str:
    expect_scale(use.x.shape, use.output.shape, use.get(2, "scale_factor"),
                 use.get(5, "recompute_scale_factor") or use.get(1, "size") is not None)
    return resize(use.layers, use.name, use.x.name, use.x.shape, tuple(use.output.shape), use.get(3, "mode", "nearest"),
                  bool(use.get(4, "align_corners", False)))


def expect_stored(weight: Value) -> None:
    if not weight.is_stored:
        raise Unsupported("its weight is computed; expected a parameter")


def linear(use: Use) -> str:
    weight, bias = use.value(1, "weight"), use.get(2, "bias")
    if weight.is_stored and (bias is None or bias.is_stored):
        return use.layers.add_with_weight("linear", use.name, {"weight": weight.tensor, "bias": bias and bias.tensor},
                                          [use.x.name], True, out_features=weight.shape[0],
                                          bias=other_than(bias is not None, True))
    if len(use.x.shape) != 2:
        raise Unsupported(f"its weight is computed, and its input has the shape {use.x.shape}; expected two extents")
    name = use.layers.add("matmul", use.name, [use.x.name, weight.name], transpose_b=True)
    return name if bias is None else use.layers.add("add", f"{use.name}.sum", [name, bias.name])


def layer_norm(use: Use) -> str:
    weight, bias = use.value(2, "weight"), use.get(3, "bias")
    expect_stored(weight)
    return use.layers.add_with_weight("layer_norm", weight.name.rsplit(".weight", 1)[0],
                                      {"weight": weight.tensor, "bias": bias and bias.tensor}, [use.x.name], True,
                                      dims=other_than(len(use.get(1, "normalized_shape")), 1),
                                      bias=other_than(bias is not None, True),
                                      epsilon=other_than(use.get(4, "eps", 1e-5), 1e-5))


def matmul(use: Use) -> str:
    a, b = use.value(0, "input"), use.value(1, "other")
    if len(a.shape) < 2 or len(b.shape) < 2 or a.shape[:-2] != b.shape[:-2]:
        raise Unsupported(f"its inputs have the shapes {a.shape} and {b.shape}; expected as many matrices of both")
    return use.layers.add("matmul", use.name, [a.name, b.name])


#: Functions and methods that repeat their arguments by themselves.
REPEATING = frozenset(each for op in ("add", "sub", "mul", "truediv", "iadd", "isub", "imul", "itruediv")
                      for each in (getattr(operator, op), op, op.replace("true", ""), getattr(torch, op, op)))


def repeat(use: Use) -> str:
    """Whatever may read a repeated weight repeats it by itself; for others it is added to zeros."""
    use.follows()
    old, new = use.x.shape, tuple(use.output.shape)
    aligned = (1,) * (len(new) - len(old)) + old
    if any(a not in (1, b) for a, b in zip(aligned, new)):
        raise Unsupported(f"it repeats {old} to {new}; expected to repeat extents of 1")
    is_weight = aligned[1:] == new[1:] and use.x.is_stored
    if aligned == new or is_weight or all(each in REPEATING for each in use.readers):
        return use.x.name
    zeros = Constant(use.layers, f"{use.name}.zeros", torch.zeros((1, *new[1:])))
    if aligned[0] != new[0]:
        raise Unsupported(f"it repeats {old} to {new}, samples included; expected a weight for that")
    return use.layers.add("add", use.name, [zeros.name, use.x.name])


def pick(use: Use) -> Any:
    """x[...] with whole numbers, slices of steps of 1, and None."""
    source, wanted = use.args
    use.follows()
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


def masked_fill(use: Use) -> str:
    return choose(use, use.get(1, "mask"), use.get(2, "value"), use.x)


def where(use: Use) -> str:
    return choose(use, use.get(0, "condition"), use.get(1, "input"), use.get(2, "other"))


def choose(use: Use, mask: Any, chosen: Any, other: Any) -> str:
    """What a known mask chooses, and the other where it does not: a sum of products with ones and zeros."""
    if not isinstance(mask, Constant):
        raise Unsupported("its mask depends on an input; expected one that the module has")
    terms = []
    for part, source, ones in (("chosen", chosen, mask.tensor.bool()), ("other", other, ~mask.tensor.bool())):
        if isinstance(source, Value) and not isinstance(source, Constant):
            kept = Constant(use.layers, f"{use.name}.{part}.mask", ones.float())
            terms.append(use.layers.add("mul", f"{use.name}.{part}", [operand(use, source).name, kept.name]))
            continue
        numbers = source.tensor if isinstance(source, Constant) else torch.tensor(float(source))
        numbers = torch.where(ones, numbers.float(), torch.tensor(0.0))
        if bool(numbers.any()):
            terms.append(Constant(use.layers, f"{use.name}.{part}", as_finite(use, numbers)).name)
    return use.layers.add("add", use.name, terms) if len(terms) > 1 else terms[0]


def as_finite(use: Use, numbers: Any) -> Any:
    """The least float for minus infinity, which is the same to a softmax."""
    if bool(torch.isfinite(numbers).all()):
        return numbers
    names = {str(getattr(each, "__name__", each)).lower() for each in use.readers}
    if bool((numbers == float("inf")).any()) or names != {"softmax"}:
        raise Unsupported("it makes infinite numbers, which more than a softmax reads; expected finite ones, such as "
                          "-1e9")
    return numbers.clamp(min=torch.finfo(torch.float32).min)


def pad(use: Use) -> str:
    if use.get(2, "mode", "constant") != "constant":
        raise Unsupported(f"its mode is {use.get(2, 'mode')}; expected constant")
    return padded(use.layers, use.name, use.x.name, use.x.shape, use.get(1, "pad"), use.get(3, "value") or 0)


def same(use: Use) -> str:
    use.follows()
    x, kind = use.value(0, "input").tensor, use.output.dtype
    if kind in (torch.float16, torch.bfloat16) or kind.is_floating_point != x.dtype.is_floating_point or \
            (kind != x.dtype and kind in (torch.bool, torch.int8, torch.uint8)):
        raise Unsupported(f"it makes {kind} of {x.dtype}; expected numbers that keep their values")
    return use.x.name


FUNCTIONS: Dict[Any, Callable[[Use], Any]] = {
    operator.getitem: pick, operator.matmul: matmul, torch.matmul: matmul, torch.bmm: matmul,
    torch.flatten: reshape, torch.reshape: reshape, torch.unsqueeze: reshape, torch.squeeze: reshape,
    torch.permute: permute, torch.transpose: transpose, torch.cat: cat, torch.concat: cat, torch.chunk: chunk,
    torch.split: chunk,
    torch.mean: mean, torch.t: transpose, torch.where: where, torch.masked_fill: masked_fill, F.pad: pad,
    F.adaptive_avg_pool2d: adaptive_avg_pool, F.max_pool2d: max_pool, torch.max_pool2d: max_pool,
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
    "masked_fill": masked_fill, "where": lambda use: choose(use, use.get(1, "condition"), use.x, use.get(2, "other")),
    "t": transpose, "add": binary("add"), "mul": binary("mul"),
    "sub": binary("sub"), "div": binary("div"),
}

#: Methods that do the same in place; their results are what later readers of the tensor see.
METHODS.update({f"{name}_": METHODS[name] for name in ("add", "sub", "mul", "div", "relu", "sigmoid", "tanh",
                                                       "masked_fill")})
FUNCTIONS.update({torch.relu_: plain("relu"), torch.sigmoid_: plain("sigmoid"), torch.tanh_: plain("tanh"),
                  F.elu_: elu, F.leaky_relu_: leaky_relu})

__all__ = ["Constant", "FUNCTIONS", "METHODS", "Stack", "State", "Use", "Value"]
