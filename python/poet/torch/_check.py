"""The gradients of a schedule beside the gradients of autograd."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

from poet._model import Model
from poet._optimize import optimize
from poet._platform import PlatformLike
from poet._options import Duration, Size
from poet._records import Run
from poet._schedule import Schedule
from poet.errors import NoSchedule
from poet.torch._document import trace
from poet.torch._pytorch import in_training, torch
from poet.torch._state import arrays_of, entries


@dataclass(frozen=True)
class Row:
    """A parameter: how far its gradient by the schedule is from the one of autograd.

    Attributes:
        error: the largest difference of two elements, as a share of the largest element of autograd's gradient, or of a
            hundredth of the largest of all gradients if that is more: the gradient of a bias before a batch norm is
            zero but for rounding.
    """

    name: str
    count: int
    error: float


@dataclass(frozen=True)
class Check:
    """A training step of a module by a schedule and by autograd; true if they agree. Printed, it is a table.

    Attributes:
        rows: one for each parameter that trains.
        loss, expected_loss: of the schedule and of PyTorch.
        tolerance: the largest error that counts as agreement.
        schedule: that was run, with its model.
        run: its run, which was also compared, bit by bit, with the same step unscheduled.
    """

    rows: Tuple[Row, ...]
    loss: float
    expected_loss: float
    tolerance: float
    schedule: Schedule
    run: Run

    @property
    def ok(self) -> bool:
        """Whether the loss and all gradients agree, and the schedule changes no bit."""
        return self.run.equal and self.loss_error <= self.tolerance and all(row.error <= self.tolerance
                                                                            for row in self.rows)

    @property
    def loss_error(self) -> float:
        """The difference of the losses as a share of PyTorch's."""
        return abs(self.loss - self.expected_loss) / max(abs(self.expected_loss), 1e-30)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        width = max([len("gradient")] + [len(row.name) for row in self.rows])
        lines = [f"{'gradient':<{width}} {'elements':>9} {'error':>9}"]
        for row in self.rows:
            said = "" if row.error <= self.tolerance else "  differs"
            lines.append(f"{row.name:<{width}} {row.count:>9} {row.error:>9.1e}{said}")
        said = "" if self.loss_error <= self.tolerance else "  differs"
        lines.append(f"{'loss':<{width}} {self.loss:>9.6g} {self.loss_error:>9.1e}{said}")
        bits = "the same bits as" if self.run.equal else "OTHER BITS than"
        recomputed = len([each for each in self.schedule.program if each.op == "compute"]) - len(self.schedule.nodes)
        paged = len([each for each in self.schedule.program if each.op == "page_out"])
        lines.append(f"scheduled in {self.run.arena_bytes} bytes, {recomputed} recomputations and {paged} page-outs: "
                     f"{bits} unscheduled")
        return "\n".join(lines)


def check(net: Any, x: Any, y: Any, *, platform: PlatformLike = "m4", ram: Optional[Size] = None,
          runtime: Duration = 2, loss: Optional[str] = None, tolerance: float = 1e-4, effort: str = "fast") -> Check:
    """Imports a module, solves a schedule for it, runs that, and compares loss and gradients with autograd.

    Args:
        net: a `torch.nn.Module`, which is left as it is. Its dropout has to be 0, as the random numbers differ.
        x: its input, or a tuple of several; samples in the first extent.
        y: what the loss compares with: classes (int64) or numbers.
        platform: that the schedule is solved for.
        ram: the RAM budget; without one, the first of 60 %, 75 %, 90 % and 100 % of what keeping everything takes that
            has a schedule.
        runtime: the runtime budget.
        loss: "cross_entropy" or "mse"; without, as `poet.torch.trace` chooses.
        tolerance: the largest error that counts as agreement; float32 sums in another order differ by 1e-6 or so.
        effort: of the solve.

    Raises:
        poet.torch.Refused: no layers stand for a part of it.
        poet.PoetError: as `poet.optimize` and `poet.Schedule.run`.
    """
    inputs = tuple(x) if isinstance(x, (tuple, list)) else (x,)
    arrays: Dict[str, Any] = {}
    notes: List[str] = []
    document = trace(net, *inputs, loss=loss, notes=notes, parameters=arrays)
    last = document["layers"][-1]
    batch = inputs[0].shape[0]
    has_batch = any(entry["shape"][0] == "N" for entry in document["inputs"].values())
    schedule = _solved(document, platform, [ram] if ram is not None else ["60%", "75%", "90%", "100%"], runtime, effort,
                       batch if has_batch else 1)
    names = ["input"] + [f"input{i}" for i in range(2, len(inputs) + 1)]
    run = schedule.run(parameters=arrays, inputs={name: _numbers(each) for name, each in zip(names, inputs)},
                       targets=_numbers(_as_target(y, last["op"])))
    expected, gradients = _by_autograd(net, inputs, y, last["op"])
    return Check(_rows(run.arrays.get("gradients", {}), gradients), float(run.losses[0] or 0.0), expected, tolerance,
                 schedule, run)


