"""From a module to a plan: captures, measures, solves."""
from __future__ import annotations

import json
import sys
from typing import Any, Callable, Dict, List, Optional, Union

from poet._program import EXIT_INFEASIBLE, EXIT_LIMIT, EXIT_OK, Files, error_of, run
from poet.errors import Infeasible, NoSchedule
from poet.torch._capture import Step, shapes_of
from poet.torch._compile import Source
from poet.torch._graph import Disk, Graph
from poet.torch._plan import Plan
from poet.torch._pytorch import torch
from poet.torch._timing import measure
from poet.torch._updates import Updates

from torch.utils._pytree import tree_flatten  # noqa: E402  (after the check for torch)

News = Callable[[str], None]
#: A solve ends when this share of the step's time is left open.
_GAP = 0.002
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


def make_plan(net: Any, inputs: Any, step: Step, facts: Dict[str, str], ram: Union[str, float],
              runtime: Union[str, float], disk: Optional[Disk], updates: Optional[Updates], seconds: float,
              news: News) -> Plan:
    """The plan of least time within the RAM for a captured step. Raises Infeasible and NoSchedule."""
    measure(step.calls, news)
    costs = None if updates is None else updates.costs(step.parameters)
    apart = Graph(step)
    eager = Source(apart, apart.plain())
    graph = apart if costs is None else Graph(step, costs)
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
        "eager_seconds": sum(node["runtime_seconds"] for node in graph.nodes),
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
