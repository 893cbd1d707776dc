"""One training step as a list of calls on values: what the solver schedules, and what a scheduled module executes.

A dispatch mode sees every operation of a step after autograd had its turn. Memory is named by its storage. Memory that
is written in place holds one value after another, and each has a number of its own. A view is no value: an argument
that is one is `as_strided` of its value, so that no view has to be kept alive or computed again.
"""
from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

from poet.torch._dispatch import StorageWeakRef, arguments_of, is_random, is_written
from poet.torch._layers import Refused
from poet.torch._pytorch import torch

from torch.overrides import TorchFunctionMode  # noqa: E402  (after the check for torch)
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils._pytree import tree_flatten, tree_unflatten  # noqa: E402

_OWN = (os.path.dirname(str(torch.__file__)) + os.sep, os.path.dirname(__file__) + os.sep)

#: Operations that write arguments although their schema does not say so, if the last one of the three is true.
SILENT_WRITES = {"native_batch_norm": (3, 4, 5)}
#: Operations that answer from shapes and strides alone: the same in each step.
_ABOUT_SHAPES = ("is_same_size", "is_contiguous", "is_non_overlapping_and_dense", "is_strides_like_format", "sym_size",
                 "sym_stride", "sym_numel", "dim", "size", "stride", "device")
#: Operations that hand numbers of a tensor to Python, or whose output's shape depends on them.
_ABOUT_NUMBERS = ("_local_scalar_dense", "item", "is_nonzero", "equal", "nonzero", "masked_select", "unique",
                  "_unique2", "unique_consecutive", "unique_dim", "repeat_interleave")

#: Extents, strides, offset and type of a tensor, all as `as_strided` takes them.
Shape = Tuple[Tuple[int, ...], Tuple[int, ...], int, Any]


class Unschedulable(Refused):
    """What no fixed list of calls describes. The message names the module or the line, and a way out."""


def storage_of(tensor: Any) -> Any:
    return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()


def shape_of(tensor: Any) -> Shape:
    return tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset(), tensor.dtype


@dataclass(eq=False)
class Value:
    """What a storage holds from one write to the next."""

    number: int
    kind: str  # "node" or "seed", which take RAM of the schedule; "input", "parameter", "buffer", "constant"
    bytes: int
    shape: Shape
    name: str = ""
    constant: Any = None  # the tensor of a constant
    memory: int = -1  # the number of the first value of its storage

    @property
    def is_scheduled(self) -> bool:
        return self.kind in ("node", "seed")


@dataclass(eq=False)
class View:
    """A tensor argument: a value, seen as it is or through a view."""

    value: Value
    shape: Shape


@dataclass(eq=False)
class Call:
    """An operation on values."""

    name: str  # such as aten.mm.default
    args: Any  # with a View for each tensor
    kwargs: Any
    module: str
    is_backward: bool
    is_random: bool = False
    reads: List[Value] = field(default_factory=list)
    writes: List[Tuple[Value, Value]] = field(default_factory=list)  # before and after
    makes: List[Tuple[int, Value]] = field(default_factory=list)  # with the position among its outputs
    buffers: List[Value] = field(default_factory=list)  # that it writes, or other state
    seconds: float = 0.0
    workspace: int = 0

    @property
    def op(self) -> str:
        return self.name.split(".")[1]

    def values(self) -> List[Value]:
        return [after for _, after in self.writes] + [value for _, value in self.makes]

    def leaves(self) -> List[Any]:
        found: List[Any] = tree_flatten((self.args, self.kwargs))[0]
        return found


def _line() -> str:
    """The line of the user's code that the step is at."""
    frame = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.endswith("_capture.py"):
        name = frame.f_code.co_filename
        if not name.startswith(_OWN) and not name.startswith("<"):
            return f" ({name}, line {frame.f_lineno})"
        frame = frame.f_back  # type: ignore[assignment]
    return ""


