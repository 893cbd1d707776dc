"""A file without a name that tensors are written to and read from by a thread beside the step.

It has no name from the start, so that it goes with the process, even after a kill. Its blocks are allocated before the
first step: a disk that is full says so then. The page cache is RAM too, and is dropped behind each transfer.
"""
from __future__ import annotations

import ctypes
import os
import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Tuple

from poet.torch._graph import Disk
from poet.torch._pytorch import torch
from poet.torch._tape import Shape, storage_of

_TRIED_BYTES = 1 << 22


def _bytes_of(tensor: Any) -> memoryview:
    """The memory of a tensor that covers its storage, of any type."""
    storage = storage_of(tensor)
    return memoryview((ctypes.c_char * int(storage.nbytes())).from_address(storage.data_ptr())).cast("B")


class PageFile:
    """Args:
        folder: on the disk that pages go to.
        size: bytes.

    Raises:
        OSError: the folder is not there, or the disk has no room.
    """

    def __init__(self, folder: str, size: int) -> None:
        try:
            self._file = tempfile.TemporaryFile(dir=folder, prefix="poet-pages-", buffering=0)
            os.posix_fallocate(self._file.fileno(), 0, size)
        except OSError as error:
            raise OSError(error.errno, f"paging={folder!r}: no page file of {size} bytes: {error.strerror}") from error
        self._thread = ThreadPoolExecutor(1, "poet-pages")

    def write(self, tensor: Any, slot: int) -> Future[None]:
        """Starts a page-out. The tensor may be given back when it is done."""
        return self._thread.submit(self._write, tensor, slot)

    def read(self, shape: Shape, slot: int) -> Tuple[Any, Future[None]]:
        """Starts a page-in into a new tensor."""
        size, stride, _, kind = shape
        tensor = torch.empty_strided(size, stride, dtype=kind)
        return tensor, self._thread.submit(self._read, tensor, slot)

    def _write(self, tensor: Any, slot: int) -> None:
        data, file, done = _bytes_of(tensor), self._file.fileno(), 0
        while done < len(data):
            done += os.pwrite(file, data[done:], slot + done)
        os.fdatasync(file)
        os.posix_fadvise(file, slot, len(data), os.POSIX_FADV_DONTNEED)

    def _read(self, tensor: Any, slot: int) -> None:
        data, file, done = _bytes_of(tensor), self._file.fileno(), 0
        while done < len(data):
            count = os.preadv(file, [data[done:]], slot + done)
            if count == 0:
                raise OSError(f"the page file ends at byte {slot + done}; it was truncated by something else")
            done += count
        os.posix_fadvise(file, slot, len(data), os.POSIX_FADV_DONTNEED)


def disk_in(folder: str) -> Disk:
    """Times of transfers in this folder, measured."""
    file = PageFile(folder, _TRIED_BYTES)
    seconds = []
    for size in (4096, _TRIED_BYTES):
        tensor = torch.ones(size // 4)
        start = time.perf_counter()
        file.write(tensor, 0).result()
        middle = time.perf_counter()
        file.read((tuple(tensor.shape), (1,), 0, tensor.dtype), 0)[1].result()
        seconds.append((middle - start, time.perf_counter() - middle))
    (small_out, small_in), (out, back) = seconds
    return Disk(max(small_out, small_in), out / _TRIED_BYTES, back / _TRIED_BYTES)
