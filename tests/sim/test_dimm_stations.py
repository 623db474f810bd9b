"""Why the device is one station: six of them, one a DIMM, would change the tail of a request by less than a percent.

Random accesses meet by chance on a DIMM. What that costs in bandwidth is in the law, which was fitted to six DIMMs;
what it adds to the variation of latencies is bounded here.
"""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin import Middleware
from pmtwin.scenarios.nvm_middleware.phases import phase_numbers, phase_workload
from pmtwin.sim import LatencyTail
from pmtwin.sim.compiling import njit
from pmtwin.sim.device.profile import load_profile

VARIATION = 0.8
"""Coefficient of variation of one access among 48 threads that do nothing but access six DIMMs at random."""


def latencies_of_stations(threads: int, accesses: int, count: int) -> np.ndarray:
    """Of operations of so many dependent accesses to six FIFO stations, each access a unit; threads never pause."""
    dimms = np.random.default_rng(1).integers(6, size=count * accesses + 48 * accesses)
    return _closed_network(threads, accesses, dimms, np.empty(count))[count // 10 :]


@njit
def _closed_network(threads, accesses, dimms, latency):
    free, now, start = np.zeros(6), np.arange(threads) / threads, np.zeros(threads)
    left, done = np.full(threads, accesses), 0
    for dimm in dimms:
        i = np.argmin(now)
        if left[i] == 0:
            latency[done] = now[i] - start[i]
            done, left[i], start[i] = done + 1, accesses, now[i]
            if done == latency.size:
                break
        free[dimm] = max(free[dimm], now[i]) + 1.0
        now[i], left[i] = free[dimm], left[i] - 1
    return latency


@pytest.mark.parametrize("threads", [2, 8, 24, 48])
def test_accesses_vary_by_no_more_than_the_bound(threads):
    latency = latencies_of_stations(threads, 1, 300_000)
    assert latency.std() / latency.mean() <= VARIATION + 0.01


def test_an_operation_of_several_accesses_varies_less():
    """The 11 accesses of a put are on DIMMs of their own: three times less, at 48 threads."""
    latency = latencies_of_stations(48, 11, 100_000)
    assert 0.2 < latency.std() / latency.mean() < 0.27


def tail_of(profile, phase: int, pools: tuple[int, int], mode: str) -> tuple[LatencyTail, float]:
    twin, tail, rates = Middleware(phase_workload(phase), profile, seed=1, mode=mode), LatencyTail(), []
    twin.start(*pools)
    for window in range(70):
        stats = twin.run_window()
        if window >= 10:
            classes, latency_us = twin.latencies()
            tail.add(latency_us[classes == 0])
            rates.append(stats.throughput_ops)
    return tail, float(np.mean(rates))


@pytest.mark.parametrize("phase", phase_numbers())
@pytest.mark.parametrize(("pools", "mode"), [((15, 15), "middleware"), ((10, 10), "middleware"), ((1, 1), "direct")])
def test_so_much_variation_hardly_moves_what_policies_are_judged_by(phase, pools, mode):
    """Each access as variable as on six stations under full load; in the twin it is seldom full."""
    shipped = load_profile()
    varied = replace(shipped, tail=replace(shipped.tail, write_body_sigma=float(np.sqrt(np.log1p(VARIATION**2)))))
    (tail, rate), (other, other_rate) = (tail_of(profile, phase, pools, mode) for profile in (shipped, varied))
    assert other_rate == pytest.approx(rate, rel=0.001)
    assert other.percentile_us(1e-2) == pytest.approx(tail.percentile_us(1e-2), rel=0.005)
    assert other.percentile_us(1e-3) == pytest.approx(tail.percentile_us(1e-3), rel=0.01)
