"""The function `solve` of POET (Patil et al., ICML 2022), with the signature and the units of its release."""
from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, List, Optional, Union

from ._matrices import Matrices, freed_of, matrices_of, ram_of, require_numpy
from ._model import Model
from ._optimize import document_of, interrupted, limit_word, no_schedule, problem_words
from ._options import number_word, options
from ._program import Files, Stopped, run
from ._records import Node
from ._schedule import Schedule
from .errors import Infeasible, NoSchedule

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._matrices import Matrix

_MS_PER_SECOND = 1000.0
# Longer than anybody waits: POET's own default is 1e100 s.
_FOREVER_SECONDS = 1e9


@dataclass(frozen=True)
class POETSolution:
    """The matrices of POET's MILP, T x T for T nodes; row t is stage t. All are None if there is no schedule.

    Attributes:
        R, SRam, SSd, MIn, MOut: as in `Matrices`. POET's release spells the last two `Min` and `Mout`.
        FreeE: T x edges: the edge's input goes once its user has been computed.
        U: T x T: bytes in RAM.
        finished: whether the answer is proven, to within a gap of 1e-4.
        feasible: whether there is a schedule.
        solve_time_s: seconds of solving.
    """

    R: Optional[Matrix]
    SRam: Optional[Matrix]
    SSd: Optional[Matrix]
    MIn: Optional[Matrix]
    MOut: Optional[Matrix]
    FreeE: Optional[Matrix]
    U: Optional[NDArray[numpy.float64]]
    finished: bool
    feasible: bool
    solve_time_s: float

    @property
    def Min(self) -> Optional[Matrix]:
        """`MIn`."""
        return self.MIn

    @property
    def Mout(self) -> Optional[Matrix]:
        """`MOut`."""
        return self.MOut


@dataclass(frozen=True)
class POETResult:
    """What `solve()` returns.

    Attributes:
        ram_budget: bytes, as given.
        runtime_budget_ms: the runtime budget in milliseconds.
        paging, remat: as given.
        total_power_cost_page, total_power_cost_cpu: joules of all transfers, and of all computations; None without a
            schedule, as the next.
        total_runtime: milliseconds of all computations.
        feasible: whether there is a schedule.
        schedule: the schedule of this package, with bound and proof; None without one.
        solution: the matrices, made on first access.
    """

    ram_budget: float
    runtime_budget_ms: float
    paging: int
    remat: int
    total_power_cost_page: Optional[float]
    total_power_cost_cpu: Optional[float]
    total_runtime: Optional[float]
    feasible: bool
    schedule: Optional[Schedule] = field(default=None, repr=False)
    _finished: bool = field(default=False, repr=False)
    _made: List[POETSolution] = field(default_factory=list, repr=False, compare=False)

    @property
    def solution(self) -> POETSolution:
        """The matrices.

        Raises:
            ImportError: numpy is not installed.
        """
        if not self._made:
            self._made.append(self._solution())
        return self._made[0]

    def _solution(self) -> POETSolution:
        require_numpy()
        if self.schedule is None:
            return POETSolution(None, None, None, None, None, None, None, self._finished, False, 0.0)
        nodes: List[Node] = self.schedule.nodes
        m: Matrices = matrices_of(self.schedule.stages)
        free = freed_of(nodes, m)
        return POETSolution(m.R, m.SRam, m.SSd, m.MIn, m.MOut, free, ram_of(nodes, m, free), self._finished, True,
                            float(self.schedule.document["solver"]["wall_seconds"]))


