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
        x = numpy.pad(x, widths, constant_values=fill)
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
    # An output that is stated may be larger than what is computed; it has zeros there.
    y = numpy.zeros((x.shape[0], w.shape[1] * groups, *(f + max(-high, 0) for f, (_, high) in zip(full, pads))), x.dtype)
    for at in itertools.product(*map(range, windows.kernel)):
        parts = [numpy.tensordot(rows, weights[(slice(None), slice(None), *at)], ([1], [0]))
                 for rows, weights in zip(numpy.split(x, groups, 1), numpy.split(w, groups, 0))]
        place = tuple(slice(k * d, k * d + s * (i - 1) + 1, s)
                      for k, d, s, i in zip(at, windows.dilations, windows.strides, x.shape[2:]))
        y[(slice(None), slice(None), *place)] += numpy.moveaxis(numpy.concatenate(parts, -1), -1, 1)
    return _with_bias(y[(slice(None), slice(None), *(slice(low, f - high) for (low, high), f in zip(pads, full)))], b)


@operator("MaxPool")
def max_pool(call: Call, x: Any) -> Any:
    windows = Windows(call, x.shape[2:], ())
    n, by_rows = x.ndim - 2, call.get("storage_order", 0) == 0
    least = -math.inf if x.dtype.kind == "f" else numpy.iinfo(x.dtype).min
    found = windows.of(x, least)
    flat = found.reshape(*found.shape[:2 + n], -1)
    order = numpy.arange(x.size).reshape(x.shape) if by_rows else numpy.arange(x.size).reshape(
        *x.shape[:2], *x.shape[:1:-1]).transpose(0, 1, *range(x.ndim - 1, 1, -1))
    places = windows.of(order, -1).reshape(flat.shape)
    return flat.max(-1), numpy.take_along_axis(places, flat.argmax(-1)[..., None], -1)[..., 0]


@operator("AveragePool")
def average_pool(call: Call, x: Any) -> Any:
    windows = Windows(call, x.shape[2:], ())
    axes = tuple(range(x.ndim, x.ndim + x.ndim - 2))
    ones = numpy.ones((1, 1, *x.shape[2:]), x.dtype)
    if call.get("count_include_pad", 0):
        ones = numpy.pad(ones, [(0, 0), (0, 0), *windows.pads], constant_values=1)
        padded, windows.pads = windows.pads, [(0, 0)] * len(windows.pads)
        counts = windows.of(ones, 0).sum(axes)
        windows.pads = padded
    else:
        counts = windows.of(ones, 0).sum(axes)
    return windows.of(x, 0).sum(axes) / counts


@operator("LpPool")
def lp_pool(call: Call, x: Any) -> Any:
    windows, p = Windows(call, x.shape[2:], ()), call.get("p", 2)
    return (windows.of(abs(x) ** p, 0).sum(tuple(range(x.ndim, 2 * x.ndim - 2)))) ** (1 / p)


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
    said = bool(call.get("training_mode", 0)) if call.opset >= 14 else len([name for name in call.node.outputs if name]) > 1
    if call.get("spatial", 1) != 1:
        raise call.refuse("a norm of each element")
    trains = said if call.batch_statistics is None else call.batch_statistics
    axes = (0, *range(2, x.ndim))
    y, batch_mean, batch_variance = _normalized(x, axes, epsilon)
    if not trains:
        y = (x - _channels(mean, x)) / numpy.sqrt(_channels(variance, x) + epsilon)
    running = [momentum * old + (1 - momentum) * new.reshape(-1)
               for old, new in ((mean, batch_mean), (variance, batch_variance))]
    return (y * _channels(scale, x) + _channels(bias, x), *running)


@operator("InstanceNormalization")
def instance_normalization(call: Call, x: Any, scale: Any, bias: Any) -> Any:
    y = _normalized(x, tuple(range(2, x.ndim)), call.get("epsilon", 1e-5))[0]
    return y * _channels(scale, x) + _channels(bias, x)


