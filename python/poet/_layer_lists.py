"""Lists of layers, as a model file has them."""
from __future__ import annotations

from typing import Any, Dict, List, Sequence

#: Ops of layers that have parameters.
WITH_PARAMETERS = frozenset(("conv1d", "conv2d", "conv_transpose2d", "linear", "batch_norm1d", "batch_norm2d",
                             "layer_norm", "group_norm", "embedding", "parameter", "lstm", "gru", "prelu"))


def trains(layers: Sequence[Dict[str, Any]]) -> bool:
    """Whether a layer trains, or nothing could."""
    own = [layer for layer in layers if "weights" not in layer
           and (layer["op"] in WITH_PARAMETERS or layer.get("parameters"))]
    return not own or any(layer.get("trainable", True) and not layer.get("frozen", False) for layer in own)


def layers_behind(layers: Sequence[Dict[str, Any]], name: str) -> List[Dict[str, Any]]:
    """The layers that the one called `name` needs, itself included, in their order."""
    needed = {name}
    kept: List[Dict[str, Any]] = []
    for layer in reversed(layers):
        split = (f"{layer['name']}.{i}" for i in range(len(layer.get("sizes", []))))
        parts = {layer["name"], layer["name"] + ".c", *split}
        if parts & needed:
            needed.update(layer["inputs"], [layer["weights"]] if "weights" in layer else [])
            kept.append(layer)
    return kept[::-1]
