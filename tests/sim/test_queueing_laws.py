"""Laws that every queueing system obeys, whatever is inside: Little, response time, Pollaczek-Khinchine."""

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.sim import ClassWorkload, Workload
from pmtwin.sim.draws import NOISE_BINS, lognormal_table
from tests.sim.devices import ROUND, Unshared, ideal
from tests.sim.engines.observed import Observed

OFF = ClassWorkload(0, 0.0, 64, 64, 1.0)
MANY = 4096
"""Clients that no queue ever uses up: an open system."""


def single_server(rate_ops: float, cov: float, sigma: float, requests: int) -> Middleware:
    """One worker, polling beside one of the other class; a request takes 11,013 ns of CPU, noisy, and 164 ns."""
    load = ClassWorkload(MANY, 0.0, 64, 64, rate_ops, interarrival_cov=cov)
    twin = Middleware(
        Workload("one worker", load, OFF), ideal(Unshared, 100.0), seed=4, window=WindowSpec(requests=requests),
        parameters=ROUND | {"cpu_noise_sigma": sigma},
    )  # fmt: skip
    twin.start(1, 1)
    return twin


def service_moments(sigma: float) -> tuple[float, float]:
    """Mean and mean square of the service time in ns."""
    cpu_ns = 10_000 * (1 + (2 / 64) ** 2) + 1_003.2 * (1 + (1 / 64) ** 2)
    service = cpu_ns * lognormal_table(sigma)[:NOISE_BINS] + 164
    return service.mean(), (service**2).mean()


@pytest.mark.parametrize("sigma", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("utilisation", [0.3, 0.7])
def test_one_worker_and_poisson_arrivals_obey_pollaczek_and_khinchine(sigma, utilisation):
    mean, square = service_moments(sigma)
    rate = utilisation / mean
    stats = single_server(rate * 1e9, 1.0, sigma, 400_000).run_window()
    waiting_ns = rate * square / (2 * (1 - utilisation))
    assert stats.mean_us * 1e3 - mean == pytest.approx(waiting_ns, rel=0.05)


def test_burstier_arrivals_wait_longer():
    """Kingman: at equal utilisation the wait grows with the variation of the gaps."""
    rate = 0.7 / service_moments(0.25)[0] * 1e9
    means = [single_server(rate, cov, 0.25, 100_000).run_window().mean_us for cov in (0.0, 0.5, 1.0, 2.0)]
    assert means == sorted(means)
    assert means[-1] - means[0] > 4 * (means[1] - means[0])


def test_an_open_system_serves_what_is_offered():
    stats = single_server(40_000.0, 1.0, 0.25, 100_000).run_window()
    assert stats.throughput_ops == pytest.approx(40_000.0, rel=0.01)


def test_an_overloaded_worker_serves_at_its_capacity():
    mean, _ = service_moments(0.25)
    stats = single_server(2e9 / mean, 1.0, 0.25, 50_000).run_window()
    assert stats.throughput_ops == pytest.approx(1e9 / mean, rel=0.01)


@pytest.mark.parametrize("pools", [(1, 1), (4, 2), (16, 16), (32, 32)])
def test_clients_of_a_closed_loop_are_always_somewhere(closed, pools):
    """Response time law: clients = throughput x (latency + time until a client is ready again)."""
    twin = Middleware(closed, window=WindowSpec(requests=100_000))
    twin.start(*pools)
    twin.run_window()  # the first answers come to clients that all began at once
    stats = twin.run_window()
    for ops, mean_us in ((stats.interactive_ops, stats.mean_us), (stats.batch_ops, stats.mean_batch_us)):
        assert ops * (mean_us + 20.0) * 1e-6 == pytest.approx(100, rel=0.02)


@pytest.mark.parametrize("pools", [(1, 1), (3, 2), (12, 20)])
def test_no_pool_serves_more_than_its_workers_can(closed, pools):
    """Utilisation law: throughput x least service time of a request never exceeds the workers."""
    twin = Middleware(closed, window=WindowSpec(requests=20_000), parameters={"cpu_noise_sigma": 0})
    twin.start(*pools)
    stats = twin.run_window()
    least_ns = 22_000 * (1 + (sum(pools) / 19) ** 2)
    for workers, ops in zip(pools, (stats.interactive_ops, stats.batch_ops), strict=True):
        assert ops * least_ns * 1e-9 < workers
        assert ops * least_ns * 1e-9 > 0.4 * workers


@pytest.mark.parametrize("mode", ["middleware", "direct"])
def test_little_holds_to_the_last_bit_over_a_drained_window(paced, mode):
    """A window that begins and ends empty: the integral of the number in the system is the sum of the latencies."""
    twin = Middleware(paced, engine="simpy", window=WindowSpec(seconds=0.004), mode=mode)
    twin.start(6, 4)
    observed = Observed(twin)
    stats = twin.run_window()
    classes, latency_us = twin.latencies()
    state = twin.get_state()
    for c, queue_size in enumerate((state.interactive_queue_size, state.batch_queue_size)):
        assert observed.in_system_ns[c] == pytest.approx(latency_us[classes == c].sum() * 1e3, rel=1e-9)
        assert observed.in_queue_ns[c] == pytest.approx(queue_size * stats.duration_s * 1e9, rel=1e-9)


def test_queues_of_a_running_system_are_their_time_average(closed):
    """In a closed loop, what is carried into a window and out of it is much the same."""
    twin = Middleware(closed, engine="simpy", window=WindowSpec(requests=4_000))
    twin.start(6, 3)
    observed = Observed(twin)
    twin.run_window()
    before = np.array(observed.in_queue_ns)
    stats = twin.run_window()
    sizes = np.array(twin.get_state()[2:4])
    assert sizes == pytest.approx((observed.in_queue_ns - before) * 1e-9 / stats.duration_s, rel=0.02)
    assert sizes[1] > sizes[0] > 50
