"""Operators of ONNX that arrange elements: shapes, slices, gathers, pads, and constants."""
from __future__ import annotations

import math
from typing import Any, Tuple

from ._matrices import require_numpy
from ._onnx_reference import Call, axes_of, operator

numpy: Any = require_numpy()


def _whole(values: Any) -> Tuple[int, ...]:
    return tuple(int(each) for each in numpy.ravel(values))


@operator("Constant")
def constant(call: Call) -> Any:
    for name in ("value", "value_float", "value_int", "value_floats", "value_ints"):
        value = call.get(name)
        if value is not None:
            whole = "int" in name
            return value if name == "value" else numpy.array(value, numpy.int64 if whole else call.real)
    raise call.refuse("a constant that is not a number")


@operator("ConstantOfShape")
def constant_of_shape(call: Call, shape: Any) -> Any:
    value = call.get("value", numpy.zeros(1, call.real))
    return numpy.full(_whole(shape), value[0], value.dtype)


@operator("Range")
def arange(call: Call, start: Any, limit: Any, delta: Any) -> Any:
    count = max(math.ceil((limit - start) / delta), 0)
    return (start + numpy.arange(count) * delta).astype(start.dtype)


@operator("Shape")
def shape_of(call: Call, x: Any) -> Any:
    return numpy.array(x.shape[call.get("start", 0):call.get("end")], numpy.int64)


@operator("Reshape")
def reshape(call: Call, x: Any, shape: Any) -> Any:
    keeps_zero = call.get("allowzero", 0)
    return x.reshape([x.shape[i] if extent == 0 and not keeps_zero else extent
                      for i, extent in enumerate(_whole(shape))])


@operator("Flatten")
def flatten(call: Call, x: Any) -> Any:
    axis = call.get("axis", 1)
    axis += x.ndim if axis < 0 else 0
    return x.reshape(math.prod(x.shape[:axis]), -1)


@operator("Squeeze")
def squeeze(call: Call, x: Any, axes: Any = None) -> Any:
    return numpy.squeeze(x, axes_of(call, axes, 13))


@operator("Unsqueeze")
def unsqueeze(call: Call, x: Any, axes: Any = None) -> Any:
    return numpy.expand_dims(x, axes_of(call, axes, 13))


@operator("Transpose")
def transpose(call: Call, x: Any) -> Any:
    return numpy.transpose(x, call.get("perm"))


@operator("Concat")
def concat(call: Call, *inputs: Any) -> Any:
    return numpy.concatenate(inputs, call.get("axis"))


@operator("Split")
def split(call: Call, x: Any, sizes: Any = None) -> Any:
    axis, stated = call.get("axis", 0), call.get("split") if call.opset < 13 else sizes
    parts = call.get("num_outputs", len(call.node.outputs))
    if stated is None:
        each = -(-x.shape[axis] // parts)
        stated = [each] * (parts - 1) + [x.shape[axis] - each * (parts - 1)]
    return tuple(numpy.split(x, numpy.cumsum(_whole(stated))[:-1], axis))


@operator("Slice")
def slices(call: Call, x: Any, starts: Any = None, ends: Any = None, axes: Any = None, steps: Any = None) -> Any:
    if call.opset < 10:
        starts, ends, axes = call.get("starts"), call.get("ends"), call.get("axes")
    starts, ends = _whole(starts), _whole(ends)
    axes = range(len(starts)) if axes is None else _whole(axes)
    where = [slice(None)] * x.ndim
    for axis, start, end, step in zip(axes, starts, ends, [1] * len(starts) if steps is None else _whole(steps)):
        extent = x.shape[axis]
        start, end = (each + extent if each < 0 else each for each in (start, end))
        low = 0 if step > 0 else -1
        end = min(max(end, low), extent)
        start = min(max(start, 0), extent if step > 0 else extent - 1)
        where[axis] = slice(start, None if end < 0 else end, step)
    return x[tuple(where)]


@operator("Gather")
def gather(call: Call, x: Any, indices: Any) -> Any:
    return numpy.take(x, indices, call.get("axis", 0))


@operator("Pad")
def pad(call: Call, x: Any, pads: Any = None, value: Any = None, axes: Any = None) -> Any:
    mode = call.get("mode", "constant")
    if call.opset < 11:
        pads, value = call.get("pads"), call.get("value", 0.0)
    pads, value = _whole(pads), 0 if value is None else value
    widths = [(0, 0)] * x.ndim
    for place, axis in enumerate(range(x.ndim) if axes is None else _whole(axes)):
        widths[axis] = (pads[place], pads[place + len(pads) // 2])
    x = x[tuple(slice(max(-low, 0), extent - max(-high, 0)) for (low, high), extent in zip(widths, x.shape))]
    widths = [(max(low, 0), max(high, 0)) for low, high in widths]
    if mode == "constant":
        return numpy.pad(x, widths, constant_values=numpy.asarray(value).astype(x.dtype).reshape(()))
    return numpy.pad(x, widths, mode={"reflect": "reflect", "edge": "edge", "wrap": "wrap"}[mode])


@operator("Trilu")
def trilu(call: Call, x: Any, k: Any = None) -> Any:
    offset = 0 if k is None else int(k)
    return numpy.triu(x, offset) if call.get("upper", 1) else numpy.tril(x, offset)


@operator("Dropout")
def dropout(call: Call, x: Any, ratio: Any = None, training: Any = None) -> Any:
    call.read.update(("ratio", "seed"))
    return x, numpy.ones(x.shape, bool if call.opset >= 10 else x.dtype)
