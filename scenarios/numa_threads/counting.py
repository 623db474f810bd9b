"""What a window of the machine tells: accesses to persistent memory, bandwidths and utilisation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.numa.kinds import by_offset
from pmtwin.sim.numa.load import FAR, NEAR
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.speed_rows import Costs
from pmtwin.sim.numa.window import Window

LINE_BYTES = 64
GB, MB = 1e9, 1e6
_NS = 1e-9

COUNTERS = ("local", "remote", "core_local", "core_remote", "read_mb_s", "written_mb_s")
"""What processors and memory count of a window."""


class Counts(NamedTuple):
    """A window of T threads and C logical cores.

    Fields:
        window: as the machine counts. group: store's operations in each one that it counts.
        lines: shape (2,), cache lines of such a get and put in persistent memory. loads: those of them that it reads.
        local, remote: shape (T,), accesses of each thread, in cache lines.
        core_local, core_remote: shape (C,), those of each logical core.
        read_mb_s, written_mb_s: of all nodes' memory.
        use: shape (C,), share of the window in which each logical core was busy.
        busy: shape (N,), logical cores of each node that were, on average.
    """

    window: Window
    group: int
    lines: np.ndarray
    loads: np.ndarray
    local: np.ndarray
    remote: np.ndarray
    core_local: np.ndarray
    core_remote: np.ndarray
    read_mb_s: float
    written_mb_s: float
    use: np.ndarray
    busy: np.ndarray

    def bandwidth_mb_s(self, threads: list[int] | None = None) -> tuple[float, float]:
        """What these threads read and write; None: all of them, by the counters of the memory."""
        if threads is None:
            return self.read_mb_s, self.written_mb_s
        done = self.window.thread["done"][threads].sum(axis=(0, 1)) / self.window.seconds
        read, written = (float(done @ each) * LINE_BYTES / MB for each in (self.loads, self.lines - self.loads))
        return read, written

    @property
    def running(self) -> np.ndarray:
        """Shape (N, H, 2): threads that had a core, in whole numbers, by kind."""
        flow = self.window.flow.astype(float)  # node of the data, of the thread, operation
        flow *= (self.busy / np.maximum(flow.sum(axis=(0, 2)), 1.0))[None, :, None]
        return np.ceil(by_offset(flow) - 1e-6)

    @property
    def thread_use(self) -> np.ndarray:
        """Shape (T,): share of the window in which each thread had a core."""
        return _NS * self.window.thread["cpu_ns"] / self.window.seconds


def counted(window: Window, machine: Machine, costs: Costs, group: int, loads_alone: bool = False) -> Counts:
    """The counts of a window that is longer than nothing."""
    lines, loads = lines_of(costs), np.asarray(costs.read_bytes) / LINE_BYTES
    seen = loads if loads_alone else lines
    local, remote = (window.thread["done"][:, side] @ seen for side in (NEAR, FAR))
    core_local, core_remote = (window.core["done"][:, side] @ seen for side in (NEAR, FAR))
    read, written = (float(each.sum()) / window.seconds / MB for each in (window.read_bytes, window.written_bytes))
    use = _NS * window.core["busy_ns"] / window.seconds
    busy = np.bincount(machine.node_of, weights=use, minlength=machine.nodes)
    return Counts(window, group, lines, loads, local, remote, core_local, core_remote, read, written, use, busy)


def noisy(counts: Counts, spread: float, rng: np.random.Generator) -> Counts:
    """Counters that are wrong by factors, each with a logarithm of this standard deviation."""
    exact = {name: getattr(counts, name) for name in COUNTERS}
    shown = {name: each * np.exp(rng.normal(0.0, spread, np.shape(each))) for name, each in exact.items()}
    return counts._replace(**shown)


def lines_of(costs: Costs) -> np.ndarray:
    """Shape (2,): cache lines of persistent memory that a get and a put access."""
    return (np.asarray(costs.read_bytes) + np.asarray(costs.written_bytes)) / LINE_BYTES


def share(part: float, other: float) -> float:
    """A part of a sum; 0 of nothing."""
    return float(part / (part + other)) if part + other > 0.0 else 0.0


def unbalanced_cores(counts: Counts, imbalance: float) -> list[int]:
    """Logical cores whose share of remote accesses is at least this; one without accesses is balanced."""
    total = counts.core_local + counts.core_remote
    remote = np.divide(counts.core_remote, total, out=np.full(len(total), -1.0), where=total > 0.0)
    return np.flatnonzero(remote >= imbalance).tolist()
