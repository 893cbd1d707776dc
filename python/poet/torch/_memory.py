"""Memory of this process: what PyTorch allocates, what is resident, and that freed tensors leave."""
from __future__ import annotations

import bisect
import ctypes
import sys
from typing import Any, Callable, Iterable, List, Tuple

from poet.torch._pytorch import torch

_M_MMAP_THRESHOLD = -3
_OWN_PAGES_FROM = 65536


def give_back_freed_memory() -> bool:
    """Makes glibc take pages of their own for each large tensor: else freed tensors leave holes that stay resident."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _OWN_PAGES_FROM))
    except AttributeError:  # another C library
        return False


def start_ns(event: Any) -> int:
    """Of an event of PyTorch's profiler, in 1.13 and 2."""
    return int(event.start_us() * 1000 if hasattr(event, "start_us") else event.start_ns())


def length_ns(event: Any) -> int:
    return int(event.duration_us() * 1000 if hasattr(event, "duration_us") else event.duration_ns())


def changes_of(events: Iterable[Any]) -> List[Tuple[int, int]]:
    """Moments and bytes of what was allocated, and of what was freed as negative numbers, in order."""
    changes = [(start_ns(event), int(event.nbytes())) for event in events if event.name() == "[memory]"]
    return sorted(changes, key=lambda change: change[0])


def most_held(changes: Iterable[Tuple[int, int]]) -> int:
    """The most bytes at any time, beside what was there before."""
    held = most = 0
    for _, change in changes:
        held += change
        most = max(most, held)
    return most


def most_held_during(event: Any, changes: List[Tuple[int, int]]) -> int:
    """The same of the changes while an event of the profiler lasted."""
    begin = bisect.bisect_left(changes, (start_ns(event), -(1 << 62)))
    end = bisect.bisect_right(changes, (start_ns(event) + length_ns(event), 1 << 62))
    return most_held(changes[begin:end])


def peak_of(function: Callable[[], Any]) -> int:
    """The most bytes of storages at any time of a call, beside what was there before.

    PyTorch knows sizes by address: set each `.grad` to None before, lest the memory of an earlier profile count.
    """
    with torch.autograd.profiler.profile(profile_memory=True) as profiled:
        kept = function()
    del kept
    return most_held(changes_of(profiled.kineto_results.events()))
