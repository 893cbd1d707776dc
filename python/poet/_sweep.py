"""Many problems in one run: a grid of models, platforms, techniques and budgets, whose points share what they find."""
from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union, overload

from ._interrupted import Interrupted
from ._model import Model, ModelLike
from ._optimize import Order, order_word, run_reported, setting_words
from ._options import Duration, PathLike, Size, number_word, options, several, size_word
from ._platform import Platform, PlatformLike
from ._program import EXIT_USAGE, Files, Stopped, error_of, run_or_raise
from ._progress import ProgressCallback


@dataclass(frozen=True)
class Point:
    """A point of a sweep. What a point without a schedule does not have is None.

    Attributes:
        status: "optimal", "feasible", "infeasible" (proven), "unknown" (time was up) or "failed".
        energy, bound: joules, as of a `Schedule`.
        reason: why there is no schedule.
        document: the whole row (docs/sweep-format.md).
    """

    status: str
    model: str
    platform: Optional[str]
    techniques: str
    ram_budget_bytes: int
    runtime_budget_ratio: float
    energy: Optional[float]
    bound: Optional[float]
    gap: Optional[float]
    gap_extra: Optional[float]
    energy_overhead: Optional[float]
    peak_ram_bytes: Optional[int]
    runtime_seconds: Optional[float]
    reason: Optional[str]
    document: Dict[str, Any]


class Sweep(Sequence[Point]):
    """The rows of a sweep, in the order of its grid. In a notebook it shows its curves.

    Attributes:
        text: the rows as JSON lines.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._points = [_point(json.loads(line)) for line in text.splitlines()]

    @overload
    def __getitem__(self, index: int) -> Point: ...

    @overload
    def __getitem__(self, index: slice) -> List[Point]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Point, List[Point]]:
        return self._points[index]

    def __len__(self) -> int:
        return len(self._points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self._points)

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with a row for each point and the columns of docs/sweep-format.md.

        Raises:
            ImportError: pandas is not installed.
        """
        try:
            pandas = importlib.import_module("pandas")
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas, which is not installed", name="pandas") from error
        left_out = ("format", "version", "timing")
        return pandas.DataFrame([{**{key: value for key, value in point.document.items() if key not in left_out},
                                  "wall_seconds": point.document["timing"]["wall_seconds"]} for point in self])

    def save(self, path: PathLike) -> None:
        """Writes the rows as JSON lines, as `poet-solve sweep` does."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.text)

    def plot(self, path: Optional[PathLike] = None) -> str:
        """The curves as SVG (docs/pictures.md): what less RAM costs.

        Args:
            path: also written there.
        """
        with Files() as files:
            picture = run_or_raise(["plot", files.add("sweep.jsonl", self.text)], files).out
        if path is not None:
            Path(path).write_text(picture, encoding="utf-8")
        return picture

    def _repr_svg_(self) -> str:
        return self.plot()

    def __repr__(self) -> str:
        counts = [f"{count} {status}" for status in ("optimal", "feasible", "infeasible", "unknown", "failed")
                  if (count := sum(point.status == status for point in self))]
        return f"<poet.Sweep of {len(self)} points: {', '.join(counts)}>"


def sweep(models: Union[ModelLike, Sequence[ModelLike]],
          platforms: Union[PlatformLike, Sequence[PlatformLike], None] = None,
          ram: Union[Size, Sequence[Size]] = "min..100%:8", runtime: Union[Duration, Sequence[Duration]] = 2.0, *,
          techniques: Union[str, Sequence[str]] = "both", gap: Optional[float] = None, jobs: int = 1,
          schedules: Optional[PathLike] = None, progress: Union[ProgressCallback, bool, None] = None,
          paging_time: Optional[str] = None, storage_budget: Optional[Size] = None,
          page_out_budget: Optional[Size] = None, batch_size: int = 1, backward: Optional[str] = None,
          alignment: Optional[int] = None, mem_power_scale: float = 1.0, effort: Optional[str] = None,
          time_limit_s: Optional[float] = 300.0, solve_threads: int = 1, seed: int = 1,
          order: Order = "given") -> Sweep:
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
            "--jobs": jobs, "--schedules": schedules, "--order": order_word(order, files)})
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


def _point(row: Mapping[str, Any]) -> Point:
    plain = ("status", "model", "platform", "techniques", "ram_budget_bytes", "runtime_budget_ratio", "gap",
             "gap_extra", "energy_overhead", "peak_ram_bytes", "runtime_seconds", "reason")
    return Point(**{key: row[key] for key in plain}, energy=row["energy_joules"], bound=row["lower_bound_joules"],
                 document=dict(row))