def _same(tensor: Any, content: Any) -> bool:
    """Whether it still holds what it held; what is no number equals itself here."""
    return bool(((tensor == content) | ((tensor != tensor) & (content != content))).all())


class Tape(TorchDispatchMode):  # type: ignore[misc]
    """Records calls. Weak references keep the address of each storage from being used again for another one.

    Args:
        is_real: whether tensors have numbers. If not, random operations are known by their names alone, and what is
            written by the schemas.
    """

    #: Kinds of values that stay the same value when they are written.
    state: Tuple[str, ...] = ("buffer",)

    def __init__(self, is_real: bool = True) -> None:
        super().__init__()
        self._is_real = is_real
        self.calls: List[Any] = []  # Call; a Value of the kind "seed" where it arrives; None where the loss is
        self.values: List[Value] = []
        self.modules: List[str] = []
        self.is_backward = False
        self._random = torch.get_rng_state()
        self._known: Dict[int, Tuple[Value, Any]] = {}  # by storage, with a weak reference

    def add(self, kind: str, tensor: Any, name: str = "") -> Value:
        storage = storage_of(tensor)
        if storage._cdata not in self._known:
            number = len(self.values)
            value = Value(number, kind, int(storage.nbytes()), shape_of(tensor), name, memory=number)
            self.values.append(value)
            self._known[storage._cdata] = value, StorageWeakRef(storage)
        return self._known[storage._cdata][0]

    def find(self, tensor: Any) -> Optional[Value]:
        found = self._known.get(storage_of(tensor)._cdata)
        return None if found is None else found[0]

    def refuse(self, what: str, why: str) -> None:
        """Raises Unschedulable with the place."""
        where = "the backward pass" if self.is_backward else "the network"
        named = [name for name in self.modules if name]
        raise Unschedulable(f"{what} in {named[-1] if named else where}{_line()} {why}")

    def view(self, tensor: Any, what: str) -> Any:
        """How the tensor is an argument of what is called: a View, if it is dense."""
        self._check_kind(tensor, what, "has")
        if tensor.layout != torch.strided or tensor.is_nested:
            return tensor
        value = self.find(tensor)
        if value is None:  # made outside of the step
            value = self.add("constant", tensor, f"constant {sum(each.kind == 'constant' for each in self.values)}")
            value.constant = tensor.detach()
        if value.shape[3] != tensor.dtype or tensor.is_neg():
            self.refuse(what, "sees memory as another type; expected views of one type, or a copy by to()")
        return View(value, shape_of(tensor))

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        op = func.overloadpacket.__name__
        if op in _ABOUT_SHAPES or str(func).startswith("prim."):
            return func(*args, **kwargs)
        self._check(op, args)
        flat, spec = tree_flatten((args, kwargs))
        if any(isinstance(each, torch.Generator) for each in flat):
            self.refuse(op, "draws from a generator of its own; expected PyTorch's usual one, with no generator=")
        views = [self.view(each, op) if isinstance(each, torch.Tensor) else each for each in flat]
        before = torch.get_rng_state() if self._is_real else None
        if self._is_real and not torch.equal(before, self._random):
            self.refuse(op, "follows a random state that forward() has set; expected PyTorch's to be left as it is, "
                            "and torch.manual_seed() before the step")
        held = [(tensor, tensor.clone()) for tensor, view in zip(flat, views)
                if self._is_real and isinstance(view, View) and view.value.kind in self.state]
        start = time.thread_time()
        out = func(*args, **kwargs)
        seconds = time.thread_time() - start
        seen, keys = tree_unflatten(views, spec)
        call = Call(str(func), seen, keys, self.modules[-1] if self.modules else "", self.is_backward,
                    seconds=seconds)
        call.is_random = is_random(op)
        if self._is_real:
            self._random = torch.get_rng_state()
            call.is_random = call.is_random or not torch.equal(before, self._random)
        given = arguments_of(func, args, kwargs)
        trains = any(each.name in ("train", "training") and value is True for each, value in given)
        idle = [value for each, value in given if trains and each.name.startswith("running_")]
        call.reads = list(dict.fromkeys(
            view.value for view, tensor in zip(views, flat) if isinstance(view, View) and not (
                view.value.kind in self.state and any(tensor is each for each in idle))))
        silent = [tensor for tensor, content in held if not _same(tensor, content)]
        for tensor in self._written(func, args, kwargs) + silent:
            self._write(call, tensor)
        for position, tensor in enumerate(tree_flatten(out)[0]):
            self._make(call, position, tensor)
        if call.makes or call.writes or call.buffers:
            self.calls.append(call)
        return out

    def _check(self, op: str, args: Any) -> None:
        if op in _ABOUT_NUMBERS:
            self.refuse(op, "depends on the numbers in a tensor; expected the same operations on the same shapes in "
                            "each step, such as torch.where in place of a branch")
        if op in ("index", "index_put_", "index_put") and any(
                isinstance(each, torch.Tensor) and each.dtype in (torch.bool, torch.uint8) for each in args[1]):
            self.refuse(op, "takes a mask, so that shapes depend on numbers; expected torch.where or a product")

    def _check_kind(self, tensor: Any, what: str, verb: str) -> None:
        if tensor.layout != torch.strided or tensor.is_nested:
            self.refuse(what, f"{verb} a sparse or nested tensor; expected dense ones, such as of "
                              "Embedding(sparse=False)")
        elif tensor.is_complex():
            self.refuse(what, f"{verb} complex numbers; expected real ones, such as two tensors of parts")
        elif tensor.is_quantized:
            self.refuse(what, f"{verb} quantized numbers; expected floating-point ones, such as of fake quantization")
        elif tensor.device.type != "cpu":
            self.refuse(what, f"{verb} a tensor on {tensor.device}; expected all tensors on the CPU")

    def _write(self, call: Call, tensor: Any) -> None:
        value = self.find(tensor)
        if value is None:
            self.refuse(call.op, "gives a tensor other memory; expected a copy by clone()")
            return
        if value.kind in self.state:
            call.buffers += [] if value in call.buffers else [value]
            return
        if not value.is_scheduled:
            self.refuse(call.op, f"writes the {value.kind} {value.name}; expected a buffer (register_buffer), or an "
                                 "operation that is not in place")
        if all(value is not after for _, after in call.writes):
            after = Value(len(self.values), "node", value.bytes, value.shape, memory=value.memory)
            self.values.append(after)
            call.writes.append((value, after))
            key = storage_of(tensor)._cdata
            self._known[key] = after, self._known[key][1]

    def _make(self, call: Call, position: int, tensor: Any) -> None:
        if tensor is None:
            return
        if not isinstance(tensor, torch.Tensor):
            self.refuse(call.op, "gives a number to Python; expected operations on tensors")
        self._check_kind(tensor, call.op, "makes")
        if self.find(tensor) is None:
            value = self.add("node", tensor)
            if tensor.numel() * tensor.element_size() != value.bytes:
                self.refuse(call.op, "makes a tensor that covers a part of its memory; expected a copy by clone()")
            call.makes.append((position, value))

    @staticmethod
    def _written(func: Any, args: Any, kwargs: Any) -> List[Any]:
        written = [tensor for argument, value in arguments_of(func, args, kwargs) if is_written(argument)
                   for tensor in tree_flatten(value)[0]]
        *silent, flag = SILENT_WRITES.get(func.overloadpacket.__name__, (0,))
        if silent and args[flag]:
            written += [args[place] for place in silent]
        return [tensor for tensor in written if isinstance(tensor, torch.Tensor)]


class NumbersStay(TorchFunctionMode):  # type: ignore[misc]
    """Refuses what takes numbers out of tensors past the dispatcher, since these would look like constants."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self._tape = tape

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name in ("numpy", "tolist", "__array__"):
            self._tape.refuse(name, "takes numbers out of a tensor; expected operations of PyTorch on tensors")
        return func(*args, **(kwargs or {}))
