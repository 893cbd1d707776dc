#!/usr/bin/env python3
"""Writes the model files of docs/training-memory.md.

    scripts/examples/training_memory_models.py DIRECTORY            write them
    scripts/examples/training_memory_models.py --check DIRECTORY    exit with 1 if they differ

The networks, the layers that are trained and what is kept in RAM follow "On-Device Training
Under 256KB Memory" (Lin et al., NeurIPS 2022) and the releases tiny-training and TinyEngine.
"""

import json
import pathlib
import sys

CLASSES = 10
RESOLUTION = 128

# Of each inverted residual block: expansion, output channels, stride, kernel.
NETWORKS = {
    "mobilenet_v2_035": [
        (1, 8, 1, 3),
        (6, 8, 2, 3), (6, 8, 1, 3),
        (6, 16, 2, 3), (6, 16, 1, 3), (6, 16, 1, 3),
        (6, 24, 2, 3), (6, 24, 1, 3), (6, 24, 1, 3), (6, 24, 1, 3),
        (6, 32, 1, 3), (6, 32, 1, 3), (6, 32, 1, 3),
        (6, 56, 2, 3), (6, 56, 1, 3), (6, 56, 1, 3),
        (6, 112, 1, 3),
    ],
    "mcunet_5fps": [
        (1, 8, 1, 3),
        (4, 16, 2, 3), (3, 16, 1, 3),
        (3, 24, 2, 7), (5, 24, 1, 3),
        (5, 40, 2, 3), (4, 40, 1, 7),
        (4, 48, 1, 5), (3, 48, 1, 3), (4, 48, 1, 3),
        (5, 96, 2, 7), (4, 96, 1, 5), (4, 96, 1, 5),
        (6, 160, 1, 3),
    ],
}
STEM = 16

# Two of tiny-training's schemes, for 73 KB and 99 KB: how many of the last convolutions train their biases, and which
# ones train the weights of which share of their input channels. Convolutions are counted from 0.
SCHEMES = {
    "mobilenet_v2_035": (20, {32: 1 / 8, 33: 1 / 2, 36: 1 / 2, 39: 1, 41: 1 / 4, 42: 1 / 8,
                              45: 1 / 8, 48: 1}),
    "mcunet_5fps": (22, {21: 1, 24: 1, 27: 1, 30: 1, 36: 1 / 8, 39: 1 / 4}),
}
PATCHES = 2  # along each axis, for the first layers, up to the block that has a stride of 8
PATCH_BLOCKS = 4

INT8 = {"activations": "int8", "gradients": "fp32", "parameters": "int8"}


class Convolution:
    """One convolution of a network: what the lists above come to."""

    def __init__(self, name, channels, out, kernel, stride, size, is_depthwise, has_relu):
        self.name, self.channels, self.out = name, channels, out
        self.kernel, self.stride, self.size = kernel, stride, size  # size: of the input
        self.is_depthwise, self.has_relu = is_depthwise, has_relu
        self.block = int(name.split(".")[0][5:]) if name.startswith("block") else 0
        self.adds = None  # the output of the block before, for a shortcut

    def out_size(self):
        return (self.size - 1) // self.stride + 1

    def flops(self, size):
        inputs = 1 if self.is_depthwise else self.channels
        return size * size * self.out * (2 * self.kernel**2 * inputs + 1 + self.has_relu)


def convolutions(blocks):
    all_of_them = [Convolution("stem", 3, STEM, 3, 2, RESOLUTION, False, True)]

    def add(name, out, kernel, stride, is_depthwise, has_relu):
        last = all_of_them[-1]
        all_of_them.append(Convolution(name, last.out, out, kernel, stride, last.out_size(),
                                       is_depthwise, has_relu))

    channels = STEM
    for b, (expansion, out, stride, kernel) in enumerate(blocks, start=1):
        wide = channels * expansion
        if expansion > 1:
            add(f"block{b}.expand", wide, 1, 1, False, True)
        add(f"block{b}.depthwise", wide, kernel, stride, True, True)
        add(f"block{b}.project", out, 1, 1, False, False)
        if expansion > 1 and stride == 1 and out == channels:
            all_of_them[-1].adds = f"block{b - 1}"
        channels = out
    return all_of_them


