"""From a module to a plan: captures, measures, solves."""
from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from contextlib import suppress
from typing import Any, Callable, Dict, List, Optional, Union

from poet._program import EXIT_INFEASIBLE, EXIT_LIMIT, EXIT_OK, Files, error_of, run
from poet.errors import Infeasible, NoSchedule
from poet.torch._capture import Step, kept_state, shapes_of
from poet.torch._compile import Source, bound, tensors_of
from poet.torch._graph import Disk, Graph
from poet.torch._memory import is_out_of_memory
from poet.torch._plan import Plan
from poet.torch._pytorch import torch
from poet.torch._running import as_captured
from poet.torch._tape import Call
from poet.torch._timing import below_autograd, measure
from poet.torch._updates import Updates

from torch.utils._pytree import tree_flatten  # noqa: E402  (after the check for torch)

News = Callable[[str], None]
#: A solve ends when this share of the step's time is left open.
_GAP = 0.002
#: Steps are timed so often at least, and more often until this time is over.
_ROUNDS, _MOST_ROUNDS, _SECONDS = 9, 25, 6.0
_PROOF = ("gap", "lower_bound_joules", "recompute_count", "page_out_count", "page_out_bytes")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "KB": 10 ** 3,
          "MB": 10 ** 6, "GB": 10 ** 9, "B": 1, "": 1}


def bytes_of(ram: Union[str, float], eager: int) -> Optional[int]:
    """A budget in bytes, of which a share is one of eager's peak; None for the least that works."""
    if ram == "min":
        return None
    text = str(ram).strip()
    try:
        if text.endswith("%"):
            return int(float(text[:-1]) / 100 * eager)
        digits = text.rstrip("KMGiBkmgb ")
        number = float(digits)
        unit = text[len(digits):].strip().upper()
        if number > 0 and unit in _UNITS:
            return int(number * eager) if number <= 1 and not unit else int(number * _UNITS[unit])
    except ValueError:
        pass
    raise ValueError(f"ram: found {ram!r}, expected bytes, a share of eager's peak such as '40%', or 'min'")


def printed(text: str) -> None:
    """Progress where somebody can see it."""
    if sys.stderr.isatty():
        end = "\r" if text else ""
        print(f"\r\033[Kpoet.torch: {text}" if text else "\r\033[K", end=end, file=sys.stderr, flush=True)


def _eager_seconds(net: Any, inputs: Any, seeds: Any) -> float:
    """Of a step in eager mode, without the loss."""
    trained = [each for each in net.parameters() if each.requires_grad]
    start = time.thread_time()
    with torch.enable_grad():
        out = [each for each in tree_flatten(net(*inputs))[0] if getattr(each, "requires_grad", False)]
        gradients = torch.autograd.grad(out, trained, seeds, allow_unused=True)
    del out, gradients
    return time.thread_time() - start


def _time_in_turn(net: Any, inputs: Any, step: Step, source: Source) -> float:
    """Enters the time of each call amid the others of a step, and returns eager's, by medians of steps in turn.

    What it costs to call an operation, and to free what it was the last to read, is a part of its time, and caches are
    as in a step. A load that comes and goes meets a step of either kind, so that eager's time is by the median of their
    ratios. `source` is the plain program.
    """
    tensors = as_captured([each for each in tree_flatten(inputs)[0] if isinstance(each, torch.Tensor)], step.inputs)
    seeds = tuple(torch.zeros(seed.shape[0], dtype=seed.shape[3]) for seed in step.seeds)
    marks: List[Any] = []
    run = bound(source, tensors_of(net, step.values), None, lambda place: marks.append((place, time.thread_time())))
    found: Dict[int, List[float]] = {}
    ratios: List[float] = []
    end = time.monotonic() + _SECONDS
    with kept_state(net):
        while len(ratios) <= _ROUNDS or (len(ratios) <= _MOST_ROUNDS and time.monotonic() < end):
            eager = _eager_seconds(net, inputs, seeds)
            marks.clear()
            with below_autograd(), torch.autocast("cpu", enabled=False), suppress(StopIteration):
                generator = run(None, *tensors)
                next(generator)
                generator.send(seeds)
            for (place, start), (_, stop) in zip(marks, marks[1:]):
                found.setdefault(place, []).append(stop - start)
            del found[-1]
            ratios.append(eager / sum(times[-1] for times in found.values()))
    for place, times in found.items():
        step.calls[place].seconds = statistics.median(times[1:])
    total: float = sum(step.calls[place].seconds for place in found)
    return statistics.median(ratios[1:]) * total


