"""What is called in a trace, and with what: every argument and number of it is looked at, or named."""
from __future__ import annotations

import inspect
from typing import Any, Dict, List, Mapping, Sequence, Set, Tuple

from poet.torch._layers import Layers, Unsupported
from poet.torch._pytorch import torch


def usual_numbers(kind: Any) -> Mapping[str, Any]:
    """The defaults of what a class of modules is made with."""
    for each in kind.__mro__:
        known: Any = inspect.signature(each.__init__).parameters if "__init__" in vars(each) else {}
        if len(known) > 1 and not any(p.kind is p.VAR_POSITIONAL for p in known.values()):
            return {name: p.default for name, p in known.items() if p.default is not p.empty}
    return {}


#: What needs no look: _trace watches what is done in place, and shapes of outputs say what is flattened.
FOLLOWS = ("inplace", "sparse", "start_dim", "end_dim")


class Read:
    """A module that knows which of its attributes were asked for."""

    def __init__(self, module: Any) -> None:
        self._module, self._seen = module, set(FOLLOWS)

    def __getattr__(self, key: str) -> Any:
        self._seen.add(key)
        return getattr(self._module, key)

    def left(self) -> None:
        """Raises Unsupported if a number was not asked for, and is not the usual one."""
        for key, usual in usual_numbers(type(self._module)).items():
            value = getattr(self._module, key, usual)
            if key not in self._seen and value != usual:
                raise Unsupported(f"its {key} is {value}; expected {usual}")
        if any(getattr(self._module, f"_{kind}_hooks", None) for kind in ("forward", "forward_pre", "backward")):
            raise Unsupported("it has hooks, which no layer calls; expected none")


class Call:
    """A module that is called: its name, its arguments by their names, the names of the tensors among them, their
    shapes and the output.

    `is_evaluated`: it is in evaluation mode in a network that trains.
    """

    def __init__(self, module: Any, name: str, arguments: Mapping[str, Any], tensors: Sequence[Any], output: Any,
                 is_evaluated: bool = False) -> None:
        self.module, self.kind, self.name = Read(module), type(module).__name__, name
        self.arguments, self.inputs = arguments, [each.name for each in tensors]
        self.shapes: List[Tuple[int, ...]] = [each.shape for each in tensors]
        self.output, self.is_evaluated = output, is_evaluated


#: What modules may be given beside their first argument.
FURTHER: Dict[str, Tuple[str, ...]] = {
    "MultiheadAttention": ("key", "value", "key_padding_mask", "need_weights", "attn_mask", "average_attn_weights"),
    **{kind: ("hx",) for kind in ("LSTM", "GRU", "LSTMCell", "GRUCell")}}