class Writer:
    """The layers of one model file. Without `in_place` every operator has an output of its own."""

    def __init__(self, in_place):
        self.in_place = in_place
        self.layers = []
        self.outputs = {}  # of blocks, by their names

    def add(self, name, op, inputs, **attributes):
        self.layers.append({"name": name, "op": op, "inputs": inputs, **attributes})
        return name

    def float_convolution(self, conv, below):
        groups = {"groups": conv.channels} if conv.is_depthwise else {}
        name = self.add(f"{conv.name}.conv", "conv2d", [below], out_channels=conv.out,
                        kernel=conv.kernel, stride=conv.stride, padding=conv.kernel // 2, **groups)
        return self.clamp(conv, name) if conv.has_relu else name

    def clamp(self, conv, below, **attributes):
        if not self.in_place:
            attributes["in_place"] = False
        return self.add(f"{conv.name}.relu6", "relu6", [below], **attributes)

    def int8_convolution(self, conv, below, share, trains_bias):
        """Weights of 1 byte, biases of 4. Of a share of the input channels the weights train."""
        window = {"out_channels": conv.out, "kernel": conv.kernel, "stride": conv.stride,
                  "padding": conv.kernel // 2, "bias": False}
        if conv.is_depthwise:
            window["groups"] = conv.channels
            if conv.stride == 1 and self.in_place:
                window["in_place"] = True
        if 0 < share < 1:
            name = self.partial_convolution(conv, below, int(share * conv.channels), window)
        else:
            frozen = {} if share else {"trainable": False}
            name = self.add(f"{conv.name}.conv", "conv2d", [below], **window, **frozen)
        frozen = {} if trains_bias else {"trainable": False}
        bias = self.add(f"{conv.name}.bias.values", "parameter", [], shape=[conv.out, 1, 1],
                        dtype={"parameters": "fp32"}, **frozen)
        name = self.add(f"{conv.name}.bias", "add", [name, bias])
        mask = {"mask": True} if trains_bias else {}
        return self.clamp(conv, name, **mask) if conv.has_relu else name

    def partial_convolution(self, conv, below, trained, window):
        """The sum of two convolutions, of which the one of the first channels trains."""
        first = self.add(f"{conv.name}.trained.input", "slice", [below], size=trained)
        rest = self.add(f"{conv.name}.frozen.input", "slice", [below], size=conv.channels - trained,
                        start=trained)
        first = self.add(f"{conv.name}.trained.conv", "conv2d", [first], **window)
        rest = self.add(f"{conv.name}.frozen.conv", "conv2d", [rest], **window, trainable=False)
        return self.add(f"{conv.name}.conv", "add", [first, rest])

    def shortcut(self, conv, name):
        if conv.adds is not None:
            name = self.add(f"block{conv.block}.add", "add", [self.outputs[conv.adds], name])
        if conv.name.endswith("project"):
            self.outputs[f"block{conv.block}"] = name
        return name

    def head(self, below, **dtype):
        name = self.add("pool", "global_avg_pool", [below])
        name = self.add("classifier", "linear", [name], out_features=CLASSES, **dtype)
        self.add("loss", "cross_entropy", [name], classes=CLASSES, **dtype)


def patch_stage(convs):
    """The first layers, computed patch by patch: one layer without a gradient.

    Patches overlap by what the windows reach beyond them. A depthwise convolution overwrites its
    input. The buffer of the patch of the image is free once the stem has read it.
    """
    stage = [conv for conv in convs if conv.block <= PATCH_BLOCKS]
    size = stage[-1].out_size()
    sizes = [size // PATCHES]  # of a patch: of the image, then of what each layer makes of it
    for conv in reversed(stage):
        reach = (sizes[0] - 1) * conv.stride + conv.kernel // 2 + 1
        sizes.insert(0, min(conv.size, reach))
    widest = flops = 0
    for conv, before, after in zip(stage, sizes, sizes[1:]):
        members = [other for other in stage if other.block == conv.block]
        if conv is members[0]:
            entry = conv.channels * before**2
        own = conv.channels * before**2 + (0 if conv.is_depthwise else conv.out * after**2)
        if members[-1].adds and conv is not members[0]:
            own += entry
        widest = max(widest, own)
        flops += conv.flops(after) * PATCHES**2
    weights = sum(conv.out * ((1 if conv.is_depthwise else conv.channels) * conv.kernel**2 + 4)
                  for conv in stage)
    image = 3 * sizes[0]**2
    return sizes[0], {"shape": ["N", stage[-1].out, size, size], "flops": flops,
                      "parameters": weights, "trainable": False, "workspace_bytes": widest - image}


def full(name, dtype):
    writer = Writer(in_place=False)
    below = "input"
    for conv in convolutions(NETWORKS[name]):
        if dtype == "fp32":
            below = writer.float_convolution(conv, below)
        else:
            below = writer.int8_convolution(conv, below, 1, True)
        below = writer.shortcut(conv, below)
    writer.head(below, **({} if dtype == "fp32" else {"dtype": "fp32"}))
    return {"name": f"{name}_full_{dtype}", "input": {"shape": ["N", 3, RESOLUTION, RESOLUTION]},
            "dtype": "fp32" if dtype == "fp32" else INT8, "update": "accumulate",
            "layers": writer.layers}


def sparse(name, update):
    writer = Writer(in_place=update == "fused")
    convs = convolutions(NETWORKS[name])
    biases, shares = SCHEMES[name]
    patch, stage = patch_stage(convs)
    below = writer.add("patches", "custom", ["input"], **stage)
    writer.outputs[f"block{PATCH_BLOCKS}"] = below
    for i, conv in enumerate(convs):
        if conv.block <= PATCH_BLOCKS:
            continue
        below = writer.int8_convolution(conv, below, shares.get(i, 0), i >= len(convs) - biases)
        below = writer.shortcut(conv, below)
    writer.head(below, dtype="fp32")
    suffix = "sparse" if update == "accumulate" else f"sparse_{update}"
    return {"name": f"{name}_{suffix}", "input": {"shape": ["N", 3, patch, patch]}, "dtype": INT8,
            "update": update, "layers": writer.layers}


def text(model):
    head = {"format": "poet-model", "version": 2, "name": model["name"]}
    lines = [json.dumps(head)[:-1] + ","]
    lines += [f' "{key}": {json.dumps(model[key])},' for key in ("input", "dtype", "update")]
    lines.append(' "layers": [')
    lines.append(",\n".join("  " + json.dumps(layer) for layer in model["layers"]) + "]}")
    return "\n".join(lines) + "\n"


def models():
    yield full("mobilenet_v2_035", "fp32")
    yield full("mobilenet_v2_035", "int8")
    yield sparse("mobilenet_v2_035", "accumulate")
    yield sparse("mobilenet_v2_035", "fused")
    yield sparse("mcunet_5fps", "fused")


def main():
    arguments = sys.argv[1:]
    is_check = arguments[:1] == ["--check"]
    if len(arguments) != 1 + is_check:
        sys.exit(__doc__)
    directory = pathlib.Path(arguments[-1])
    different = []
    for model in models():
        path = directory / f"{model['name']}.json"
        if not is_check:
            path.write_text(text(model))
        elif not path.exists() or path.read_text() != text(model):
            different.append(str(path))
    if different:
        sys.exit("not as this script writes them: " + ", ".join(different))


if __name__ == "__main__":
    main()
