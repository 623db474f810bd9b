"""One pool against the closed formulas of queueing theory, and where it must be monotone."""

import math

import numpy as np
import pytest

from pmtwin.sim.analytic.pool import MOST_WORKERS, closed_pool, decay_exponent, peakedness, solve_pool

SERVICE_NS = 20_000.0
ENDLESS = 1e6


def pool(load, workers, arrival_scv=1.0, service_scv=1.0, inside=ENDLESS, beyond=0.0):
    times = np.full(MOST_WORKERS + 1, SERVICE_NS)
    rate = load * workers / SERVICE_NS
    return solve_pool(rate, arrival_scv, service_scv, workers, inside, beyond, times, 1.0 / times)


def erlang_c(offered, servers):
    below = sum(offered**n / math.factorial(n) for n in range(servers))
    waiting = offered**servers / math.factorial(servers) * servers / (servers - offered)
    return waiting / (below + waiting)


@pytest.mark.parametrize("load", [0.05, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("workers", [1, 2, 7, 32])
def test_exponential_gaps_and_services_are_the_queue_of_erlang(load, workers):
    found, waits = pool(load, workers), erlang_c(load * workers, workers)
    assert found.waits == pytest.approx(waits, rel=1e-4)
    assert found.rate == pytest.approx(load * workers / SERVICE_NS, rel=1e-9)
    assert found.busy == pytest.approx(load * workers, rel=1e-6)
    assert found.line == pytest.approx(waits * load / (1.0 - load), rel=1e-3)
    assert found.decay == pytest.approx((1.0 - load) * workers / SERVICE_NS, rel=1e-3)


@pytest.mark.parametrize("load", [0.5, 0.9, 1.0, 1.1, 1.5])
def test_a_bounded_line_is_the_queue_with_losses(load):
    """M/M/3/10: probabilities of 0 to 10 inside."""
    workers, inside = 3, 10
    weights = [1.0]
    for n in range(1, inside + 1):
        weights.append(weights[-1] * load * workers / min(n, workers))
    share = np.array(weights) / sum(weights)
    found = pool(load, workers, inside=inside)
    assert found.inside == pytest.approx(share @ np.arange(inside + 1), rel=1e-3)
    assert found.rate == pytest.approx(load * workers / SERVICE_NS * (1.0 - share[-1]), rel=1e-3)


@pytest.mark.parametrize(("clients", "workers"), [(1, 1), (5, 1), (8, 3), (3, 8), (200, 5)])
@pytest.mark.parametrize("wakeup_ns", [0.0, 10_000.0, 200_000.0])
def test_clients_that_send_at_once_are_the_machine_repairman(clients, workers, wakeup_ns):
    workers = min(workers, clients)
    weights = np.zeros(clients + 1)
    weights[clients] = 1.0
    for n in range(clients, 0, -1):
        weights[n - 1] = weights[n] * min(n, workers) / SERVICE_NS * wakeup_ns / (clients - n + 1)
    share, serving = weights / weights.sum(), np.minimum(np.arange(clients + 1), workers)
    found = closed_pool(float(clients), wakeup_ns, 1.0, workers, np.full(MOST_WORKERS + 1, SERVICE_NS))
    assert found.rate == pytest.approx(share @ serving / SERVICE_NS, rel=1e-9)
    assert found.inside == pytest.approx(share @ np.arange(clients + 1), rel=1e-9)
    assert found.inside + found.rate * wakeup_ns == pytest.approx(clients, rel=1e-9)  # Little's law


def test_one_client_takes_its_service_and_its_way():
    found = closed_pool(1.0, 5_000.0, 0.1, 1, np.full(MOST_WORKERS + 1, SERVICE_NS))
    assert found.rate == pytest.approx(1.0 / 25_000.0, rel=1e-12)
    assert found.line == 0.0


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
    found = pool(3.0, 5, 5.3, 0.1, inside=200, beyond=50)
    assert found.rate == pytest.approx(5 / SERVICE_NS, rel=1e-6)
    assert found.inside == pytest.approx(200, rel=1e-3)
    assert found.busy == pytest.approx(5, rel=1e-9)
