"""Draws of ONNX operators, from their schemas, and the kinds of networks around them."""
import numpy

import drawn_windows as windows
from drawn_network import Draw
from poet._onnx_reference import Unsupported


def gemm(d):
    x, out, turned = d.rows(), d.whole(2, 4), d.chance(0.2)
    rows, width = d.shape(x)
    x = d.op("Transpose", x) if turned else x
    is_weight_turned = d.chance(0.5)
    weight = d.floats(*((out, width) if is_weight_turned else (width, out)))
    shape = d.pick((), (1,), (out,), (1, out), (rows, 1), (rows, out))
    bias = None if d.opset >= 11 and d.chance(0.2) else d.floats(*shape)
    return d.op("Gemm", x, weight, bias, transA=1 if turned else d.pick(None, 0), transB=int(is_weight_turned),
                alpha=d.maybe(d.real()), beta=d.maybe(d.real()))


def matmul(d):
    how = d.whole(0, 5)
    if how == 0:
        x = d.rows()
        return d.op("MatMul", x, d.floats(d.shape(x)[1], 3))
    x = d.tokens()
    _, length, width = d.shape(x)
    if how == 1:
        return d.op("MatMul", x, d.floats(*d.pick((), (1,)), width, 3))
    if how == 2:
        return d.op("MatMul", d.floats(*d.pick((), (1,)), 3, length), x)
    if how == 3:
        return d.op("MatMul", x, d.op("Transpose", x, perm=[0, 2, 1]))
    heads = d.op("Reshape", x, d.extents(x, length, d.pick(1, width), -1))
    heads = d.op("Transpose", heads, perm=[0, 2, 1, 3])
    _, count, _, size = d.shape(heads)
    if how == 4:
        return d.op("MatMul", heads, d.floats(*d.pick((), (count,), (1, count), (1, 1)), size, 3))
    return d.op("MatMul", heads, d.op("Transpose", heads, perm=[0, 1, 3, 2]))


def spread(d, shape, batch=False):
    """Extents that broadcast with others."""
    found = [extent if d.chance(0.6) else 1 for extent in shape]
    found[0] = found[0] if batch else 1
    return tuple(d.pick(found, found[1:], found[-1:], [], [1]))


def arithmetic(op):
    def positive(d, x):
        return d.op("Add", d.op("Sigmoid", x), d.number(numpy.array(d.pick(0.5, [0.5]))))

    def draw(d):
        x = d.any()
        other = d.floats(*spread(d, d.shape(x), not d.open)) if d.chance(0.7) else positive(d, x)
        return d.op(op, other, positive(d, x)) if d.chance(0.3) else d.op(op, x, other)
    return draw


def clip(d):
    low, high = d.pick((None, d.real()), (-d.real(), None), (-d.real(), d.real()), (0.0, d.pick(1.0, 6.0)),
                       (d.real(0, 0.3), d.real(0.4)))
    if d.opset < 11:
        return d.op("Clip", d.any(), min=low, max=high)
    return d.op("Clip", d.any(), *(None if each is None else numpy.array(each) for each in (low, high)))


def function(op, *names, first=7):
    def draw(d):
        d.opset = max(d.opset, first)
        return d.op(op, d.any(), **{name: d.pick(None, d.real(), d.real(1, 2), 1 / 6) for name in names})
    return draw


def gelu(d):
    """As an operator, and in pieces."""
    if d.chance(0.5):
        d.opset = d.whole(20, 23)
        return d.op("Gelu", d.any(), approximate=d.pick(None, "none", "tanh", "tanh"))
    x, number = d.any(), lambda value: numpy.array(value)
    if d.chance(0.5):
        gate = d.op("Erf", d.op("Div", x, number(d.pick(2 ** 0.5, 2 ** 0.5, 1.5))))
    else:
        cube = d.op("Mul", d.op("Pow", x, number(3.0)), number(d.pick(0.044715, 0.05)))
        gate = d.op("Tanh", d.op("Mul", d.op("Add", x, cube), number((2 / numpy.pi) ** 0.5)))
    gate = d.op("Add", gate, number(1.0))
    return d.op("Mul", d.op("Mul", x, gate), number(0.5)) if d.chance(0.5) else \
        d.op("Mul", d.op("Mul", x, number(d.pick(0.5, 0.5, 2.0))), gate)


def tile(d):
    x = d.any()
    return d.op("Tile", x, numpy.array([1, *(d.pick(1, 2, 3) for _ in d.shape(x)[1:])]))


def prelu(d):
    x = d.any()
    shape = d.shape(x)[1:]
    return d.op("PRelu", x, d.floats(*d.pick((), (1,), (shape[0], *[1] * (len(shape) - 1)), shape, shape[-1:])))


def softmax(op):
    def draw(d):
        d.opset = d.pick(d.opset, 11, 13)
        x = d.any()
        rank = len(d.shape(x))
        low = -rank + 1 if d.opset >= 11 else 1
        return d.op(op, x, axis=d.pick(None, d.whole(1, rank - 1), d.whole(low, -1) if low < 0 else rank - 1))
    return draw