def solve(model: str, platform: str, ram_budget: float, runtime_budget: float, paging: Union[int, bool] = 1,
          remat: Union[int, bool] = 1, mem_power_scale: float = 1.0, batch_size: int = 1, solver: Optional[str] = None,
          print_power_costs: bool = False, print_graph_info: bool = True, plot_directory: Optional[str] = None,
          time_limit_s: float = 1e100, solve_threads: Optional[int] = None) -> POETResult:
    """POET's `solve`, so that programs written for its release run unchanged. `poet.optimize()` does more.

    The graph is POET's: its chain of gradients, transfers that take no time, nothing in place. docs/poet.md lists what
    differs from POET's release.

    Args:
        model: "linear", "vgg16", "vgg16_cifar", "resnet18", "resnet18_cifar", "resnet50", "bert" or "transformer"; a
            path of a model file works too.
        platform: "m0", "m4", "a72", "a72nocache" or "jetsontx2"; a path of a platform file works too.
        ram_budget: bytes.
        runtime_budget: a multiple of the time to compute every node once, as in POET's code (its docstring says
            milliseconds).
        paging, remat: whether tensors may be paged, and computed again.
        mem_power_scale: a factor for the power of paging.
        batch_size: samples in a step; `linear`, `bert` and `transformer` have one size only in POET. Here a model that
            has no batch dimension refuses a batch size above 1.
        solver: which solver POET would call. Ignored, with a warning.
        print_power_costs: print the joules of each node.
        print_graph_info: print the time and RAM of the whole graph.
        plot_directory: a directory for pictures of the graph and the schedule.
        time_limit_s: seconds on the wall; no limit by default.
        solve_threads: processes per solve; 1 without it.

    Returns:
        a `POETResult`; `feasible` is False if no schedule exists, or none was found in time.

    Raises:
        InputError: an argument is wrong.
        ProgramNotFound, Interrupted: as `poet.optimize()`.
    """
    if solver is not None:
        warnings.warn(f"solver={solver!r} is ignored: poet-solve has its own search, and CBC inside", stacklevel=2)
    info = Model(model).info(platform, batch_size=batch_size, backward="poet-chain")
    total_seconds = info.baseline_runtime_seconds or 0.0
    total_ms = total_seconds * _MS_PER_SECOND
    if print_graph_info:
        forward = sum(node["bytes"] for node in info.nodes if not node["backward"])
        print(f"Runtime of the graph, forward and backward: {total_ms:.5f} ms")
        print(f"RAM of all outputs of the forward pass: {forward} bytes")
    with Files() as files:
        words = problem_words(Model(model), platform, files)
        words += options({
            "--ram-budget": _bytes_word(ram_budget), "--runtime-budget": _time_word(runtime_budget, total_seconds),
            "--no-paging": not paging, "--no-remat": not remat, "--mem-power-scale": float(mem_power_scale),
            "--batch-size": batch_size, "--backward": "poet-chain", "--plot-directory": plot_directory,
            "--time-limit-s": limit_word(None if time_limit_s >= _FOREVER_SECONDS else time_limit_s),
            "--solve-threads": solve_threads or None})
        try:
            finished = run(words, files, keeps_best=True)
        except Stopped as stopped:
            raise interrupted(stopped, Model(model)) from None
    document = document_of(finished)
    schedule = Schedule(finished.out, model) if "stages" in document else None
    proven = document.get("status") in ("optimal", "infeasible")
    if schedule is None:
        reason = no_schedule(finished, document)
        if not isinstance(reason, (Infeasible, NoSchedule)):
            raise reason
    elif print_power_costs:
        _print_costs(schedule)
    summary = schedule.summary if schedule is not None else {}
    return POETResult(
        ram_budget=ram_budget, runtime_budget_ms=float(runtime_budget) * total_ms, paging=paging, remat=remat,
        total_power_cost_page=None if schedule is None else
        summary["page_in_energy_joules"] + summary["page_out_energy_joules"],
        total_power_cost_cpu=summary.get("compute_energy_joules"),
        total_runtime=None if schedule is None else summary["runtime_seconds"] * _MS_PER_SECOND,
        feasible=schedule is not None, schedule=schedule, _finished=proven)


def _bytes_word(ram_budget: float) -> str:
    """Whole bytes; less than one, which the program would take for a share, holds nothing, as one byte does."""
    if not math.isfinite(ram_budget):
        return str(ram_budget)
    return str(max(1, math.floor(ram_budget)))


def _time_word(runtime_budget: float, total_seconds: float) -> str:
    """A multiple; as a time if it is below 1, which no schedule keeps and the program takes for a mistake."""
    if runtime_budget < 1 and total_seconds > 0:
        return number_word(max(runtime_budget, 1e-6) * total_seconds) + "s"
    return number_word(float(runtime_budget))


def _print_costs(schedule: Schedule) -> None:
    print(f"{'node':<28} {'compute, J':>12} {'page-in, J':>12} {'page-out, J':>12}")
    for node in schedule.nodes:
        print(f"{node.name:<28} {node.energy_joules:>12.5g} {node.page_in_energy_joules:>12.5g} "
              f"{node.page_out_energy_joules:>12.5g}")
