"""One real training step of a module, as a log: operations with their times, what they read, write and make, and when
memory goes.

PyTorch dispatches every operation of a step, forward and backward, to a TorchDispatchMode after autograd has had its
turn. Tensors come and go there, but what takes RAM is storages: views share one, and operations in place write into one
that is there. So the log names storages only. Nothing tells when one is freed: weak references to all that live are
looked at before each operation. docs/measured-steps.md describes the lines of the log.
"""
from __future__ import annotations

import bisect
import copy
import importlib
import json
import statistics
import time
from contextlib import contextmanager, nullcontext
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from poet.torch._pytorch import torch

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402  (after the check for torch)
from torch.utils._pytree import tree_flatten  # noqa: E402

Line = Dict[str, Any]
reductions: Any = importlib.import_module("torch.multiprocessing.reductions")

#: What gives other numbers each time, so that no schedule may compute it again.
RANDOM = ("bernoulli", "dropout", "multinomial", "normal", "rand", "uniform")


class _Storages:
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
            self.live[storage.data_ptr()] = (self.count, reductions.StorageWeakRef(storage))
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


class _Recorder(TorchDispatchMode):  # type: ignore[misc]
    def __init__(self, lines: List[Line], storages: _Storages, around: Callable[[int], Any]) -> None:
        super().__init__()
        self.lines = lines
        self.around = around
        self.storages = storages
        self.backward = False
        self.modules: List[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        storages = self.storages
        storages.release()
        reads, writes = self._operands(func, args, kwargs)
        with self.around(len(self.lines)):
            start = time.thread_time()
            out = func(*args, **kwargs)
            seconds = time.thread_time() - start
        made = []
        for tensor in filter(_is_dense, tree_flatten(out)[0]):
            if storages.bytes(tensor) > 0 and storages.find(tensor) is None:
                made.append({"id": storages.add(tensor), "bytes": storages.bytes(tensor)})
        name = func.overloadpacket.__name__
        line: Line = {"event": "op", "op": name, "name": self.modules[-1] if self.modules else "", "seconds": seconds,
                      "backward": self.backward, "reads": reads, "writes": writes, "makes": made}
        if any(word in name for word in RANDOM):
            line["random"] = True
        self.lines.append(line)
        return out

    def _operands(self, func: Any, args: Any, kwargs: Any) -> Tuple[List[int], List[int]]:
        reads: List[int] = []
        writes: List[int] = []
        schema = func._schema.arguments
        given = list(zip(schema, args)) + [(each, kwargs[each.name]) for each in schema if each.name in kwargs]
        for argument, value in given:
            is_written = argument.alias_info is not None and argument.alias_info.is_write
            for tensor in filter(_is_dense, tree_flatten(value)[0]):
                number = self.storages.find(tensor)
                if number is None:
                    if self.storages.bytes(tensor) == 0:
                        continue
                    number = self.storages.add(tensor)  # a constant of the framework
                    self.lines.append({"event": "memory", "id": number, "bytes": self.storages.bytes(tensor),
                                       "kind": "other"})
                into = writes if is_written else reads
                if number not in into:
                    into.append(number)
        return [each for each in reads if each not in writes], writes


@contextmanager
def _named(net: Any, recorder: _Recorder) -> Iterator[None]:
    """Operations of the forward pass know the module that they are in."""
    def leave(*_: Any) -> None:
        recorder.modules.pop()

    handles = []
    for name, module in net.named_modules():
        handles.append(module.register_forward_pre_hook(lambda *_, name=name: recorder.modules.append(name)))
        handles.append(module.register_forward_hook(leave))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _loss_of(name: Optional[str], out: Any) -> Tuple[Callable[[Any, Any], Any], Any]:
    """The loss, and a target of zeros for it."""
    if name == "mse" or (name is None and out.dim() != 2):
        return torch.nn.functional.mse_loss, torch.zeros_like(out)
    return torch.nn.functional.cross_entropy, torch.zeros(out.shape[0], dtype=torch.int64)


def _first(out: Any) -> Any:
    """The output that the loss is of: networks with auxiliary heads have several."""
    if isinstance(out, dict):
        return next(iter(out.values()))
    return out if isinstance(out, torch.Tensor) else out[0]


class Step:
    """A training step of a module: forward, loss, backward, SGD."""

    def __init__(self, net: Any, inputs: Tuple[Any, ...], loss: Optional[str] = None) -> None:
        self.net = net.train()
        self.shapes = [(x.shape, x.dtype) for x in inputs]
        with torch.no_grad():
            self.loss, target = _loss_of(loss, _first(net(*inputs)))
        self.target_shape = (target.shape, target.dtype)
        self.optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)

    def data(self) -> Tuple[List[Any], Any]:
        return ([torch.zeros(shape, dtype=kind) for shape, kind in self.shapes],
                torch.zeros(self.target_shape[0], dtype=self.target_shape[1]))

    def run(self, inputs: List[Any], target: Any, backward: Callable[[], None] = lambda: None) -> None:
        loss = self.loss(_first(self.net(*inputs)), target)
        backward()
        loss.backward()
        self.optimizer.step()

    def forget(self) -> None:
        self.optimizer.zero_grad(set_to_none=True)