@operator("GroupNormalization")
def group_normalization(call: Call, x: Any, scale: Any, bias: Any) -> Any:
    groups = call.get("num_groups")
    parts = x.reshape(x.shape[0], groups, -1)
    y = _normalized(parts, 2, call.get("epsilon", 1e-5))[0]
    return (y * scale.reshape(1, -1, 1) + bias.reshape(1, -1, 1)).reshape(x.shape)


@operator("LayerNormalization")
def layer_normalization(call: Call, x: Any, scale: Any, bias: Any = None) -> Any:
    axes = tuple(range(call.get("axis", -1) % x.ndim, x.ndim))
    call.read.add("stash_type")
    epsilon = call.get("epsilon", 1e-5)
    y, mean, variance = _normalized(x, axes, epsilon)
    return y * scale + (0 if bias is None else bias), mean, 1 / numpy.sqrt(variance + epsilon)


@operator("MeanVarianceNormalization")
def mean_variance_normalization(call: Call, x: Any) -> Any:
    axes = tuple(call.get("axes", [0, 2, 3]))
    return (x - x.mean(axes, keepdims=True)) / (x.std(axes, keepdims=True) + 1e-9)


@operator("LpNormalization")
def lp_normalization(call: Call, x: Any) -> Any:
    p = call.get("p", 2)
    return x / (abs(x) ** p).sum(call.get("axis", -1), keepdims=True) ** (1 / p)


