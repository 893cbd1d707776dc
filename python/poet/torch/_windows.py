"""Pools, changes of size and padding, as modules and as functions."""
from __future__ import annotations

from typing import Any, Sequence

from poet.torch._calls import Call, Use
from poet.torch._layers import Layers, Unsupported, other_than, window


def of_rank(op: str, shape: Sequence[int]) -> str:
    """`max_pool` of an image is max_pool2d, and of a signal max_pool1d."""
    if len(shape) not in (3, 4):
        raise Unsupported(f"its input has the shape {tuple(shape)}; expected samples, channels and one or two extents")
    return f"{op}{len(shape) - 2}d"


def expect_undilated(dilation: Any) -> None:
    if window(dilation) != 1:
        raise Unsupported(f"its windows are dilated by {dilation}; expected a dilation of 1")


def max_pool(layers: Layers, call: Call) -> str:
    m = call.module
    expect_undilated(m.dilation)
    return layers.add(of_rank("max_pool", call.shapes[0]), call.name, call.inputs, kernel=window(m.kernel_size),
                      stride=other_than(window(m.stride), window(m.kernel_size)), padding=other_than(window(m.padding),
                                                                                                     0),
                      ceil_mode=other_than(m.ceil_mode, False))


def avg_pool(layers: Layers, call: Call) -> str:
    m = call.module
    return average(layers, call.name, call.inputs, call.shapes[0], m.kernel_size, m.stride, m.padding, m.ceil_mode,
                   m.count_include_pad, getattr(m, "divisor_override", None))


def average(layers: Layers, name: str, inputs: Sequence[str], shape: Sequence[int], kernel: Any, stride: Any,
            padding: Any, ceil_mode: bool, includes: bool, divisor: Any) -> str:
    """Averages of windows; with a divisor of its own, times what it makes of them."""
    kernel = window(kernel)
    pooled = layers.add(of_rank("avg_pool", shape), name, inputs, kernel=kernel,
                        stride=other_than(window(stride) if stride else kernel, kernel),
                        padding=other_than(window(padding), 0), ceil_mode=other_than(bool(ceil_mode), False),
                        count_include_pad=other_than(bool(includes) or divisor is not None, True))
    if divisor is None:
        return pooled
    if ceil_mode:
        layers.differs(f"it divides by {divisor}, the layer by the elements of a window")
        return pooled
    count = kernel[0] * kernel[1] if isinstance(kernel, list) else kernel ** (len(shape) - 2)
    number = layers.add("parameter", f"{name}.number", [], shape=[1], trainable=False, value=count / divisor)
    return layers.add("mul", f"{name}.scale", [pooled, number])


def adaptive_avg_pool(layers: Layers, call: Call) -> str:
    return layers.add(of_rank("adaptive_avg_pool", call.shapes[0]), call.name, call.inputs,
                      output_size=window(call.output.shape[2:]))


def upsample(layers: Layers, call: Call) -> str:
    m = call.module
    expect_scale(call.shapes[0], call.output.shape, m.scale_factor, m.recompute_scale_factor or m.size is not None)
    return resize(layers, call.name, call.inputs[0], call.shapes[0], call.output.shape, m.mode, bool(m.align_corners))


def expect_scale(old: Sequence[int], new: Sequence[int], scale: Any, is_of_shapes: Any) -> None:
    """Raises Unsupported if positions follow from another scale than extents do, such as 2.4 for 4 of 2."""
    each = scale if isinstance(scale, (tuple, list)) else (scale,) * (len(old) - 2)
    if scale is not None and not is_of_shapes and any(a * s != b for a, b, s in zip(old[2:], new[2:], each)):
        raise Unsupported(f"its scale_factor is {scale}; expected whole numbers")


def resize(layers: Layers, name: str, source: str, old: Sequence[int], new: Sequence[int], mode: str,
           aligns: bool = False) -> str:
    """An image that is a whole number of times as large."""
    mode = "nearest" if mode == "nearest-exact" else mode  # the same for whole multiples
    if len(old) != 4 or new[2] % old[2] or new[3] % old[3] or mode not in ("nearest", "bilinear"):
        raise Unsupported(f"it makes {tuple(new)} of {tuple(old)} ({mode}); expected whole multiples, nearest or "
                          "bilinear")
    added = layers.add("upsample2d", name, [source], scale=window((new[2] // old[2], new[3] // old[3])),
                       mode=other_than(mode, "nearest"))
    if aligns:
        layers.differs("it aligns corners, the layer does not")
    return added


def pad(layers: Layers, call: Call) -> str:
    m = call.module
    return padded(layers, call.name, call.inputs[0], call.shapes[0], m.padding, m.value)


def padded(layers: Layers, name: str, source: str, shape: Sequence[int], pads: Sequence[int], value: float) -> str:
    """Numbers around a tensor, as parts of a concat; what is cut off is a slice."""
    extents = list(shape)
    for i in range(len(pads) // 2):
        axis = len(extents) - 1 - i
        before, after = pads[2 * i:2 * i + 2]
        if axis == 0 and (before or after):
            raise Unsupported("it pads samples; expected other extents")
        if before < 0 or after < 0:
            extents[axis] += min(before, 0) + min(after, 0)
            source = layers.add("slice", f"{name}.part", [source], start=other_than(max(-before, 0), 0),
                                size=extents[axis], axis=other_than(axis, 1))
        sides = [layers.add("parameter", f"{name}.number", [], value=float(value), trainable=False,
                            shape=[1, *extents[1:axis], side, *extents[axis + 1:]]) if side > 0 else None
                 for side in (before, after)]
        if any(sides):
            rows = [each for each in (sides[0], source, sides[1]) if each]
            source = layers.add("concat", name, rows, axis=other_than(axis, 1))
            extents[axis] += max(before, 0) + max(after, 0)
    return source


def adaptive_avg_pool_of(use: Use) -> str:
    use.follows()
    return use.add(of_rank("adaptive_avg_pool", use.x.shape), output_size=window(tuple(use.output.shape[2:])))


def max_pool_of(use: Use) -> str:
    kernel = window(use.get(1, "kernel_size"))
    stride = use.get(2, "stride")
    expect_undilated(use.get(4, "dilation", 1))
    return use.add(of_rank("max_pool", use.x.shape), kernel=kernel,
                   stride=other_than(window(stride) if stride else kernel, kernel),
                   padding=other_than(window(use.get(3, "padding", 0)), 0),
                   ceil_mode=other_than(bool(use.get(5, "ceil_mode", False)), False))


def avg_pool_of(use: Use) -> str:
    return average(use.layers, use.name, [use.x.name], use.x.shape, use.get(1, "kernel_size"), use.get(2, "stride"),
                   use.get(3, "padding", 0), use.get(4, "ceil_mode", False), use.get(5, "count_include_pad", True),
                   use.get(6, "divisor_override"))


def interpolate(use: Use) -> str:
    expect_scale(use.x.shape, use.output.shape, use.get(2, "scale_factor"),
                 use.get(5, "recompute_scale_factor") or use.get(1, "size") is not None)
    return resize(use.layers, use.name, use.x.name, use.x.shape, tuple(use.output.shape), use.get(3, "mode", "nearest"),
                  bool(use.get(4, "align_corners", False)))


def pad_of(use: Use) -> str:
    if use.get(2, "mode", "constant") != "constant":
        raise Unsupported(f"its mode is {use.get(2, 'mode')}; expected constant")
    return padded(use.layers, use.name, use.x.name, use.x.shape, use.get(1, "pad"), use.get(3, "value") or 0)
