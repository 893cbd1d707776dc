"""What functions and methods of tensors are as layers."""
from __future__ import annotations

import importlib
import operator
from typing import Any, Callable, Dict, Tuple

from poet.torch._calls import Constant, Stack, Use, Value, stated
from poet.torch._layers import Unsupported, other_than
from poet.torch._modules import NUMBERED, drop_samples, dropped, view
from poet.torch._pytorch import torch
from poet.torch._windows import adaptive_avg_pool_of, avg_pool_of, interpolate, max_pool_of, pad_of

F: Any = importlib.import_module("torch.nn.functional")


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


def numbered(kind: str) -> Callable[[Use], str]:
    make, numbers = NUMBERED[kind]
    return lambda use: make(use.layers, use.name, [use.x.name],
                            *(use.get(i + 1, key, usual) for i, (key, usual) in enumerate(numbers.items())))


def reshape(use: Use) -> str:
    use.follows()
    return view(use.layers, use.name, use.x.name, use.x.shape, tuple(use.output.shape))


def permute(use: Use) -> str:
    order = [axis % len(use.x.shape) for axis in use.rest(1, "dims")]
    return use.add("permute", order=order)


def transpose(use: Use) -> str:
    order = list(range(len(use.x.shape)))
    a, b = use.get(1, "dim0", 0), use.get(2, "dim1", len(order) - 1)  # by default the axes that t() swaps
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


def prelu(use: Use) -> str:
    weight = use.value(1, "weight")
    expect_stored(weight)
    return use.layers.add_with_weight("prelu", use.name, {"weight": weight.tensor}, [use.x.name], True,
                                      per_channel=other_than(weight.tensor.numel() > 1, False))


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
    """Each op that may read a repeated weight repeats it by itself; for others it is added to zeros."""
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
    torch.mean: mean, torch.t: transpose, torch.where: where, torch.masked_fill: masked_fill, F.pad: pad_of,
    F.adaptive_avg_pool2d: adaptive_avg_pool_of, F.max_pool2d: max_pool_of, torch.max_pool2d: max_pool_of,
    F.max_pool1d: max_pool_of, torch.max_pool1d: max_pool_of, F.avg_pool1d: avg_pool_of, torch.avg_pool1d: avg_pool_of,
    F.adaptive_avg_pool1d: adaptive_avg_pool_of, torch.adaptive_avg_pool1d: adaptive_avg_pool_of,
    F.avg_pool2d: avg_pool_of, F.dropout: dropout, F.softmax: numbered("Softmax"), torch.softmax: numbered("Softmax"),
    F.log_softmax: numbered("LogSoftmax"), torch.log_softmax: numbered("LogSoftmax"),
    F.prelu: prelu, torch.prelu: prelu, F.elu: numbered("ELU"), F.softplus: numbered("Softplus"),
    F.interpolate: interpolate, F.linear: linear, F.layer_norm: layer_norm,
    F.relu: plain("relu"), torch.relu: plain("relu"), F.relu6: plain("relu6"), F.leaky_relu: numbered("LeakyReLU"),
    torch.sigmoid: plain("sigmoid"), F.sigmoid: plain("sigmoid"), torch.tanh: plain("tanh"), F.tanh: plain("tanh"),
    F.silu: plain("silu"), F.gelu: numbered("GELU"), F.hardswish: plain("hard_swish"),
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
    "chunk": chunk, "split": chunk, "mean": mean, "softmax": numbered("Softmax"),
    "log_softmax": numbered("LogSoftmax"), "prelu": prelu,
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
                  F.elu_: numbered("ELU"), F.leaky_relu_: numbered("LeakyReLU")})
