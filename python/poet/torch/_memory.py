"""Memory of this process: what PyTorch allocates, what is resident, and that freed tensors leave."""
from __future__ import annotations

import ctypes
import sys
from typing import Any, Callable

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


def is_out_of_memory(error: Exception) -> bool:
    """Whether PyTorch, oneDNN or Python found no memory."""
    return isinstance(error, MemoryError) or "allocate memory" in str(error) or "bad_alloc" in str(error)


def start_ns(event: Any) -> int:
    """Of an event of PyTorch's profiler, in 1.13 and 2."""
    return int(event.start_us() * 1000 if hasattr(event, "start_us") else event.start_ns())


def peak_of(function: Callable[[], Any]) -> int:
    """The most bytes of storages at any time of a call, beside what was there before.

    PyTorch knows sizes by address: set each `.grad` to None before, lest the memory of an earlier profile count.
    """
    with torch.autograd.profiler.profile(profile_memory=True) as profiled:
        kept = function()
    del kept
    held = most = 0
    for event in sorted(profiled.kineto_results.events(), key=start_ns):
        held += int(event.nbytes()) if event.name() == "[memory]" else 0
        most = max(most, held)
    return most