def mask_of(d, how, heads, length):
    """Numbers that are added to scores."""
    hidden = d.pick(-1e9, -1e4, -numpy.inf)
    i, j = numpy.indices((length, length))
    if how == "alibi":
        found = -abs(i - j) * 0.5 ** numpy.arange(1.0, heads + 1).reshape(-1, 1, 1)
        return found.reshape(*d.pick((), (1,)), heads, length, length)
    found = {"zeros": 0.0 * i, "causal": numpy.where(j > i, hidden, 0),
             "window": numpy.where(abs(i - j) > 1, hidden, 0),
             "padding": numpy.where(j == length - 1, hidden, 0)[:1],
             "learned": d.random.standard_normal((length, length))}[how]
    return found.reshape(*d.pick((), (1,), (1, 1)), *found.shape)


def attention(d):
    length, heads, size = d.whole(3, 5), d.whole(1, 2), d.whole(2, 3)
    x, width, parts = d.data(length, d.whole(2, 4)), heads * size, {}
    for part in "qkv":
        y = d.op("MatMul", x, d.floats(d.shape(x)[2], width))
        y = d.op("Add", y, d.floats(width)) if d.chance(0.3) else y
        y = d.op("Reshape", y, d.extents(y, length, heads, size))
        parts[part] = d.op("Transpose", y, perm=[0, 2, 3, 1] if part == "k" else [0, 2, 1, 3])
    root = d.pick(size, size, size, width, length, 1) ** 0.5
    scale, early = numpy.full(d.pick((), (), (1,)), d.pick(root, root, root ** 2)), d.chance(0.2)
    how, number = d.pick(("Div", scale), ("Mul", 1 / scale))
    query = d.op(how, parts["q"], number) if early else parts["q"]
    scores = d.op("MatMul", query, parts["k"])
    scores = scores if early or d.chance(0.1) else d.op(how, scores, number)
    kind = d.pick(None, None, "zeros", "causal", "causal", "window", "padding", "learned", "alibi")
    scores = d.op("Add", scores, mask_of(d, kind, heads, length)) if kind else scores
    y = d.op("MatMul", d.op("Softmax", scores, axis=3), parts["v"])
    y = d.op("Transpose", y, perm=[0, 2, 1, 3])
    y = d.op("Reshape", y, d.extents(y, length, width))
    return d.op("MatMul", y, d.floats(width, 3))


def pad(d):
    x, mode = d.any(), d.pick(None, "constant", "reflect", "edge")
    rank = len(d.shape(x))
    pads = [0 if i % rank == 0 else d.whole(-1 if d.chance(0.2) else 0, 1 if mode == "reflect" else 2)
            for i in range(2 * rank)]
    value = d.pick(None, d.real(), -1.0) if mode in (None, "constant") else None
    if d.opset < 11:
        return d.op("Pad", x, mode=mode, pads=pads, value=value)
    axes = None
    if d.opset >= 18 and d.chance(0.5):
        axes = numpy.array([-i for i in range(1, rank)])
        pads = [pads[i % rank + at] for at in (0, rank) for i in axes]
    return d.op("Pad", x, numpy.array(pads), None if value is None else numpy.array(value), axes, mode=mode)


def slices(d):
    x = d.any()
    axes = [axis for axis in range(1, len(d.shape(x))) if d.chance(0.6)] or [1]
    bounds = [d.pick((0, -1), (1, 9999), (-2, 9999), (1, 3), (0, 1)) for _ in axes]
    starts, ends, axes = [low for low, _ in bounds], [high for _, high in bounds], d.pick(
        axes, [axis - len(d.shape(x)) for axis in axes] if d.opset >= 11 else axes)
    if d.opset < 10:
        return d.op("Slice", x, starts=starts, ends=ends, axes=axes)
    steps = d.pick(None, [d.whole(1, 2) for _ in axes], [-1] * len(axes))
    if steps and steps[0] < 0:
        starts, ends = [-1] * len(axes), [d.pick(-9999, 0)] * len(axes)
    return d.op("Slice", x, *(None if each is None else numpy.array(each) for each in (starts, ends, axes, steps)))


def gather(d):
    if d.chance(0.3):  # rows of a weight
        x = d.op("Gather", d.floats(6, 3), d.random.integers(0, 6, (4,)))
        return d.op("Gemm", d.rows(3), x, d.floats(4), transB=1)
    x = d.any()
    axis = d.whole(1, len(d.shape(x)) - 1)
    low = -d.shape(x)[axis] if d.opset >= 11 else 0
    return d.op("Gather", x, d.random.integers(low, d.shape(x)[axis], d.pick((), (1,), (2,), (3,), (2, 2))), axis=axis)


def concat(d):
    x = d.any()
    axis, other = d.whole(1, len(d.shape(x)) - 1), d.op(d.pick("Tanh", "Relu"), x)
    more = d.pick([], [x], [d.floats(*d.shape(x))] if not d.open else [])
    return d.op("Concat", x, other, *more, axis=d.pick(axis, axis - len(d.shape(x))) if d.opset >= 11 else axis)


