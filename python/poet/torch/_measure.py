"""One real training step of a module, as a log with the times of several steps.

It is captured as the steps of scheduled modules are, with its loss and its optimizer. docs/measured-steps.md describes
the lines of the log, which name memory: what a storage holds from one write to the next is the importer's to see.
"""
from __future__ import annotations

import copy
import json
import re
import statistics
import time
from typing import Any, Dict, List, Optional, Tuple

from poet.torch._dispatch import named_modules
from poet.torch._pytorch import torch
from poet.torch._step import Loss, Step
from poet.torch._tape import SILENT_WRITES, Call, Tape, Value, storage_of
from poet.torch._timing import measure

Line = Dict[str, Any]
#: A spread of the times beyond which a machine has too much else to do.
BUSY = 0.1


class WholeStep(Tape):
    """A step that is measured, and not run by a schedule: nothing is refused, and whatever stays is state.

    Attributes:
        gone: how many calls there were when memory was found to be free, and its number.
    """

    state = ("buffer", "parameter", "constant")

    def __init__(self) -> None:
        super().__init__()
        self.gone: List[Tuple[int, int]] = []

    def refuse(self, what: str, why: str) -> None:
        """A log can have it."""

    def release(self) -> None:
        """Nothing tells when memory is freed, so that all is looked at before each operation."""
        for key, (value, reference) in list(self._known.items()):
            if reference.expired():
                del self._known[key]
                self.gone.append((len(self.calls), value.memory))

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.release()
        return super().__torch_dispatch__(func, types, args, kwargs)

    def _make(self, call: Call, position: int, tensor: Any) -> None:
        """What takes no bytes is no memory of a log."""
        if isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided and storage_of(tensor).nbytes() > 0:
            super()._make(call, position, tensor)


def _seconds(step: Step) -> float:
    """Of a step that nobody records."""
    step.forget()
    inputs, target = step.data()
    start = time.thread_time()
    step.run(inputs, target)
    return time.thread_time() - start


def record_once(step: Step) -> WholeStep:
    """The calls of one step."""
    tape = WholeStep()
    step.forget()
    inputs, target = step.data()
    names = ["input"] + [f"input{number}" for number in range(2, len(inputs) + 1)]
    for kind, named in (("parameter", step.net.named_parameters()), ("buffer", step.net.named_buffers()),
                        ("buffer", step.state()), ("input", zip(names, inputs)),
                        ("input", [] if target is None else [("target", target)])):
        for name, tensor in named:
            tape.add(kind, tensor, name)

    def backward() -> None:
        tape.is_backward = True

    with tape, named_modules(step.net, tape.modules):
        step.run(inputs, target, backward)
    step.forget()
    del inputs, target, tensor, named
    tape.release()
    return tape


def lines_of(tape: WholeStep) -> List[Line]:
    """The lines of a step, without the first one."""
    sizes = {value.memory: value.bytes for value in tape.values}
    kinds = {"buffer": "other", "constant": "other"}
    lines: List[Line] = [{"event": "memory", "id": value.number, "bytes": value.bytes,
                          "kind": kinds.get(value.kind, value.kind), "name": value.name}
                         for value in tape.values if not value.is_scheduled and value.bytes > 0]
    released = [(place, {"event": "release", "id": memory}) for place, memory in tape.gone if sizes[memory] > 0]
    for place, call in enumerate(tape.calls):
        lines += [line for after, line in released if after == place]
        lines.append(_line_of(call))
    return lines + [line for after, line in released if after == len(tape.calls)]


def _line_of(call: Call) -> Line:
    def memory(values: List[Value]) -> List[int]:
        return list(dict.fromkeys(value.memory for value in values if value.bytes > 0))

    # What a norm makes does not depend on the statistics that it changes in passing.
    passing = memory(call.buffers) if call.op in SILENT_WRITES else []
    writes = memory([before for before, _ in call.writes] + ([] if passing else call.buffers))
    line: Line = {"event": "op", "op": call.op, "name": call.module, "seconds": call.seconds,
                  "backward": call.is_backward,
                  "reads": [each for each in memory(call.reads) if each not in writes + passing], "writes": writes,
                  "makes": [{"id": value.memory, "bytes": value.bytes} for _, value in call.makes if value.bytes > 0],
                  "workspace_bytes": call.workspace}
    line.update({"statistics": passing} if passing else {})
    line.update({"random": True} if call.is_random else {})  # no schedule of the log may compute it again
    return line


def _outline(tape: WholeStep) -> List[Any]:
    return [[each.get(key) for key in ("op", "reads", "writes", "statistics", "makes")] for each in lines_of(tape)]


def _blas() -> str:
    """The libraries of products that this process has loaded; empty if the system does not tell."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            found = re.findall(r"/lib((?:openblas|blas|mkl|blis|atlas)[^/\n]*)\n", maps.read())
    except OSError:
        return ""
    return ", ".join(sorted(set(found)))


def record(net: Any, *inputs: Any, loss: Loss = None, name: Optional[str] = None, repetitions: int = 5,
           optimizer: str = "sgd", training: bool = True) -> List[Line]:
    """The lines of the log of one training step, each time the median of several steps.

    Args:
        net: a `torch.nn.Module`. It is left as it is: a copy of it is trained.
        *inputs: tensors that it can be called with.
        loss: "cross_entropy" or "mse", or a function that makes the loss of what the module returns; without, a cross
            entropy for an output of samples and classes, else "mse".
        name: of the model; without, the name of the class.
        repetitions: steps that are measured, after some that are not.
        optimizer: "sgd", "momentum", "adam" or "adamw".
        training: False measures the module in evaluation mode, as norms and dropouts are in some fine-tuning.

    Raises:
        ValueError: the steps differ in their operations.
    """
    step = Step(copy.deepcopy(net), inputs, loss, optimizer, training)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # then processor time is the time of the step
    try:
        record_once(step)  # allocators and caches are warm after it, and the optimizer has its state
        runs, plain = [], []
        for _ in range(repetitions):  # in turn, so that both meet the same load of the machine
            plain.append(_seconds(step))
            runs.append(record_once(step))
        if any(_outline(run) != _outline(runs[0]) for run in runs):
            raise ValueError("two training steps differ in their operations; expected a module that computes the same "
                             "in each")
        sums = sorted(sum(call.seconds for call in run.calls) for run in runs)
        for same in zip(*(run.calls for run in runs)):
            same[0].seconds = statistics.median(call.seconds for call in same)
        measure(runs[0].calls, times=False)
    finally:
        torch.set_num_threads(threads)
    recorder = {"torch": str(torch.__version__), "threads": 1, "blas": _blas(), "optimizer": optimizer,
                "spread": (sums[-1] - sums[0]) / max(statistics.median(sums), 1e-12)}
    head: Line = {"format": "poet-step-log", "version": 1, "name": name or type(net).__name__,
                  "step_seconds": statistics.median(plain), "recorder": recorder}
    return [head] + lines_of(runs[0])


def warning_of(lines: List[Line]) -> Optional[str]:
    """What is to be said of the times, if anything."""
    spread = lines[0]["recorder"]["spread"]
    if spread <= BUSY:
        return None
    return f"the times of the same step are {100 * spread:.0f} % apart: the machine is busy; measure on a quiet one"


def text_of_log(lines: List[Line]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()
