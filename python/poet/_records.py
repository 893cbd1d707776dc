"""The parts of a schedule file and of a run as typed records. docs/schedule-format.md and docs/run-format.md have the
keys; every quantity has its unit in its name."""
from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Dict, List, Mapping, Optional, Tuple, Type, TypeVar

from ._notebook import figure, html_table, table

Record = TypeVar("Record")


def record(kind: Type[Record], document: Mapping[str, Any]) -> Record:
    """A record from the keys of a document that it has a member for; lists become tuples."""
    members = {member.name for member in fields(kind)}
    return kind(**{key: tuple(value) if isinstance(value, list) else value
                   for key, value in document.items() if key in members})


@dataclass(frozen=True)
class Node:
    """A node of the training graph: the output of a layer, a gradient or an update."""

    name: str
    op: str
    bytes: int
    runtime_seconds: float
    energy_joules: float
    page_in_energy_joules: float
    page_out_energy_joules: float
    inputs: Tuple[int, ...]
    backward: bool
    in_place: Optional[int] = None
    workspace_bytes: int = 0
    recompute: bool = True
    page: bool = True
    reads_parameters: Tuple[str, ...] = ()
    writes_parameters: Tuple[str, ...] = ()
    page_in_seconds: float = 0.0
    page_out_seconds: float = 0.0
    storage_bytes: Optional[int] = None
    in_place_choices: Tuple[int, ...] = ()


@dataclass(frozen=True)
class Stage:
    """Stage t ends with the first computation of node t. Nodes are named by their index."""

    stage: int
    resident: Tuple[int, ...]
    compute: Tuple[int, ...]
    page_out: Tuple[int, ...]
    page_in: Tuple[int, ...]
    peak_ram_bytes: int


@dataclass(frozen=True)
class Instruction:
    """A step of the flat program: compute, free, page_out, page_in or move.

    `offset` is the place of the output in the arena, `slot` the place of a copy in secondary storage, both in bytes;
    `over` is the input whose RAM a computation takes over.
    """

    op: str
    node: int
    offset: Optional[int] = None
    slot: Optional[int] = None
    over: Optional[int] = None
    workspace_offset: Optional[int] = None


@dataclass(frozen=True)
class Gradient:
    """The gradient of a layer's parameters in the last step, and whether it had the bits of the unscheduled step."""

    name: str
    count: int
    sha256: str
    equal: bool


class Gradients(List[Gradient]):
    """The gradients of a run: by place, a `Gradient` of a layer; by name, such as "conv1.weight", an array of numpy."""

    def __init__(self, records: List[Gradient], arrays: Mapping[str, Any]) -> None:
        super().__init__(records)
        self.arrays = arrays

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in self.arrays:
            names = ", ".join(self.arrays) or "nothing, as numpy is missing, or the run is not equal or without arrays"
            raise KeyError(f"found no gradient of '{key}'; there is {names}")
        return self.arrays[key]


@dataclass(frozen=True, repr=False)
class Run:
    """A training step, or a forward pass, computed by its schedule and without one.

    Attributes:
        equal: whether all gradients, outputs, losses and parameters have the same bits.
        losses: one for each step; None where it is not finite.
        document: all of what the run gave (docs/run-format.md).
        arrays: the numbers of the last step by kind ("parameters", "gradients", "outputs") and name, as arrays of
            numpy; empty without numpy, and if the run is not equal.
    """

    equal: bool
    losses: Tuple[Optional[float], ...]
    arena_bytes: int
    peak_touched_bytes: int
    seconds: float
    unscheduled_seconds: float
    document: Dict[str, Any]
    arrays: Dict[str, Dict[str, Any]] = field(default_factory=dict)

    @property
    def gradients(self) -> Gradients:
        """Of every trained layer; `gradients["conv1.weight"]` is an array."""
        return Gradients([record(Gradient, gradient) for gradient in self.document["gradients"]],
                         self.arrays.get("gradients", {}))

    @property
    def parameters(self) -> Dict[str, Any]:
        """After the last step, frozen ones included, by the names of PyTorch's state_dict()."""
        return self.arrays.get("parameters", {})

    @property
    def outputs(self) -> Dict[str, Any]:
        """What the losses of the last step were computed from, by the name of the layer; of a forward pass, what no
        layer reads as well."""
        return self.arrays.get("outputs", {})

    def __bool__(self) -> bool:
        return self.equal

    def _rows(self) -> Dict[str, str]:
        return {"equal to the step without a schedule": "yes, bit for bit" if self.equal else "no",
                "losses": ", ".join(figure(loss, "") for loss in self.losses),
                "gradients": figure(len(self.document.get("gradients") or ()), ""),
                "RAM": figure(self.arena_bytes, "bytes"),
                "time": f"{figure(self.seconds, 's')}; without a schedule {figure(self.unscheduled_seconds, 's')}"}

    def __repr__(self) -> str:
        return table(self._rows())

    def _repr_html_(self) -> str:
        return html_table(self._rows())