def _solved(document: Dict[str, Any], platform: PlatformLike, budgets: List[Size], runtime: Duration, effort: str,
            batch: int) -> Schedule:
    """By the first budget that has a schedule. Raises NoSchedule if none has."""
    for ram in budgets[:-1]:
        try:
            return optimize(Model(document), platform, ram, runtime, effort=effort, backward="exact", batch_size=batch,
                            progress=False)
        except NoSchedule:
            pass
    return optimize(Model(document), platform, budgets[-1], runtime, effort=effort, backward="exact", batch_size=batch,
                    progress=False)


def _numbers(tensor: Any) -> Any:
    return tensor.detach().cpu().numpy()


def _as_target(y: Any, op: str) -> Any:
    """Classes of pixels follow their samples in the order of rows, as the loss sees them."""
    return y.reshape(-1) if op == "cross_entropy" and y.dim() > 1 else y


def _by_autograd(net: Any, inputs: Tuple[Any, ...], y: Any, op: str) -> Tuple[float, Dict[str, Any]]:
    """The loss, and gradients as arrays by the names of layers. The module keeps its gradients and buffers."""
    kept = [(buffer, buffer.clone()) for buffer in net.buffers()]
    functional = torch.nn.functional
    try:
        with in_training(net), torch.enable_grad():
            output = net(*inputs)
            while not torch.is_tensor(output):
                output = next(iter(output.values())) if isinstance(output, dict) else output[0]
            if op == "mse":
                value = functional.mse_loss(output, y)
            else:
                rows = output if output.dim() in (2, 4) else output.reshape(-1, output.shape[-1])
                value = functional.cross_entropy(rows, y if output.dim() == 4 else y.reshape(-1))
            trained = [(name, each) for name, each in net.named_parameters() if each.requires_grad]
            found = torch.autograd.grad(value, [each for _, each in trained], allow_unused=True)
    finally:
        with torch.no_grad():
            for buffer, before in kept:
                buffer.copy_(before)
    by_name = {name: gradient for (name, _), gradient in zip(trained, found) if gradient is not None}
    return float(value), arrays_of(by_name, entries(net))


def _rows(found: Mapping[str, Any], expected: Mapping[str, Any]) -> Tuple[Row, ...]:
    """A gradient that only one of the two has counts as another one."""
    rows: List[Row] = []
    least = max([1e-30] + [1e-2 * float(abs(each).max()) for each in expected.values()])
    for name in list(expected) + [name for name in found if name not in expected]:
        if name not in found or name not in expected:
            rows.append(Row(name, 0, float("inf")))
            continue
        theirs = expected[name].reshape(-1).astype("float64")
        ours = found[name].reshape(-1).astype("float64")
        largest = max(float(abs(theirs).max()), least)
        difference = float(abs(ours - theirs).max()) / largest if ours.shape == theirs.shape else float("inf")
        rows.append(Row(name, theirs.size, difference if difference == difference else float("inf")))
    return tuple(rows)
