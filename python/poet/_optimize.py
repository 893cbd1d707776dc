"""One problem: the schedule of least energy within a RAM and a runtime budget."""
from __future__ import annotations

import contextlib
import json
import os
from typing import Any, Dict, List, Optional, Sequence, Union

from ._interrupted import Interrupted
from ._model import Model, ModelLike
from ._options import Duration, PathLike, Size, number_word, options, size_word
from ._platform import Platform, PlatformLike
from ._program import EXIT_INFEASIBLE, EXIT_INTERRUPTED, EXIT_LIMIT, Files, Finished, Stopped, error_of, run
from ._progress import ProgressCallback, Reporter
from ._schedule import Schedule
from .errors import Infeasible, NoSchedule, PoetError

_DEFAULT_LIMIT_SECONDS = 300.0

#: In which order the nodes are computed for the first time.
Order = Union[str, PathLike, Schedule, Sequence[Union[int, str]]]
#: Which copies gradients read.
Copies = Union[str, PathLike, Schedule]


def optimize(model: ModelLike, platform: Optional[PlatformLike] = None, ram: Optional[Size] = None,
             runtime: Optional[Duration] = None, *, gap: Optional[float] = None,
             progress: Union[ProgressCallback, bool, None] = None, objective: str = "energy", paging: bool = True,
             remat: bool = True, paging_time: Optional[str] = None, storage_budget: Optional[Size] = None,
             page_out_budget: Optional[Size] = None, count_parameters: bool = False, batch_size: int = 1,
             backward: Optional[str] = None, alignment: Optional[int] = None, mem_power_scale: float = 1.0,
             effort: Optional[str] = None, time_limit_s: Optional[float] = _DEFAULT_LIMIT_SECONDS,
             solve_threads: int = 1, seed: int = 1, warm_start: Optional[Schedule] = None,
             order: Order = "given", at: str = "middle",
             copies: Copies = "off") -> Schedule:
    """Finds the schedule of one training step that needs the least energy, and proves how good it is.

    Args:
        model: a `Model`, the name of a built-in one, a path, or the document of a model file.
        platform: likewise; not needed for a model that brings its costs.
        ram: the RAM budget: bytes, a share below 1 of what keeping everything takes, or text such as "256KiB", "60%",
            "min" (the smallest that works) or "chip" (the platform's RAM).
        runtime: the runtime budget: a multiple of the time to compute every node once, or text such as "12.5s".
        gap: stop when (energy - bound) / energy is at most this; 1e-4 without it.
        progress: called with a `Progress` whenever there is news, in this thread; what it raises ends the solve. True
            for a bar, False for none. Without it there is a bar where somebody can see it and tqdm is installed.
        objective: what to minimise: "energy", "runtime" or "ram". The budget `runtime` or `ram` is then not needed.
        paging, remat: whether tensors may be paged out, and computed again.
        paging_time: "free", "blocking" or "overlapped": how the time of transfers counts. Without it "blocking"
            for an exact backward pass and "free" for POET's.
        storage_budget, page_out_budget: most bytes of copies in secondary storage, and written to it in one step.
        count_parameters: whether the RAM budget holds parameters, optimizer state and the reserve as well.
        batch_size: of a model with a batch dimension.
        backward: "exact", "poet-chain" or "none", for inference, instead of what the model file says.
        alignment: the tensors of an exact graph are rounded up to multiples of so many bytes.
        mem_power_scale: a factor for the power of paging.
        effort: "fast", "default" or "proof".
        time_limit_s: seconds on the wall for the whole solve; None for no limit.
        solve_threads: processes per solve; the answer does not depend on it.
        seed: of the search.
        warm_start: a schedule of the same graph to start from.
        order: in which order the nodes are computed for the first time: "given", as the model lists them; "search", an
            order that a search finds; the order of a `Schedule`; a path; or a list of all nodes by index or name. The
            proof is about one order.
        at: "middle", "low" or "high": where in the intervals of the platform's energy figures to solve.
        copies: smaller copies that gradients read in the place of tensors: "off"; "exact" or "int8", which a search
            chooses; those of a `Schedule`; or a path.

    Returns:
        the schedule; its `status` is "optimal" or, if the time was up first, "feasible".

    Raises:
        Infeasible: proven: there is none.
        NoSchedule: none was found before the time was up.
        InputError: the model, the platform or a budget has a mistake.
        ProgramNotFound: there is no program `poet-solve`.
        Interrupted: by Ctrl-C, once the program has been ended: a KeyboardInterrupt with the best schedule so far.
    """
    thing = Model.of(model)
    with Files() as files:
        words = problem_words(thing, platform, files)
        words += options({
            "--ram-budget": None if ram is None else size_word(ram),
            "--runtime-budget": None if runtime is None else number_word(runtime), "--objective": objective,
            "--no-paging": not paging, "--no-remat": not remat, "--count-parameters": count_parameters,
            "--warm-start": None if warm_start is None else files.add("start.json", warm_start.text),
            "--order": order_word(order, files), "--at": None if at == "middle" else at,
            "--copies": copies_word(copies, files)})
        words += setting_words(gap, paging_time, storage_budget, page_out_budget, batch_size, backward, alignment,
                               mem_power_scale, effort, time_limit_s, solve_threads, seed)
        try:
            finished = run_reported(words, files, progress, time_limit_s)
        except Stopped as stopped:
            raise interrupted(stopped, thing) from None
    schedule = schedule_of(finished, thing)
    schedule.warn(stacklevel=2)
    return schedule


