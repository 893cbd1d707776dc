"""What the modules of torch.nn are as layers."""
from __future__ import annotations

import importlib
from functools import partial
from typing import Any, Callable, Dict, Mapping, Sequence, Tuple

from poet.torch._calls import Call, Constant
from poet.torch._layers import PLAIN_MEANS, Layers, Unsupported, freeze, other_than, window
from poet.torch._pytorch import torch
from poet.torch._windows import adaptive_avg_pool, avg_pool, max_pool, pad, upsample

nn: Any = importlib.import_module("torch.nn")


def same_padding(module: Any) -> Any:
    if module.padding_mode != "zeros":
        raise Unsupported(f"padding_mode is {module.padding_mode!r}; expected 'zeros'")
    return module.padding if module.padding == "same" else 0 if module.padding == "valid" else window(module.padding)


def parts(module: Any) -> Mapping[str, Any]:
    return {"weight": module.weight, "bias": module.bias}


def conv(layers: Layers, call: Call) -> str:
    m = call.module
    one = len(m.kernel_size) == 1
    return layers.add_with_weight(
        "conv1d" if one else "conv2d", call.name, parts(m), call.inputs[:1], out_channels=m.out_channels,
        kernel=m.kernel_size[0] if one else window(m.kernel_size), stride=other_than(window(m.stride), 1),
        padding=other_than(same_padding(m), 0), groups=other_than(m.groups, 1), dilation=other_than(window(m.dilation),
                                                                                                    1),
        bias=other_than(m.bias is not None, True))


def conv_transpose(layers: Layers, call: Call) -> str:
    m = call.module
    return layers.add_with_weight(
        "conv_transpose2d", call.name, parts(m), call.inputs[:1],
        out_channels=m.out_channels, kernel=window(m.kernel_size),
        stride=other_than(window(m.stride), 1), padding=other_than(same_padding(m), 0),
        output_padding=other_than(window(m.output_padding), 0), groups=other_than(m.groups, 1),
        dilation=other_than(window(m.dilation), 1), bias=other_than(m.bias is not None, True))


def linear(layers: Layers, call: Call) -> str:
    m = call.module
    return layers.add_with_weight("linear", call.name, parts(m), call.inputs, out_features=m.out_features,
                                  bias=other_than(m.bias is not None, True))


def batch_norm(layers: Layers, call: Call) -> str:
    m = call.module
    if m.weight is None:
        raise Unsupported("affine is False; expected affine=True, with weights")
    op = "batch_norm2d" if len(call.shapes[0]) == 4 else "batch_norm1d"
    name = layers.add_with_weight(op, call.name, parts(m), call.inputs, epsilon=other_than(m.eps, 1e-5),
                                  momentum=None if m.momentum is None else other_than(m.momentum, 0.1))
    if not m.track_running_stats:
        layers.differs("it has no running statistics (track_running_stats=False), the layer has some for evaluations")
    if call.is_evaluated or not (m.weight.requires_grad or m.bias.requires_grad):
        layers.notes.append(f"{call.name} is frozen: it computes with its running statistics, and its weight and bias "
                            "do not train")
        freeze(layers.layers[-1])
    elif m.momentum is None:
        layers.differs(PLAIN_MEANS)
    return name


def layer_norm(layers: Layers, call: Call) -> str:
    m = call.module
    if m.weight is None:
        raise Unsupported("elementwise_affine is False; expected elementwise_affine=True, with weights")
    return layers.add_with_weight("layer_norm", call.name, parts(m), call.inputs,
                                  dims=other_than(len(m.normalized_shape), 1), bias=other_than(m.bias is not None,
                                                                                               True),
                                  epsilon=other_than(m.eps, 1e-5))


def group_norm(layers: Layers, call: Call) -> str:
    if call.module.weight is None:
        raise Unsupported("affine is False; expected affine=True, with weights")
    return layers.add_with_weight("group_norm", call.name, parts(call.module), call.inputs,
                                  groups=call.module.num_groups, epsilon=other_than(call.module.eps, 1e-5))


def embedding(layers: Layers, call: Call) -> str:
    m = call.module
    name = layers.add_with_weight("embedding", call.name, {"weight": m.weight}, call.inputs,
                                  vocabulary=m.num_embeddings, width=m.embedding_dim)
    if m.padding_idx is not None and m.weight.requires_grad:
        layers.differs(f"its row {m.padding_idx} (padding_idx) is not trained, the layer trains all")
    if m.scale_grad_by_freq:
        layers.differs("it divides gradients by how often an index is there (scale_grad_by_freq), the layer does not")
    if m.max_norm is not None:
        layers.differs(f"it limits rows to max_norm={m.max_norm} (norm_type={m.norm_type}), the layer does not")
    return name


