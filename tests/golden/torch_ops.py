"""The ops of model files in PyTorch, as docs/model-format.md defines them: OPS[op](layer, parameters, *inputs).

An op with several outputs returns them by what their names have behind the layer's.
"""
import torch
import torch.nn.functional as F


def pair(value):
    return tuple(value) if isinstance(value, list) else (value, value)


def windows(layer, x):
    """Stride, padding and dilation, with "same" as zeros around x, the odd one at the end."""
    rank = x.dim() - 2
    kernel, stride, dilation = (pair(layer.get(key, 1))[-rank:] for key in ("kernel", "stride", "dilation"))
    padding = layer.get("padding", 0)
    if padding != "same":
        return x, stride, pair(padding)[-rank:], dilation
    around = []
    for i in reversed(range(rank)):
        size = x.shape[2 + i]
        missing = max(0, (-(-size // stride[i]) - 1) * stride[i] + dilation[i] * (kernel[i] - 1) + 1 - size)
        around += [missing // 2, missing - missing // 2]
    return F.pad(x, around), stride, (0,) * rank, dilation


def conv(layer, w, x):
    x, stride, padding, dilation = windows(layer, x)
    function = F.conv1d if x.dim() == 3 else F.conv2d
    return function(x, w[0], w[1] if len(w) > 1 else None, stride, padding, dilation, layer.get("groups", 1))


def conv_transpose(layer, w, x):
    _, stride, padding, dilation = windows(layer, x)
    return F.conv_transpose2d(x, w[0], w[1] if len(w) > 1 else None, stride, padding, pair(layer.get("output_padding", 0)),
                              layer.get("groups", 1), dilation)


def linear(layer, w, x):
    return F.linear(x, w[0], w[1] if len(w) > 1 else None)


def batch_norm(layer, w, x):
    if layer.get("frozen"):
        shape = [1, -1] + [1] * (x.dim() - 2)
        return x * w[0].reshape(shape) + w[1].reshape(shape)
    return F.batch_norm(x, None, None, w[0], w[1], True, eps=layer.get("epsilon", 1e-5))


def layer_norm(layer, w, x):
    return F.layer_norm(x, w[0].shape, w[0], w[1] if len(w) > 1 else None, layer.get("epsilon", 1e-5))


def pool(layer, x):
    kernel = pair(layer["kernel"])
    return kernel, pair(layer.get("stride", layer["kernel"])), pair(layer.get("padding", 0)), layer.get("ceil_mode", False)


def max_pool(layer, w, x):
    kernel, stride, padding, ceil_mode = pool(layer, x)
    return F.max_pool2d(x, kernel, stride, padding, ceil_mode=ceil_mode)


def avg_pool(layer, w, x):
    return F.avg_pool2d(x, *pool(layer, x), layer.get("count_include_pad", True))


def max_pool1d(layer, w, x):
    return F.max_pool1d(x, layer["kernel"], layer.get("stride"), layer.get("padding", 0), ceil_mode=layer.get("ceil_mode", False))


def avg_pool1d(layer, w, x):
    return F.avg_pool1d(x, layer["kernel"], layer.get("stride"), layer.get("padding", 0), layer.get("ceil_mode", False),
                        layer.get("count_include_pad", True))


def upsample(layer, w, x):
    return F.interpolate(x, scale_factor=tuple(float(s) for s in pair(layer["scale"])), mode=layer.get("mode", "nearest"))


def add(layer, w, x, z):
    if layer.get("broadcast_channels") and x.shape != z.shape:
        z = z.repeat(1, x.shape[1] // z.shape[1], *[1] * (x.dim() - 2))
    return x + z


def concat(layer, w, *parts):
    batch = max(part.shape[0] for part in parts)
    axis = layer.get("axis", 1)
    whole = [part.expand(batch, *part.shape[1:]) if axis != 0 and part.shape[0] == 1 else part for part in parts]
    return torch.cat(whole, axis)


def matmul(layer, w, a, b):
    a = a.transpose(-1, -2) if layer.get("transpose_a") else a
    return torch.matmul(a, b.transpose(-1, -2) if layer.get("transpose_b") else b)


def attention(layer, w, q, k, v):
    heads = layer["heads"]

    def split(x):
        return x.reshape(*x.shape[:-1], heads, -1).transpose(-2, -3)

    scores = torch.matmul(split(q), split(k).transpose(-1, -2)) / (q.shape[-1] / heads) ** 0.5
    if layer.get("causal"):
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, float("-inf"))
    return torch.matmul(scores.softmax(-1), split(v)).transpose(-2, -3).reshape(q.shape)


def attention_scores(layer, w, qkv):
    q, k, _ = qkv.reshape(layer["sequence"], 3, layer["head_dim"], layer["heads"]).unbind(1)
    scores = torch.einsum("qeh,keh->qkh", q, k) / layer["head_dim"] ** 0.5
    return scores.softmax(1), qkv


def attention_context(layer, w, scores):
    probabilities, qkv = scores
    v = qkv.reshape(layer["sequence"], 3, layer["head_dim"], layer["heads"])[:, 2]
    return torch.einsum("qkh,keh->qeh", probabilities, v).reshape(layer["sequence"], -1)


def recurrent(w):
    """W, its bias, U, its bias."""
    has_bias = len(w) == 4
    return (w[0], w[1], w[2], w[3]) if has_bias else (w[0], torch.zeros(len(w[0])).double(), w[1], torch.zeros(len(w[1])).double())


def lstm(layer, w, x, h, c):
    w, b, u, d = recurrent(w)
    i, f, g, o = (F.linear(x, w, b) + F.linear(h, u, d)).chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return {"": o.sigmoid() * c.tanh(), ".c": c}


def gru(layer, w, x, h):
    w, b, u, d = recurrent(w)
    wr, wz, wn = F.linear(x, w, b).chunk(3, 1)
    (ur, uz, un), (dr, dz, dn) = u.chunk(3), d.chunk(3)
    r, z = (wr + F.linear(h, ur, dr)).sigmoid(), (wz + F.linear(h, uz, dz)).sigmoid()
    # The reset gate comes before the product (Cho et al., 2014), or after it as in torch.nn.GRU.
    n = (wn + (r * F.linear(h, un, dn) if layer.get("reset_after") else F.linear(r * h, un, dn))).tanh()
    return (1 - z) * n + z * h


def split(layer, w, x):
    return {f".{i}": part for i, part in enumerate(x.split(layer["sizes"], layer.get("axis", 1)))}


def cross_entropy(layer, w, x, target):
    return F.cross_entropy(x.reshape(-1, x.shape[-1]), target.reshape(-1).long())


def mean(layer, w, x):
    return x.mean(tuple(layer["axes"]), layer.get("keep_dims", False))


OPS = {
    "conv2d": conv, "conv1d": conv, "conv_transpose2d": conv_transpose, "linear": linear, "attention_qkv": linear,
    "linear_relu": lambda layer, w, x: linear(layer, w, x).relu(),
    "batch_norm1d": batch_norm, "batch_norm2d": batch_norm, "layer_norm": layer_norm,
    "group_norm": lambda layer, w, x: F.group_norm(x, layer["groups"], w[0], w[1], layer.get("epsilon", 1e-5)),
    "relu": lambda layer, w, x: F.relu(x), "relu6": lambda layer, w, x: F.relu6(x),
    "leaky_relu": lambda layer, w, x: F.leaky_relu(x, layer.get("slope", 0.01)), "sigmoid": lambda layer, w, x: x.sigmoid(),
    "tanh": lambda layer, w, x: x.tanh(), "hard_sigmoid": lambda layer, w, x: F.hardsigmoid(x),
    "hard_swish": lambda layer, w, x: F.hardswish(x), "silu": lambda layer, w, x: F.silu(x),
    "gelu": lambda layer, w, x: F.gelu(x), "softmax": lambda layer, w, x: x.softmax(layer.get("axis", -1)),
    "dropout": lambda layer, w, x: x * w[0].reshape(x.shape), "stochastic_depth": lambda layer, w, x: x * w[0].reshape(x.shape),
    "max_pool2d": max_pool, "avg_pool2d": avg_pool,
    "adaptive_avg_pool2d": lambda layer, w, x: F.adaptive_avg_pool2d(x, pair(layer["output_size"])),
    "max_pool1d": max_pool1d, "avg_pool1d": avg_pool1d,
    "adaptive_avg_pool1d": lambda layer, w, x: F.adaptive_avg_pool1d(x, layer["output_size"]),
    "elu": lambda layer, w, x: F.elu(x, layer.get("alpha", 1.0)),
    "softplus": lambda layer, w, x: F.softplus(x, layer.get("beta", 1.0), layer.get("threshold", 20.0)),
    "prelu": lambda layer, w, x: F.prelu(x, w[0]), "log_softmax": lambda layer, w, x: x.log_softmax(layer.get("axis", -1)),
    "global_avg_pool": lambda layer, w, x: x.flatten(2).mean(2), "mean": mean, "upsample2d": upsample,
    "add": add, "sub": lambda layer, w, x, z: x - z, "mul": lambda layer, w, x, z: x * z, "div": lambda layer, w, x, z: x / z,
    "concat": concat, "split": split, "matmul": matmul,
    "slice": lambda layer, w, x: x.narrow(layer.get("axis", 1), layer.get("start", 0), layer["size"]),
    "permute": lambda layer, w, x: x.permute(layer["order"]),
    "reshape": lambda layer, w, x: x.reshape([x.shape[0] if e == "N" else e for e in layer["shape"]]),
    "flatten": lambda layer, w, x: x.flatten(1), "identity": lambda layer, w, x: x,
    "embedding": lambda layer, w, x: w[0][x.long()], "parameter": lambda layer, w: w[0],
    "attention": attention, "attention_scores": attention_scores, "attention_context": attention_context,
    "lstm": lstm, "gru": gru, "cross_entropy": cross_entropy, "cross_entropy_loss": cross_entropy,
    "mse": lambda layer, w, x, target: F.mse_loss(x, target.reshape(x.shape)),
}
LOSSES = ("cross_entropy", "cross_entropy_loss", "mse")
