"""A module of PyTorch as layers, by an ONNX export and `poet-solve import`."""
from __future__ import annotations

import importlib
import json
import warnings
from typing import Any, Dict, List, Mapping, Optional, Tuple

from poet._program import EXIT_OK, Files, run
from poet.torch._layers import PLAIN_MEANS, Layer, Refused, choose_trainable, freeze
from poet.torch._pytorch import evaluated_in, in_training, torch

onnx_export: Any = importlib.import_module("torch.onnx")


def export(net: Any, inputs: Tuple[Any, ...], path: str) -> None:
    """Writes the training form of a module, without weights and with an open batch."""
    names = ["input"] + [f"input{i}" for i in range(2, len(inputs) + 1)]
    buffers = [(buffer, buffer.clone()) for buffer in net.buffers()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with in_training(net):
                onnx_export.export(net, inputs, path, export_params=False, training=onnx_export.TrainingMode.TRAINING,
                                   do_constant_folding=False, opset_version=14, input_names=names,
                                   dynamic_axes={name: {0: "batch"} for name in names})
        finally:
            with torch.no_grad():
                for buffer, before in buffers:
                    buffer.copy_(before)


def set_norms(net: Any, layers: List[Layer]) -> None:
    """What an export in training mode does not say of norms: that they stay as they are, or take plain means."""
    evaluated, modules = evaluated_in(net), dict(net.named_modules())
    for layer in layers:
        module: Any = modules.get(layer["name"])
        if layer["op"] not in ("batch_norm1d", "batch_norm2d") or getattr(module, "weight", None) is None:
            continue
        if layer["name"] in evaluated or not (module.weight.requires_grad or module.bias.requires_grad):
            freeze(layer)
        elif module.momentum is None:
            layer.update(differs=PLAIN_MEANS)
            layer.pop("momentum", None)


def by_onnx(net: Any, inputs: Tuple[Any, ...], title: str, loss: Optional[str], trainable: Optional[str],
            custom: Mapping[str, int], notes: List[str]) -> Dict[str, Any]:
    """The document of a model file. Raises Refused with the messages of poet-solve, or ProgramNotFound."""
    with Files() as files:
        path = files.path("net.onnx")
        try:
            export(net, tuple(x[:1].expand(2, *x.shape[1:]).contiguous() for x in inputs), path)
        except Exception as error:
            first_line = next(iter(str(error).strip().splitlines()), "")
            raise Refused(f"torch.onnx.export fails: {type(error).__name__}: {first_line}") from error
        words = ["import", path]
        words += ["--loss", loss] if loss else []
        for op, flops in custom.items():
            words += ["--custom", f"{op}={flops}"]
        finished = run(words, files)
    if finished.status != EXIT_OK:
        raise Refused(finished.message())
    notes.extend(note for note in finished.warnings() if note not in notes)
    document: Dict[str, Any] = json.loads(finished.out)
    document["name"] = title
    set_norms(net, document["layers"])
    choose_trainable(document["layers"], trainable)
    return document
