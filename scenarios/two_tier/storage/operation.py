"""The whole system in operation: windows of so many answered requests, with what is in flight carried over."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.two_tier.storage.popularity import set_drift, set_skew
from pmtwin.scenarios.two_tier.storage.records import NOBODY, READY, SERVED, WAITING, ZIPF, Storage
from pmtwin.scenarios.two_tier.storage.running import empty_caches, make_storage, started
from pmtwin.scenarios.two_tier.storage.system import System


class Requests(NamedTuple):
    """What clients ask for.

    Fields:
        client_rate: of a client thread, requests/s. skew, drift: as the options of these names.
    """

    client_rate: float
    skew: float = 0.0
    drift: int = 0


class Readings(NamedTuple):
    """Counters of a run up to a moment; what is in work counts for its part until then.

    Fields:
        now_s: the moment. held_s: time that requests had service threads. thread_wait_s: that they waited for one.
        io_s, disk_s: time that I/O threads and disks were at work. Pages: brought into a cache, evicted, written.
        arrivals, line_waits: requests that have come, and that waited since every line was pinned.
    """

    now_s: float
    held_s: float
    thread_wait_s: float
    io_s: float
    disk_s: float
    arrivals: int
    brought: int
    evictions: int
    writes: int
    line_waits: int


def readings(storage: Storage) -> Readings:
    """The counters now."""
    tally, process, disk = storage.tally[0], storage.process, storage.disk
    now, served = float(tally["now_s"]), storage.client[storage.client["step"] == SERVED]
    held = np.maximum(now - served["thread_s"], 0.0).sum()
    waited = (np.minimum(served["thread_s"], now) - served["ready_s"]).sum()
    io_s = process["busy"].sum() + (now - process["started"][process["working"] == 1]).sum()
    disk_s = disk["busy"].sum() + (now - disk["started"][disk["serving"] != NOBODY]).sum()
    return Readings(
        now, float(tally["held_s"] + held), float(tally["thread_wait_s"] + waited), float(io_s), float(disk_s),
        int(tally["arrivals"]), int(tally["reads"] + tally["prefetch_hits"]),
        *(int(tally[name]) for name in ("evictions", "writes", "line_waits")),
    )  # fmt: skip


class Operation:
    """The system, running; both engines show the same numbers.

    Args:
        system: its number of requests is without effect.
        window: answered requests of a window.
        make: (lines, seed) -> the empty cache of a process; None: of the options' policy.
        cache_seed: of the first process' cache; None: of the run.
    """

    def __init__(
        self,
        system: System,
        seed: int,
        engine: str,
        window: int,
        make: Callable[[int, int], object] | None = None,
        cache_seed: int | None = None,
    ):
        storage = make_storage(system, seed, window)
        self._run = started(system, storage, engine, empty_caches(system, storage, make, cache_seed))
        self.threads, self._window, self._answered = system.threads, window, 0
        self._shown = self._before = readings(storage)

    @property
    def storage(self) -> Storage:
        """The state now."""
        return self._run.storage

    @property
    def caches(self) -> list:
        """Those of the processes, as they are now."""
        return self._run.caches

    def set_threads(self, count: int) -> None:
        """So many service threads of each process, from now on."""
        if count != self.threads:
            self._run.set_threads(count)
            self.threads = count

    def set_requests(self, requests: Requests) -> None:
        """Other requests, from those on that are not asked yet; a trace goes on."""
        setting = self.storage.setting
        setting["gap_s"] = 1.0 / requests.client_rate
        if setting["pattern"][0] == ZIPF:
            set_drift(self.storage, requests.drift)
            set_skew(self.storage, requests.skew)

    def run_window(self) -> None:
        """Run until so many more requests have been answered."""
        self._before = self._shown
        self._answered += self._window
        self._run.advance(self._answered)
        self._shown = readings(self.storage)

    def latency_ms(self) -> np.ndarray:
        """Response times of the last window's requests, in the order of the answers."""
        return 1e3 * self.storage.latency_s

    def waiting(self) -> tuple[int, int]:
        """Requests that wait now: for a service thread, for a page."""
        client, now = self.storage.client, self._shown.now_s
        queued = (client["step"] == SERVED) & (client["thread_s"] > now)
        return int(queued.sum()), int(np.isin(client["step"], (WAITING, READY)).sum())

    def measures(self) -> dict[str, float]:
        """What the last window shows."""
        before, shown, latency_ms = self._before, self._shown, self.latency_ms()
        passed = Readings._make(now - then for now, then in zip(shown, before, strict=True))
        seconds, processes = max(passed.now_s, 1e-12), len(self.storage.process)
        busy = passed.held_s / (seconds * processes)
        return {
            "mean_response_ms": float(latency_ms.mean()),
            "p99_ms": float(np.percentile(latency_ms, 99)),
            "miss_ratio": passed.brought / max(passed.arrivals, 1),
            "disk_ms": 1e3 * passed.disk_s / self._window,
            "disk_utilisation": passed.disk_s / (seconds * len(self.storage.disk)),
            "io_utilisation": passed.io_s / (seconds * processes),
            "thread_wait_ms": 1e3 * passed.thread_wait_s / self._window,
            "idle_threads": max(self.threads - busy, 0.0),
            "evictions": passed.evictions,
            "page_writes": passed.writes,
            "line_waits": passed.line_waits,
        }  # fmt: skip
