"""Loads of threads from the memory of their own node and of others, counted by the processor (perf_event_open(2))."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Sequence

import numpy as np

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
"""Number of the system call."""

HW_CACHE, NODE, READ, ACCESS, MISS = 3, 6, 0, 0, 1
"""Of `linux/perf_event.h`: an access of the cache "node" is a load from memory, a miss one from another node's."""

ATTRIBUTE_BYTES = 64
"""Of the first published form of the attributes; the kernel takes it for ever."""

USER_ONLY = 1 << 5 | 1 << 6
"""Flags exclude_kernel and exclude_hv: what everyone may count of their own processes."""


class NodeLoads:
    """Counters of threads, opened as the threads come and closed as they go.

    Attributes:
        missing: why loads are not counted here; empty while they are.
    """

    def __init__(self) -> None:
        self._open = dict[int, tuple[int, int]]()
        self._last = dict[int, np.ndarray]()
        self.missing = ""

    def look(self, threads: Sequence[int]) -> np.ndarray | None:
        """Shape (T, 2): near and far loads of each thread since the last look; None where they are not counted."""
        if self.missing:
            return None
        try:
            now = {thread: self._counted(thread) for thread in threads}
        except OSError as error:
            self.missing = f"perf_event_open: {error.strerror}"
            self.close()
            return None
        for thread in self._open.keys() - now.keys():
            self._close(thread)
        passed = [counts - self._last.get(thread, counts) for thread, counts in now.items()]
        self._last = now
        return np.array(passed, np.int64).reshape(-1, 2)

    def close(self) -> None:
        """Close all counters."""
        for thread in tuple(self._open):
            self._close(thread)

    def _close(self, thread: int) -> None:
        for file in self._open.pop(thread):
            os.close(file)

    def _counted(self, thread: int) -> np.ndarray:
        """Near and far loads of a thread since it was first looked at; none of one that has ended before."""
        if thread not in self._open:
            try:
                self._open[thread] = self._opened(thread)
            except ProcessLookupError:
                return np.zeros(2, np.int64)
        every, far = (int.from_bytes(os.read(file, 8), sys.byteorder) for file in self._open[thread])
        return np.array([max(every - far, 0), far])

    def _opened(self, thread: int) -> tuple[int, int]:
        every = _counter(thread, ACCESS)
        try:
            return every, _counter(thread, MISS)
        except OSError:
            os.close(every)
            raise


def _counter(thread: int, result: int) -> int:
    """File of a running counter of a thread.

    Raises:
        OSError: the kernel does not allow it, or the processor, or a virtual one, has none.
    """
    number = PERF_EVENT_OPEN.get(platform.machine())
    if number is None:
        raise OSError(0, f"not known for {platform.machine()}")
    config = NODE | READ << 8 | result << 16
    attributes = struct.pack("=IIQQQQQ", HW_CACHE, ATTRIBUTE_BYTES, config, 0, 0, 0, USER_ONLY)
    buffer = ctypes.create_string_buffer(attributes, ATTRIBUTE_BYTES)
    libc = ctypes.CDLL(None, use_errno=True)
    file = libc.syscall(number, buffer, thread, -1, -1, 0)
    if file < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return file
