"""Lists of layers, as a model file has them."""
from __future__ import annotations

from typing import Any, Dict, List, Sequence


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