def seconds_in_eager_mode(net: Any, inputs: Any, step: Step, news: News) -> float:
    """Measures the calls of a captured step, and a step in eager mode."""
    measure(step.calls, news, step.is_dry)
    if step.is_dry:
        return sum(call.seconds for call in step.calls if isinstance(call, Call))
    news("times steps")
    graph = Graph(step)
    try:
        return _time_in_turn(net, inputs, step, Source(graph, graph.plain(), True))
    except Exception as error:
        if not is_out_of_memory(error):
            raise
    gc.collect()
    step.is_dry = True
    return seconds_in_eager_mode(net, inputs, step, news)


def make_plan(net: Any, inputs: Any, step: Step, eager_seconds: float, facts: Dict[str, str], ram: Union[str, float],
              runtime: Union[str, float], disk: Optional[Disk], updates: Optional[Updates], seconds: float,
              news: News) -> Plan:
    """The plan of least time within the RAM for a measured step. Raises Infeasible and NoSchedule."""
    costs = None if updates is None else updates.costs(step.parameters)
    apart = Graph(step)
    eager = Source(apart, apart.plain())
    graph = Graph(step, costs)
    updating = sum(cost["seconds"] for cost in costs.values()) if costs is not None else 0.0
    budget = bytes_of(ram, eager.peak)
    news(f"solves {len(graph.nodes)} nodes, for at most {seconds:g} seconds")
    document = graph.document(type(net).__name__, disk)
    schedule = _solve(document, budget, runtime, disk, seconds)
    source = Source(graph, schedule["program"])
    if budget is not None and source.peak > budget:  # what a call makes beside its first value is there at once
        schedule = _solve(document, 2 * budget - source.peak, runtime, disk, seconds)
        source = Source(graph, schedule["program"])
        if source.peak > budget:
            raise Infeasible(f"the schedule that was found takes {source.peak} bytes in PyTorch, above the budget of "
                             f"{budget}", source.peak, None)
    figures: Dict[str, float] = {
        "eager_bytes": eager.peak, "predicted_bytes": source.peak,
        "eager_seconds": eager_seconds + updating,
        "predicted_seconds": schedule["summary"]["runtime_seconds"],
        "budget_bytes": source.peak if budget is None else budget, **_beside(net, inputs, costs)}
    proof = {"status": schedule["status"], **{key: schedule["summary"][key] for key in _PROOF}}
    kept = ("op", "node", "over", "slot")
    program = [{key: each[key] for key in kept if key in each} for each in schedule["program"]]
    return Plan(facts, shapes_of(inputs), step, program, costs, figures, proof)


def _solve(document: Dict[str, Any], budget: Optional[int], runtime: Union[str, float], disk: Optional[Disk],
           seconds: float) -> Dict[str, Any]:
    """The document of the schedule."""
    with Files() as files:
        paging = ["--no-paging"] if disk is None else ["--paging-time", "overlapped"]
        finished = run(["--model", files.add("step.json", json.dumps(document)), *paging, "--gap", str(_GAP),
                        "--ram-budget", "min" if budget is None else str(budget), "--runtime-budget", str(runtime),
                        "--time-limit-s", str(seconds)], files)
    if finished.status not in (EXIT_OK, EXIT_INFEASIBLE, EXIT_LIMIT):
        raise error_of(finished)
    found: Dict[str, Any] = json.loads(finished.out)
    if finished.status == EXIT_LIMIT:
        raise NoSchedule(f"{found['error']}; seconds= gives the solve more time, a larger ram= makes it easier")
    if finished.status == EXIT_INFEASIBLE:
        raise Infeasible(f"no schedule of the step fits: {found['error']}; ram='min' takes the least that works, "
                         "optimizer= frees gradients early, paging= uses a disk", found.get("smallest_ram_bytes"),
                         found.get("node"), bool(found.get("smallest_ram_is_exact", False)))
    return found


def _beside(net: Any, inputs: Any, costs: Optional[Dict[str, Any]]) -> Dict[str, float]:
    """Bytes that are in RAM besides what the plan schedules."""
    def total(tensors: List[Any]) -> int:
        return sum(each.numel() * each.element_size() for each in tensors if isinstance(each, torch.Tensor))

    return {"parameters_beside": total([*net.parameters(), *net.buffers()]),
            "gradients_beside": total([each.grad for each in net.parameters()]),
            "batch_beside": total(tree_flatten(inputs)[0]),
            "state_beside": sum(cost["state"] for cost in costs.values()) if costs is not None else 0}
