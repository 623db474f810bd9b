"""Accesses to both files as requests make them: of both kinds, of all sizes, at random places, with and without gaps.

An access after a gap takes longer: processors, links and caches have slept or served others. So does one after an
access to the other file, whose code and data have taken the place of its own. Accesses of one kind, one after another,
show neither. The mover's thread runs beside, as it does in a run.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.hybrid_storage.files.measuring import nap, timed_accesses
from pmtwin.scenarios.hybrid_storage.files.records import REQUESTS, Files
from pmtwin.scenarios.hybrid_storage.files.run import sleep_exactly
from pmtwin.sim.hybrid.devices import US

PAGES = (1, 4, 16, 64)
"""Sizes of accesses."""

GAPS_US = {0.0: 240, 1000.0: 400}
"""Mean gap before an access, from an exponential distribution -> accesses each time: a client that never thinks, and
one that thinks about as long as those of Harmonia's Table 4 that do (0.5 to 1.9 ms)."""

SETTLING = 0.25
"""Share of the accesses of each client, the first ones, that have no part: processors and hosts get used to it."""


class Samples(NamedTuple):
    """Timed accesses, shape (n,) each.

    Fields:
        device, write, pages: which. idle_ns: time since the last access to this device; nan: there was none.
        latency_ns: time of the access.
    """

    device: np.ndarray
    write: np.ndarray
    pages: np.ndarray
    idle_ns: np.ndarray
    latency_ns: np.ndarray

    def chosen(self, rows: np.ndarray) -> Samples:
        """Some of them."""
        return Samples(*(column[rows] for column in self))


def joined(parts: Sequence[Samples]) -> Samples:
    """All samples, in their order."""
    return Samples(*map(np.concatenate, zip(*parts, strict=True)))


def sampled(files: Files, room: Sequence[int], rng: np.random.Generator) -> Samples:
    """Samples of accesses to all files, each file in turn by chance.

    Args:
        files: with buffers for the largest accesses.
        room: pages of each file that accesses go to, the first ones.
    """
    count = sum(GAPS_US.values())
    device, write = rng.integers(0, len(room), count), rng.integers(0, 2, count)
    sizes = [[pages for pages in PAGES if pages <= limit] for limit in room]
    pages = np.array([rng.choice(sizes[number]) for number in device])
    first = rng.integers(0, np.array(room)[device] - pages + 1)
    gap_ns = np.concatenate([rng.exponential(gap * US, times) for gap, times in GAPS_US.items()])
    begin_ns, latency_ns = np.zeros((2, count))
    _time(files, device, write, pages, first, gap_ns, begin_ns, latency_ns)
    samples = Samples(device, write, pages, _idle_ns(device, begin_ns, begin_ns + latency_ns), latency_ns)
    return samples.chosen(np.concatenate([np.arange(times) >= SETTLING * times for times in GAPS_US.values()]))


def _time(files: Files, *arguments: np.ndarray) -> None:
    """Time accesses in a thread, while another one naps."""

    def accesses() -> None:
        sleep_exactly()
        timed_accesses(files, REQUESTS, *arguments)

    def mover() -> None:
        sleep_exactly()
        nap(files)

    files.shared["stop"] = 0
    timing, napping = (threading.Thread(target=target, daemon=True) for target in (accesses, mover))
    napping.start()
    timing.start()
    timing.join()
    files.shared["stop"] = 1
    napping.join()


def _idle_ns(device: np.ndarray, begin_ns: np.ndarray, end_ns: np.ndarray) -> np.ndarray:
    """Time from the end of the last access to the same device to the begin of each."""
    idle_ns = np.full(len(device), np.nan)
    for number in np.unique(device):
        rows = np.flatnonzero(device == number)
        idle_ns[rows[1:]] = begin_ns[rows[1:]] - end_ns[rows[:-1]]
    return idle_ns
