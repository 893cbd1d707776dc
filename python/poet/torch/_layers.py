"""Layers of a model file, as they come about."""
from __future__ import annotations

import fnmatch
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from poet._layer_lists import WITH_PARAMETERS

Layer = Dict[str, Any]

#: Ops of layers whose weights may be bytes.
WITH_INT8_WEIGHTS = frozenset(("conv1d", "conv2d", "linear", "linear_relu"))

#: A norm whose momentum is None.
PLAIN_MEANS = "its running statistics are plain means (momentum=None), the layer's have a momentum of 0.1"


#: Ops of which a bias of its own can be a layer behind them, and the extents behind its channels there.
WITH_BIAS_BEHIND = {"linear": 0, "conv1d": 1, "conv2d": 2}


class Unsupported(Exception):
    """Something that no layer stands for; the message says what."""


class Refused(Exception):
    """Nodes that no layer stands for, a line each."""


class Unshown(Refused):
    """What an ONNX export would not even show, such as a gradient that is stopped."""


def window(value: Any) -> Any:
    """An int or a pair, as a model file has it: one number if both are equal."""
    pair = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    pair = pair * 2 if len(pair) == 1 else pair
    return pair[0] if pair[0] == pair[1] else list(pair)


def other_than(value: Any, usual: Any) -> Any:
    """The value, or None, which is left out, if it is the default."""
    return None if value == usual else value


def freeze(layer: Layer) -> None:
    """A batch norm keeps its parameters and its statistics; another layer its parameters."""
    layer.pop("trainable", None)
    if layer["op"] in ("batch_norm1d", "batch_norm2d"):
        layer["frozen"] = True
    else:
        layer["trainable"] = False


def train_only(layer: Layer, trained: Sequence[str], known: Sequence[str]) -> None:
    """Lets these of a layer's known tensors train, which are some, all or none of them."""
    if not trained:
        freeze(layer)
    elif len(trained) < len(known):
        layer["trainable"] = list(trained)


def tensors_of(layer: Layer) -> List[str]:
    """The names of a layer's parameters; none of the op `parameter`, which is one tensor."""
    if layer["op"] in ("lstm", "gru"):
        names = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
    else:
        names = [] if layer["op"] == "parameter" else ["weight"]
        names += [] if layer["op"] in ("parameter", "embedding", "prelu", "custom") else ["bias"]
    return [name for name in names if layer.get("bias", True) or not name.startswith("bias")]


