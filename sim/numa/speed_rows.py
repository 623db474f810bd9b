"""Speeds of operations by the numbers of running threads of each kind: a table that a run fills as it meets them.

The costs are functions in Python. The kernel stops where a row is missing, and goes on when the row is there.
"""

from __future__ import annotations

from math import prod
from typing import Protocol

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.numa.kinds import kinds_of, offsets_of
from pmtwin.sim.numa.load import FAR, PUT
from pmtwin.sim.numa.records import Speeds, classes_of

MISSING = -1
MOST_AT_ONCE = 4096
"""Most numbers of threads that are computed in one call of the costs."""

MOST_IN_BLOCK = 256
"""The same of those around some, where data are on two nodes."""

MOST_ROWS = 1 << 18
"""Rows of a table of two nodes, 80 MB; of more nodes as many as fit into that. A full one begins anew: what is met
again is computed again, same bits."""

_ONE, _32 = np.uint64(1), np.uint64(32)


class Costs(Protocol):
    """What an operation costs, by the kinds of the threads that run; N nodes.

    Attributes:
        read_bytes, written_bytes: shape (2,), of a get and a put on the device.
        sibling_factor: how many times as long the software takes beside a busy sibling.
        refill_ns_per_byte: shape (2,), near and far: a thread alone reads into its caches.
    """

    read_bytes: np.ndarray
    written_bytes: np.ndarray
    sibling_factor: float
    refill_ns_per_byte: np.ndarray

    def times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(time of the software, time of the memory) of an operation of each kind in ns, shape (B, N, H, 2) each.

        Args:
            counts: shape (B, N, H, 2): threads that run, by kind (`pmtwin.sim.numa.kinds`).
        """


@njit(cache=True, _nrt=False)
def find_row(speeds, wanted):
    """The row of a hash of counts, or `MISSING`."""
    size = np.uint64(speeds.hashes.size)
    place = (wanted >> _32) % size
    while speeds.places[place] != MISSING:
        if speeds.hashes[place] == wanted:
            return speeds.places[place]
        place = (place + _ONE) % size
    return MISSING


@njit(cache=True, _nrt=False)
def enter_row(speeds, wanted, row):
    """Let a hash lead to a row."""
    size = np.uint64(speeds.hashes.size)
    place = (wanted >> _32) % size
    while speeds.places[place] != MISSING:
        place = (place + _ONE) % size
    speeds.hashes[place], speeds.places[place] = wanted, row


def empty_speeds(nodes: int, room: int = 16) -> Speeds:
    """A table without rows, which has room for some."""
    kinds = kinds_of(nodes)
    mark = np.random.default_rng(kinds).integers(1, 1 << 63, kinds, dtype=np.uint64) * np.uint64(2) + _ONE
    rows = np.zeros((room, classes_of(nodes)))
    rows[:, -1] = 1.0  # time that is lost
    return Speeds(
        mark, np.zeros(2 * room, np.uint64), np.full(2 * room, MISSING, np.int64), rows, rows.copy(), np.ones(kinds)
    )


class SpeedRows:
    """The rows of one load.

    Args:
        costs: of its operations. nodes: N. mixed: whether it has both gets and puts.
        spread: whether a thread's data are on both of two nodes.
    """

    def __init__(self, costs: Costs, nodes: int, mixed: bool, spread: bool = False):
        self._costs, self._nodes, self._mixed, self._rows = costs, nodes, mixed, 0
        self._spread = spread
        self.speeds = empty_speeds(nodes)
        self.speeds.alone_ns[:] = self._times(np.eye(kinds_of(nodes)))[:, ::2].diagonal()

    def add(self, counts: np.ndarray) -> Speeds:
        """The table with a row for some counts, shape (K,), which it lacks, and for all mixes of the same threads.

        NumPy's sums of one row may depend on the rows beside it. These are the same for the same threads, so that the
        order in which a run meets its counts changes nothing.
        """
        batch = self._around(counts) if self._spread else self._mixes(counts) if self._mixed else counts[None]
        if self._rows + len(batch) > MOST_ROWS * classes_of(2) // max(classes_of(self._nodes), classes_of(2)):
            self._begin_anew(len(self.speeds.speeds))
            self._rows = 0
        self._make_room(self._rows + len(batch))
        rows = slice(self._rows, self._rows + len(batch))
        times = self._times(batch.astype(float))
        self.speeds.inverse[rows, :-1], self.speeds.speeds[rows, :-1] = times, 1.0 / times
        hashes = hashes_of(batch, self.speeds.mark)
        for row, number in enumerate(hashes, rows.start):
            enter_row(self.speeds, number, row)
        self._rows += len(batch)
        return self.speeds

    def _times(self, counts: np.ndarray) -> np.ndarray:
        """Shape (B, 2 K): ns of an operation of each class."""
        software, memory = self._costs.times(counts.reshape(-1, self._nodes, offsets_of(self._nodes), PUT + 1))
        crowded = self._costs.sibling_factor * software + memory
        return np.stack([software + memory, crowded], axis=-1).reshape(len(counts), -1)

    @staticmethod
    def _mixes(counts: np.ndarray) -> np.ndarray:
        """Shape (B, K): all counts with as many threads of each node at each node's data; few, or these alone."""
        together = counts.reshape(-1, PUT + 1).sum(axis=1)
        present = np.flatnonzero(together)
        if not present.size or prod(int(number) + 1 for number in together) > MOST_AT_ONCE:
            return counts[None]
        mixes = np.indices(together[present] + 1).reshape(len(present), -1).T
        gets = np.zeros((len(mixes), len(together)), counts.dtype)
        gets[:, present] = mixes
        return np.stack([gets, together - gets], axis=-1).reshape(len(gets), -1)

    @staticmethod
    def _around(counts: np.ndarray) -> np.ndarray:
        """Shape (B, K): counts with as many threads on each of two nodes, of a block to which these counts belong.

        Threads of a node are in a get or put, near or far. All but the last of their kinds vary within an aligned
        block. Counts of gets or puts alone have blocks of their own, so that all counts belong to one block.
        """
        if not counts.any():
            return counts[None]
        numbers = np.arange(counts.size).reshape(2, FAR + 1, PUT + 1)
        used = counts.reshape(numbers.shape).sum(axis=(0, 1)) > 0
        groups = [np.array([numbers[node, 0], numbers[1 - node, FAR]])[:, used].ravel() for node in range(2)]
        free = np.concatenate([group[:-1] for group in groups])
        side = max(2, int(MOST_IN_BLOCK ** (1.0 / free.size)))
        block = np.indices((side,) * free.size).reshape(free.size, -1).T
        batch = np.zeros((len(block), counts.size), counts.dtype)
        batch[:, free] = counts[free] // side * side + block
        for group in groups:
            batch[:, group[-1]] = counts[group].sum() - batch[:, group[:-1]].sum(axis=1)
        both = batch.reshape(-1, *numbers.shape).sum(axis=(1, 2))[:, used] > 0
        return batch[(batch >= 0).all(axis=1) & both.all(axis=1)]

    def _make_room(self, rows: int) -> None:
        """Room for a number of rows; the table has at least twice as many places."""
        room, present = len(self.speeds.speeds), slice(self._rows)
        if rows <= room:
            return
        while room < rows:
            room *= 2
        old = self.speeds
        self._begin_anew(room)
        for name in ("speeds", "inverse"):
            getattr(self.speeds, name)[present] = getattr(old, name)[present]
        for place in np.flatnonzero(old.places != MISSING):
            enter_row(self.speeds, old.hashes[place], old.places[place])

    def _begin_anew(self, room: int) -> None:
        """An empty table in the place of the present one."""
        alone_ns, self.speeds = self.speeds.alone_ns, empty_speeds(self._nodes, room)
        self.speeds.alone_ns[:] = alone_ns


def hashes_of(counts: np.ndarray, mark: np.ndarray) -> np.ndarray:
    """Shape (B,), uint64: hashes of counts of shape (B, K)."""
    return (counts.astype(np.uint64) * mark).sum(axis=1, dtype=np.uint64)
