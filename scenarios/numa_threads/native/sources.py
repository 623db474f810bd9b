"""What the threads of a process have done, near their data and far from them: told by our store, or counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np

from pmtwin.scenarios.numa_threads.native.node_loads import NodeLoads
from pmtwin.scenarios.numa_threads.native.process_files import Counted, ThreadFiles

US = 1_000


class Done(NamedTuple):
    """What all threads have done since the start.

    Fields:
        of_thread: number of a thread -> shape (2, 2), by distance, and get or put.
        cpu_ns: number of a thread -> CPU time that this took, where the source knows it better than the kernel's files,
            which are read a moment earlier or later.
        latency_ns: histogram of the times since the last look, rows of (time, number).
    """

    of_thread: Mapping[int, np.ndarray]
    cpu_ns: Mapping[int, int]
    latency_ns: np.ndarray


class Source(Protocol):
    """Threads of a process.

    Attributes:
        pid: of the process. always_works: whether its threads never sleep by themselves.
    """

    pid: int
    always_works: bool

    def look(self, counted: Mapping[int, Counted], near: Mapping[int, float]) -> Done:
        """What they have done.

        Args:
            counted: of the kernel. near: share of the process' memory on the node where each thread is.
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
        self._before: dict[tuple[int, bool], np.ndarray] = {}
        self._sides: dict[int, np.ndarray] = {}
        for thread in ThreadFiles(pid).ids()[:1]:  # whether they are counted is known from the start
            self._loads.look(thread)

    @property
    def missing(self) -> str:
        """What is not counted here, and what stands for it; empty: nothing."""
        why = self._loads.missing
        return (
            f"near and far loads are not counted ({why}): CPU time stands for them, as the memory lies" if why else ""
        )

    def look(self, counted: Mapping[int, Counted], near: Mapping[int, float]) -> Done:
        done = {thread: self._of(thread, each.cpu_ns, near[thread]) for thread, each in counted.items()}
        return Done(done, {}, np.empty((0, 2)))

    def close(self) -> None:
        self._loads.close()

    def _of(self, thread: int, cpu_ns: int, near: float) -> np.ndarray:
        loads = self._loads.look(thread)
        kind, now = (thread, loads is None), np.array([cpu_ns / US, 0.0] if loads is None else loads, float)
        passed = now - self._before.get(kind, now)
        self._before[kind] = now
        if loads is None or self._emulated:
            passed = passed.sum() * np.array([near, 1.0 - near])
        sides = self._sides[thread] = self._sides.get(thread, np.zeros(2)) + passed
        return np.stack([sides.round(), np.zeros(2)], axis=1).astype(np.int64)
