"""What each call of a step takes: its time, and the memory that it takes and gives back inside.

Each distinct call (operation, shapes, other arguments) is computed alone on numbers of its own, so that measuring needs
the memory of one call, and a network of equal layers is measured once.
"""
from __future__ import annotations

import statistics
import time
from typing import Any, Callable, Dict, List, Optional

from poet.torch._memory import peak_of
from poet.torch._pytorch import torch
from poet.torch._tape import Call, Unschedulable, View

from torch.utils._pytree import tree_flatten, tree_unflatten  # noqa: E402  (after the check for torch)

_SHORT_SECONDS = 1e-3


class below_autograd:
    """Operations run as the dispatch mode saw them. PyTorch 1.13 has a guard, 2 a context manager."""

    def __enter__(self) -> None:
        self._guard: Any = torch._C._AutoDispatchBelowAutograd()
        if hasattr(self._guard, "__enter__"):
            self._guard.__enter__()

    def __exit__(self, *_: Any) -> None:
        if hasattr(self._guard, "__exit__"):
            self._guard.__exit__(None, None, None)
        del self._guard


def overload(name: str) -> Any:
    """The operation that is called aten.mm.default."""
    namespace, packet, which = name.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), packet), which)


def _sample(view: View, generator: Any) -> Any:
    """A tensor of this shape: any floats, and indices that are valid everywhere."""
    size, stride, offset, kind = view.shape
    flat = torch.zeros(view.value.bytes // torch.empty((), dtype=kind).element_size(), dtype=kind)
    if flat.is_floating_point():
        flat.uniform_(0.1, 1.0, generator=generator)
    return flat.as_strided(size, stride, offset)


def _key(call: Call) -> Any:
    return call.name, str([leaf.shape if isinstance(leaf, View) else leaf for leaf in call.leaves()])


def _alone(call: Call, generator: Any) -> Callable[[], Any]:
    leaves, spec = tree_flatten((call.args, call.kwargs))
    args, kwargs = tree_unflatten([_sample(leaf, generator) if isinstance(leaf, View) else leaf for leaf in leaves],
                                  spec)
    func = overload(call.name)
    return lambda: func(*args, **kwargs)


def seconds_of(function: Callable[[], Any]) -> float:
    """The median of some runs after one that is not counted."""
    times: List[float] = []
    while len(times) < 4 or (len(times) < 12 and sum(times) < _SHORT_SECONDS):
        start = time.thread_time()
        function()
        times.append(time.thread_time() - start)
    return statistics.median(times[1:])


def measure(calls: List[Any], news: Optional[Callable[[str], None]] = None, times: bool = True) -> None:
    """Enters the workspace of each call, and with `times` its seconds. The random state is left as it was."""
    distinct: Dict[Any, List[Call]] = {}
    for call in calls:
        if isinstance(call, Call):
            distinct.setdefault(_key(call), []).append(call)
    random = torch.get_rng_state()
    generator = torch.Generator().manual_seed(1)
    try:
        with below_autograd(), torch.autocast("cpu", enabled=False):
            for done, same in enumerate(distinct.values()):
                if news is not None:
                    news(f"measured {done} of {len(distinct)} calls")
                function = _alone(same[0], generator)
                try:
                    seconds = seconds_of(function) if times else 0.0
                    workspace = max(0, peak_of(function) - sum(value.bytes for _, value in same[0].makes))
                except RuntimeError as error:  # it needs numbers of a kind, such as a Cholesky factor
                    if times:
                        raise Unschedulable(f"{same[0].op} in {same[0].module or 'the network'} does not run on random "
                                            f"numbers ({error}); leave out dry=True") from error
                    workspace = 0
                for call in same:
                    call.seconds, call.workspace = seconds if times else call.seconds, workspace
    finally:
        torch.set_rng_state(random)