def bound(module: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a call by their names, in the order of the signature."""
    return dict(inspect.signature(module.forward).bind(*args, **kwargs).arguments)


def expect_known(module: Any, arguments: Mapping[str, Any]) -> None:
    """Raises Unsupported for an argument that no layer looks at."""
    known = inspect.signature(module.forward).parameters
    for key in list(arguments)[1:]:
        value = arguments[key]
        if key not in FURTHER.get(type(module).__name__, ()) and value is not known[key].default:
            raise Unsupported(f"its argument {key} is {value}; expected {known[key].default}")


class State(str):
    """The last states of a recurrence, where PyTorch has an extent of layers and directions in front: `parts` are those
    of each layer and direction as N, H. A single one is meant by the name itself."""
    parts: Tuple[str, ...] = ()


class Value:
    """A tensor of the trace: the name of what makes it and its shape. A State has its own shape.

    `is_stored`: it is a parameter or a buffer itself, and nothing that is computed.
    """

    def __init__(self, name: str, tensor: Any, is_stored: bool = False) -> None:
        self.name, self.shape, self.tensor, self.is_stored = name, tuple(tensor.shape), tensor, is_stored


def stated(value: Any) -> Any:
    """A number that a layer can state; None for others."""
    return float(value) if isinstance(value, (int, float)) and abs(value) <= 1e30 else None


class Constant(Value):
    """A tensor that follows from no input and from nothing that trains. It is a layer if one reads it."""

    known = ""

    def __init__(self, layers: Layers, wanted: str, tensor: Any) -> None:
        super().__init__("", tensor, True)
        self.layers, self.wanted = layers, wanted

    @property
    def name(self) -> str:
        numbers = self.tensor if self.tensor.is_floating_point() else self.tensor.float()
        value = stated(numbers.item()) if numbers.numel() == 1 else None
        self.known = self.known or self.layers.add_parameter(self.wanted, numbers, value)
        return self.known

    @name.setter
    def name(self, known: str) -> None:
        self.known = known


class Stack(Value):
    """The last states of a recurrence, one for each layer and direction. A single one has no extent for that."""

    def __init__(self, state: State, tensor: Any) -> None:
        super().__init__(str(state), tensor[0] if len(state.parts) == 1 else tensor)
        self.parts = [Value(part, row) for part, row in zip(state.parts, tensor)]


class Use:
    """A function that is called in a trace. Tensors among the arguments are Values.

    `readers`: the functions, names of methods and classes of modules that read the result.
    """

    def __init__(self, layers: Layers, name: str, args: Sequence[Any], kwargs: Dict[str, Any], output: Any,
                 readers: Sequence[Any] = ()) -> None:
        self.layers, self.name, self.args, self.kwargs, self.output = layers, name, args, kwargs, output
        self.readers = readers
        self.seen: Set[Any] = {"inplace"}  # _trace looks at what is done in place

    @property
    def x(self) -> Value:
        return self.value(0, "input")

    def value(self, place: int, key: str) -> Value:
        found = self.get(place, key)
        if not isinstance(found, Value):
            raise Unsupported(f"its argument {key} is {found!r}; expected a tensor that depends on the input, or a "
                              "weight")
        if not found.tensor.is_floating_point() and not self.makes_no_numbers():
            raise Unsupported(f"its argument {key} has whole numbers or truths, which layers but an embedding do not "
                              "read; expected real numbers")
        return found

    def makes_no_numbers(self) -> bool:
        """Whether the result has whole numbers as well, as the view of an index has."""
        return all(torch.is_tensor(each) and not each.is_floating_point()
                   for each in (self.output if isinstance(self.output, (tuple, list)) else (self.output,)))

    def get(self, place: int, key: str, otherwise: Any = None) -> Any:
        self.seen.update((place, key))
        return self.args[place] if place < len(self.args) else self.kwargs.get(key, otherwise)

    def rest(self, start: int, key: str) -> List[int]:
        """The numbers from one place on, or the one list that is there."""
        self.follows()
        found = self.args[start:] or [self.kwargs[key]]
        return list(found[0] if len(found) == 1 and isinstance(found[0], (tuple, list, torch.Size)) else found)

    def follows(self) -> None:
        """All arguments are seen: the shape of the output says what they are."""
        self.seen.update(range(len(self.args)), self.kwargs)

    def left(self, function: Any) -> None:
        """Raises Unsupported if an argument was not asked for, and is not the usual one."""
        try:
            known = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            known = []
        kinds = [each.tensor.dtype for each in self.args if isinstance(each, Value)]
        usual: Dict[Any, Any] = {each.name: each.default for each in known}
        for place, value in (*enumerate(self.args), *self.kwargs.items()):
            key = known[place].name if isinstance(place, int) and place < len(known) else place
            is_usual = value is None or value is False or (not isinstance(value, Value) and value == usual.get(key))
            if not (place in self.seen or key in self.seen or is_usual or any(value is kind for kind in kinds)):
                raise Unsupported(f"its argument {key} is {value}, which no layer states; expected "
                                  f"{usual.get(key)}")

    def add(self, op: str, **attributes: Any) -> str:
        return self.layers.add(op, self.name, [self.x.name], **attributes)
