"""What the program reports while it works, as figures, for a function of yours, or as a bar of tqdm."""
from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import time
from dataclasses import dataclass
from typing import Any, Callable, Optional, Tuple, Union

_PREFIXES = {"f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_FIGURE = r"([-+.\de]+) ([fpnumkMGT]?)[Js]"
_LINE = re.compile(rf"^poet-solve: info: +(?P<seconds>[.\d]+) s  (?P<phase>\S.*?) +"
                   rf"(?:no schedule yet|best (?P<best>{_FIGURE}))  bound (?P<bound>{_FIGURE})"
                   r"(?:  gap (?P<gap>[-+.\de]+) %"
                   r"(?: \((?P<gap_extra>[-+.\de]+) % of the extra\))?)?(?:  nodes (?P<nodes>\d+))?$")
_POINT = re.compile(r"^poet-solve: info: (?P<done>\d+)/(?P<total>\d+) (?P<text>.*)$")
_BAR_DELAY_SECONDS = 2.0


@dataclass(frozen=True)
class Progress:
    """How far a solve is. The program writes these figures with four digits.

    Attributes:
        seconds: since the start of the solve, by the clock on the wall.
        phase: what the solver does, such as `local search`.
        best: joules of the best schedule so far; None before the first. (Seconds with objective "runtime".)
        bound: proven: no schedule needs less. The same unit.
        gap: (best - bound) / best; None before the first schedule.
        gap_extra: the same as a share of the energy above the baseline's; None also with objective "runtime".
        nodes: of branch and bound, 0 in other phases.
    """

    seconds: float
    phase: str
    best: Optional[float]
    bound: float
    gap: Optional[float]
    gap_extra: Optional[float]
    nodes: int


ProgressCallback = Callable[[Progress], object]


def parse_progress(line: str) -> Optional[Progress]:
    """A line of stderr as figures; None if it is another kind of line."""
    match = _LINE.match(line)
    if match is None:
        return None
    return Progress(seconds=float(match["seconds"]), phase=match["phase"], best=_figure(match["best"]),
                    bound=_figure(match["bound"]) or 0.0, gap=_share(match["gap"]),
                    gap_extra=_share(match["gap_extra"]), nodes=int(match["nodes"] or 0))


def _share(percent: Optional[str]) -> Optional[float]:
    return None if percent is None else float(percent) / 100


def _figure(text: Optional[str]) -> Optional[float]:
    """`550.9 mJ` as 0.5509."""
    if text is None:
        return None
    number, unit = text.split(" ")
    return float(number) * _PREFIXES[unit[:-1]]


class Reporter:
    """Gets the lines of a run, and calls a function or draws a bar.

    Args:
        progress: a function that is called with each `Progress`; True for a bar (of tqdm), False for nothing. None: a
            bar if tqdm is installed and stderr is a terminal or this is a notebook.
        time_limit: seconds that the solve may take, for the length of the bar; None without a limit.
    """

    def __init__(self, progress: Union[ProgressCallback, bool, None], time_limit: Optional[float] = None) -> None:
        self._callback = progress if callable(progress) else None
        wants_bar = progress is True or (progress is None and _somebody_looks())
        self._bar = _make_bar(time_limit, required=progress is True) if wants_bar else None
        self._start = time.monotonic()
        self._text = "starts"
        self._points: Optional[Tuple[int, int]] = None

    def line(self, line: str) -> None:
        """Takes a line of stderr."""
        progress = parse_progress(line)
        if progress is not None:
            if self._callback is not None:
                self._callback(progress)
            self._text = _describe(progress)
            return
        point = _POINT.match(line)
        if point is not None:
            self._points = int(point["done"]), int(point["total"])
            self._text = f"{point['done']} of {point['total']} points"

    def tick(self) -> None:
        """Moves the bar to the present: to the share of the time limit, or of the points of a sweep."""
        if self._bar is None:
            return
        seconds = time.monotonic() - self._start
        self._bar.set_description_str(f"poet-solve {seconds:.0f} s, {self._text}", refresh=False)
        there: float
        if self._points is not None:
            there, self._bar.total = self._points
        else:
            there = seconds if self._bar.total is None else min(seconds, self._bar.total)
        self._bar.update(there - self._bar.n)

    @property
    def needs_ticks(self) -> bool:
        """Whether there is something that moves with time."""
        return self._bar is not None

    def close(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.close()


def _describe(progress: Progress) -> str:
    if progress.best is None:
        return progress.phase
    gap = "" if progress.gap is None else f", gap {100 * progress.gap:.3g} %"
    return f"{progress.phase}, {progress.best:.4g}{gap}"


def _in_notebook() -> bool:
    """Whether this is a Jupyter kernel: IPython is loaded then, and its shell is no terminal's."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def _somebody_looks() -> bool:
    return _in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def _make_bar(total: Optional[float], required: bool) -> Any:
    """A bar that appears after some seconds; None if there is no tqdm, unless it is required."""
    try:
        # Without ipywidgets, tqdm.auto shows a warning in place of a bar.
        has_widgets = _in_notebook() and importlib.util.find_spec("ipywidgets") is not None
        tqdm = importlib.import_module("tqdm.auto" if has_widgets else "tqdm").tqdm
    except ImportError:
        if required:
            raise ImportError("progress=True draws a bar with tqdm, which is not installed") from None
        return None
    # A notebook shows stderr in red, also what is left of a bar that is wiped.
    file = sys.stdout if _in_notebook() else sys.stderr
    delay = 0 if required else _BAR_DELAY_SECONDS
    return tqdm(total=total, leave=False, delay=delay, file=file, bar_format="{desc} |{bar}|")
