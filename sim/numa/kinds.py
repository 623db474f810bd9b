"""Kinds of operation: node of the data, offset of the thread's node from it, get or put.

A thread on the node of its data has offset 0 (`NEAR`); one on the next node 1, and so on, the first node after the last
one. So every two nodes are told apart, and of two nodes offset 1 is `FAR`.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.numa.load import FAR, PUT


def offsets_of(nodes: int) -> int:
    """H, number of offsets: 2 on a machine of one node too, where nobody has the second."""
    return max(nodes, FAR + 1)


def kinds_of(nodes: int) -> int:
    """Number of kinds."""
    return nodes * offsets_of(nodes) * (PUT + 1)


def no_threads(nodes: int) -> np.ndarray:
    """Shape (1, N, H, 2): numbers of running threads of each kind, all 0."""
    return np.zeros((1, nodes, offsets_of(nodes), PUT + 1))


def thread_nodes(nodes: int) -> np.ndarray:
    """Shape (N, H): node of the threads of each kind."""
    return (np.arange(nodes)[:, None] + np.arange(offsets_of(nodes))) % nodes


def by_offset(flow: np.ndarray) -> np.ndarray:
    """Shape (N, H, 2), by offset, of what is by node of the data and node of the thread, shape (N, N, 2)."""
    nodes = len(flow)
    result = flow[np.arange(nodes)[:, None], thread_nodes(nodes)]
    result[:, nodes:] = 0
    return result


def by_distance(counts: np.ndarray) -> np.ndarray:
    """Shape (B, 2, 2), near and far, of counts by offset, shape (B, H, 2)."""
    return np.stack([counts[:, 0], counts[:, FAR:].sum(axis=1)], axis=1)


def distances(nodes: int) -> np.ndarray:
    """Shape (H,): `NEAR` or `FAR` of each offset."""
    return np.minimum(np.arange(offsets_of(nodes)), FAR)
