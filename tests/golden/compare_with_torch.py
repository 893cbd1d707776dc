#!/usr/bin/env python3
"""Compares the ops of exact models with PyTorch's autograd: shapes, parameters, MACs, and what is saved.

usage: compare_with_torch.py POET_SOLVE

A gradient of ours may read no tensor that torch does not save for it, beside dY. Where torch saves another tensor of the same
content (log-probabilities for logits), or a copy, sizes are compared. Exit status 77, which CTest takes for skipped, without torch.
"""
import json
import subprocess
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    print("skipped: no torch (Debian: python3-torch)")
    sys.exit(77)

X = (2, 4, 6, 6)
LOSSES = ("mse", "cross_entropy")


def ours(op, attributes, shapes):
    """The nodes of a model in which the layer y reads x, z and v, which trainable layers make."""
    layers = []
    for name, shape in shapes.items():
        layers += [{"name": "stem " + name, "op": "parameter", "shape": list(shape)},
                   {"name": name, "op": "mul", "inputs": ["input " + name, "stem " + name]}]
    layers.append(dict({"name": "y", "op": op, "inputs": list(shapes)}, **attributes))
    if op not in LOSSES:
        layers.append({"name": "loss", "op": "mse", "inputs": ["y"]})
    model = {"format": "poet-model", "version": 2, "name": op, "layers": layers,
             "inputs": {"input " + name: {"shape": list(shape)} for name, shape in shapes.items()}}
    run = subprocess.run([sys.argv[1], "info", "-", "--json"], input=json.dumps(model), text=True, capture_output=True)
    if run.returncode != 0:
        sys.exit(f"{op}: {run.stderr}")
    return {node["name"]: node for node in json.loads(run.stdout)["nodes"]}


def saved_by_us(nodes, shapes):
    """Names of what y's gradients read beside gradients, with their numbers of elements."""
    names = list(nodes)
    ours = {"gradw(y)"} | {f"grad({name})" for name in shapes}
    saved = {}
    for name, node in nodes.items():
        if name not in ours and not name.startswith("grad(y."):
            continue
        for i in node["inputs"]:
            read = nodes[names[i]]
            # A loss stands for its own gradient.
            if not read["backward"] and read["op"] not in LOSSES:
                count = 1
                for extent in read["shape"]:
                    count *= extent
                saved[read["name"]] = count
    return saved


def saved_by_torch(function, tensors):
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (kept.append(t), t)[1], lambda t: t):
        y = function(*tensors.values())
    names = {}
    for t in kept:
        name = next((k for k, v in tensors.items() if v.data_ptr() == t.data_ptr()), None)
        if y.data_ptr() == t.data_ptr():
            name = "y"
        names[name or f"new{len(names)}"] = t.numel()
    return y, names


def flops_of(function, tensors):
    with torch.profiler.profile(with_flops=True) as profile:
        function(*tensors.values())
    wanted = ("aten::conv2d", "aten::convolution", "aten::addmm", "aten::mm", "aten::bmm")
    counts = {e.key: e.flops for e in profile.key_averages() if e.key in wanted and e.flops}
    return max(counts.values(), default=0)


def tensor(*shape):
    return torch.randn(*shape).requires_grad_()


