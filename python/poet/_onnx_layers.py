"""Operators of ONNX that are layers: windows, norms, resizing, recurrences."""
from __future__ import annotations

import itertools
import math
from typing import Any, Callable, Dict, List, Sequence, Tuple

from ._matrices import require_numpy
from ._onnx_reference import Call, operator, sigmoid, softplus

numpy: Any = require_numpy()


class Windows:
    """Where the windows of a convolution or a pool lie: kernel, strides, dilations, and pads of both ends."""

    def __init__(self, call: Call, extents: Sequence[int], kernel: Sequence[int]) -> None:
        n = len(extents)
        self.kernel = tuple(call.get("kernel_shape", kernel))
        self.strides = call.get("strides", [1] * n)
        self.dilations = call.get("dilations", [1] * n)
        self.spans = [d * (k - 1) + 1 for d, k in zip(self.dilations, self.kernel)]
        pads, how = call.get("pads", [0] * 2 * n), call.get("auto_pad", "NOTSET")
        self.pads = list(zip(pads[:n], pads[n:]))
        if how in ("SAME_UPPER", "SAME_LOWER"):
            totals = [max((-(-extent // s) - 1) * s + span - extent, 0)
                      for extent, s, span in zip(extents, self.strides, self.spans)]
            self.pads = [(t // 2, t - t // 2) if how == "SAME_UPPER" else (t - t // 2, t // 2) for t in totals]
        elif how == "VALID":
            self.pads = [(0, 0)] * n
        self.extra = [0] * n  # beyond the pads, if sizes are rounded up
        if call.get("ceil_mode", 0):
            for i, ((low, high), extent, s, span) in enumerate(zip(self.pads, extents, self.strides, self.spans)):
                last = -(-(extent + low + high - span) // s)
                last -= 1 if last * s >= extent + low else 0  # a window that would begin in the padding behind
                self.extra[i] = max(last * s + span - (extent + low + high), 0)

    def of(self, x: Any, fill: float) -> Any:
        """The windows of N, C, extents: N, C, outputs, kernel."""
        widths = [(0, 0), (0, 0)] + [(low, high + more) for (low, high), more in zip(self.pads, self.extra)]
        x = x[tuple(slice(max(-low, 0), extent - max(-high, 0)) for (low, high), extent in zip(widths, x.shape))]
        x = numpy.pad(x, [(max(low, 0), max(high, 0)) for low, high in widths], constant_values=fill)
        axes = tuple(range(2, x.ndim))
        found = numpy.lib.stride_tricks.sliding_window_view(x, self.spans, axes)
        steps = [slice(None)] * 2 + [slice(None, None, s) for s in self.strides] + \
            [slice(None, None, d) for d in self.dilations]
        return found[tuple(steps)]


def _with_bias(y: Any, bias: Any) -> Any:
    return y if bias is None else y + bias.reshape([1, -1] + [1] * (y.ndim - 2))


@operator("Conv")
def conv(call: Call, x: Any, w: Any, b: Any = None) -> Any:
    windows = Windows(call, x.shape[2:], w.shape[2:]).of(x, 0)
    groups, n = call.get("group", 1), x.ndim - 2
    kernel_axes = list(range(2 + n, 2 + 2 * n))
    parts = [numpy.tensordot(rows, weights, (([1] + kernel_axes), list(range(1, 2 + n))))
             for rows, weights in zip(numpy.split(windows, groups, 1), numpy.split(w, groups, 0))]
    return _with_bias(numpy.moveaxis(numpy.concatenate(parts, -1), -1, 1), b)


@operator("ConvTranspose")
def conv_transpose(call: Call, x: Any, w: Any, b: Any = None) -> Any:
    n, groups, stated = x.ndim - 2, call.get("group", 1), call.get("output_shape")
    more, how = call.get("output_padding", [0] * n), call.get("auto_pad", "NOTSET")
    windows = Windows(call, x.shape[2:], w.shape[2:])
    full = [(i - 1) * s + span + extra for i, s, span, extra in zip(x.shape[2:], windows.strides, windows.spans, more)]
    pads = windows.pads if how == "NOTSET" else [(0, 0)] * n
    if stated is not None or how.startswith("SAME"):
        wanted = stated[-n:] if stated is not None else [i * s for i, s in zip(x.shape[2:], windows.strides)]
        totals = [whole - want for whole, want in zip(full, wanted)]
        pads = [(t // 2, t - t // 2) if how == "SAME_UPPER" else (t - t // 2, t // 2) for t in totals]
    # An output that is stated may be larger than what is computed; it has zeros there, at both ends.
    before = [max(-low, 0) for low, _ in pads]
    extents = [first + whole + max(-high, 0) for first, whole, (_, high) in zip(before, full, pads)]
    y = numpy.zeros((x.shape[0], w.shape[1] * groups, *extents), x.dtype)
    for at in itertools.product(*map(range, windows.kernel)):
        parts = [numpy.tensordot(rows, weights[(slice(None), slice(None), *at)], ([1], [0]))
                 for rows, weights in zip(numpy.split(x, groups, 1), numpy.split(w, groups, 0))]
        place = tuple(slice(first + k * d, first + k * d + s * (i - 1) + 1, s)
                      for first, k, d, s, i in zip(before, at, windows.dilations, windows.strides, x.shape[2:]))
        y[(slice(None), slice(None), *place)] += numpy.moveaxis(numpy.concatenate(parts, -1), -1, 1)
    kept = (slice(first + low, first + whole - high) for first, (low, high), whole in zip(before, pads, full))
    return _with_bias(y[(slice(None), slice(None), *kept)], b)


@operator("MaxPool")
def max_pool(call: Call, x: Any) -> Any:
    windows = Windows(call, x.shape[2:], ()).of(x, -math.inf)
    return windows.max(tuple(range(x.ndim, windows.ndim)))


@operator("AveragePool")
def average_pool(call: Call, x: Any) -> Any:
    windows = Windows(call, x.shape[2:], ())
    ones, total = numpy.ones((1, 1, *x.shape[2:]), x.dtype), windows.of(x, 0)
    if call.get("count_include_pad", 0):
        ones = numpy.pad(ones, [(0, 0), (0, 0), *windows.pads], constant_values=1)
        windows.pads = [(0, 0)] * len(windows.pads)
    axes = tuple(range(x.ndim, total.ndim))
    return total.sum(axes) / windows.of(ones, 0).sum(axes)


@operator("GlobalAveragePool")
def global_average_pool(call: Call, x: Any) -> Any:
    return x.mean(tuple(range(2, x.ndim)), keepdims=True)


@operator("GlobalMaxPool")
def global_max_pool(call: Call, x: Any) -> Any:
    return x.max(tuple(range(2, x.ndim)), keepdims=True)


def _channels(values: Any, x: Any) -> Any:
    return values.reshape([1, -1] + [1] * (x.ndim - 2))


def _normalized(x: Any, axes: Any, epsilon: float) -> Tuple[Any, Any, Any]:
    mean = x.mean(axes, keepdims=True)
    variance = ((x - mean) ** 2).mean(axes, keepdims=True)
    return (x - mean) / numpy.sqrt(variance + epsilon), mean, variance


@operator("BatchNormalization")
def batch_normalization(call: Call, x: Any, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
    epsilon, momentum = call.get("epsilon", 1e-5), call.get("momentum", 0.9)
    said = bool(call.get("training_mode", 0)) if call.opset >= 14 else len(list(filter(None, call.node.outputs))) > 1
    if call.get("spatial", 1) != 1:
        raise call.refuse("a norm of each element")
    trains = said if call.batch_statistics is None else call.batch_statistics
    axes = (0, *range(2, x.ndim))
    y, batch_mean, batch_variance = _normalized(x, axes, epsilon)
    if not trains:
        y = (x - _channels(mean, x)) / numpy.sqrt(_channels(variance, x) + epsilon)
    running = [momentum * old + (1 - momentum) * new.reshape(-1)
               for old, new in ((mean, batch_mean), (variance, batch_variance))]
    saved = (batch_mean.reshape(-1), batch_variance.reshape(-1)) if call.opset < 14 else ()
    return (y * _channels(scale, x) + _channels(bias, x), *running, *saved)


@operator("InstanceNormalization")
def instance_normalization(call: Call, x: Any, scale: Any, bias: Any) -> Any:
    y = _normalized(x, tuple(range(2, x.ndim)), call.get("epsilon", 1e-5))[0]
    return y * _channels(scale, x) + _channels(bias, x)


@operator("GroupNormalization")
def group_normalization(call: Call, x: Any, scale: Any, bias: Any) -> Any:
    """Before opset 21 there is a scale for each group, and then one for each channel."""
    parts = x.reshape(x.shape[0], call.get("num_groups"), -1)
    y = _normalized(parts, 2, call.get("epsilon", 1e-5))[0]
    if call.get("stash_type", 1) != 1:
        raise call.refuse("a norm in short floats")
    y = y if call.opset < 21 else y.reshape(x.shape[0], x.shape[1], -1)
    return (y * scale.reshape(1, -1, 1) + bias.reshape(1, -1, 1)).reshape(x.shape)


@operator("LayerNormalization")
def layer_normalization(call: Call, x: Any, scale: Any, bias: Any = None) -> Any:
    axes = tuple(range(call.get("axis", -1) % x.ndim, x.ndim))
    call.read.add("stash_type")
    epsilon = call.get("epsilon", 1e-5)
    y, mean, variance = _normalized(x, axes, epsilon)
    return y * scale + (0 if bias is None else bias), mean, 1 / numpy.sqrt(variance + epsilon)


#: Where an element of a resized axis lies in the axis as it was, by scale and extents before and after.
COORDINATES: Dict[str, Callable[[int, float, int, int], Any]] = {
    "half_pixel": lambda i, s, before, after: (i + 0.5) / s - 0.5,
    "half_pixel_symmetric": lambda i, s, before, after: before / 2 * (1 - after / (s * before)) + (i + 0.5) / s - 0.5,
    "pytorch_half_pixel": lambda i, s, before, after: (i + 0.5) / s - 0.5 if after > 1 else 0.0,
    "tf_half_pixel_for_nn": lambda i, s, before, after: (i + 0.5) / s,
    "asymmetric": lambda i, s, before, after: i / s,
    "align_corners": lambda i, s, before, after: i * (before - 1) / (s * before - 1) if after > 1 else 0.0}
ROUNDINGS: Dict[str, Callable[[float], int]] = {
    "round_prefer_floor": lambda x: math.ceil(x - 0.5), "round_prefer_ceil": lambda x: math.floor(x + 0.5),
    "floor": math.floor, "ceil": math.ceil}


def _neighbours(mode: str, x: float, nearest: str, a: float) -> List[Tuple[int, float]]:
    """Elements and their weights."""
    if mode == "nearest":
        return [(ROUNDINGS[nearest](x), 1.0)]
    left, t = math.floor(x), x - math.floor(x)
    if mode == "linear":
        return [(left, 1 - t), (left + 1, t)]
    near = [(a + 2) * u ** 3 - (a + 3) * u ** 2 + 1 for u in (t, 1 - t)]
    far = [a * u ** 3 - 5 * a * u ** 2 + 8 * a * u - 4 * a for u in (1 + t, 2 - t)]
    return [(left - 1, far[0]), (left, near[0]), (left + 1, near[1]), (left + 2, far[1])]


def _resized(call: Call, x: Any, scales: Sequence[float], sizes: Sequence[int], where: str, nearest: str) -> Any:
    mode, a, excludes = call.get("mode", "nearest"), call.get("cubic_coeff_a", -0.75), call.get("exclude_outside", 0)
    for axis, (scale, size) in enumerate(zip(scales, sizes)):
        before = x.shape[axis]
        weights = numpy.zeros((size, before), x.dtype)
        for i in range(size):
            found = _neighbours(mode, COORDINATES[where](i, scale, before, size), nearest, a)
            found = [(k, w) for k, w in found if not excludes or 0 <= k < before]
            for k, w in found:
                weights[i, min(max(k, 0), before - 1)] += w / (sum(w for _, w in found) if excludes else 1)
        if scale != 1 or size != before:
            x = numpy.moveaxis(numpy.tensordot(x, weights, ([axis], [1])), -1, axis)
    return x


@operator("Resize")
def resize(call: Call, x: Any, roi: Any = None, scales: Any = None, sizes: Any = None) -> Any:
    old = call.opset < 11
    scales = roi if old else scales
    where = "asymmetric" if old else call.get("coordinate_transformation_mode", "half_pixel")
    call.read.add("extrapolation_value")  # of the one mode that is not in the table
    if call.get("antialias", 0) or call.get("keep_aspect_ratio_policy", "stretch") != "stretch":
        raise call.refuse("antialias, or a policy other than stretch")
    axes = [axis % x.ndim for axis in call.get("axes", range(x.ndim))]
    factors, extents = [1.0] * x.ndim, list(x.shape)
    if scales is not None and scales.size:
        for axis, scale in zip(axes, scales):
            factors[axis], extents[axis] = float(scale), math.floor(x.shape[axis] * float(scale))
    else:
        for axis, size in zip(axes, sizes):
            factors[axis], extents[axis] = int(size) / x.shape[axis], int(size)
    nearest = "floor" if old else call.get("nearest_mode", "round_prefer_floor")
    return _resized(call, x, factors, extents, where, nearest)


@operator("Upsample")
def upsample(call: Call, x: Any, scales: Any = None) -> Any:
    factors = [float(each) for each in (call.get("scales") if call.opset < 9 else scales)]
    sizes = [math.floor(extent * factor) for extent, factor in zip(x.shape, factors)]
    return _resized(call, x, factors, sizes, "asymmetric", "floor")


GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
USUAL = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
#: What recurrences take of functions that have no numbers.
ACTIVATIONS: Dict[str, Callable[[Any], Any]] = {"Sigmoid": sigmoid, "Tanh": numpy.tanh, "Softplus": softplus,
                                                "Relu": lambda x: numpy.maximum(x, 0)}


def _step(call: Call, f: Sequence[Callable[[Any], Any]], x: Any, h: Any, c: Any, w: Any, r: Any, wb: Any,
          rb: Any) -> Tuple[Any, Any]:
    """One step of one direction: the next hidden state, and the next cell state."""
    ours, theirs = x @ w.T + wb, h @ r.T + rb
    if call.node.op == "RNN":
        return f[0](ours + theirs), c
    if call.node.op == "LSTM":
        i, o, forget, cell = numpy.split(ours + theirs, 4, -1)
        c = f[0](forget) * c + f[0](i) * f[1](cell)
        return f[0](o) * f[2](c), c
    (z, reset, new), (hz, hr, hn) = numpy.split(ours, 3, -1), numpy.split(theirs, 3, -1)
    z, reset = f[0](z + hz), f[0](reset + hr)
    n = len(r) // 3
    inner = reset * hn if call.get("linear_before_reset", 0) else (reset * h) @ r[2 * n:].T + rb[2 * n:]
    return (1 - z) * f[1](new + inner) + z * h, c


@operator("RNN", "GRU", "LSTM")
def recurrence(call: Call, x: Any, w: Any, r: Any, b: Any = None, lengths: Any = None, h0: Any = None,
               c0: Any = None) -> Any:
    op, ways, batch_first = call.node.op, len(w), call.get("layout", 0)
    size, reverse = call.get("hidden_size", r.shape[2]), call.get("direction", "forward") == "reverse"
    names = call.get("activations") or USUAL[op] * ways
    if batch_first:
        x, h0, c0 = (None if each is None else each.swapaxes(0, 1) for each in (x, h0, c0))
    if lengths is not None and (lengths != len(x)).any():
        raise call.refuse("sequences of several lengths")
    ys, last = numpy.zeros((len(x), ways, x.shape[1], size), x.dtype), []
    for way in range(ways):
        h, c = (numpy.zeros((x.shape[1], size), x.dtype) if each is None else each[way] for each in (h0, c0))
        wb, rb = numpy.zeros((2, GATES[op] * size), x.dtype) if b is None else numpy.split(b[way], 2)
        functions = [ACTIVATIONS[name] for name in names[way * len(USUAL[op]):]]
        for step in reversed(range(len(x))) if reverse or way == 1 else range(len(x)):
            h, c = _step(call, functions, x[step], h, c, w[way], r[way], wb, rb)
            ys[step, way] = h
        last.append((h, c))
    states = [numpy.stack([each[i] for each in last]) for i in (0, 1)]
    if batch_first:
        return (ys.transpose(2, 0, 1, 3), *(each.swapaxes(0, 1) for each in states))
    return (ys, *states)
