"""What happened between two looks at a machine: counters of threads, cores and nodes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pmtwin.sim.numa.latencies import quantile_ns
from pmtwin.sim.numa.load import NEAR
from pmtwin.sim.numa.records import CORE, THREAD, State
from pmtwin.sim.numa.speed_rows import Costs

THREAD_COUNTERS = (
    "cpu_ns", "sys_ns", "wait_ns", "latency_ns", "operations", "done", "migrations", "node_migrations", "switches",
    "minor_faults",
)  # fmt: skip
CORE_COUNTERS = ("busy_ns", "runnable_ns", "done")


class Counters(NamedTuple):
    """All that has been counted since the start."""

    now_ns: float
    thread: np.ndarray
    core: np.ndarray
    flow: np.ndarray
    latency: np.ndarray


class Window(NamedTuple):
    """Counters of a window of T threads, C logical cores and N nodes.

    Fields:
        seconds: its length.
        thread: shape (T,), `THREAD_COUNTERS`: time with a core, of it with the kernel's work; time ready in a queue; of
            all operations; number of operations, of them by distance and operation; moves to another core and node;
            switches; faults.
        core: shape (C,), `CORE_COUNTERS`: time with a thread; integral of the threads on the queue; operations by
            distance and operation.
        flow: shape (N, N, 2), operations by node of the data, node of the thread, operation. One is counted where it
            ends.
        latency: histogram of the operations' times, `pmtwin.sim.numa.latencies`.
        read_bytes, written_bytes: shape (N,), of each node's memory.
        link_bytes: shape (N, N), data from node to node.
    """

    seconds: float
    thread: np.ndarray
    core: np.ndarray
    flow: np.ndarray
    latency: np.ndarray
    read_bytes: np.ndarray
    written_bytes: np.ndarray
    link_bytes: np.ndarray

    @property
    def operations_per_s(self) -> float:
        """Of all threads."""
        return float(self.flow.sum()) / self.seconds if self.seconds else math.nan

    @property
    def local_share(self) -> float:
        """Share of the operations on data of the thread's own node."""
        total = float(self.flow.sum())
        return float(self.core["done"][:, NEAR].sum()) / total if total else math.nan

    @property
    def p99_ns(self) -> float:
        """Time that 99 % of the operations took at most."""
        return quantile_ns(self.latency, 0.99)


def counters_of(state: State) -> Counters:
    """A copy of the counters."""
    thread, core = _counted(state.thread, THREAD, THREAD_COUNTERS), _counted(state.core, CORE, CORE_COUNTERS)
    return Counters(float(state.tally["now_ns"][0]), thread, core, state.flow.copy(), state.latency.copy())


def window_between(before: Counters, after: Counters, costs: Costs) -> Window:
    """What happened between two looks."""
    flow = after.flow - before.flow
    read, written = flow @ np.asarray(costs.read_bytes), flow @ np.asarray(costs.written_bytes)
    between = written.T + read  # of what flows from a node to another, the reader's node comes last
    return Window(
        seconds=1e-9 * (after.now_ns - before.now_ns),
        thread=_less(after.thread, before.thread),
        core=_less(after.core, before.core),
        flow=flow,
        latency=after.latency - before.latency,
        read_bytes=read.sum(axis=1),
        written_bytes=written.sum(axis=1),
        link_bytes=between * (1.0 - np.eye(len(flow))),
    )


def _counted(records: np.ndarray, kind: np.dtype, names: tuple[str, ...]) -> np.ndarray:
    counters = np.empty(len(records), np.dtype([(name, kind[name].base, kind[name].shape) for name in names]))
    for name in names:
        counters[name] = records[name]
    return counters


def _less(after: np.ndarray, before: np.ndarray) -> np.ndarray:
    difference = np.empty_like(after)
    for name in after.dtype.names or ():
        difference[name] = after[name] - before[name]
    return difference