@operator("LRN")
def lrn(call: Call, x: Any) -> Any:
    size, total = call.get("size"), numpy.zeros(x.shape)
    for c in range(x.shape[1]):
        low, high = max(0, c - (size - 1) // 2), min(x.shape[1] - 1, c + size // 2)
        total[:, c] = (x[:, low:high + 1] ** 2).sum(1)
    return x / (call.get("bias", 1.0) + call.get("alpha", 1e-4) / size * total) ** call.get("beta", 0.75)


#: Where an element of a resized axis lies in the axis as it was: i, scale, extents before and after, region.
COORDINATES: Dict[str, Callable[..., float]] = {
    "half_pixel": lambda i, s, before, after, roi: (i + 0.5) / s - 0.5,
    "half_pixel_symmetric": lambda i, s, before, after, roi:
        before / 2 * (1 - after / (s * before)) + (i + 0.5) / s - 0.5,
    "pytorch_half_pixel": lambda i, s, before, after, roi: (i + 0.5) / s - 0.5 if after > 1 else 0.0,
    "tf_half_pixel_for_nn": lambda i, s, before, after, roi: (i + 0.5) / s,
    "asymmetric": lambda i, s, before, after, roi: i / s,
    "align_corners": lambda i, s, before, after, roi: i * (before - 1) / (s * before - 1) if after > 1 else 0.0,
    "tf_crop_and_resize": lambda i, s, before, after, roi:
        roi[0] * (before - 1) + i * (roi[1] - roi[0]) * (before - 1) / (after - 1) if after > 1
        else (roi[0] + roi[1]) * (before - 1) / 2}
ROUNDINGS: Dict[str, Callable[[float], int]] = {
    "round_prefer_floor": lambda x: math.ceil(x - 0.5), "round_prefer_ceil": lambda x: math.floor(x + 0.5),
    "floor": math.floor, "ceil": math.ceil, "simple": math.floor}


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


def _resized(call: Call, x: Any, scales: Sequence[float], sizes: Sequence[int], rois: Any, mode: str, where: str,
             nearest: str) -> Any:
    a, excludes = call.get("cubic_coeff_a", -0.75), call.get("exclude_outside", 0)
    outside = call.get("extrapolation_value", 0.0)
    beyond = numpy.zeros((), bool)
    for axis, (scale, size, roi) in enumerate(zip(scales, sizes, rois)):
        before = x.shape[axis]
        if scale == 1 and size == before and where != "tf_crop_and_resize":
            continue
        weights, out = numpy.zeros((size, before), x.dtype), numpy.zeros(size, bool)
        for i in range(size):
            at = COORDINATES[where](i, scale, before, size, roi)
            out[i] = where == "tf_crop_and_resize" and not 0 <= at <= before - 1
            found = _neighbours(mode, at, nearest, a)
            found = [(k, w) for k, w in found if not excludes or 0 <= k < before]
            for k, w in found:
                weights[i, min(max(k, 0), before - 1)] += w / (sum(w for _, w in found) if excludes else 1)
        x = numpy.moveaxis(numpy.tensordot(x, weights, ([axis], [1])), -1, axis)
        beyond = beyond | out.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    return numpy.where(beyond, outside, x)


@operator("Resize")
def resize(call: Call, x: Any, roi: Any = None, scales: Any = None, sizes: Any = None) -> Any:
    if call.opset < 11:
        scales, roi = roi, None
    axes = [axis % x.ndim for axis in call.get("axes", range(x.ndim))]
    policy = call.get("keep_aspect_ratio_policy", "stretch")
    if call.get("antialias", 0):
        raise call.refuse("antialias")
    factors, extents = [1.0] * x.ndim, list(x.shape)
    if scales is not None and scales.size:
        for axis, scale in zip(axes, scales):
            factors[axis], extents[axis] = float(scale), math.floor(x.shape[axis] * float(scale))
    else:
        ratios = [int(size) / x.shape[axis] for axis, size in zip(axes, sizes)]
        common = min(ratios) if policy == "not_larger" else max(ratios)
        for axis, ratio, size in zip(axes, ratios, sizes):
            factors[axis] = ratio if policy == "stretch" else common
            extents[axis] = int(size) if policy == "stretch" else math.floor(common * x.shape[axis] + 0.5)
    regions = [(0.0, 1.0)] * x.ndim
    if roi is not None and roi.size:
        for place, axis in enumerate(axes):
            regions[axis] = (float(roi[place]), float(roi[place + len(axes)]))
    old = call.opset < 11
    return _resized(call, x, factors, extents, regions, call.get("mode", "nearest"),
                    "asymmetric" if old else call.get("coordinate_transformation_mode", "half_pixel"),
                    "floor" if old else call.get("nearest_mode", "round_prefer_floor"))


@operator("Upsample")
def upsample(call: Call, x: Any, scales: Any = None) -> Any:
    factors = [float(each) for each in (call.get("scales") if call.opset < 9 else scales)]
    sizes = [math.floor(extent * factor) for extent, factor in zip(x.shape, factors)]
    return _resized(call, x, factors, sizes, [(0.0, 1.0)] * x.ndim, call.get("mode", "nearest"), "asymmetric", "floor")


#: Functions of recurrences, with alpha and beta.
ACTIVATIONS: Dict[str, Callable[..., Any]] = {
    "Sigmoid": lambda x, a, b: sigmoid(x), "Tanh": lambda x, a, b: numpy.tanh(x),
    "Relu": lambda x, a, b: numpy.maximum(x, 0), "Affine": lambda x, a, b: a * x + b,
    "LeakyRelu": lambda x, a, b: numpy.where(x < 0, a * x, x), "Softsign": lambda x, a, b: x / (1 + abs(x)),
    "ThresholdedRelu": lambda x, a, b: numpy.where(x >= a, x, 0), "ScaledTanh": lambda x, a, b: a * numpy.tanh(b * x),
    "HardSigmoid": lambda x, a, b: numpy.clip(a * x + b, 0, 1), "Softplus": lambda x, a, b: softplus(x),
    "Elu": lambda x, a, b: numpy.where(x < 0, a * (numpy.exp(x) - 1), x)}
#: Their alpha and beta, if the file states none.
NUMBERS = {"LeakyRelu": (0.01, 0.0), "ThresholdedRelu": (1.0, 0.0), "HardSigmoid": (0.2, 0.5), "Elu": (1.0, 0.0),
           "Affine": (1.0, 0.0), "ScaledTanh": (1.0, 1.0)}
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
USUAL = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
Functions = List[Callable[[Any], Any]]


def _functions(call: Call, directions: int) -> List[Functions]:
    """The activations of each direction. Numbers are stated for those that have any, in their order."""
    names = call.get("activations") or USUAL[call.node.op] * directions
    alphas, betas = list(call.get("activation_alpha", [])), list(call.get("activation_beta", []))
    found: Functions = []
    for name in names:
        a, b = NUMBERS.get(name, (0.0, 0.0))
        a = alphas.pop(0) if alphas and name in NUMBERS else a
        b = betas.pop(0) if betas and name in ("HardSigmoid", "Affine", "ScaledTanh") else b
        found.append(lambda x, f=ACTIVATIONS[name], a=a, b=b: f(x, a, b))  # type: ignore[misc]
    each = len(USUAL[call.node.op])
    return [found[i * each:(i + 1) * each] for i in range(directions)]


def _step(call: Call, f: Functions, x: Any, h: Any, c: Any, w: Any, r: Any, wb: Any, rb: Any, p: Any) -> Tuple[Any, Any]:
    """One step of one direction: the next hidden state, and the next cell state."""
    limit = call.get("clip")

    def clipped(values: Any) -> Any:
        return values if limit is None else numpy.clip(values, -limit, limit)
    if call.node.op == "RNN":
        return f[0](clipped(x @ w.T + h @ r.T + wb + rb)), c
    if call.node.op == "GRU":
        (wz, wr, wh), (rz, rr, rh) = numpy.split(w, 3), numpy.split(r, 3)
        (bz, br, bh), (cz, cr, ch) = numpy.split(wb, 3), numpy.split(rb, 3)
        z = f[0](clipped(x @ wz.T + h @ rz.T + bz + cz))
        reset = f[0](clipped(x @ wr.T + h @ rr.T + br + cr))
        inner = reset * (h @ rh.T + ch) if call.get("linear_before_reset", 0) else (reset * h) @ rh.T + ch
        return (1 - z) * f[1](clipped(x @ wh.T + inner + bh)) + z * h, c
    i, o, forget, cell = numpy.split(x @ w.T + h @ r.T + wb + rb, 4, -1)
    pi, po, pf = numpy.split(p, 3)
    i = f[0](clipped(i + pi * c))
    forget = 1 - i if call.get("input_forget", 0) else f[0](clipped(forget + pf * c))
    c = forget * c + i * f[1](clipped(cell))
    return f[0](clipped(o + po * c)) * f[2](c), c


@operator("RNN", "GRU", "LSTM")
def recurrence(call: Call, x: Any, w: Any, r: Any, b: Any = None, lengths: Any = None, h0: Any = None, c0: Any = None,
               peepholes: Any = None) -> Any:
    size, gates = call.get("hidden_size", r.shape[2]), GATES[call.node.op]
    direction, batch_first = call.get("direction", "forward"), call.get("layout", 0)
    call.read.update(("linear_before_reset", "input_forget", "clip"))
    if batch_first:
        x, h0, c0 = (None if each is None else each.swapaxes(0, 1) for each in (x, h0, c0))
    (steps, batch), ways = x.shape[:2], w.shape[0]
    lengths = numpy.full(batch, steps) if lengths is None else lengths
    functions = _functions(call, ways)
    ys, last = numpy.zeros((steps, ways, batch, size), x.dtype), []
    for way in range(ways):
        h, c = (numpy.zeros((batch, size), x.dtype) if each is None else each[way] for each in (h0, c0))
        wb, rb = numpy.zeros((2, gates * size)) if b is None else numpy.split(b[way], 2)
        p = numpy.zeros(3 * size) if peepholes is None else peepholes[way]
        backward = direction == "reverse" or way == 1
        for step in range(steps):
            # A row runs over its own length, backwards from its own end.
            at = lengths - 1 - step if backward else numpy.full(batch, step)
            runs = (step < lengths)[:, None]
            rows = x[numpy.maximum(at, 0), numpy.arange(batch)]
            next_h, next_c = _step(call, functions[way], rows, h, c, w[way], r[way], wb, rb, p)
            h, c = numpy.where(runs, next_h, h), numpy.where(runs, next_c, c)
            for row in numpy.nonzero(runs[:, 0])[0]:
                ys[at[row], way, row] = h[row]
        last.append((h, c))
    states = [numpy.stack([each[i] for each in last]) for i in (0, 1)]
    if batch_first:
        return ys.transpose(2, 0, 1, 3), *(each.swapaxes(0, 1) for each in states)
    return ys, *states
