"""One real training step of a module, as a log with the times of several steps.

Which memory an operation changes is looked for once, in a step of random numbers: by the versions and the contents of
its operands, since some schemas are silent (`native_batch_norm` marks no running statistics, and moves no version
either).
"""
from __future__ import annotations

import copy
import json
import re
import statistics
import time
from contextlib import nullcontext
from typing import Any, Callable, Dict, List, Optional, Tuple

from poet.torch._dispatch import named_modules
from poet.torch._memory import changes_of, most_held_during
from poet.torch._pytorch import torch
from poet.torch._recorder import Hidden, Line, Recorder, Storages
from poet.torch._step import Loss, Step

#: A spread of the times beyond which a machine has too much else to do.
BUSY = 0.1


def _seconds(step: Step) -> float:
    """Of a step that nobody records."""
    step.forget()
    inputs, target = step.data()
    start = time.thread_time()
    step.run(inputs, target)
    return time.thread_time() - start


def record_once(step: Step, hidden: Hidden, around: Callable[[int], Any] = lambda line: nullcontext()) -> List[Line]:
    """The lines of one step; each operation runs in what `around` makes of the number of its line."""
    return _record(step, hidden, around)[0]


def find_hidden(step: Step) -> Hidden:
    """What operations change although their schemas do not say so."""
    return _record(step, None, lambda line: nullcontext())[1]


def _record(step: Step, hidden: Optional[Hidden], around: Callable[[int], Any]) -> Tuple[List[Line], Hidden]:
    lines: List[Line] = []
    storages = Storages(lines)
    step.forget()
    inputs, target = step.data(random=hidden is None)

    def present(tensor: Any, kind: str, name: str) -> None:
        if storages.find(tensor) is None and storages.bytes(tensor) > 0:
            lines.append({"event": "memory", "id": storages.add(tensor, kind != "input"),
                          "bytes": storages.bytes(tensor), "kind": kind, "name": name})

    for name, parameter in step.net.named_parameters():
        present(parameter, "parameter", name)
    for name, buffer in step.net.named_buffers():
        present(buffer, "other", name)
    for name, value in step.state():
        present(value, "other", name)
    for number, tensor in enumerate(inputs):
        present(tensor, "input", "input" if number == 0 else f"input{number + 1}")
    if target is not None:
        present(target, "input", "target")
    recorder = Recorder(lines, storages, around, hidden)

    def backward() -> None:
        recorder.backward = True

    with recorder, named_modules(step.net, recorder.modules):
        step.run(inputs, target, backward)
    step.forget()
    del inputs, target
    storages.release()
    return lines, recorder.found


def record_workspaces(step: Step, hidden: Hidden) -> List[Line]:
    """The lines of one step with what operations allocate and free inside, which PyTorch's profiler sees."""
    prefix = "poet.line."
    with torch.autograd.profiler.profile(profile_memory=True) as profiled:
        lines = record_once(step, hidden, lambda line: torch.autograd.profiler.record_function(f"{prefix}{line}"))
    events = profiled.kineto_results.events()
    changes = changes_of(events)
    for event in events:
        if not event.name().startswith(prefix):
            continue
        line = lines[int(event.name()[len(prefix):])]
        made = sum(each["bytes"] for each in line["makes"])
        line["workspace_bytes"] = max(0, most_held_during(event, changes) - made)
    return lines


def _is_kept(line: Line) -> bool:
    """A view takes no memory and computes nothing."""
    return line["event"] != "op" or bool(line["makes"] or line["writes"])


def _outline(lines: List[Line]) -> List[Any]:
    return [[each.get(key) for key in ("op", "reads", "writes", "statistics", "makes")] for each in lines
            if each["event"] == "op"]


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
        record_once(step, {})  # allocators and caches are warm after it, and the optimizer has its state
        hidden = find_hidden(step)
        lines = list(filter(_is_kept, record_workspaces(step, hidden)))
        runs, plain = [], []
        for _ in range(repetitions):  # in turn, so that both meet the same load of the machine
            plain.append(_seconds(step))
            runs.append(list(filter(_is_kept, record_once(step, hidden))))
    finally:
        torch.set_num_threads(threads)
    if any(_outline(run) != _outline(lines) for run in runs):
        raise ValueError("two training steps differ in their operations; expected a module that computes the same in "
                         "each")
    for i, line in enumerate(lines):
        if line["event"] == "op":
            line["seconds"] = statistics.median(run[i]["seconds"] for run in runs)
    head: Line = {"format": "poet-step-log", "version": 1, "name": name or type(net).__name__,
                  "step_seconds": statistics.median(plain), "recorder": _recorder_of(runs, optimizer)}
    return [head] + lines


def _recorder_of(runs: List[List[Line]], optimizer: str) -> Dict[str, Any]:
    """What the times depend on, and how far the steps are apart."""
    seconds = sorted(sum(line.get("seconds", 0.0) for line in run) for run in runs)
    return {"torch": str(torch.__version__), "threads": 1, "blas": _blas(), "optimizer": optimizer,
            "spread": (seconds[-1] - seconds[0]) / max(statistics.median(seconds), 1e-12)}


def warning_of(lines: List[Line]) -> Optional[str]:
    """What is to be said of the times, if anything."""
    spread = lines[0]["recorder"]["spread"]
    if spread <= BUSY:
        return None
    return f"the times of the same step are {100 * spread:.0f} % apart: the machine is busy; measure on a quiet one"


def text_of_log(lines: List[Line]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()
