"""Values copied from one node's memory to another's while threads work: read at the source, written at the target.

The copying threads run on logical cores of the target that nobody else needs (assumed): far reads are faster than far
writes. If the target has no processors, they run at the source, and if neither has, on the first node. They occupy
memory and links as a get and the put of a new key do. All others then take longer, by the factors of the threads that
ran in the window before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.numa.kinds import by_offset
from pmtwin.sim.numa.load import GET, PUT
from pmtwin.sim.numa.speed_rows import Costs
from pmtwin.sim.numa.window import Window

ROUNDS = 5
"""In which the share of their time that copying threads spend on reads, or a mix of operations, settles."""


class Copying(NamedTuple):
    """Threads that copy.

    Fields:
        values_per_ns: of all together.
        slower: how many times as long the software and the memory of an operation of each other thread take beside
            them, shape (2, N, H, 2).
    """

    values_per_ns: float
    slower: np.ndarray


class Slowed:
    """Costs of threads that take longer than by themselves; `slower`: as in `Copying`."""

    def __init__(self, costs: Costs, slower: np.ndarray):
        self._costs, self._slower = costs, slower
        self.read_bytes, self.written_bytes = costs.read_bytes, costs.written_bytes
        self.sibling_factor, self.refill_ns_per_byte = costs.sibling_factor, costs.refill_ns_per_byte

    def times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Times of these threads."""
        software, memory = self._costs.times(counts)
        return software * self._slower[0], memory * self._slower[1]


def copying(
    costs: Costs, inserts: Costs, running: np.ndarray, source: int, target: int, threads: float, thread_nodes: int
) -> Copying:
    """So many threads that copy values from a source to a target.

    Args:
        costs: of gets. inserts: of puts of new keys. running: threads that work, shape (N, H, 2).
        thread_nodes: number of nodes with processors, the first ones.
    """
    where = next((node for node in (target, source) if node < thread_nodes), 0)
    read, written = ((where - node) % len(running) for node in (source, target))
    reads, get_ns, put_ns = 0.5, 1.0, 1.0
    beside = np.zeros(running.shape)
    for _ in range(ROUNDS):
        beside[source, read, GET], beside[target, written, PUT] = threads * reads, threads * (1.0 - reads)
        counts = (running + beside)[None]
        get_ns = float(_operation_ns(costs, counts)[0, source, read, GET])
        put_ns = float(_operation_ns(inserts, counts)[0, target, written, PUT])
        reads = 0.5 * (reads + get_ns / (get_ns + put_ns))
    alone, together = (costs.times(each[None]) for each in (running, running + beside))
    slower = np.stack(
        [
            np.divide(
                after[0], before[0], out=np.ones(running.shape), where=before[0] > 0.0
            )  # caches hold a small store
            for before, after in zip(alone, together, strict=True)
        ]
    )
    return Copying(threads / (get_ns + put_ns), slower)


def running_threads(window: Window, costs: Costs) -> np.ndarray:
    """Shape (N, H, 2): mean number of threads in an operation of each kind, of what a window finished."""
    done = by_offset(window.flow).astype(float)
    busy = float(window.thread["cpu_ns"].sum()) / (1e9 * window.seconds)
    counts = busy * done / max(float(done.sum()), 1.0)
    for _ in range(ROUNDS):
        spent = done * _operation_ns(costs, counts[None])[0]
        counts = 0.5 * (counts + busy * spent / max(float(spent.sum()), 1.0))
    return counts


def loaded_latencies_ns(running: np.ndarray, costs: Costs, threads_on: np.ndarray, mix: np.ndarray) -> np.ndarray:
    """Shape (N,): time of an access to a cache line of each node beside all that run, by threads of all nodes.

    By Little's law it is what counters of outstanding and finished accesses show of a node with data; of one without
    data, what an access would take.

    Args:
        threads_on: shape (N,), threads that run on each node. mix: shape (2,), shares of gets and puts.
    """
    _, memory = costs.times(running[None])
    data, thread = np.indices((len(running), len(running)))
    by_node = memory[0][data, (thread - data) % len(running)]  # data, thread, operation
    lines = (np.asarray(costs.read_bytes) + np.asarray(costs.written_bytes)) / 64.0
    weights = threads_on / max(float(threads_on.sum()), 1.0)
    return np.einsum("ijo,j,o->i", by_node, weights, mix) / float(lines @ mix)


def _operation_ns(costs: Costs, counts: np.ndarray) -> np.ndarray:
    software, memory = costs.times(counts)
    return software + memory
