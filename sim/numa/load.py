"""What the threads do: a closed loop of gets and puts on data of one or several nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.options import Options, option

GET, PUT = range(2)
NEAR, FAR = range(2)
RANDOM, SEQUENTIAL = "random", "sequential"
SPREAD = "spread"
MOST_THREADS = 1024


@dataclass(frozen=True, kw_only=True)
class Load(Options):
    """What every thread does."""

    read_share: float = option(0.0, "share of gets among the operations; the others are puts", low=0.0, high=1.0)
    value_bytes: float = option(400_000.0, "size of a value, in bytes", low=1.0, high=1e9, metavar="B")
    pattern: str = option(RANDOM, "order of the keys", choices=(RANDOM, SEQUENTIAL), metavar="NAME")
    group: int = option(1, "operations that are simulated as one", low=1, high=10**9)
    spread: float = option(
        0.1, "standard deviation of the logarithm of an operation's work (assumed)", low=0.0, high=3.0
    )


@dataclass(frozen=True, kw_only=True)
class Threads:
    """The threads of a run.

    Args:
        count: T, 1 to 1024.
        data: node of everyone's data; shape (T,): of each thread's; shape (T, N): shares of the nodes in each one's
            operations.
        requests: operations of each thread; None: without end.
        pool_bytes: of all data.
        start: `SPREAD`, as a fork places them: on the node with the least threads, there on an idle physical core; or
            shape (T,): logical core of each.
    """

    count: int = 48
    data: int | Sequence[int] | np.ndarray = 0
    requests: int | None = None
    pool_bytes: float = 8e9
    start: str | Sequence[int] | np.ndarray = SPREAD

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST_THREADS or int(self.count) != self.count:
            raise InputError("threads", self.count, f"a whole number from 1 to {MOST_THREADS}")
        if self.requests is not None and self.requests < 1:
            raise InputError("requests", self.requests, "1 or more, or none for a run without end")

    def shares(self, machine: Machine) -> np.ndarray:
        """Shape (T, N): share of the operations of each thread that go to the data of each node.

        Raises:
            InputError: for nodes that there are not, shares that do not sum to 1, or data beyond the memory.
        """
        shares = data_shares(self.data, self.count, machine.nodes)
        stored = self.pool_bytes * shares.mean(axis=0)
        if not 0.0 < self.pool_bytes <= 1e30 or np.any(stored > machine.room_bytes):
            allowed = f"above 0, and at most {machine.memory_bytes:g} on each node ({machine.modules} modules of "
            without = f", {machine.memory_node_gb:g} GB on one without processors" if machine.memory_nodes else ""
            raise InputError("pool_bytes", self.pool_bytes, f"{allowed}{machine.module_gb:g} GB{without})")
        return shares

    def starts(self, machine: Machine) -> np.ndarray:
        """Shape (T,): logical core of each thread when it starts.

        Raises:
            InputError: for a core that there is not.
        """
        if isinstance(self.start, str):
            if self.start != SPREAD:
                raise InputError("start", self.start, f"{SPREAD}, or a logical core for each thread")
            return np.resize(spread_order(machine), self.count)
        start = np.asarray(self.start)
        if start.shape != (self.count,) or np.any((start < 0) | (start >= machine.processors) | (start % 1 != 0)):
            raise InputError("start", self.start, f"{self.count} logical cores from 0 to {machine.processors - 1}")
        return start.astype(int)


def data_shares(data: int | Sequence[int] | np.ndarray, threads: int, nodes: int) -> np.ndarray:
    """Shape (threads, nodes): shares of the nodes in each thread's operations; `data` as in `Threads`.

    Raises:
        InputError: for anything else.
    """
    given = np.asarray(data, dtype=float)
    if given.ndim < 2:
        given = np.broadcast_to(given, (threads,))
        if np.any((given < 0) | (given >= nodes) | (given % 1 != 0)):
            raise InputError("node of the data", data, f"a node from 0 to {nodes - 1}")
        return np.eye(nodes)[given.astype(int)]
    if given.shape != (threads, nodes) or not np.all(given >= 0) or np.any(abs(given.sum(axis=1) - 1.0) > 1e-9):
        allowed = f"{threads} rows of {nodes} shares that sum to 1"
        raise InputError("shares of the nodes in the data", f"shape {given.shape}", allowed)
    return given


def spread_order(machine: Machine) -> np.ndarray:
    """Shape (C,): logical cores in the order in which a fork fills an idle machine: node after node in turn."""
    return np.arange(machine.processors).reshape(machine.thread_nodes, machine.node_cores).T.ravel()