def problem_words(model: Model, platform: Optional[PlatformLike], files: Files) -> List[str]:
    """The options that say what is trained, and on what."""
    words = ["--model", model.argument(files)]
    if platform is not None:
        words += ["--platform", Platform.of(platform).argument(files)]
    return words


def setting_words(gap: Optional[float], paging_time: Optional[str], storage_budget: Optional[Size],
                  page_out_budget: Optional[Size], batch_size: int, backward: Optional[str], alignment: Optional[int],
                  mem_power_scale: float, effort: Optional[str], time_limit_s: Optional[float], solve_threads: int,
                  seed: int) -> List[str]:
    """The options that a solve and a sweep share."""
    # A proof has no time limit and a gap of 0, unless they are given.
    untouched = effort == "proof" and time_limit_s == _DEFAULT_LIMIT_SECONDS
    return options({
        "--gap": None if gap is None else float(gap), "--paging-time": paging_time,
        "--storage-budget": None if storage_budget is None else size_word(storage_budget),
        "--page-out-budget": None if page_out_budget is None else size_word(page_out_budget),
        "--batch-size": batch_size, "--backward": backward, "--alignment": alignment,
        "--mem-power-scale": float(mem_power_scale), "--effort": effort,
        "--time-limit-s": None if untouched else limit_word(time_limit_s), "--solve-threads": solve_threads,
        "--seed": seed})


def copies_word(copies: Copies, files: Files) -> Optional[str]:
    """The value of --copies; None for no copies."""
    if isinstance(copies, Schedule):
        return files.add("copies.json", copies.text)
    return None if copies == "off" else os.fspath(copies)


def order_word(order: Order, files: Files) -> Optional[str]:
    """The value of --order; None for the given order."""
    if isinstance(order, Schedule):
        return files.add("order.json", order.text)
    if isinstance(order, (str, os.PathLike)):
        return None if order == "given" else os.fspath(order)
    return files.add("order.json", json.dumps(list(order)))


def limit_word(time_limit_s: Optional[float]) -> str:
    """A time limit as the program has it: 0 means none."""
    if time_limit_s is None:
        return "0"
    # A limit of no time at all ends a solve as soon as possible, as a very short one does.
    return number_word(time_limit_s) if time_limit_s != 0 else "1e-9"


def run_reported(words: List[str], files: Files, progress: Union[ProgressCallback, bool, None],
                 time_limit_s: Optional[float]) -> Finished:
    """Runs a solve or a sweep, and reports how far it is. Raises Stopped when it is interrupted."""
    reporter = Reporter(progress, time_limit_s)
    try:
        return run(words, files, reporter.line, reporter.tick if reporter.needs_ticks else None, keeps_best=True)
    finally:
        reporter.close()


def schedule_of(finished: Finished, model: Model) -> Schedule:
    """The schedule of a solve that has ended, or the exception that says why there is none."""
    document = document_of(finished)
    if "stages" in document:
        return Schedule(finished.out, model, finished.warnings())
    raise no_schedule(finished, document)


def interrupted(stopped: Stopped, model: Model) -> Interrupted:
    """The exception for a solve that was stopped, with what it has found."""
    best: Optional[Schedule] = None
    with contextlib.suppress(PoetError):  # there is none yet
        best = schedule_of(stopped.finished, model)
    return Interrupted(best=best)


def document_of(finished: Finished) -> Dict[str, Any]:
    """What the program wrote; every solve writes a document, unless it crashes."""
    try:
        document = json.loads(finished.out)
    except ValueError:
        raise error_of(finished) from None
    return document if isinstance(document, dict) else {}


def no_schedule(finished: Finished, document: Dict[str, Any]) -> Exception:
    """Why there is no schedule."""
    reason = str(document.get("error", finished.message()))
    if finished.status == EXIT_INFEASIBLE:
        return Infeasible(reason, document.get("smallest_ram_bytes"), document.get("node"),
                          bool(document.get("smallest_ram_is_exact", False)))
    if finished.status in (EXIT_LIMIT, EXIT_INTERRUPTED):
        return NoSchedule(reason)
    return error_of(finished, reason)
