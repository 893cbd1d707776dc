"""The parts of a schedule file and of a run as typed records. docs/schedule-format.md and docs/run-format.md have the
keys; every quantity has its unit in its name."""
from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Dict, List, Mapping, Optional, Tuple, Type, TypeVar

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

    `offset` is the place of the output in the arena, `slot` that of a copy in secondary storage, both in bytes; `over`
    is the input whose RAM a computation takes over.
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


@dataclass(frozen=True)
class Run:
    """A training step, computed by its schedule and without one.

    Attributes:
        equal: whether all gradients, losses and parameters have the same bits.
        losses: one for each step; None where it is not finite.
        document: all of what the run gave (docs/run-format.md).
    """

    equal: bool
    losses: Tuple[Optional[float], ...]
    arena_bytes: int
    peak_touched_bytes: int
    seconds: float
    unscheduled_seconds: float
    document: Dict[str, Any]

    @property
    def gradients(self) -> List[Gradient]:
        """Of every trained layer."""
        return [record(Gradient, gradient) for gradient in self.document["gradients"]]

    def __bool__(self) -> bool:
        return self.equal
