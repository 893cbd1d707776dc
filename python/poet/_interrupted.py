"""What is left of a solve or a sweep that is stopped."""
from __future__ import annotations

from typing import Optional

from ._points import Sweep
from ._schedule import Schedule


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or the stop button of a notebook, has ended a solve or a sweep. A KeyboardInterrupt, and no `PoetError`.

    In a notebook, `sys.last_value` is the exception of the cell that was stopped.

    Attributes:
        best: the best schedule of a solve so far, with its bound; None if there was none yet.
        rows: the finished points of a sweep; None if there were none yet.
    """

    def __init__(self, best: Optional[Schedule] = None, rows: Optional[Sweep] = None) -> None:
        super().__init__()
        self.best = best
        self.rows = rows

    def __str__(self) -> str:
        if self.best is not None:
            return f"the best schedule so far is the attribute `best` of this exception: {self.best!r}"
        if self.rows is not None:
            return f"the finished points are the attribute `rows` of this exception: {self.rows!r}"
        return "nothing was found so far"
