"""Queueing formulas beside the printed ones of the two-tier paper, and beside simulations of what they approximate."""

from math import factorial

import numpy as np
import pytest

from pmtwin.sim.engines import start_network
from pmtwin.sim.errors import InputError
from pmtwin.sim.queueing.waiting import departure_scv, queue
from pmtwin.sim.stations import Arrivals, Network, Queue, Servers


def printed(offered: float, k: int) -> float:
    """L1 of equation (6), as it stands there, with a in place of rho."""
    below = sum(offered**j / factorial(j) for j in range(k))
    empty = 1.0 / (below + offered**k / (factorial(k) * (1.0 - offered / k)))
    return empty * offered ** (k + 1) / (factorial(k - 1) * (k - offered) ** 2)


@pytest.mark.parametrize("servers", [1, 2, 7, 16, 40])
@pytest.mark.parametrize("utilisation", [0.05, 0.5, 0.9, 0.99])
def test_many_servers_wait_as_equation_6_says(servers, utilisation):
    answer = queue("queue", 10.0 * utilisation * servers, servers, 0.1)
    assert answer.waiting == pytest.approx(printed(utilisation * servers, servers), rel=1e-10)
    assert answer.wait_s == pytest.approx(answer.waiting / (10.0 * utilisation * servers))
    assert answer.utilisation == pytest.approx(utilisation)


def test_one_server_waits_as_equation_7_and_pollaczek_khinchine_say():
    r = 20.0 / 33.0
    assert queue("queue", 20.0, 1, 1.0 / 33.0).waiting == pytest.approx(r**2 / (1.0 - r))
    mean, scv = 0.05, 3.0
    square = mean**2 * (1.0 + scv)
    assert queue("queue", 12.0, 1, mean, scv).wait_s == pytest.approx(12.0 * square / (2.0 * (1.0 - 12.0 * mean)))


def test_a_thousand_servers_do_not_overflow():
    assert 0.0 < queue("queue", 990.0, 1000, 1.0).waiting < 99.0


def simulated(servers: int, utilisation: float, service_cov: float, arrival_cov: float) -> float:
    """Mean wait over 10^6 requests, in s, of servers that take 1 s."""
    network = Network(
        stations=(
            Arrivals("arrivals", rate_ops=utilisation * servers, cov=arrival_cov),
            Queue("queue"),
            Servers("servers", servers=servers, mean_ns=1e9, cov=service_cov),
        )
    )
    run = start_network(network, seed=3)
    run.run_window(20_000)
    window = run.run_window(1_000_000)
    return window.waited_ns["queue"] * 1e-9 / len(window.latency_ns)


@pytest.mark.parametrize(
    ("servers", "utilisation", "service_cov", "arrival_cov", "error"),
    [(1, 0.7, 2.0, 1.0, 0.05), (4, 0.8, 0.0, 1.0, 0.06), (8, 0.8, 2.0, 1.0, 0.1), (4, 0.8, 1.0, 0.5, 0.25)],
)
def test_the_approximations_are_near_the_simulation(servers, utilisation, service_cov, arrival_cov, error):
    answer = queue("queue", utilisation * servers, servers, 1.0, service_cov**2, arrival_cov**2).wait_s
    assert answer == pytest.approx(simulated(servers, utilisation, service_cov, arrival_cov), rel=error)


def test_a_queue_without_equilibrium_is_named_with_its_overload():
    with pytest.raises(InputError, match=r"rate of the miss queue: 60\.0 .* factor of 1\.818") as error:
        queue("miss queue", 60.0, 1, 1.0 / 33.0)
    assert error.value.exit_code == 2
    with pytest.raises(InputError, match="factor of 1 "):
        queue("queue", 10.0, 2, 0.2)


def test_departures_of_a_markovian_server_are_poisson():
    assert departure_scv(0.6, 1.0) == pytest.approx(1.0)
    assert departure_scv(0.6, 0.0) < 1.0 < departure_scv(0.6, 4.0)
    assert np.isclose(departure_scv(1.0, 4.0), 4.0)