def _seconds(step: Step) -> float:
    """Of a step that nobody records."""
    step.forget()
    inputs, target = step.data()
    start = time.thread_time()
    step.run(inputs, target)
    return time.thread_time() - start


def record_once(step: Step, around: Callable[[int], Any] = lambda line: nullcontext()) -> List[Line]:
    """The lines of one step; each operation runs in what `around` makes of the number of its line."""
    lines: List[Line] = []
    storages = _Storages(lines)
    step.forget()
    inputs, target = step.data()

    def present(tensor: Any, kind: str, name: str) -> None:
        if storages.find(tensor) is None and storages.bytes(tensor) > 0:
            lines.append({"event": "memory", "id": storages.add(tensor, kind != "input"),
                          "bytes": storages.bytes(tensor), "kind": kind, "name": name})

    for name, parameter in step.net.named_parameters():
        present(parameter, "parameter", name)
    for name, buffer in step.net.named_buffers():
        present(buffer, "other", name)
    for number, tensor in enumerate(inputs):
        present(tensor, "input", "input" if number == 0 else f"input{number + 1}")
    present(target, "input", "target")
    recorder = _Recorder(lines, storages, around)

    def backward() -> None:
        recorder.backward = True

    with recorder, _named(step.net, recorder):
        step.run(inputs, target, backward)
    step.forget()
    del inputs, target
    storages.release()
    return lines


def record_workspaces(step: Step) -> List[Line]:
    """The lines of one step with what operations allocate and free inside, which PyTorch's profiler sees."""
    prefix = "poet.line."
    with torch.autograd.profiler.profile(profile_memory=True) as profiled:
        lines = record_once(step, lambda line: torch.autograd.profiler.record_function(f"{prefix}{line}"))
    events = profiled.kineto_results.events()
    changes: List[Tuple[int, int]] = [(event.start_us(), event.nbytes()) for event in events
                                      if event.name() == "[memory]"]
    changes.sort(key=lambda change: change[0])
    moments = [moment for moment, _ in changes]
    for event in events:
        if not event.name().startswith(prefix):
            continue
        line = lines[int(event.name()[len(prefix):])]
        most = held = 0
        begin = bisect.bisect_left(moments, event.start_us())
        end = bisect.bisect_right(moments, event.start_us() + event.duration_us())
        for _, change in changes[begin:end]:
            held += change
            most = max(most, held)
        line["workspace_bytes"] = max(0, most - sum(made["bytes"] for made in line["makes"]))
    return lines


def _is_kept(line: Line) -> bool:
    """A view takes no memory and computes nothing."""
    return line["event"] != "op" or bool(line["makes"] or line["writes"])


def _outline(lines: List[Line]) -> List[Any]:
    return [(each.get("op"), each.get("reads"), each.get("writes"), each.get("makes")) for each in lines
            if each["event"] == "op"]


def record(net: Any, *inputs: Any, loss: Optional[str] = None, name: Optional[str] = None,
           repetitions: int = 5) -> List[Line]:
    """The lines of the log of one training step, each time the median of several steps.

    Args:
        net: a `torch.nn.Module`. It is left as it is: a copy of it is trained.
        *inputs: tensors that it can be called with.
        loss: "cross_entropy" or "mse"; without, a cross entropy for an output of samples and classes, else "mse".
        name: of the model; without, the name of the class.
        repetitions: steps that are measured, after one that is not.

    Raises:
        ValueError: the steps differ in their operations.
    """
    step = Step(copy.deepcopy(net), inputs, loss)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # then processor time is the time of the step
    try:
        record_once(step)  # allocators and caches are warm after it
        lines = list(filter(_is_kept, record_workspaces(step)))
        runs, plain = [], []
        for _ in range(repetitions):  # in turn, so that both meet the same load of the machine
            plain.append(_seconds(step))
            runs.append(list(filter(_is_kept, record_once(step))))
    finally:
        torch.set_num_threads(threads)
    if any(_outline(run) != _outline(lines) for run in runs):
        raise ValueError("two training steps differ in their operations; expected a module that computes the same in "
                         "each")
    for i, line in enumerate(lines):
        if line["event"] == "op":
            line["seconds"] = statistics.median(run[i]["seconds"] for run in runs)
    head: Line = {"format": "poet-step-log", "version": 1, "name": name or type(net).__name__,
                  "step_seconds": statistics.median(plain)}
    return [head] + lines


def text_of_log(lines: List[Line]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()
