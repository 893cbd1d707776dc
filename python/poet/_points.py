"""What a sweep returns: its points, each with what a solve of it came to."""
from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union, overload

from ._notebook import image
from ._options import PathLike
from ._program import Files, run_or_raise


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

    def _repr_html_(self) -> str:
        return image(self.plot())

    def _repr_svg_(self) -> str:
        return self.plot()

    def __repr__(self) -> str:
        counts = [f"{count} {status}" for status in ("optimal", "feasible", "infeasible", "unknown", "failed")
                  if (count := sum(point.status == status for point in self))]
        return f"<poet.Sweep of {len(self)} points: {', '.join(counts)}>"


def _point(row: Mapping[str, Any]) -> Point:
    plain = ("status", "model", "platform", "techniques", "ram_budget_bytes", "runtime_budget_ratio", "gap",
             "gap_extra", "energy_overhead", "peak_ram_bytes", "runtime_seconds", "reason")
    return Point(**{key: row[key] for key in plain}, energy=row["energy_joules"], bound=row["lower_bound_joules"],
                 document=dict(row))
