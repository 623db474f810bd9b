"""Search for the cheapest configurations that keep a limit of p99, by the formulas.

For each page size and number of processes and threads, bisection finds the miss rate that p99 allows, which determines
the lines. Configurations that cannot be cheaper than the cheapest known one are skipped.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from pmtwin.scenarios.two_tier.formulas import MISS_QUEUE, TIER1_QUEUE
from pmtwin.scenarios.two_tier.options import TwoTierOptions
from pmtwin.scenarios.two_tier.response import percentiles_ms, response
from pmtwin.scenarios.two_tier.sizing.options import SizingOptions
from pmtwin.scenarios.two_tier.sizing.popularity import miss_ratio, share_for
from pmtwin.sim.errors import InputError
from pmtwin.sim.queueing.sojourn import tail

LATE = 0.01
"""Share of the requests that may exceed the p99."""

HALVINGS = 40


@dataclass(frozen=True)
class Configuration:
    """A configuration, and its measures by the formulas.

    Args:
        page_bytes: size of a page.
        processes: number of processes.
        threads: number of service threads of a process.
        lines: number of lines in the cache of a process.
        cost: cost in cores.
        cache_gb: caches of all processes, in GB.
        miss_rate: share of the requests that miss.
        mu2_per_s: misses per second that an I/O thread serves.
        rho1, rho2: utilisation of the service threads and of the I/O thread.
        p99_ms: 99th percentile of the response time, in milliseconds.
    """

    page_bytes: int
    processes: int
    threads: int
    lines: int
    cost: float
    cache_gb: float
    miss_rate: float
    mu2_per_s: float
    rho1: float
    rho2: float
    p99_ms: float


class Search:
    """The search for one load.

    Args:
        sizing: load, disks, prices, and limits.
        options: options of the queues; used are the service rate of a thread and the coefficients of variation.
    """

    def __init__(self, sizing: SizingOptions, options: TwoTierOptions):
        self.sizing, self._options = sizing, options

    def queues(self, page_bytes: int, processes: int, miss_rate: float) -> TwoTierOptions:
        """Options of a process with this page size, number of processes and miss rate."""
        mu2 = self.sizing.misses_per_s(page_bytes, processes)
        return replace(self._options, miss_rate=miss_rate, mu2_per_s=mu2, processes=processes)

    def best(self, count: int, on_size: Callable[[], object] = lambda: None) -> list[Configuration]:
        """The `count` cheapest configurations, cheapest first, at most one for a page size and number of processes.

        Args:
            on_size: called after each page size.

        Raises:
            InputError: if no configuration within the limits keeps the p99, with the reason.
        """
        known: list[Configuration] = []
        for page_bytes in self.sizing.page_bytes:
            for processes in range(1, self.sizing.most_processes + 1):
                most = known[count - 1].cost if len(known) >= count else math.inf
                configuration = self._cheapest(page_bytes, processes, most)
                if configuration is not None:
                    known = sorted([*known, configuration], key=attrgetter("cost", "page_bytes"))[:count]
            on_size()
        if not known:
            raise self._impossible()
        return known

    def _cheapest(self, page_bytes: int, processes: int, most: float) -> Configuration | None:
        """The cheapest configuration with this page size and number of processes; None unless cheaper than `most`."""
        rate = self.sizing.rate / processes
        least_threads = max(math.ceil(rate / (self.sizing.most_load * self._options.mu1_per_s)), 1)
        cheapest = None
        for threads in range(least_threads, self.sizing.most_threads + 1):
            if self.sizing.cost(0, processes, threads, page_bytes) >= most:
                break
            allowed = self._misses_allowed(page_bytes, processes, threads)
            if allowed is None:
                continue
            lines = self._lines(page_bytes, processes, allowed)
            if lines * page_bytes > 1e9 * self.sizing.most_gb:
                continue
            cost = self.sizing.cost(lines, processes, threads, page_bytes)
            if cost < most:
                cheapest, most = (threads, lines, cost), cost
        return None if cheapest is None else self.described(page_bytes, processes, cheapest[0], cheapest[1])

    def _misses_allowed(self, page_bytes: int, processes: int, threads: int) -> float | None:
        """The largest miss rate that keeps the p99; None if even 0 does not."""
        rate, seconds = self.sizing.rate / processes, 1e-3 * self.sizing.p99

        def late(p: float) -> float:
            return float(tail(response(self.queues(page_bytes, processes, p), rate, threads), np.array(seconds)))

        if late(0.0) > LATE:
            return None
        low, high = 0.0, min(self.sizing.most_load * self.sizing.misses_per_s(page_bytes, processes) / rate, 1.0)
        if late(high) <= LATE:
            return high
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if late(middle) <= LATE else (low, middle)
            if high - low < 1e-4 * low:
                break
        return low

    def _lines(self, page_bytes: int, processes: int, miss_rate: float) -> int:
        """Smallest number of lines of a process for this miss rate; at least one."""
        share = share_for(miss_rate / self.sizing.pages_per_request(page_bytes), self.sizing.skew)
        return max(math.ceil(share * self.pages(page_bytes, processes)), 1)

    def pages(self, page_bytes: int, processes: int) -> int:
        """Number of pages of a process."""
        return math.ceil(1e9 * self.sizing.data_gb / page_bytes / processes)

    def miss_rate(self, page_bytes: int, processes: int, lines: int) -> float:
        """Share of the requests that miss, by Che's approximation, without the misses of an empty cache."""
        ratio = miss_ratio(lines / self.pages(page_bytes, processes), self.sizing.skew)
        return ratio * self.sizing.pages_per_request(page_bytes)

    def described(self, page_bytes: int, processes: int, threads: int, lines: int) -> Configuration:
        """The configuration with its measures by the formulas."""
        rate, p = self.sizing.rate / processes, self.miss_rate(page_bytes, processes, lines)
        queues = self.queues(page_bytes, processes, p)
        return Configuration(
            page_bytes,
            processes,
            threads,
            lines,
            self.sizing.cost(lines, processes, threads, page_bytes),
            1e-9 * lines * page_bytes * processes,
            p,
            queues.mu2_per_s,
            rate / (threads * queues.mu1_per_s),
            p * rate / queues.mu2_per_s,
            percentiles_ms(queues, rate, threads, (1.0 - LATE,))[0],
        )

    def _impossible(self) -> InputError:
        """The error for limits that no configuration keeps: overloaded threads, overloaded disks, or too low a p99."""
        sizing, rate, most = self.sizing, self.sizing.rate, self.sizing.most_load
        busy = rate / (sizing.most_processes * sizing.most_threads * self._options.mu1_per_s)
        if busy > most:
            where = f"{sizing.most_processes} processes with {sizing.most_threads} threads each"
            return self._overloaded(TIER1_QUEUE, busy, where)
        load, page_bytes, processes, gb = min(self._loads())
        if load > most:
            where = f"{processes} processes with {gb:g} GB of cache each and pages of {page_bytes:,} bytes"
            return self._overloaded(MISS_QUEUE, load, where)
        least = min(self._least_p99())
        allowed = f"at least {least[0]:.4g}, the least that the formulas give within the limits: {least[1]} processes "
        allowed += (
            f"with {sizing.most_threads} threads and {least[3]:g} GB each, pages of {least[2]:,} bytes; there the "
        )
        allowed += f"{MISS_QUEUE} is busy to {100 * least[4]:.3g} %, the {TIER1_QUEUE} to {100 * least[5]:.3g} %"
        return InputError("p99", sizing.p99, allowed)

    def _overloaded(self, queue: str, load: float, where: str) -> InputError:
        rate, most = self.sizing.rate, self.sizing.most_load
        allowed = f"at most about {rate * most / load:.4g} requests/s: even with {where} the {queue} "
        if load >= 1.0:
            return InputError("rate", rate, f"{allowed}is overloaded by a factor of {load:.4g}")
        return InputError("rate", rate, f"{allowed}has a utilisation of {load:.4g}, above --most-load {most:g}")

    def _most_lines(self, page_bytes: int, processes: int) -> int:
        return max(min(int(1e9 * self.sizing.most_gb // page_bytes), self.pages(page_bytes, processes)), 1)

    def _loads(self) -> list[tuple[float, int, int, float]]:
        """(utilisation of the I/O thread with the largest cache, page size, number of processes, GB of each cache)."""
        loads = []
        for page_bytes in self.sizing.page_bytes:
            for processes in range(1, self.sizing.most_processes + 1):
                lines, mu2 = self._most_lines(page_bytes, processes), self.sizing.misses_per_s(page_bytes, processes)
                misses = self.sizing.rate / processes * self.miss_rate(page_bytes, processes, lines)
                loads.append((misses / mu2, page_bytes, processes, 1e-9 * lines * page_bytes))
        return loads

    def _least_p99(self) -> list[tuple[float, int, int, float, float, float]]:
        """(p99, processes, page size, GB of each, both utilisations) with all resources, for stable configurations."""
        candidates = []
        for load, page_bytes, processes, gb in self._loads():
            busy = self.sizing.rate / processes / (self.sizing.most_threads * self._options.mu1_per_s)
            if load <= self.sizing.most_load and busy <= self.sizing.most_load:
                lines = self._most_lines(page_bytes, processes)
                p99 = self.described(page_bytes, processes, self.sizing.most_threads, lines).p99_ms
                candidates.append((p99, processes, page_bytes, gb, load, busy))
        return candidates
