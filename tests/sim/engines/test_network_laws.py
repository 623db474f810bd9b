"""Queueing laws with closed formulas, on networks of one or two stations: Erlang B and C, M/G/1-PS, Little."""

from math import factorial, inf

import numpy as np
import pytest

from pmtwin.sim.engines import start_network
from pmtwin.sim.stations import Arrivals, Clients, Network, Processors, ProcessorSharing, Queue, Servers

MEAN_NS = 10_000.0
REQUESTS = 400_000


def many_servers(utilisation: float, servers: int, capacity: float = inf) -> Network:
    return Network(
        stations=(
            Arrivals("arrivals", rate_ops=utilisation * servers * 1e9 / MEAN_NS),
            Queue("queue", capacity=capacity),
            Servers("servers", servers=servers, mean_ns=MEAN_NS),
        )
    )


def probabilities(load: float, servers: int, room: int) -> np.ndarray:
    """Stationary distribution of the number in an M/M/k/K system, K = servers + room; load in erlangs."""
    weights = [load**n / (factorial(n) if n <= servers else factorial(servers) * servers ** (n - servers))
               for n in range(servers + room + 1)]  # fmt: skip
    return np.array(weights) / sum(weights)


def steady(network: Network, requests: int = REQUESTS):
    run = start_network(network, seed=5)
    run.run_window(requests // 10)
    return run.run_window(requests)


@pytest.mark.parametrize(("utilisation", "servers"), [(0.5, 1), (0.8, 1), (0.7, 4), (0.9, 16)])
def test_the_wait_is_that_of_erlang_c(utilisation, servers):
    window = steady(many_servers(utilisation, servers))
    load = utilisation * servers
    p = probabilities(load, servers, 0)
    waits = p[-1] / (1 - utilisation) / (p[:-1].sum() + p[-1] / (1 - utilisation))
    wait_ns = waits * MEAN_NS / (servers * (1 - utilisation))
    assert window.latency_ns.mean() == pytest.approx(MEAN_NS + wait_ns, rel=0.03)


@pytest.mark.parametrize(("utilisation", "servers", "capacity"), [(0.9, 3, 0), (0.8, 1, 4), (1.3, 4, 6), (2.0, 8, 1)])
def test_rejections_are_those_of_a_system_with_limited_room(utilisation, servers, capacity):
    window = steady(many_servers(utilisation, servers, capacity))
    p = probabilities(utilisation * servers, servers, capacity)
    blocked = window.rejected[0] / (window.rejected[0] + window.latency_ns.size)
    assert blocked == pytest.approx(p[-1], rel=0.03)
    in_system = (np.arange(p.size) * p).sum()
    arrivals_per_ns = utilisation * servers / MEAN_NS * (1 - p[-1])
    assert window.latency_ns.mean() == pytest.approx(in_system / arrivals_per_ns, rel=0.03)


@pytest.mark.parametrize("cov", [0.0, 1.0, 2.0])
def test_processor_sharing_does_not_feel_the_variation_of_the_work(cov):
    """M/G/1-PS: the mean depends on the mean of the work alone."""
    stations = Arrivals("arrivals", rate_ops=0.7e9 / MEAN_NS), ProcessorSharing("shared", mean_ns=MEAN_NS, cov=cov)
    window = steady(Network(stations=stations))
    assert window.latency_ns.mean() == pytest.approx(MEAN_NS / 0.3, rel=0.04)


@pytest.mark.parametrize("threads", [1, 4])
def test_processors_with_exponential_work_are_as_full_as_servers_with_a_queue(threads):
    """The number in an M/M/k system does not depend on whether requests queue or share."""
    stations = (Arrivals("arrivals", rate_ops=0.8 * threads * 1e9 / MEAN_NS),
                Processors("host", mean_ns=MEAN_NS, threads=threads))  # fmt: skip
    shared, queued = steady(Network(stations=stations)), steady(many_servers(0.8, threads))
    assert shared.latency_ns.mean() == pytest.approx(queued.latency_ns.mean(), rel=0.04)


def test_twice_the_speed_is_half_the_time():
    work = Arrivals("arrivals", rate_ops=1e5), ProcessorSharing("s", mean_ns=MEAN_NS, cov=0.0, speed=(2.0,))
    assert start_network(Network(stations=work)).run_window(1).latency_ns[0] == pytest.approx(MEAN_NS / 2, rel=1e-12)


def test_clients_of_a_closed_loop_are_always_somewhere():
    """Response time law: clients = throughput x (latency + think time)."""
    network = Network(
        stations=(
            Clients("clients", clients=30, think_ns=50_000.0),
            Queue("queue"),
            Servers("pool", servers=6, hold="disk"),
            Processors("host", threads=2, mean_ns=2_000.0),
            ProcessorSharing("disk", mean_ns=5_000.0, cov=0.5, speed=(1.0, 1.5, 1.8)),
        )
    )
    window = steady(network, 200_000)
    rate = window.latency_ns.size / (window.end_ns - window.start_ns)
    assert rate * (window.latency_ns.mean() + 50_000.0) == pytest.approx(30, rel=0.02)


def test_the_queue_is_as_long_as_little_says():
    """Mean length of the queue = rate x mean time in it; without service times of note, that is the latency."""
    window = steady(many_servers(0.9, 2))
    duration = window.end_ns - window.start_ns
    in_system = window.latency_ns.sum() / duration
    assert window.waited_ns["queue"] / duration == pytest.approx(in_system - 2 * 0.9, rel=0.02)
