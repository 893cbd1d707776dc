"""The state of a module of PyTorch under the names of its layers, and the way back.

Most layers have the names of their modules, so that `conv1.weight` is the same to both. Two modules have other names
in PyTorch than in a model file: a recurrence counts its layers and directions, and an attention keeps three weights
in one tensor. Which arrays belong to which entry follows from the module alone, so that nothing has to be kept
between import and the way back.
"""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Tuple

from poet.torch._layers import Layer, train_only
from poet.torch._pytorch import torch


class Entry(NamedTuple):
    """An entry of a state_dict(), and the arrays that it is: one, or several along its first extent."""

    name: str
    tensor: Any
    arrays: Tuple[str, ...]


def entries(net: Any) -> List[Entry]:
    """Every parameter and buffer of a module, once for each name that it has."""
    renamed: Dict[str, Tuple[str, ...]] = {}
    for path, module in net.named_modules(remove_duplicate=False):
        for own, arrays in _other_names(module):
            renamed[_joined(path, own)] = tuple(_joined(path, name) for name in arrays)
    return [Entry(name, tensor, renamed.get(name, (name,)))
            for name, tensor in net.state_dict(keep_vars=True).items() if torch.is_tensor(tensor)]


def arrays_of(tensors: Mapping[str, Any], found: List[Entry]) -> Dict[str, Any]:
    """Tensors by the names of PyTorch as arrays of numpy by the names of layers; parameters without a tensor, such as
    gradients of frozen ones, have none."""
    arrays: Dict[str, Any] = {}
    for entry in found:
        if entry.name not in tensors or tensors[entry.name] is None:
            continue
        whole = tensors[entry.name].detach().cpu()
        parts = whole.chunk(len(entry.arrays)) if len(entry.arrays) > 1 else (whole,)
        arrays.update((name, part.contiguous().numpy()) for name, part in zip(entry.arrays, parts))
    return arrays


def parameters(net: Any, document: Mapping[str, Any], numbers: Mapping[str, Any]) -> Dict[str, Any]:
    """The arrays that `run --parameters` wants for the layers of a model file that was made of a module.

    Args:
        net: the module.
        document: the model file.
        numbers: what layers of the op `parameter` hold, and what functions are given as weights.

    Raises:
        ValueError: the module has no parameter that a layer could have.
    """
    arrays = arrays_of(net.state_dict(), entries(net))
    kept: Dict[str, Any] = {}
    missing: List[str] = []
    for layer in document["layers"]:
        name = layer["name"]
        if "weights" in layer:
            continue
        own = {key: array for source in (arrays, numbers) for key, array in source.items()
               if key.rpartition(".")[0] == name and not (key == f"{name}.bias" and layer.get("bias") is False)}
        if layer["op"] == "parameter":
            found = numbers.get(name, arrays.get(name))
            if found is None and "value" in layer:
                found = torch.full(layer["shape"], layer["value"]).numpy()
            own = {} if found is None else {name: found}
        if not own and layer["op"] in WITH_ARRAYS and "value" not in layer:
            missing.append(name)
        kept.update(own)
    if missing:
        raise ValueError("the module has no parameters of the names of these layers: " + ", ".join(missing))
    return kept


#: Ops whose layers have arrays.
WITH_ARRAYS = frozenset(("conv1d", "conv2d", "conv_transpose2d", "linear", "linear_relu", "batch_norm1d",
                         "batch_norm2d", "layer_norm", "group_norm", "embedding", "parameter", "prelu", "lstm", "gru"))


def state_dict(net: Any, arrays: Mapping[str, Any]) -> Dict[str, Any]:
    """Arrays by the names of layers as what `net.load_state_dict()` takes.

    Args:
        net: the module that was imported. It is left as it is.
        arrays: of `numpy.load()` or `poet.Run.parameters`, checkpoints included. Names that no layer of the module
            has, such as a number that is no parameter, are left out.

    Returns:
        the whole state: entries without an array, such as buffers, stay as the module has them. With the arrays of an
        import, every bit is the module's.

    Raises:
        ValueError: an array has as many numbers as no entry has, or a part of an entry is missing.
    """
    known = {key: arrays[key] for key in arrays}
    found = entries(net)
    # A parameter that modules share has one array, under the name of the first user.
    owners: Dict[int, Entry] = {}
    for entry in found:
        if all(name in known for name in entry.arrays):
            owners.setdefault(id(entry.tensor), entry)
    state: Dict[str, Any] = {}
    for entry in found:
        names = owners.get(id(entry.tensor), entry).arrays
        there = [name for name in names if name in known]
        if not there:
            state[entry.name] = entry.tensor.detach().clone()
            continue
        if len(there) != len(names):
            missing = ", ".join(name for name in names if name not in known)
            raise ValueError(f"'{entry.name}' is {', '.join(names)}; found no array {missing}")
        parts = [torch.as_tensor(known[name]).reshape(-1) for name in names]
        whole = torch.cat(parts) if len(parts) > 1 else parts[0]
        if whole.numel() != entry.tensor.numel():
            raise ValueError(f"'{entry.name}' has {entry.tensor.numel()} numbers; found {whole.numel()} in "
                             f"{', '.join(names)}")
        state[entry.name] = whole.reshape(entry.tensor.shape).to(entry.tensor.dtype).clone()
    return state


def freeze_as(net: Any, layers: List[Layer]) -> None:
    """Freezes what does not train in a module, by the names of its parameters."""
    flags: Dict[str, Dict[str, bool]] = {}
    for entry in entries(net):
        for array in entry.arrays if isinstance(entry.tensor, torch.nn.Parameter) else ():
            name, _, part = array.rpartition(".")
            flags.setdefault(name, {})[part] = entry.tensor.requires_grad
            flags[array] = {"": entry.tensor.requires_grad}
    for layer in layers:
        own = {part: flag for part, flag in flags.get(layer["name"], {}).items()
               if part != "bias" or layer.get("bias", True)}
        if own and "weights" not in layer and not layer.get("frozen") and layer.get("trainable", True):
            train_only(layer, [part for part, flag in own.items() if flag], list(own))


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _other_names(module: Any) -> Iterator[Tuple[str, Tuple[str, ...]]]:
    if isinstance(module, (torch.nn.LSTM, torch.nn.GRU)):
        for k in range(module.num_layers):
            for direction in ("", "_reverse") if module.bidirectional else ("",):
                ending = f"l{k}{direction}"
                layer = "" if ending == "l0" else ending
                for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    yield f"{part}_{ending}", (_joined(layer, part),)
    if isinstance(module, torch.nn.MultiheadAttention):
        for part in ("weight", "bias"):
            yield f"in_proj_{part}", tuple(f"{each}.{part}" for each in "qkv")