# name, op, attributes, torch's function, its parameters, whether MACs are compared
CASES = [
    ("conv2d", "conv2d", dict(out_channels=8, kernel=[3, 2], stride=[2, 1], padding=[1, 0], groups=2, dilation=[1, 3]),
     lambda x, w, b: F.conv2d(x, w, b, (2, 1), (1, 0), (1, 3), 2), dict(w=(8, 2, 3, 2), b=(8,)), True),
    ("depthwise", "conv2d", dict(out_channels=4, kernel=3, padding="same", groups=4, bias=False),
     lambda x, w: F.conv2d(x, w, padding=1, groups=4), dict(w=(4, 1, 3, 3)), True),
    ("conv_transpose2d", "conv_transpose2d", dict(out_channels=3, kernel=2, stride=2, output_padding=1),
     lambda x, w, b: F.conv_transpose2d(x, w, b, 2, output_padding=1), dict(w=(4, 3, 2, 2), b=(3,)), False),
    ("linear", "linear", dict(out_features=5), lambda x, w, b: F.linear(x, w, b), dict(w=(5, 6), b=(5,)), False),
    ("batch_norm2d", "batch_norm2d", {}, lambda x, w, b: F.batch_norm(x, torch.zeros(4), torch.ones(4), w, b, True),
     dict(w=(4,), b=(4,)), False),
    ("batch_norm2d_frozen", "batch_norm2d", dict(frozen=True),
     lambda x, w, b: F.batch_norm(x, torch.zeros(4), torch.ones(4), w, b, False), dict(w=(4,), b=(4,)), False),
    ("layer_norm", "layer_norm", dict(dims=2), lambda x, w, b: F.layer_norm(x, (6, 6), w, b), dict(w=(6, 6), b=(6, 6)), False),
    ("group_norm", "group_norm", dict(groups=2), lambda x, w, b: F.group_norm(x, 2, w, b), dict(w=(4,), b=(4,)), False),
    # In place torch saves what leaky_relu makes, as we do.
    ("leaky_relu", "leaky_relu", {}, lambda x: F.leaky_relu(x + 0, inplace=True), {}, False),
    ("relu", "relu", {}, F.relu, {}, False),
    ("sigmoid", "sigmoid", {}, torch.sigmoid, {}, False),
    ("tanh", "tanh", {}, torch.tanh, {}, False),
    ("hard_sigmoid", "hard_sigmoid", {}, F.hardsigmoid, {}, False),
    ("hard_swish", "hard_swish", {}, F.hardswish, {}, False),
    ("silu", "silu", {}, F.silu, {}, False),
    ("gelu", "gelu", {}, F.gelu, {}, False),
    # In place torch saves what elu makes, as we do.
    ("elu", "elu", dict(alpha=0.5), lambda x: F.elu(x + 0, 0.5, inplace=True), {}, False),
    ("softplus", "softplus", dict(beta=2.0), lambda x: F.softplus(x, 2.0), {}, False),
    ("prelu", "prelu", dict(per_channel=True), lambda x, w: F.prelu(x, w), dict(w=(4,)), False),
    ("softmax", "softmax", dict(axis=1), lambda x: F.softmax(x, 1), {}, False),
    ("log_softmax", "log_softmax", dict(axis=1), lambda x: F.log_softmax(x, 1), {}, False),
    ("dropout", "dropout", {}, lambda x: F.dropout(x, 0.5, True), {}, False),
    ("max_pool2d", "max_pool2d", dict(kernel=3, stride=2, padding=1, ceil_mode=True),
     lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True), {}, False),
    ("avg_pool2d", "avg_pool2d", dict(kernel=4, ceil_mode=True), lambda x: F.avg_pool2d(x, 4, ceil_mode=True), {}, False),
    ("adaptive_avg_pool2d", "adaptive_avg_pool2d", dict(output_size=[4, 1]),
     lambda x: F.adaptive_avg_pool2d(x, (4, 1)), {}, False),
    ("mean", "mean", dict(axes=[1, -1], keep_dims=True), lambda x: x.mean((1, -1), True), {}, False),
    ("upsample2d", "upsample2d", dict(scale=2), lambda x: F.interpolate(x, scale_factor=2), {}, False),
    ("bilinear", "upsample2d", dict(scale=2, mode="bilinear"),
     lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), {}, False),
    ("permute", "permute", dict(order=[0, 2, 3, 1]), lambda x: x.permute(0, 2, 3, 1).contiguous(), {}, False),
    ("slice", "slice", dict(axis=2, start=1, size=4), lambda x: x[:, :, 1:5].contiguous(), {}, False),
    ("mse", "mse", {}, lambda x: F.mse_loss(x, torch.zeros(X)), {}, False),
]
# Likewise with several inputs or another shape.
WIDER = [
    ("conv1d", "conv1d", dict(out_channels=6, kernel=3, stride=2, padding=1), lambda x, w, b: F.conv1d(x, w, b, 2, 1),
     dict(w=(6, 4, 3), b=(6,)), False, dict(x=(2, 4, 9))),
    ("max_pool1d", "max_pool1d", dict(kernel=3, stride=2, padding=1), lambda x: F.max_pool1d(x, 3, 2, 1), {}, False, dict(x=(2, 4, 9))),
    ("avg_pool1d", "avg_pool1d", dict(kernel=4, ceil_mode=True), lambda x: F.avg_pool1d(x, 4, ceil_mode=True), {}, False,
     dict(x=(2, 4, 9))),
    ("adaptive_avg_pool1d", "adaptive_avg_pool1d", dict(output_size=4), lambda x: F.adaptive_avg_pool1d(x, 4), {}, False,
     dict(x=(2, 4, 9))),
    ("batch_norm1d", "batch_norm1d", {}, lambda x, w, b: F.batch_norm(x, torch.zeros(4), torch.ones(4), w, b, True),
     dict(w=(4,), b=(4,)), False, dict(x=(5, 4))),
    ("linear of rows", "linear", dict(out_features=5, bias=False), lambda x, w: F.linear(x, w), dict(w=(5, 6)), True, dict(x=(7, 6))),
    ("add", "add", {}, torch.add, {}, False, dict(x=X, z=X)),
    ("sub", "sub", {}, torch.sub, {}, False, dict(x=X, z=X)),
    ("mul", "mul", {}, torch.mul, {}, False, dict(x=X, z=(2, 4, 1, 1))),
    ("div", "div", {}, torch.div, {}, False, dict(x=X, z=X)),
    ("concat", "concat", dict(axis=1), lambda x, z: torch.cat([x, z], 1), {}, False, dict(x=X, z=(2, 3, 6, 6))),
    ("matmul", "matmul", {}, torch.bmm, {}, True, dict(x=(2, 4, 5), z=(2, 5, 6))),
]
# What torch saves in another form, or in copies: only the sizes can be compared.
BY_SIZE = [
    ("relu6", "relu6", {}, F.relu6, {}, False, dict(x=X)),
    ("cross_entropy", "cross_entropy", dict(classes=6), lambda x: F.cross_entropy(x, torch.zeros(5, dtype=torch.long)), {}, False,
     dict(x=(5, 6))),
    ("attention", "attention", dict(heads=1), lambda q, k, v: torch.bmm(F.softmax(torch.bmm(q, k.transpose(1, 2)), -1), v), {}, False,
     dict(x=(2, 5, 8), z=(2, 5, 8), v=(2, 5, 8))),
]


