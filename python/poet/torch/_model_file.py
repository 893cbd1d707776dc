"""Layers as the document of a model file: with a loss and an open batch."""
from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Tuple

from poet.torch._layers import Layers, Refused


def add_loss(layers: Layers, name: str, shape: Sequence[int], loss: Optional[str]) -> None:
    """Ends the network in a loss: without a wish, a cross entropy of samples and classes, else a mean of squares."""
    last = next((layer for layer in layers.layers if layer["name"] == name), None)
    ends_in_softmax = last is not None and last["op"] in ("softmax", "log_softmax")
    if loss is None:
        loss = "cross_entropy" if ends_in_softmax or (len(shape) == 2 and shape[1] > 1) else "mse"
    if loss not in ("cross_entropy", "mse"):
        raise ValueError(f"found the loss {loss!r}; expected 'cross_entropy' or 'mse'")
    if loss == "mse":
        layers.add("mse", "loss", [name])
        return
    axis = 1 if len(shape) == 4 else len(shape) - 1
    if ends_in_softmax and last is not None:
        axis = last.get("axis", -1) % len(shape)
        name = last["inputs"][0]
        layers.layers.remove(last)
    elif len(shape) == 3:
        layers.notes.append(f"the loss takes the last extent of {tuple(shape)} for the classes; a softmax over another "
                            "one at the end of the network would say so")
    if axis == 0:
        raise Refused("its last softmax is over samples; expected another extent for the classes")
    if axis != len(shape) - 1:
        order = [each for each in range(len(shape)) if each != axis] + [axis]
        name = layers.add("permute", "classes_last", [name], order=order)
    layers.add("cross_entropy", "loss", [name], classes=shape[axis])


def with_open_batch(first: Dict[str, Any], second: Dict[str, Any], batches: Tuple[int, int]) -> Optional[Dict[str,
                                                                                                              Any]]:
    """One model out of two, which were traced with these batch sizes.

    None if they differ in more than first extents.
    """
    def join(a: Any, b: Any, opens: bool) -> Any:
        if a == b:
            return a
        if opens and isinstance(a, list) and len(a) == len(b) and (a[0], b[0]) == batches and a[1:] == b[1:]:
            return ["N"] + a[1:]
        raise ValueError
    if len(first["layers"]) != len(second["layers"]):
        return None
    try:
        inputs = {name: {key: join(value, second["inputs"][name][key], key == "shape") for key, value in entry.items()}
                  for name, entry in first["inputs"].items()}
        layers = [{key: join(value, other.get(key), key == "shape" and layer["op"] != "parameter")
                   for key, value in layer.items()} for layer, other in zip(first["layers"], second["layers"])]
    except (KeyError, ValueError):
        return None
    return dict(first, inputs=inputs, layers=layers)