class Layers:
    """The layers so far, with unique names.

    Args:
        names: of the module's parameters and buffers, by where their elements are.
        apart: how often layers were found to use the parameter of a name in different ways. Once: a bias is a layer
            behind its layer. Twice: a linear layer is a product with a layer of the op parameter as well.
    """

    def __init__(self, names: Optional[Mapping[int, str]] = None, apart: Optional[Mapping[str, int]] = None) -> None:
        self.names, self.apart = names or {}, apart or {}
        self.tensors: Dict[str, List[Any]] = {}  #: the parameters of each layer
        self.learned: Set[str] = set()  #: layers that gradients go to
        self.layers: List[Layer] = []
        self.inputs: Dict[str, Dict[str, Any]] = {}
        self.taken: set[str] = set()
        self.owners: Dict[Tuple[Any, ...], str] = {}
        self.notes: List[str] = []
        self.numbers: Dict[str, Any] = {}  #: what layers of the op parameter hold, as arrays of numpy

    def unique(self, wanted: str) -> str:
        """`wanted`, or a name like it that is still free."""
        name, count = wanted, 0
        while name in self.taken:
            count += 1
            name = f"{wanted}_{count}"
        self.taken.add(name)
        return name

    def add(self, op: str, wanted: str, inputs: Sequence[str], **attributes: Any) -> str:
        """Adds a layer and returns its name. An attribute of None is left out."""
        name = self.unique(wanted)
        layer: Layer = {"name": name, "op": op, "inputs": list(inputs)}
        layer.update({key: value for key, value in attributes.items() if value is not None})
        self.taken.update(f"{name}.{part}" for part in ("c", "gates", "index", "mask", "scores"))
        if op == "split":
            self.taken.update(f"{name}.{i}" for i in range(len(attributes["sizes"])))
        self.layers.append(layer)
        if any(map(self.is_learned, inputs)):
            self.learned.add(name)
        return name

    def is_learned(self, name: str) -> bool:
        """Whether a gradient goes to a tensor."""
        return name in self.learned or name.rpartition(".")[0] in self.learned

    def differs(self, what: str) -> None:
        """States in the last layer what the network computes and the layer does not: `run` and `export` refuse it."""
        layer = self.layers[-1]
        layer["differs"] = f"{layer['differs']}; {what}" if "differs" in layer else what
        note = f"{layer['op']}: {what}; it costs the same, but `run` and `export` refuse the layer"
        if note not in self.notes:
            self.notes.append(note)

    def name_of(self, tensor: Any) -> str:
        """What PyTorch calls a parameter, or the one that a tensor is a part of."""
        whole = self.names.get(tensor.storage().data_ptr(), "")
        return self.names.get(tensor.data_ptr(), whole)

    def add_with_weight(self, op: str, wanted: str, weights: Mapping[str, Any], inputs: Sequence[str],
                        is_given: bool = False, **attributes: Any) -> str:
        """The same for a layer with parameters: a later user of the same parameters shares them with the first.

        `is_given`: a function is given them, so that the layer has another name than they have.
        """
        own = {part: tensor for part, tensor in weights.items() if tensor is not None}
        level = max(self.apart.get(self.name_of(tensor), 0) for tensor in own.values())
        trained = [part for part, tensor in own.items() if tensor.requires_grad]
        if op in WITH_BIAS_BEHIND and "bias" in own and level:
            shape = [own["bias"].numel()] + [1] * WITH_BIAS_BEHIND[op]
            bias = self.add_parameter(f"{wanted}.bias", own["bias"])
            bias = self.add("reshape", f"{wanted}.bias.channels", [bias], shape=shape) if len(shape) > 1 else bias
            product = self.add_with_weight(op, wanted, {"weight": own["weight"]}, inputs,
                                           is_given, **dict(attributes, bias=False))
            return self.add("add", f"{wanted}.sum", [product, bias])
        if level > 1 and op == "linear":
            weight = self.add_parameter(f"{wanted}.weight", own["weight"])
            return self.add("matmul", wanted, [*inputs, weight], transpose_b=True)
        name = self.add(op, wanted, inputs, **attributes)
        key = ("linear" if op == "embedding" else op, *(tensor.data_ptr() for tensor in own.values()))
        owner = self.owners.setdefault(key, name)
        self.tensors[name] = list(own.values())
        self.learned.update([name] if trained else [])
        if is_given:
            self.numbers.update({f"{name}.{part}": each.detach().cpu().numpy() for part, each in own.items()})
        if owner != name:
            self.layers[-1]["weights"] = owner
        elif not trained:
            self.layers[-1]["trainable"] = False
        else:
            train_only(self.layers[-1], trained, list(own))
        return name

    def add_parameter(self, wanted: str, tensor: Any, value: Any = None) -> str:
        """A layer that is a parameter, once for each, or that is numbers which do not train."""
        key = ("parameter", tensor.data_ptr(), tensor.shape, tensor.stride())
        if key not in self.owners or not tensor.numel():
            shape = list(tensor.shape) or [1]
            trains = None if tensor.requires_grad else False
            self.owners[key] = self.add("parameter", wanted, [], shape=shape, trainable=trains, value=value)
            self.tensors[self.owners[key]] = [tensor]
            self.learned.update([self.owners[key]] if tensor.requires_grad else [])
            self.numbers[self.owners[key]] = tensor.detach().cpu().reshape(shape).numpy()
        return self.owners[key]

    def used_apart(self, kept: Sequence[Layer]) -> Set[str]:
        """The parameters that several layers have as their own, each in its way."""
        users: Dict[int, str] = {}
        found: Set[str] = set()
        for layer in kept:
            for tensor in self.tensors.get(layer["name"], []) if "weights" not in layer else []:
                other = users.setdefault(tensor.data_ptr(), layer["name"])
                name = self.name_of(tensor)
                if other == layer["name"] or not name:
                    continue
                if self.apart.get(name, 0) > 1:
                    raise Unshown(f"{name} is a parameter of the layers {other} and {layer['name']}, which use it in "
                                  "different ways; a model file states parameters that are shared by layers of one "
                                  "op and of one shape, with all of their parameters")
                found.add(name)
        return found

    def add_input(self, wanted: str, shape: Sequence[int], is_index: bool = False, is_state: bool = False) -> str:
        """An input of the model. A first state is zeros, and need not be kept."""
        name = self.unique(wanted)
        self.inputs[name] = {"shape": list(shape)}
        if is_index:
            self.inputs[name]["dtype"] = "int32"
        if is_state:
            self.inputs[name].update(repeatable=True, zeros=True)
        return name


