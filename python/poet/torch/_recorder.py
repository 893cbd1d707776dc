"""What PyTorch does in one step, as lines of a log: operations with their times, what they read, write and make, and
when memory goes.

PyTorch dispatches every operation of a step, forward and backward, to a TorchDispatchMode after autograd has had its
turn. Tensors come and go there, but what takes RAM is storages: views share one, and operations in place write into one
that is there. So the log names storages only. Nothing tells when one is freed: weak references to all that live are
looked at before each operation. docs/measured-steps.md describes the lines of the log.
"""
from __future__ import annotations

import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from poet.torch._dispatch import StorageWeakRef, arguments_of, is_random, is_written
from poet.torch._pytorch import torch

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402  (after the check for torch)
from torch.utils._pytree import tree_flatten  # noqa: E402

Line = Dict[str, Any]
#: By the number of an operation: memory that it changes although its schema does not say so.
Hidden = Dict[int, List[int]]

#: What changes running statistics in passing: its outputs are those of the batch, so that it can be computed again
#: without them.
IN_PASSING = "batch_norm"


class Storages:
    """Numbers for storages while they live: an address comes again once its storage is gone."""

    def __init__(self, lines: List[Line]) -> None:
        self.lines = lines
        self.count = 0
        self.present: Dict[int, int] = {}  # by address: the number of what is there before and after the step
        self.live: Dict[int, Tuple[int, Any]] = {}  # of the rest, with a weak reference

    @staticmethod
    def of(tensor: Any) -> Any:
        return tensor.storage()

    def find(self, tensor: Any) -> Optional[int]:
        address = self.of(tensor).data_ptr()
        if address in self.present:
            return self.present[address]
        found = self.live.get(address)
        return None if found is None else found[0]

    def add(self, tensor: Any, stays: bool = False) -> int:
        storage = self.of(tensor)
        self.count += 1
        if stays:
            self.present[storage.data_ptr()] = self.count
        else:
            self.live[storage.data_ptr()] = (self.count, StorageWeakRef(storage))
        return self.count

    def bytes(self, tensor: Any) -> int:
        return int(self.of(tensor).nbytes())

    def release(self) -> None:
        for address, (number, reference) in list(self.live.items()):
            if reference.expired():
                del self.live[address]
                self.lines.append({"event": "release", "id": number})


def _is_dense(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.layout == torch.strided


class Recorder(TorchDispatchMode):  # type: ignore[misc]
    """What it knows of hidden changes, or looks for them if that is None."""

    def __init__(self, lines: List[Line], storages: Storages, around: Callable[[int], Any],
                 hidden: Optional[Hidden]) -> None:
        super().__init__()
        self.lines = lines
        self.around = around
        self.hidden = hidden
        self.finds_hidden = hidden is None
        self.found: Hidden = {}
        self.count = 0
        self.storages = storages
        self.backward = False
        self.modules: List[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        storages = self.storages
        storages.release()
        reads, writes = self._operands(func, args, kwargs)
        before = self._contents(args, kwargs) if self.finds_hidden else []
        with self.around(len(self.lines)):
            start = time.thread_time()
            out = func(*args, **kwargs)
            seconds = time.thread_time() - start
        made = []
        for tensor in filter(_is_dense, tree_flatten(out)[0]):
            if storages.bytes(tensor) > 0 and storages.find(tensor) is None:
                made.append({"id": storages.add(tensor), "bytes": storages.bytes(tensor)})
        name = func.overloadpacket.__name__
        hidden = self._hidden(before, writes)
        statistics = [each for each in hidden if IN_PASSING in name]
        writes += [each for each in hidden if each not in statistics]
        line: Line = {"event": "op", "op": name, "name": self.modules[-1] if self.modules else "", "seconds": seconds,
                      "backward": self.backward, "reads": [each for each in reads if each not in hidden],
                      "writes": writes, "makes": made}
        if statistics:
            line["statistics"] = statistics
        if is_random(name):  # no schedule may compute it again
            line["random"] = True
        self.lines.append(line)
        return out

    def _contents(self, args: Any, kwargs: Any) -> List[Tuple[Any, int, Any]]:
        """The operands with their versions and what they hold."""
        tensors = filter(_is_dense, tree_flatten((args, kwargs))[0])
        return [(tensor, tensor._version, tensor.clone()) for tensor in tensors if self.storages.bytes(tensor) > 0]

    def _hidden(self, before: List[Tuple[Any, int, Any]], writes: List[int]) -> List[int]:
        """What the operation at hand changes beside what its schema says."""
        operation, self.count = self.count, self.count + 1
        if not self.finds_hidden:
            return (self.hidden or {}).get(operation, [])
        found: List[int] = []
        for tensor, version, held in before:
            number = self.storages.find(tensor)
            same = (tensor == held) | ((tensor != tensor) & (held != held))
            if number is None or number in writes + found or (tensor._version == version and bool(same.all())):
                continue
            found.append(number)
        if found:
            self.found[operation] = found
        return found

    def _operands(self, func: Any, args: Any, kwargs: Any) -> Tuple[List[int], List[int]]:
        reads: List[int] = []
        writes: List[int] = []
        given = arguments_of(func, args, kwargs)
        trains = any(argument.name in ("train", "training") and value is True for argument, value in given)
        for argument, value in given:
            if trains and argument.name.startswith("running_"):
                continue  # with the statistics of the batch, those that run are not looked at
            for tensor in filter(_is_dense, tree_flatten(value)[0]):
                number = self.storages.find(tensor)
                if number is None:
                    if self.storages.bytes(tensor) == 0:
                        continue
                    number = self.storages.add(tensor)  # a constant of the framework
                    self.lines.append({"event": "memory", "id": number, "bytes": self.storages.bytes(tensor),
                                       "kind": "other"})
                into = writes if is_written(argument) else reads
                if number not in into:
                    into.append(number)
        return [each for each in reads if each not in writes], writes
