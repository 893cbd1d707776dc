"""A schedule as the matrices of POET's MILP (Patil et al., ICML 2022, section 4)."""
from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, List, Sequence, Tuple

from ._records import Node, Stage

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Matrix = NDArray[numpy.int64]


def require_numpy() -> ModuleType:
    """numpy, or an ImportError that says what it is needed for."""
    try:
        import numpy
    except ImportError as error:
        raise ImportError("the matrices of a solution need numpy, which is not installed", name="numpy") from error
    return numpy


@dataclass(frozen=True)
class Matrices:
    """T x T matrices of 0 and 1 for a graph of T nodes; row t is stage t, column i node i.

    Attributes:
        R: node i is computed in stage t.
        SRam: the output of node i is in RAM when stage t starts.
        SSd: a copy of it is in secondary storage when stage t starts.
        MIn, MOut: it is read back, or written, during stage t.
    """

    R: Matrix
    SRam: Matrix
    SSd: Matrix
    MIn: Matrix
    MOut: Matrix


def matrices_of(stages: Sequence[Stage]) -> Matrices:
    """The matrices of a schedule.

    Raises:
        ImportError: numpy is not installed.
    """
    np = require_numpy()
    count = len(stages)

    def matrix(rows: Sequence[Sequence[int]]) -> Matrix:
        entries: Matrix = np.zeros((count, count), dtype=np.int64)
        for t, row in enumerate(rows):
            entries[t, list(row)] = 1
        return entries

    written = matrix([stage.page_out for stage in stages])
    # A copy can be used from the next stage on, and is never lost.
    stored = np.zeros_like(written)
    stored[1:] = np.maximum.accumulate(written, axis=0)[:-1]
    return Matrices(R=matrix([stage.compute for stage in stages]), SRam=matrix([stage.resident for stage in stages]),
                    SSd=stored, MIn=matrix([stage.page_in for stage in stages]), MOut=written)


def edges_of(nodes: Sequence[Node]) -> List[Tuple[int, int]]:
    """The edges (input, user), in the order of their users; an input that a node reads twice is one edge."""
    return [(i, k) for k, node in enumerate(nodes) for i in dict.fromkeys(node.inputs)]


def freed_of(nodes: Sequence[Node], matrices: Matrices) -> Matrix:
    """POET's Free, T x edges: 1 if the edge's input goes right after its user is computed in stage t.

    That is where 1 - R[t, k] + SRam[t + 1, i] + the sum of R[t, j] over later users j of i is 0.
    """
    np = require_numpy()
    edges = edges_of(nodes)
    users: List[List[int]] = [[] for _ in nodes]
    for i, k in edges:
        users[i].append(k)
    kept = np.zeros_like(matrices.SRam)
    kept[:-1] = matrices.SRam[1:]
    free: Matrix = np.zeros((len(nodes), len(edges)), dtype=np.int64)
    for e, (i, k) in enumerate(edges):
        later = [j for j in users[i] if j > k]
        free[:, e] = (1 - matrices.R[:, k] + kept[:, i] + matrices.R[:, later].sum(axis=1)) == 0
    return free


def ram_of(nodes: Sequence[Node], matrices: Matrices, free: Matrix) -> NDArray[numpy.float64]:
    """POET's U, T x T: bytes in RAM once node k has been computed in stage t, or passed over."""
    np = require_numpy()
    count = len(nodes)
    sizes = np.array([node.bytes for node in nodes], dtype=np.float64)
    goes = np.zeros((count, count))
    for e, (i, k) in enumerate(edges_of(nodes)):
        goes[:, k] += sizes[i] * free[:, e]
    change = matrices.R * sizes
    change[:, 1:] -= goes[:, :-1]
    change[:, 0] += matrices.SRam @ sizes
    ram: NDArray[numpy.float64] = np.cumsum(change, axis=1)
    return ram
