"""Policies in plain Python that keep a ledger: which bytes each device has to read and to write by what they decide."""

import numpy as np

from pmtwin.sim.hybrid.options import APPEND, PROMOTE, HybridOptions
from pmtwin.sim.hybrid.run import Deciders
from pmtwin.sim.hybrid.running import start_run
from pmtwin.sim.hybrid.stream import PAGE_BYTES, Paged, make_stream, paged

PAUSE_NS = 1e12
"""Gap before the first two requests of a thread: all moves end meanwhile. The first one comes again after the last."""

STEP = 512


def cut(page):
    """Bytes that a request leaves out at the beginning of its first page, and at the end of its last one."""
    return STEP * max(page * 5 % 7 - 3, 0), STEP * max(page * 3 % 7 - 3, 0)


def stream_with_pauses(random: np.random.Generator, requests: int, threads: int, gap_ns: float) -> Paged:
    """Requests of one page to four; what they leave out follows from their pages; each thread begins with pauses."""
    first = np.minimum(random.pareto(0.7, requests) * 5, 149).astype(np.int64)
    last = first + random.integers(0, 4, requests)
    begin = first * PAGE_BYTES + np.array([cut(page)[0] for page in first.tolist()])
    end = (last + 1) * PAGE_BYTES - np.array([cut(page)[1] for page in last.tolist()])
    gap = random.exponential(gap_ns, requests) * random.integers(0, 3, requests)
    gap[: 2 * threads] = PAUSE_NS * (1.0 + 0.1 * np.tile(np.arange(threads), 2))
    return paged(make_stream(gap, begin, end - begin, random.random(requests) < 0.5, np.arange(requests) % threads))


class Ledger:
    """Decides at random where writes go and which pages move.

    Attributes:
        written, read: shape (D,), bytes of requests, with the rest of pages and without evictions and moves.
        undecided: bytes of reads that no policy places.
        came, left: shape (D,), pages that changed their device, without evictions.
        moves: shape (D, D), pages from each device to each.
    """

    def __init__(self, options: HybridOptions, pages: Paged, seed: int, every: int):
        count = len(options.block_devices)
        self._options, self._home, self._count = options, pages.home, count
        self._random, self._answers = np.random.default_rng(seed), 0
        self.written, self.read, self.came, self.left = np.zeros((4, count), np.int64)
        self.moves, self.undecided = np.zeros((count, count), np.int64), 0
        window = len(pages.first) + 1
        self.run = start_run(options, pages, Deciders(self, self, every=every), "simpy", window, seed)

    def decide(self, features, mask):
        """Any possible device."""
        target, first, count = int(self._random.choice(np.flatnonzero(mask))), int(features[-1]), int(features[1])
        devices = self.run.device_of()[first : first + count]
        (self._write if features[0] else self._promote)(first, devices, target)
        return target

    def _cut(self, first, count):
        return cut(int(self._home[first]))[0], cut(int(self._home[first + count - 1]))[1]

    def _write(self, first, devices, target):
        """All pages come; what a page lacks that changes its address is read, and written with the rest."""
        kept = np.array(self._cut(first, len(devices)))
        ends = devices[[0, -1]]
        filled = kept * ((ends != target) | (self._options.layout == APPEND))
        if len(devices) == 1 and filled.all():
            self.read[ends[0]] += PAGE_BYTES  # the whole page, at once
        else:
            np.add.at(self.read, ends, filled)
        self.written[target] += len(devices) * PAGE_BYTES - (kept - filled).sum()
        self._change(devices, target)

    def _promote(self, first, devices, target):
        """Pages on slower devices are read as a whole, and come."""
        coming = devices > target
        sizes = np.full(len(devices), PAGE_BYTES)
        head, tail = self._cut(first, len(devices))
        sizes[0] -= head * (not coming[0])
        sizes[-1] -= tail * (not coming[-1])
        np.add.at(self.read, devices, sizes)
        self.written[target] += coming.sum() * PAGE_BYTES
        self._change(devices[coming], target)

    def _change(self, origins, target):
        self.left += np.bincount(origins, minlength=self._count)
        self.came[target] += len(origins)

    def observe(self, features, action, reward):
        """Nothing."""

    def used(self, page, pages, write, device_of):
        """Reads that stay where they are."""
        self._answers = 0
        if not write and self._options.reads != PROMOTE:
            self.undecided += pages * PAGE_BYTES - sum(self._cut(page, pages))

    def answered(self, latency_ns, write):
        """Nothing."""

    def move(self, page, features, device_of, oldest, free, setting):
        """A page of three, to any device, now and then none; no more than six since the last answer."""
        self._answers += 1
        drawn, target = self._random.random(), int(self._random.integers(free.size))
        if self._answers > 6 or drawn < 0.2:
            return -1
        if drawn > 0.6 or page < 0:
            page = int(oldest[target - 1]) if drawn < 0.8 else int(self._random.integers(device_of.size))
        return page * free.size + target if page >= 0 else -1

    def plan(self, device_of, free, setting, moves):
        """Up to 200 moves of any pages."""
        count = int(self._random.integers(200))
        moves[:count] = self._random.integers(device_of.size * free.size, size=count)[: moves.size]

    def moved(self, page, origin, target):
        """A page has moved."""
        self.moves[origin, target] += 1
        self._change(np.array([origin]), target)

    def evictions(self, used):
        """Shape (D,): pages that each device evicted to the next one, by the pages that it has now."""
        before = np.zeros(self._count, np.int64)
        before[-1] = len(self._home)
        return np.cumsum(before + self.came - self.left - used)
