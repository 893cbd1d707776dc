"""Many problems in one run: a grid of models, platforms, techniques and budgets, whose points share what they find."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Union

from ._interrupted import Interrupted
from ._model import Model, ModelLike
from ._optimize import Copies, Order, copies_word, order_word, run_reported, setting_words
from ._options import Duration, PathLike, Size, number_word, options, several, size_word
from ._platform import Platform, PlatformLike
from ._points import Sweep
from ._program import EXIT_USAGE, Files, Stopped, error_of
from ._progress import ProgressCallback


def sweep(models: Union[ModelLike, Sequence[ModelLike]],
          platforms: Union[PlatformLike, Sequence[PlatformLike], None] = None,
          ram: Union[Size, Sequence[Size]] = "min..100%:8", runtime: Union[Duration, Sequence[Duration]] = 2.0, *,
          techniques: Union[str, Sequence[str]] = "both", gap: Optional[float] = None, jobs: int = 1,
          schedules: Optional[PathLike] = None, progress: Union[ProgressCallback, bool, None] = None,
          paging_time: Optional[str] = None, storage_budget: Optional[Size] = None,
          page_out_budget: Optional[Size] = None, batch_size: int = 1, backward: Optional[str] = None,
          alignment: Optional[int] = None, mem_power_scale: float = 1.0, effort: Optional[str] = None,
          time_limit_s: Optional[float] = 300.0, solve_threads: int = 1, seed: int = 1,
          order: Order = "given", copies: Copies = "off") -> Sweep:
    """Solves every combination of models, platforms, techniques and budgets (docs/sweeps.md).

    Args:
        models, platforms: one or several, as for `poet.optimize()`.
        ram, runtime: one or several budgets as for `poet.optimize()`, and ranges such as "25%..100%:16", "min..chip:8"
            and "1.5..3:4".
        techniques: what schedules may use: "both", "remat", "paging", "none", or several of these.
        jobs: points that are solved at the same time; the result does not depend on it.
        schedules: a directory that gets the schedule file of every point.
        progress: True or False for a bar; without it as for `poet.optimize()`.
        Others: as for `poet.optimize()`; the time limit counts per point.

    Returns:
        a row for every point. A point without a schedule is a row that says why, and no error.

    Raises:
        InputError, ProgramNotFound: as `poet.optimize()`.
        Interrupted: by Ctrl-C, once the program has been ended: a KeyboardInterrupt with the rows so far.
    """
    with Files() as files:
        words = ["sweep"]
        for model in _each(models):
            words += ["--models", Model.of(model).argument(files)]
        for platform in _each(platforms) if platforms is not None else []:
            words += ["--platforms", Platform.of(platform).argument(files)]
        words += options({
            "--ram-budget": ",".join(size_word(size) for size in several(ram)),
            "--runtime-budget": ",".join(number_word(time) for time in several(runtime)),
            "--techniques": techniques if isinstance(techniques, str) else ",".join(techniques),
            "--jobs": jobs, "--schedules": schedules, "--order": order_word(order, files),
            "--copies": copies_word(copies, files)})
        words += setting_words(gap, paging_time, storage_budget, page_out_budget, batch_size, backward, alignment,
                               mem_power_scale, effort, time_limit_s, solve_threads, seed)
        try:
            finished = run_reported(words, files, progress, None)
        except Stopped as stopped:
            raise Interrupted(rows=_rows_of(stopped.finished.out)) from None
    # Points that failed or are unknown are rows as well, and the status says that there are some.
    if finished.status == EXIT_USAGE or not finished.out:
        raise error_of(finished)
    return Sweep(finished.out)


def _rows_of(text: str) -> Optional[Sweep]:
    """The rows of a sweep that was stopped; None if it had no time to write any."""
    try:
        return Sweep(text) if text else None
    except (ValueError, KeyError):
        return None


def _each(things: Any) -> List[Any]:
    """The things of a list, or one thing as a list."""
    if isinstance(things, (list, tuple)):
        return list(things)
    return [things]
