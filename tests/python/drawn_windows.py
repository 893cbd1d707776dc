"""Draws of ONNX operators that have windows over images, norms, or resizes, from their schemas."""
import numpy

from drawn_network import BATCH


def window(d, n, is_pool=False):
    """Attributes of windows."""
    kernel = [d.whole(1, 3) for _ in range(n)]
    how = d.pick(*["NOTSET"] * 4, "SAME_UPPER", "SAME_LOWER", "VALID")
    pads = [d.whole(-1 if d.chance(0.1) and not is_pool else 0, min(kernel[i % n] - 1, 2) if is_pool else 2)
            for i in range(2 * n)]
    return {"kernel_shape": kernel, "strides": d.maybe([d.whole(1, 3) for _ in range(n)]),
            "auto_pad": None if how == "NOTSET" else how, "pads": d.maybe(pads) if how == "NOTSET" else None}


def conv(d):
    n = d.pick(1, 2, 2, 2)
    x, groups = d.images(n), 1
    channels, keys = d.shape(x)[1], window(d, n)
    groups = d.pick(1, channels)
    weight = d.floats(groups * d.whole(1, 2), channels // groups, *keys["kernel_shape"])
    return d.op("Conv", x, weight, d.maybe(d.floats(d.shape(weight)[0])), group=groups if groups > 1 else None,
                dilations=d.maybe([d.whole(1, 2) for _ in range(n)]), **keys)


def conv_transpose(d):
    x, keys = d.images(), window(d, 2)
    channels = d.shape(x)[1]
    groups, out = d.pick(1, channels), d.whole(1, 2)
    strides = keys["strides"] or [1, 1]
    return d.op("ConvTranspose", x, d.floats(channels, out, *keys["kernel_shape"]), d.maybe(d.floats(out * groups)),
                group=groups if groups > 1 else None, dilations=d.maybe([d.whole(1, 2) for _ in range(2)]),
                output_padding=d.maybe([d.whole(0, each - 1) for each in strides]), **keys)


def max_pool(d):
    n = d.pick(1, 2, 2)
    new = {"ceil_mode": d.maybe(d.whole(0, 1)), "dilations": d.pick(None, None, [d.whole(1, 2) for _ in range(n)])}
    return d.op("MaxPool", d.images(n), **window(d, n, True), **(new if d.opset >= 10 else {}))


def average_pool(d):
    n = d.pick(1, 2, 2)
    return d.op("AveragePool", d.images(n), **window(d, n, True), count_include_pad=d.maybe(d.whole(0, 1)),
                ceil_mode=d.maybe(d.whole(0, 1)) if d.opset >= 10 else None)


def layer_norm(d):
    keep = d.chance(0.8)
    x = d.tokens() if keep else d.tokens(BATCH, BATCH)
    shape, axes, keepdims = d.shape(x), d.pick([-1], [-1], [2], [-2, -1], [1]), d.maybe(1) if keep else 0
    power = d.pick(2.0, 2.0, 2.0, 4.0)
    centred = d.op("Sub", x, d.reduced("ReduceMean", x, axes, keepdims))
    squares = d.op("Pow", centred, numpy.array(d.pick(power, [power]))) if d.chance(0.8) else \
        d.op("Mul", centred, centred)
    variance = d.op("Add", d.reduced("ReduceMean", squares, axes, keepdims), numpy.array(d.pick(1e-5, 0.01, 0.3)))
    y, one = d.op("Div", centred, d.op("Sqrt", variance)), [1, 1, shape[2]]
    for op in ("Mul", "Add"):
        y = d.op(op, y, d.floats(*d.pick(shape[2:], shape[2:], (1,), (), one, shape[1:], (shape[1], 1))))
    return y


def root_mean_square(d):
    x = d.pick(d.tokens, d.images)()
    axes, keepdims = d.pick([-1], [-1], [1], [1, 2]), d.maybe(1)
    if d.chance(0.3):
        return d.op("Div", x, d.reduced("ReduceL2", x, axes, keepdims))
    squares = d.op("Mul", x, x) if d.chance(0.5) else d.op("Pow", x, numpy.array(d.pick(2.0, 2.0, 3.0)))
    mean = d.reduced(d.pick("ReduceMean", "ReduceMean", "ReduceSum"), squares, axes, keepdims)
    root = d.op("Sqrt", d.op("Add", mean, numpy.array(d.pick(1e-5, 0.01, 0.3))))
    how = d.pick("divided", "turned", "times", "reversed")
    if how in ("divided", "turned"):
        return d.op("Div", x, root) if how == "divided" else d.op("Div", root, x)
    inverse = d.op("Reciprocal", root) if d.chance(0.5) else d.op("Div", numpy.array(d.pick(1.0, 1.0, 2.0)), root)
    y = d.op("Mul", x, inverse) if how == "times" else d.op("Mul", inverse, x)
    return d.op("Mul", y, d.floats(d.shape(y)[-1]))


def instance_norm(d):
    x = d.images(d.pick(1, 2, 2))
    count = d.shape(x)[1]
    return d.op("InstanceNormalization", x, d.floats(count), d.floats(count), epsilon=d.pick(None, 0.01, 0.3))


def group_norm(d):
    x, groups = d.images(channels=4), d.pick(1, 2, 4)
    shape, number = d.shape(x), d.pick(d.floats, lambda n: d.number(numpy.ones(n)))
    y = d.op("Reshape", x, d.extents(x, groups, -1))
    y = d.op("InstanceNormalization", y, number(groups), d.number(numpy.zeros(groups)), epsilon=d.pick(None, 0.01, 0.3))
    y = d.op("Reshape", y, d.extents(x, *shape[1:]))
    for op in ("Mul", "Add"):
        y = d.op(op, y, d.floats(*d.pick((4, 1, 1), (4, 1, 1), (1, 4, 1, 1), (1,), (), shape[3:])))
    return y


def newer_group_norm(d):
    d.opset = d.whole(18, 23)
    count, groups = 4, d.pick(1, 2, 4)
    size = groups if d.opset < 21 else count
    return d.op("GroupNormalization", d.images(d.pick(1, 2, 2), channels=count), d.floats(size), d.floats(size),
                num_groups=groups, epsilon=d.pick(None, 0.01, 0.3))


def batch_norm(d):
    x = d.images(d.pick(1, 2, 2)) if d.chance(0.8) else d.rows()
    count = d.shape(x)[1]
    return d.op("BatchNormalization", x, d.floats(count), d.floats(count), d.floats(count),
                d.number(d.random.uniform(0.5, 1.5, count)), epsilon=d.pick(None, 0.01, 0.3),
                momentum=d.pick(None, d.real()))


def resize(d):
    d.opset = d.pick(10, 11, 13, d.whole(11, 17), d.whole(18, 23))
    x, factors = d.images(), [d.pick(0.5, 1.0, 1.5, 2.0, 2.0, 3.0) for _ in range(2)]
    factors = d.pick(factors, [2.0, 2.0])
    if d.opset == 10:
        return d.op("Resize", x, numpy.array([1.0, 1.0, *factors]), mode=d.pick(None, "nearest", "linear"))
    mode, none = d.pick(None, "nearest", "linear", "cubic"), numpy.zeros(0) if d.opset < 13 else None
    keys = {"mode": mode, "coordinate_transformation_mode": d.pick(
        None, "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn"
        if d.opset < 13 else "half_pixel_symmetric" if d.opset >= 19 else None), "nearest_mode": d.pick(
        None, "floor", "ceil", "round_prefer_floor", "round_prefer_ceil") if mode in (None, "nearest") else None}
    if mode == "cubic":
        keys.update(cubic_coeff_a=d.pick(None, -0.5), exclude_outside=d.pick(None, 0, 1))
    axes = d.opset >= 18 and d.chance(0.5)
    if d.opset >= 18:
        keys.update(axes=[2, -1] if axes else None, antialias=d.pick(None, 0),
                    keep_aspect_ratio_policy=d.pick(None, "stretch"))
    if (d.open and not axes) or d.chance(0.6):
        return d.op("Resize", x, none, numpy.array([*([] if axes else [1.0, 1.0]), *factors]), **keys)
    sizes = [int(extent * factor) for extent, factor in zip(d.shape(x)[2:], factors)]
    return d.op("Resize", x, none, none, numpy.array([*([] if axes else d.shape(x)[:2]), *sizes]), **keys)


def upsample(d):
    d.opset = d.pick(7, 9, 9)
    x, scales = d.images(), [1.0, 1.0, *(d.pick(1.0, 2.0, 2.0, 3.0, 1.5) for _ in range(2))]
    mode = d.pick(None, "nearest", "linear")
    return d.op("Upsample", x, numpy.array(scales), mode=mode) if d.opset == 9 else \
        d.op("Upsample", x, mode=mode, scales=scales)


KINDS = {"Conv": conv, "ConvTranspose": conv_transpose, "MaxPool": max_pool, "AveragePool": average_pool,
         "layer norm": layer_norm, "root mean square": root_mean_square, "InstanceNormalization": instance_norm,
         "group norm": group_norm, "GroupNormalization": newer_group_norm, "BatchNormalization": batch_norm,
         "Resize": resize, "Upsample": upsample}
