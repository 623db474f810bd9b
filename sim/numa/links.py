"""What the links between the nodes carry: reads come from the node of the data, writes go to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.geometry import MIB
from pmtwin.sim.numa.kinds import offsets_of, thread_nodes
from pmtwin.sim.numa.machine import Machine

LINK_MIB_S = 33_700.0
"""Most that two links between the sockets carry each way: reads of remote DRAM by 12 and 16 threads, all sizes, in
LATTester's sweep (`rdram`: median 33,702 MiB/s, 85 % of the 2 x 20.8 GB/s that the links are built for)."""

BUILT_GB_S = 2 * 20.8
"""Of these two links."""

BISECTIONS = 30
ROUNDS = 8
"""In which the waits of both directions, which an operation may use, come to each other."""


def carried_per_ns(machine: Machine) -> np.ndarray:
    """Shape (N, N): bytes that the links from a node to another carry in a ns.

    Within a node, and to one without processors, they are no limit: what the link to such a node carries is in its
    device's profile, since processors elsewhere measured it.
    """
    most = np.full((machine.nodes, machine.nodes), np.inf)
    linked = most[: machine.thread_nodes, : machine.thread_nodes]
    linked[~np.eye(machine.thread_nodes, dtype=bool)] = (
        LINK_MIB_S * MIB / 1e9 * machine.links * machine.link_gb_s / BUILT_GB_S
    )
    return most


def link_wait_ns(
    counts: np.ndarray, time: np.ndarray, moved: tuple[np.ndarray, np.ndarray], most_per_ns: np.ndarray
) -> np.ndarray:
    """Wait for the links of an operation of each kind: as much for each byte that goes the same way.

    Args:
        counts, time: threads that run, and ns of an operation without this wait, shape (B, N, H, 2).
        moved: bytes read and written, shape (2,) each.
        most_per_ns: shape (N, N), bytes from a node to another.
    """
    nodes = counts.shape[1]
    where = np.arange(nodes)[:, None], thread_nodes(nodes)[:, :nodes]
    between = _Between(_by_nodes(counts, where), _by_nodes(time, where), *moved)
    zero = np.zeros((len(counts), nodes, nodes))
    full = between.carried(zero, zero) > most_per_ns
    wait = np.zeros((*counts.shape[:2], offsets_of(nodes), counts.shape[3]))
    if not full.any():
        return wait
    per_byte = zero
    for _ in range(ROUNDS):
        per_byte = 0.5 * (per_byte + np.where(full, _enough(between, per_byte, most_per_ns), 0.0))
    beyond = np.where(full, np.maximum(between.carried(per_byte, per_byte) / most_per_ns, 1.0), 1.0)
    beyond = np.maximum(beyond, beyond.swapaxes(1, 2))[..., None]
    between_ns = between.time(per_byte, per_byte) * beyond - between.time(zero, zero)
    wait[:, :, :nodes] = between_ns[:, where[0], where[1]]
    return wait


def _by_nodes(values: np.ndarray, where: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Shape (B, N, N, 2), by node of the data and of the thread, of values by offset."""
    result = np.zeros((*values.shape[:2], values.shape[1], values.shape[3]))
    result[:, where[0], where[1]] = values[:, :, : values.shape[1]]
    return result


class _Between(NamedTuple):
    """Traffic between each two nodes.

    Fields:
        threads, alone_ns: shape (B, N, N, 2), on data of a node, of threads of a node.
        read, written: shape (2,), bytes of an operation.
    """

    threads: np.ndarray
    alone_ns: np.ndarray
    read: np.ndarray
    written: np.ndarray

    def time(self, out: np.ndarray, into: np.ndarray) -> np.ndarray:
        """Time on data of node i for threads of node j, shape (B, N, N, 2).

        Args:
            out, into: shape (B, N, N): waits for a byte from i to j, and [j, i] for one from j to i.
        """
        back = into.swapaxes(1, 2)
        return self.alone_ns + out[..., None] * self.read + back[..., None] * self.written

    def carried(self, wait: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Bytes from i to j in a ns where they wait `wait` each, and those from j to i `others[j, i]`."""
        read = self.threads * self.read / self.time(wait, others)
        written = self.threads * self.written / self.time(others, wait)
        return (read + written.swapaxes(1, 2)).sum(axis=-1)


def _enough(between: _Between, others: np.ndarray, most_per_ns: np.ndarray) -> np.ndarray:
    """Least wait for a byte in each direction that keeps it from being too full; 0 if nothing has to wait."""
    low, threads = np.zeros(others.shape), between.threads.sum(axis=-1)
    high = (threads + threads.swapaxes(1, 2)) / most_per_ns
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        over = between.carried(middle, others) > most_per_ns
        low, high = np.where(over, middle, low), np.where(over, high, middle)
    return high
