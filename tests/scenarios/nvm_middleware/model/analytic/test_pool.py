"""One pool against the closed formulas of queueing theory and a simulated queue, and where it must be monotone."""

import heapq
import math

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware.model.analytic.pool import (
    MOST_WORKERS,
    closed_pool,
    decay_exponent,
    peakedness,
    solve_pool,
)

SERVICE_NS = 20_000.0
ENDLESS = 1e6


def pool(load, workers, arrival_scv=1.0, service_scv=1.0, inside=ENDLESS, beyond=0.0):
    times = np.full(MOST_WORKERS + 1, SERVICE_NS)
    rate = load * workers / SERVICE_NS
    return solve_pool(rate, arrival_scv, service_scv, workers, inside, beyond, times, 1.0 / times)


def simulated_waits(load, workers, arrival_scv, service_scv, requests=150_000):
    """(mean time in line in services, share of those who wait) of GI/G/c: gamma gaps, log-normal services."""
    generator = np.random.default_rng(1)
    gaps = generator.gamma(1.0 / arrival_scv, arrival_scv / (load * workers), requests)
    sigma = math.sqrt(math.log1p(service_scv))
    services = np.exp(sigma * generator.standard_normal(requests) - 0.5 * sigma**2)
    free, waits = [0.0] * workers, []
    for now, service in zip(np.cumsum(gaps).tolist(), services.tolist(), strict=True):
        begin = max(free[0], now)
        waits.append(begin - now)
        heapq.heapreplace(free, begin + service)
    return np.mean(waits), np.mean(np.array(waits) > 0.0)


def erlang_c(offered, servers):
    below = sum(offered**n / math.factorial(n) for n in range(servers))
    waiting = offered**servers / math.factorial(servers) * servers / (servers - offered)
    return waiting / (below + waiting)