def choose_trainable(layers: List[Layer], wanted: Optional[str]) -> None:
    """Freezes all layers but the ones that `all`, `last:N`, or a pattern of names selects. A pattern that no layer has,
    such as `*.bias`, selects tensors."""
    if wanted in (None, "all") or wanted is None:
        return
    own = [layer for layer in layers if "weights" not in layer and layer.get("trainable", True)
           and not layer.get("frozen", False) and (layer["op"] in WITH_PARAMETERS or layer.get("parameters"))]
    names = [layer["name"] for layer in own]
    if wanted.startswith("last:"):
        if not wanted[5:].isdigit() or int(wanted[5:]) < 1:
            raise ValueError(f"found {wanted!r}; expected a number from 1 after last:")
        chosen = set(names[-int(wanted[5:]):])
    else:
        chosen = {name for name in names if fnmatch.fnmatchcase(name, wanted)}
    for layer in own if not chosen else ():
        known = tensors_of(layer)
        stated = layer["trainable"] if isinstance(layer.get("trainable"), list) else known
        parts = [part for part in stated if fnmatch.fnmatchcase(f"{layer['name']}.{part}", wanted)]
        if parts:
            train_only(layer, parts, known)
            chosen.add(layer["name"])
    if not chosen:
        raise ValueError(f"no layer with parameters, and no parameter, has a name like {wanted!r}; expected all, "
                         "last:N or a pattern of names")
    for layer in layers:
        if (layer["op"] in WITH_PARAMETERS or layer.get("parameters")) and layer.get("weights",
                                                                                     layer["name"]) not in chosen:
            freeze(layer)


def keep_frozen_as_int8(layers: List[Layer]) -> None:
    """Gives int8 weights to the frozen layers that can have them, which share their weights with no other."""
    shared = {layer["weights"] for layer in layers if "weights" in layer}
    own = [layer for layer in layers if layer["op"] in WITH_INT8_WEIGHTS and not layer.get("trainable", True)
           and "weights" not in layer and layer["name"] not in shared]
    if not own:
        raise ValueError("found frozen_weights='int8', and no convolution or dense layer is frozen; expected trainable "
                         "beside it, such as 'last:1'")
    for layer in own:
        layer["frozen_weights"] = "int8"


def copy_frozen(layers: List[Layer]) -> None:
    """Lets the parameters of frozen layers that gradients pass be copied, but for weights of one byte."""
    learned: Set[str] = set()  # layers that train, and those above them
    copied = False
    for layer in layers:
        passes = any(name in learned or name.rpartition(".")[0] in learned for name in layer["inputs"])
        has_own = layer["op"] in WITH_PARAMETERS or bool(layer.get("parameters"))
        frozen = not layer.get("trainable", True) or layer.get("frozen", False)
        if passes or (has_own and not frozen):
            learned.add(layer["name"])
        if passes and has_own and frozen and "weights" not in layer and layer.get("frozen_weights") != "int8":
            layer["frozen_parameters"] = "copied"
            copied = True
    if not copied:
        raise ValueError("found frozen_parameters='copied', and no layer with a layer that trains below it is frozen; "
                         "expected trainable with a pattern for the layers below")
