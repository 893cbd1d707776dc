"""A module of PyTorch as the document of a model file: by torch.fx where it can trace the module, else by ONNX."""
from __future__ import annotations

import warnings
from typing import Any, Dict, List, Mapping, Optional, Tuple

from poet._layer_lists import layers_behind, trains
from poet.torch._layers import Refused, Unshown, choose_trainable, copy_frozen, keep_frozen_as_int8
from poet.torch._model_file import add_loss, with_open_batch
from poet.torch._onnx import by_onnx
from poet.torch._state import freeze_as
from poet.torch._state import parameters as parameters_of
from poet.torch._trace import by_fx

#: Batch sizes that are tried for an open one.
BATCHES = (2, 3)


def trace(net: Any, *inputs: Any, loss: Optional[str] = None, trainable: Optional[str] = None,
          name: Optional[str] = None, custom: Optional[Mapping[str, int]] = None, via: Optional[str] = None,
          notes: Optional[List[str]] = None, parameters: Optional[Dict[str, Any]] = None,
          frozen_weights: str = "float32", frozen_parameters: str = "in_place",
          backward: Optional[str] = None) -> Dict[str, Any]:
    """A module as the document of a model file, as in docs/model-format.md.

    Args:
        net: a `torch.nn.Module`. It is left as it is.
        *inputs: tensors that it can be called with, samples in the first extent. The batch of the result is open if all
            layers have it there.
        loss: "cross_entropy" or "mse"; without, a cross entropy for an output of samples and classes, else "mse".
        trainable: "all", "last:3", or a pattern of layer names such as "layer4.*".
        name: of the model; without, the name of the class.
        custom: FLOPs for an element of the output of modules that become `custom` layers, by class.
        via: "fx" or "onnx"; without, torch.fx, and ONNX if that cannot trace the module.
        notes: a list that gets what a user should know; without one, these are warnings of Python.
        parameters: a dictionary that gets the module's parameters and running statistics as arrays of numpy, by the
            names that `run --parameters` wants. `state_dict()` is the way back.
        frozen_weights: "int8": the weights of convolutions and dense layers that do not train are bytes, with a scale
            for each output channel. `parameters` are not rounded; `run` and `export` do it.
        frozen_parameters: "copied": the parameters of layers that do not train and that gradients pass are copied into
            RAM before they are used, and not read in flash; not weights of one byte.
        backward: "none" for inference alone, which the model then says.

    Raises:
        Refused: no layers stand for some of its nodes; a line each.
        ProgramNotFound: it has to go by ONNX, and there is no program `poet-solve`.
        ValueError: a loss or layers to train that do not exist; nothing trains, without `backward`; weights of one byte
            or copies, and no layer for them; `parameters` are wanted of a layer that has other names than the module.
    """
    if not inputs:
        raise ValueError("found no input; expected a tensor that the module can be called with")
    if frozen_weights not in ("float32", "int8"):
        raise ValueError(f"found frozen_weights={frozen_weights!r}; expected 'float32' or 'int8'")
    if frozen_parameters not in ("in_place", "copied"):
        raise ValueError(f"found frozen_parameters={frozen_parameters!r}; expected 'in_place' or 'copied'")
    if backward not in (None, "none"):
        raise ValueError(f"found backward={backward!r}; expected None or 'none'")
    if via not in (None, "fx", "onnx"):
        raise ValueError(f"found via={via!r}; expected 'fx' or 'onnx'")
    found: List[str] = []
    numbers: Dict[str, Any] = {}
    document = _traced(net, inputs, loss, trainable, name or type(net).__name__, custom or {}, via, found, numbers)
    if backward is None and not trains(document["layers"]):
        raise ValueError("nothing trains in this model: set requires_grad, or use backward='none'")
    document.update({"backward": backward} if backward else {})
    if frozen_weights == "int8":
        keep_frozen_as_int8(document["layers"])
    if frozen_parameters == "copied":
        copy_frozen(document["layers"])
    if parameters is not None:
        parameters.update(parameters_of(net, document, numbers))
    if notes is not None:
        notes.extend(found)
    else:
        for note in found:
            warnings.warn(note, stacklevel=2)
    return document


def _traced(net: Any, inputs: Tuple[Any, ...], loss: Optional[str], trainable: Optional[str], title: str,
            custom: Mapping[str, int], via: Optional[str], notes: List[str], numbers: Dict[str, Any]) -> Dict[str, Any]:
    def other_way() -> Dict[str, Any]:
        made = by_onnx(net, inputs, title, loss, trainable, custom, notes)
        freeze_as(net, made["layers"])
        return made
    if via == "onnx":
        return other_way()
    try:
        joined, why = None, "some layer has it in another extent than the first"
        try:
            batches = [_with_batch(inputs, size) for size in BATCHES]
            documents = [_document(net, each, title, loss, custom, notes, numbers) for each in batches]
            joined = with_open_batch(documents[0], documents[1], BATCHES)
        except RuntimeError as error:  # its code has the batch that it is given here
            why = f"with another one it raises {next(iter(str(error).splitlines()), type(error).__name__)}"
        if joined is None:
            joined = _document(net, inputs, title, loss, custom, notes, numbers)
            notes.append(f"the batch is fixed: {why}")
    except Refused as error:
        if via == "fx" or isinstance(error, Unshown):
            raise
        notes.append(f"torch.fx cannot trace it, so that it goes by ONNX: {error}")
        try:
            return other_way()
        except Refused as other:
            raise Refused(f"neither way works\nby torch.fx: {error}\nby ONNX: {other}") from other
    choose_trainable(joined["layers"], trainable)
    return joined


def _with_batch(inputs: Tuple[Any, ...], size: int) -> Tuple[Any, ...]:
    return tuple(x[:1].expand(size, *x.shape[1:]).contiguous() for x in inputs)


def _document(net: Any, inputs: Tuple[Any, ...], title: str, loss: Optional[str], custom: Mapping[str, int],
              notes: List[str], numbers: Dict[str, Any]) -> Dict[str, Any]:
    names = ["input"] + [f"input{i}" for i in range(2, len(inputs) + 1)]
    apart: Dict[str, int] = {}
    while True:
        layers, output = by_fx(net, inputs, names, custom, apart)
        add_loss(layers, output.name, output.shape, loss)
        kept = layers_behind(layers.layers, layers.layers[-1]["name"])
        again = layers.used_apart(kept)
        if not again:
            break
        apart.update({each: apart.get(each, 0) + 1 for each in again})
    numbers.update(layers.numbers)
    notes.extend(note for note in layers.notes if note not in notes)
    return {"format": "poet-model", "version": 2, "name": title, "inputs": layers.inputs, "layers": kept}