@pytest.mark.parametrize("load", [0.05, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("workers", [1, 2, 7, 32])
def test_exponential_gaps_and_services_are_the_queue_of_erlang(load, workers):
    answer, waits = pool(load, workers), erlang_c(load * workers, workers)
    assert answer.waits == pytest.approx(waits, rel=1e-4)
    assert answer.rate == pytest.approx(load * workers / SERVICE_NS, rel=1e-9)
    assert answer.busy == pytest.approx(load * workers, rel=1e-6)
    assert answer.line == pytest.approx(waits * load / (1.0 - load), rel=1e-3)
    assert answer.decay == pytest.approx((1.0 - load) * workers / SERVICE_NS, rel=1e-3)


@pytest.mark.parametrize("load", [0.3, 0.6, 0.9, 0.97])
@pytest.mark.parametrize("service_scv", [0.01, 0.1, 0.5, 2.0])
def test_one_worker_and_poisson_arrivals_are_the_formula_of_pollaczek_and_khinchine(load, service_scv):
    exact = load**2 * (1.0 + service_scv) / (2.0 * (1.0 - load))
    answer = pool(load, 1, service_scv=service_scv)
    assert answer.inside == pytest.approx(load + exact, rel=0.02)
    assert answer.waits == pytest.approx(load, rel=1e-6)


@pytest.mark.parametrize("workers", [1, 2, 6, 20])
@pytest.mark.parametrize(("load", "arrival_scv", "service_scv"), [(0.6, 0.56, 0.1), (0.85, 0.56, 0.3), (0.7, 5.3, 0.1)])
def test_a_line_is_near_the_simulated_one(workers, load, arrival_scv, service_scv):
    wait, share = simulated_waits(load, workers, arrival_scv, service_scv)
    answer = pool(load, workers, arrival_scv, service_scv)
    assert answer.inside / answer.rate / SERVICE_NS == pytest.approx(1.0 + wait, rel=0.05)
    assert answer.waits == pytest.approx(share, rel=0.12, abs=0.02)


def test_the_tail_has_the_mean_of_littles_law():
    answer = pool(0.7, 3, 0.56, 0.1)
    assert answer.tail / answer.decay == pytest.approx(answer.line / answer.rate, rel=1e-6)


@pytest.mark.parametrize("load", [0.4, 0.7])
@pytest.mark.parametrize("scv", [0.3, 1.0, 5.3])
def test_times_that_grow_with_the_number_in_service_keep_the_rate(load, scv):
    """Twice the time when all are busy: as many are answered as come, and the line does not run away."""
    workers = 24
    times = SERVICE_NS * (1.0 + np.arange(MOST_WORKERS + 1) / workers)
    rate = load * workers / times[workers]
    answer = solve_pool(rate, scv, 0.1, workers, ENDLESS, 0.0, times, 1.0 / times)
    assert answer.rate == pytest.approx(rate, rel=1e-9)
    assert SERVICE_NS < answer.busy / answer.rate < times[workers]
    assert answer.line < load * workers


@pytest.mark.parametrize("load", [0.5, 0.9, 1.0, 1.1, 1.5])
def test_a_bounded_line_is_the_queue_with_losses(load):
    """M/M/3/10: probabilities of 0 to 10 inside."""
    workers, inside = 3, 10
    weights = [1.0]
    for n in range(1, inside + 1):
        weights.append(weights[-1] * load * workers / min(n, workers))
    share = np.array(weights) / sum(weights)
    answer = pool(load, workers, inside=inside)
    assert answer.inside == pytest.approx(share @ np.arange(inside + 1), rel=1e-3)
    assert answer.rate == pytest.approx(load * workers / SERVICE_NS * (1.0 - share[-1]), rel=1e-3)


@pytest.mark.parametrize(("clients", "workers"), [(1, 1), (5, 1), (8, 3), (3, 8), (200, 5)])
@pytest.mark.parametrize("wakeup_ns", [0.0, 10_000.0, 200_000.0])
def test_clients_that_send_at_once_are_the_machine_repairman(clients, workers, wakeup_ns):
    workers = min(workers, clients)
    weights = np.zeros(clients + 1)
    weights[clients] = 1.0
    for n in range(clients, 0, -1):
        weights[n - 1] = weights[n] * min(n, workers) / SERVICE_NS * wakeup_ns / (clients - n + 1)
    share, serving = weights / weights.sum(), np.minimum(np.arange(clients + 1), workers)
    answer = closed_pool(float(clients), wakeup_ns, 1.0, workers, np.full(MOST_WORKERS + 1, SERVICE_NS))
    assert answer.rate == pytest.approx(share @ serving / SERVICE_NS, rel=1e-9)
    assert answer.inside == pytest.approx(share @ np.arange(clients + 1), rel=1e-9)
    assert answer.inside + answer.rate * wakeup_ns == pytest.approx(clients, rel=1e-9)  # Little's law


def test_one_client_takes_its_service_and_its_way():
    answer = closed_pool(1.0, 5_000.0, 0.1, 1, np.full(MOST_WORKERS + 1, SERVICE_NS))
    assert answer.rate == pytest.approx(1.0 / 25_000.0, rel=1e-12)
    assert answer.line == 0.0


@pytest.mark.parametrize("load", [0.3, 0.7, 0.97, 1.03, 1.4])
@pytest.mark.parametrize("scv", [(0.56, 0.1), (5.3, 0.1), (1.0, 0.01), (2.0, 3.0)])
def test_the_decay_solves_its_equation(load, scv):
    x = decay_exponent(load, *scv)
    assert math.log1p(x * scv[0]) / scv[0] == pytest.approx(-math.log1p(-x * load * scv[1]) / scv[1], rel=1e-4)
    assert (x > 0.0) == (load < 1.0)


def test_burstier_arrivals_are_more_peaked():
    assert peakedness(5.0, 1.0, 0.3) == 1.0
    values = [peakedness(5.0, scv, 0.1) for scv in (0.2, 0.6, 1.0, 2.0, 5.0)]
    assert values == sorted(values)


def test_more_variable_is_slower_and_more_load_too():
    lines = [pool(0.9, 4, scv, 0.2).line for scv in (0.3, 1.0, 3.0, 6.0)]
    assert lines == sorted(lines)
    lines = [pool(0.9, 4, 1.0, scv).line for scv in (0.05, 0.3, 1.0, 3.0)]
    assert lines == sorted(lines)
    insides = [pool(load, 4, 5.3, 0.1, inside=200, beyond=20).inside for load in np.linspace(0.05, 1.5, 80)]
    assert insides == sorted(insides)


def test_far_beyond_saturation_all_clients_are_inside():
    answer = pool(3.0, 5, 5.3, 0.1, inside=200, beyond=50)
    assert answer.rate == pytest.approx(5 / SERVICE_NS, rel=1e-6)
    assert answer.inside == pytest.approx(200, rel=1e-3)
    assert answer.busy == pytest.approx(5, rel=1e-9)