def split(d):
    x = d.any()
    axis = d.whole(1, len(d.shape(x)) - 1)
    extent = d.shape(x)[axis]
    sizes = [1, extent - 1] if extent != 2 and d.opset < 18 or d.chance(0.5) else None
    where = d.pick(axis, axis - len(d.shape(x))) if d.opset >= 11 else axis
    stated = numpy.array(sizes) if sizes and d.opset >= 13 else None
    parts = d.op("Split", x, stated, outputs=2, axis=where, split=sizes if d.opset < 13 else None,
                 num_outputs=2 if d.opset >= 18 and stated is None else None)
    return parts[1] if d.chance(0.3) else d.op("Concat", d.op("Tanh", parts[1]), parts[0], axis=axis)


def transpose(d):
    x = d.any()
    rank = len(d.shape(x))
    order = [0, *(int(i) + 1 for i in d.random.permutation(rank - 1))]
    y = d.op("Transpose", x, perm=order if d.chance(0.9) else None)
    return d.op("MatMul", y, d.floats(d.shape(y)[-1], 2))


def reshape(d):
    x = d.any()
    shape = d.shape(x)[1:]
    other = d.pick((-1,), shape[::-1], (1, *shape), (-1, shape[-1]), (*shape, 1))
    y = d.op("Reshape", x, d.extents(x, *other))
    return d.op("MatMul", y, d.floats(d.shape(y)[-1], 2)) if len(d.shape(y)) > 1 else y


def squeeze(d):
    x = d.any()
    axes = d.pick([1], [len(d.shape(x))], [1, 2])
    y = d.op("Tanh", d.unsqueezed("Unsqueeze", x, axes))
    return d.unsqueezed("Squeeze", y, d.pick(axes, axes[:1]))


def reduction(op):
    def draw(d):
        x = d.any()
        rank = len(d.shape(x))
        axes = d.pick([1], [rank - 1], [-1], list(range(1, rank)), list(range(2, rank)) or [1])
        return d.reduced(op, x, axes, d.pick(None, 0, 1))
    return draw


def where(d):
    d.opset = max(d.opset, 9)
    x = d.any()
    shape = spread(d, d.shape(x))
    known = d.op("Cast", d.random.integers(0, 2, shape), to=9)
    other = d.pick(lambda: d.op("Tanh", x), lambda: numpy.array(d.pick(0.0, -1e9, 0.5)), lambda: d.floats(*shape))()
    return d.op("Tanh", d.op("Where", known, *d.pick((x, other), (other, x))))


def expand(d):
    d.opset = max(d.opset, 8)
    x = d.unsqueezed("Unsqueeze", d.any(), [1])
    shape = (1, d.whole(1, 3), *d.pick(d.shape(x)[2:], [1] * (len(d.shape(x)) - 2)))
    return d.op("Expand", x, numpy.array(shape))


def shared(d):
    x = d.rows(4)
    weight = d.floats(4, 4)
    first = d.op("Tanh", d.op("Gemm", x, weight, d.floats(4), transB=d.pick(0, 1), alpha=d.pick(None, None, 0.5)))
    if d.chance(0.3):
        return d.op("MatMul", first, d.op("Transpose", weight) if d.chance(0.5) else weight)
    return d.op("Gemm", first, weight, d.floats(4), transB=d.pick(0, 1))


KINDS = {**windows.KINDS, **{op: arithmetic(op) for op in ("Add", "Sub", "Mul", "Div")}, "Gemm": gemm, "MatMul": matmul,
         "Clip": clip, "LeakyRelu": function("LeakyRelu", "alpha"), "Elu": function("Elu", "alpha"),
         "Selu": function("Selu", "alpha", "gamma"), "HardSigmoid": function("HardSigmoid", "alpha", "beta"),
         "HardSwish": function("HardSwish", first=14), "Mish": function("Mish", first=18),
         "Gelu": gelu, "Exp": function("Exp"), "Tile": tile, "PRelu": prelu, "Softmax": softmax("Softmax"),
         "LogSoftmax": softmax("LogSoftmax"), "attention": attention, "Pad": pad, "Slice": slices, "Gather": gather,
         "Concat": concat, "Split": split, "Transpose": transpose, "Reshape": reshape, "Squeeze": squeeze,
         "ReduceMean": reduction("ReduceMean"), "ReduceSum": reduction("ReduceSum"), "Where": where, "Expand": expand,
         "shared weights": shared}
ORDER = (*KINDS, "attention")  # it has more ways than others


def drawn(case):
    """The network of a number, its kind, and its file; the first of its draws that has any numbers in its output."""
    kind = ORDER[case % len(ORDER)]
    for attempt in range(100):
        d = Draw([case, attempt])
        try:
            output = KINDS[kind](d)
            output = output if kind == "attention" else d.finished(output)
        except Unsupported:
            continue  # windows that do not fit, or numbers that do not broadcast
        numbers = d.values[output]
        if numbers.size > 1 and numpy.isfinite(numbers).all() and numpy.ptp(numbers) > 1e-3:
            return kind, d, d.file(output)
    raise AssertionError(f"{kind}: found no network that the reference computes")