def flatten(layers: Layers, call: Call) -> str:
    return view(layers, call.name, call.inputs[0], call.shapes[0], tuple(call.output.shape))


def view(layers: Layers, name: str, source: str, old: Sequence[int], new: Sequence[int]) -> str:
    """A tensor in another shape."""
    if tuple(old) == tuple(new):
        return source
    if len(new) == 2 and len(old) > 2 and new[0] == old[0]:
        return layers.add("flatten", name, [source])
    if not new:
        raise Unsupported(f"it makes a single number of the shape {tuple(old)}; expected extents, such as 1")
    return layers.add("reshape", name, [source], shape=list(new))


def dropped(layers: Layers, op: str, name: str, inputs: Sequence[str], rate: float) -> str:
    """A layer that drops a share of its input, or its input if it drops nothing."""
    if rate <= 0:
        return inputs[0]
    added = layers.add(op, name, inputs, rate=other_than(rate, 0.1) if rate < 1 else None)
    if rate >= 1:
        layers.differs(f"it drops everything (p={rate}), the layer 0.1 of it")
    return added


def dropout(layers: Layers, call: Call) -> str:
    name = dropped(layers, "dropout", call.name, call.inputs, call.module.p * (not call.is_evaluated))
    if name != call.inputs[0] and call.kind != "Dropout":
        layers.differs("it drops channels, the layer elements")
    return name


def stochastic_depth(layers: Layers, call: Call) -> str:
    return drop_samples(layers, call.name, call.inputs, call.module.p * (not call.is_evaluated), call.module.mode)


def drop_samples(layers: Layers, name: str, inputs: Sequence[str], rate: float, mode: str) -> str:
    added = dropped(layers, "stochastic_depth", name, inputs, rate)
    if added != inputs[0] and mode != "row":
        layers.differs("it drops the batch as a whole, the layer each sample by itself")
    return added


def prelu(layers: Layers, call: Call) -> str:
    return layers.add_with_weight("prelu", call.name, {"weight": call.module.weight}, call.inputs,
                                  per_channel=other_than(call.module.num_parameters > 1, False))


def with_number(op: str, key: str, usual: float, layers: Layers, name: str, inputs: Sequence[str],
                value: float) -> str:
    """A layer whose number is 0 or more; for another one it has the usual number, and says that it differs."""
    added = layers.add(op, name, inputs, **{key: other_than(value, usual) if value >= 0 else None})
    if value < 0:
        layers.differs(f"its {key} is {value}, the layer's {usual}")
    return added


def soft(op: str) -> Callable[..., str]:
    def make(layers: Layers, name: str, inputs: Sequence[str], axis: Any) -> str:
        if axis is None:
            raise Unsupported("its dim is None; expected a number, such as -1 for the last extent")
        return layers.add(op, name, inputs, axis=other_than(int(axis), -1))
    return make


def soften(layers: Layers, name: str, inputs: Sequence[str], beta: float, threshold: float) -> str:
    if beta < 1e-6:
        raise Unsupported(f"its beta is {beta}; expected one from 1e-6")
    return layers.add("softplus", name, inputs, beta=other_than(beta, 1), threshold=other_than(threshold, 20))


def smooth(layers: Layers, name: str, inputs: Sequence[str], approximate: str) -> str:
    added = layers.add("gelu", name, inputs)
    if approximate != "none":
        layers.differs(f"it is the approximation by {approximate}, the layer has the erf")
    return added


#: Activations with numbers: what makes their layers, and the arguments of the module and of the function, in its order.
NUMBERED: Dict[str, Tuple[Callable[..., str], Dict[str, Any]]] = {
    "LeakyReLU": (partial(with_number, "leaky_relu", "slope", 0.01), {"negative_slope": 0.01}),
    "ELU": (partial(with_number, "elu", "alpha", 1), {"alpha": 1.0}),
    "Softplus": (soften, {"beta": 1, "threshold": 20}), "GELU": (smooth, {"approximate": "none"}),
    "Softmax": (soft("softmax"), {"dim": None}), "LogSoftmax": (soft("log_softmax"), {"dim": None}),
}


def numbered(kind: str) -> Callable[[Layers, Call], str]:
    make, numbers = NUMBERED[kind]
    return lambda layers, call: make(layers, call.name, call.inputs, *(getattr(call.module, key) for key in numbers))


def hides_later(mask: Any) -> bool:
    """Whether a mask hides what comes later from each row, and nothing else."""
    if not isinstance(mask, Constant) or len(mask.shape) != 2 or mask.shape[0] != mask.shape[1]:
        return False
    hidden = mask.tensor if mask.tensor.dtype == torch.bool else mask.tensor == float("-inf")
    is_plain = mask.tensor.dtype == torch.bool or not bool(mask.tensor[~hidden].any())
    return is_plain and torch.equal(hidden, torch.ones_like(hidden).triu(1))


