"""The whole system in operation: windows with a number of answered requests; requests in flight are carried over."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.two_tier.storage.popularity import set_drift, set_skew
from pmtwin.scenarios.two_tier.storage.records import NOBODY, READY, SERVED, WAITING, ZIPF, Storage
from pmtwin.scenarios.two_tier.storage.running import empty_caches, make_storage, started
from pmtwin.scenarios.two_tier.storage.system import System


class Requests(NamedTuple):
    """Load of the clients.

    Fields:
        client_rate: request rate of a client thread, in requests/s.
        skew, drift: as the options of these names.
    """

    client_rate: float
    skew: float = 0.0
    drift: int = 0


class Readings(NamedTuple):
    """Counters of a run up to a time; services and waits in progress count with their part until then.

    Fields:
        now_s: the time.
        held_s: total time for which requests held service threads.
        thread_wait_s: total time for which requests waited for service threads.
        io_s, disk_s: total time for which I/O threads and disks were busy.
        arrivals: number of requests that arrived at the process that caches their page.
        brought, evictions, writes: number of pages brought into caches, evicted and written.
        line_waits: number of requests that waited since every line was pinned.
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
    """The counters at the present time of a run."""
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
    """The running system, window by window; both engines give the same numbers.

    Args:
        system: the system; its number of requests has no effect.
        seed: seed of the run.
        engine: compiled or simpy.
        window: number of answered requests in a window.
        make: (lines, seed) -> empty cache of a process; None: a cache under the options' policy.
        cache_seed: seed of the first process' cache; None: derived from the seed of the run.
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
        self._readings = self._readings_before = readings(storage)

    @property
    def storage(self) -> Storage:
        """The present state."""
        return self._run.storage

    @property
    def caches(self) -> list:
        """The present caches of the processes."""
        return self._run.caches

    def set_threads(self, count: int) -> None:
        """Change the number of service threads of each process."""
        if count != self.threads:
            self._run.set_threads(count)
            self.threads = count

    def set_requests(self, requests: Requests) -> None:
        """Change the load of requests that are not sent yet; a trace continues."""
        setting = self.storage.setting
        setting["gap_s"] = 1.0 / requests.client_rate
        if setting["pattern"][0] == ZIPF:
            set_drift(self.storage, requests.drift)
            set_skew(self.storage, requests.skew)

    def run_window(self) -> None:
        """Run until the requests of a window have been answered."""
        self._readings_before = self._readings
        self._answered += self._window
        self._run.advance(self._answered)
        self._readings = readings(self.storage)

    def latency_ms(self) -> np.ndarray:
        """Response times of the last window's requests in milliseconds, in order of the answers."""
        return 1e3 * self.storage.latency_s

    def waiting(self) -> tuple[int, int]:
        """Number of requests that wait for a service thread, and for a page."""
        client, now = self.storage.client, self._readings.now_s
        queued = (client["step"] == SERVED) & (client["thread_s"] > now)
        return int(queued.sum()), int(np.isin(client["step"], (WAITING, READY)).sum())

    def measures(self) -> dict[str, float]:
        """Measures of the last window, by name."""
        latency_ms = self.latency_ms()
        window = Readings._make(end - begin for end, begin in zip(self._readings, self._readings_before, strict=True))
        seconds, processes = max(window.now_s, 1e-12), len(self.storage.process)
        busy = window.held_s / (seconds * processes)
        return {
            "mean_response_ms": float(latency_ms.mean()),
            "p99_ms": float(np.percentile(latency_ms, 99)),
            "miss_ratio": window.brought / max(window.arrivals, 1),
            "disk_ms": 1e3 * window.disk_s / self._window,
            "disk_utilisation": window.disk_s / (seconds * len(self.storage.disk)),
            "io_utilisation": window.io_s / (seconds * processes),
            "thread_wait_ms": 1e3 * window.thread_wait_s / self._window,
            "idle_threads": max(self.threads - busy, 0.0),
            "evictions": window.evictions,
            "page_writes": window.writes,
            "line_waits": window.line_waits,
        }  # fmt: skip
