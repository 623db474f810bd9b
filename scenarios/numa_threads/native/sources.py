"""What the threads of a process have done, near their data and far from them: told by our store, or counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from pmtwin.scenarios.numa_threads.native.node_loads import NodeLoads
from pmtwin.scenarios.numa_threads.native.process_files import ThreadFiles

US = 1_000


class Done(NamedTuple):
    """What T threads have done since the last look; nothing in the first one.

    Fields:
        operations: shape (T, 2, 2), by distance, and get or put.
        cpu_ns: shape (T,), CPU time that this took, which the source may know better than the kernel's files: they are
            read a moment earlier or later.
        latency_ns: histogram of the times, rows of (time, number).
    """

    operations: np.ndarray
    cpu_ns: np.ndarray
    latency_ns: np.ndarray


class Source(Protocol):
    """Threads of a process.

    Attributes:
        pid: of the process. always_works: whether its threads never sleep by themselves.
    """

    pid: int
    always_works: bool

    def look(self, threads: Sequence[int], cpu_ns: np.ndarray, near: np.ndarray) -> Done:
        """What threads have done.

        Args:
            threads: their numbers. cpu_ns: shape (T,), CPU time since the last look, of the kernel's files.
            near: shape (T,), share of the process' memory on the node where each thread is.
        """

    def close(self) -> None:
        """Give back what was opened, and end what was started."""


class OtherProcess:
    """Any process: its loads from memory stand for gets.

    Where they are not counted, time on a processor stands for them, in us. They are near and far as the process' memory
    lies where the processor does not tell, or does not know of the nodes.

    Args:
        emulated: whether lists of processors stand for nodes.
    """

    always_works = False

    def __init__(self, pid: int, emulated: bool):
        self.pid, self._emulated, self._loads = pid, emulated, NodeLoads()
        self._loads.look(ThreadFiles(pid).ids()[:1])  # whether they are counted is known from the start

    @property
    def missing(self) -> str:
        """What is not counted here, and what stands for it; empty: nothing."""
        why = self._loads.missing
        return (
            f"near and far loads are not counted ({why}): CPU time stands for them, as the memory lies" if why else ""
        )

    def look(self, threads: Sequence[int], cpu_ns: np.ndarray, near: np.ndarray) -> Done:
        loads = self._loads.look(threads)
        sides = np.zeros((len(threads), 2)) if loads is None else loads.astype(float)
        if loads is None:
            sides[:, 0] = cpu_ns / US
        if loads is None or self._emulated:
            sides = sides.sum(axis=1, keepdims=True) * np.stack([near, 1.0 - near], axis=1)
        operations = np.stack([sides.round(), np.zeros(sides.shape)], axis=2)
        return Done(operations.astype(np.int64), cpu_ns, np.empty((0, 2)))

    def close(self) -> None:
        self._loads.close()
