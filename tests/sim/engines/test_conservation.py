"""Nothing is lost in any window, on random configurations: requests, their times (Little), the time of servers."""

from math import inf

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.sim.engines import start_network
from pmtwin.sim.stations import Arrivals, Network, Queue, Servers
from tests.sim.engines import test_conformance as middleware
from tests.sim.engines import test_network_conformance as networks
from tests.sim.engines.observed import Observed
from tests.sim.systems import random_workload

ENGINES = ("simpy", "compiled")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("number", range(40))
def test_requests_and_servers_of_a_network(number, engine):
    rng = np.random.default_rng([31, number])
    network = networks.random_network(rng, constant=number % 3 == 0)
    run, present = start_network(network, engine, seed=number), 0
    for _ in range(6):
        window = run.run_window(int(rng.integers(1, 80)))
        answered = np.bincount(window.classes, minlength=len(network.classes))
        assert np.array_equal(present + window.arrived, answered + window.rejected + window.present)
        present = window.present
        duration = window.end_ns - window.start_ns
        for name, busy_ns in window.busy_ns.items():
            servers = run.network.stations[run.network.index(name)].servers
            assert 0.0 <= window.utilisation(name) <= 1.0
            assert busy_ns + window.idle_ns[name] >= servers * duration * (1.0 - 1e-9)  # more, while surplus ones leave
        for _ in range(int(rng.integers(3))):
            run.set(*networks.change(rng, run.network))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("number", range(10))
def test_little_holds_over_windows_until_a_network_is_empty(number, engine):
    """Who is present waits or is served: the times of both are those of the answers, wherever windows cut them."""
    rng = np.random.default_rng([32, number])
    stations = [Arrivals("in", rate_ops=float(10 ** rng.uniform(5, 6)), cov=float(rng.choice([0.0, 1.0, 2.0])))]
    for place in range(int(rng.integers(1, 4))):
        stations.append(Queue(f"queue {place}", capacity=inf))
        mean_ns = float(10 ** rng.uniform(3, 4))
        stations.append(Servers(f"servers {place}", servers=int(rng.integers(1, 6)), mean_ns=mean_ns, cov=0.5))
    counts = [int(count) for count in rng.integers(1, 300, 6)]
    run = start_network(Network(stations=tuple(stations), requests=sum(counts)), engine, seed=number)
    windows = []
    for count in counts:
        windows.append(run.run_window(count))
        run.set("servers 0", "servers", int(rng.integers(1, 6)))
    spent = sum(sum(window.waited_ns.values()) + sum(window.busy_ns.values()) for window in windows)
    assert spent == pytest.approx(sum(window.latency_ns.sum() for window in windows), rel=1e-9)
    assert not windows[-1].present.any()


@pytest.mark.parametrize("number", range(24))
def test_requests_of_a_middleware(number):
    """Present at the end of a window is what has come and was not answered; their times are those of the answers."""
    rng = np.random.default_rng([33, number])
    workload, values = random_workload(rng), middleware.random_parameters(rng)
    mode = "direct" if rng.random() < 0.25 else "middleware"
    twins = [
        Middleware(workload, engine=engine, seed=number, window=WindowSpec(requests=int(60 + number)),
                   parameters=values, mode=mode)
        for engine in ENGINES
    ]  # fmt: skip
    pools = [int(size) for size in rng.integers(1, 33, 2)]
    for twin in twins:
        twin.start(*pools)
    observed, ages_ns = Observed(twins[0]), np.zeros(2)
    for _ in range(5):
        before, came = np.array(observed.in_system_ns), np.array(observed.submitted)
        outstanding = twins[0]._engine.outstanding()
        twins[0].run_window(), twins[1].run_window()
        classes, latency_us = twins[0].latencies()
        answered = np.bincount(classes, minlength=2)
        after = twins[0]._engine.outstanding()
        assert np.array_equal(outstanding + observed.submitted - came, answered + after)
        assert np.array_equal(after, twins[1]._engine.outstanding())
        assert np.all(after <= [load.clients for load in twins[0].workload.classes])
        observed.integrate()
        latency_ns = np.bincount(classes, weights=latency_us * 1e3, minlength=2)
        grown = observed.ages_ns() - ages_ns
        assert np.array(observed.in_system_ns) - before == pytest.approx(latency_ns + grown, rel=1e-6, abs=1e-3)
        ages_ns = observed.ages_ns()
    assert observed.most_busy <= (inf if mode == "direct" else sum(pools))