def attention(layers: Layers, call: Call) -> Any:
    """Three products of one width each, the attention, and one more."""
    m = call.module
    plain_rows = all(len(shape) == 3 for shape in call.shapes[:3])
    if not (m._qkv_same_embed_dim and m.kdim == m.vdim and m.bias_k is None and not m.add_zero_attn and plain_rows):
        raise Unsupported("keys and values have widths (kdim, vdim) or rows (add_bias_kv, add_zero_attn) of their own, "
                          "or there is no batch; expected one width, and inputs of three extents")
    names = list(call.inputs[:3])
    if not m.batch_first:
        names = [layers.add("permute", f"{call.name}.batch_first", [n], order=[1, 0, 2]) for n in names]
    thirds = zip("qkv", names, m.in_proj_weight.chunk(3),
                 (None,) * 3 if m.in_proj_bias is None else m.in_proj_bias.chunk(3))
    rows = []
    for part, n, weight, b in thirds:
        weight.requires_grad_(m.in_proj_weight.requires_grad)  # a part by itself does not say it
        if b is not None:
            b.requires_grad_(m.in_proj_bias.requires_grad)
        rows.append(layers.add_with_weight("linear", f"{call.name}.{part}", {"weight": weight, "bias": b}, [n],
                                           out_features=m.embed_dim, bias=other_than(b is not None, True)))
    drops = m.dropout > 0 and not call.is_evaluated
    if drops:
        layers.notes.append(f"{call.name}: without the dropout of the scores, which the op attention does not have")
    mask, is_causal = call.arguments.get("attn_mask"), hides_later(call.arguments.get("attn_mask"))
    name = layers.add("attention", call.name, rows, heads=m.num_heads, causal=other_than(is_causal, False))
    if drops:
        layers.differs(f"it drops {m.dropout} of the scores, the layer drops none")
    if call.arguments.get("key_padding_mask") is not None or (mask is not None and not is_causal):
        layers.differs("it has a mask, the layer has none")
    name = layers.add_with_weight("linear", f"{call.name}.out_proj", parts(m.out_proj), [name],
                                  out_features=m.embed_dim, bias=other_than(m.out_proj.bias is not None, True))
    if not m.batch_first:
        name = layers.add("permute", f"{call.name}.time_first", [name], order=[1, 0, 2])
    return (name, None)


def plain(op: str) -> Callable[[Layers, Call], str]:
    return lambda layers, call: layers.add(op, call.name, call.inputs)


MODULES: Dict[str, Callable[[Layers, Call], Any]] = {
    "Conv1d": conv, "Conv2d": conv, "ConvTranspose2d": conv_transpose, "Linear": linear,
    "NonDynamicallyQuantizableLinear": linear,
    "BatchNorm1d": batch_norm, "BatchNorm2d": batch_norm, "LayerNorm": layer_norm, "GroupNorm": group_norm,
    "Embedding": embedding, "MaxPool1d": max_pool, "MaxPool2d": max_pool, "AvgPool1d": avg_pool, "AvgPool2d": avg_pool,
    "AdaptiveAvgPool1d": adaptive_avg_pool, "AdaptiveAvgPool2d": adaptive_avg_pool,
    "Flatten": flatten, "Unflatten": flatten, "Dropout": dropout, "Dropout2d": dropout,
    "StochasticDepth": stochastic_depth,
    **{kind: numbered(kind) for kind in NUMBERED}, "Upsample": upsample, "MultiheadAttention": attention,
    "PReLU": prelu,
    "ReLU": plain("relu"), "ReLU6": plain("relu6"), "Sigmoid": plain("sigmoid"), "Tanh": plain("tanh"),
    "Hardsigmoid": plain("hard_sigmoid"), "Hardswish": plain("hard_swish"), "SiLU": plain("silu"),
    "ZeroPad2d": pad, "ConstantPad1d": pad, "ConstantPad2d": pad,
    "Identity": lambda layers, call: call.inputs[0],
}


def custom(layers: Layers, call: Call, flops: int, saves: Sequence[str]) -> str:
    """A module that no op describes, with its measured shape, parameters and saved tensors."""
    shape, count = list(call.output.shape), 1
    for extent in shape[1:]:
        count *= extent
    parameters = sum(p.numel() for p in call.module.parameters())
    return layers.add("custom", call.name, call.inputs, shape=shape, flops=flops * count, grad_flops=2 * flops * count,
                      parameters=parameters or None, saves=list(saves) or None)