def same_elements(shape, other):
    return list(shape) == (list(other) or [1])


def check(name, op, attributes, function, parameters, compares_macs, shapes=None, by_size=False):
    shapes = shapes or {"x": X}
    nodes = ours(op, attributes, shapes)
    tensors = {key: tensor(*shape) for key, shape in shapes.items()}
    for key, shape in parameters.items():
        tensors[key] = tensor(*shape)
    y, torch_saved = saved_by_torch(function, tensors)
    problems = []
    if not same_elements(nodes["y"]["shape"], y.shape):
        problems.append(f"shape {nodes['y']['shape']}, torch has {list(y.shape)}")
    count = sum(t.numel() for k, t in tensors.items() if k not in shapes)
    if nodes["y"]["parameter_count"] != count:
        problems.append(f"{nodes['y']['parameter_count']} parameters, torch has {count}")
    our_saved = saved_by_us(nodes, shapes)
    if by_size and sum(our_saved.values()) > sum(torch_saved.values()):
        problems.append(f"saves {our_saved}, torch saves {torch_saved}")
    for key, elements in () if by_size else our_saved.items():
        # An index of a pool is a tensor that torch makes besides.
        found = any(size == elements for k, size in torch_saved.items() if k.startswith("new")) if "." in key else key in torch_saved
        if not found:
            problems.append(f"saves {key}, torch saves {torch_saved}")
    if compares_macs:
        bias = y.numel() if "b" in parameters else 0
        expected = flops_of(function, tensors)
        if nodes["y"]["flop"] - bias != expected:
            problems.append(f"{nodes['y']['flop'] - bias} FLOPs, torch counts {expected}")
    return problems


def main():
    failed = 0
    cases = [(case, False) for case in CASES + WIDER] + [(case, True) for case in BY_SIZE]
    for case, by_size in cases:
        problems = check(*case, by_size=by_size)
        failed += bool(problems)
        print(f"{case[0]}: {'; '.join(problems) or 'ok'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
