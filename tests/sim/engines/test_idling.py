"""A queue whose servers may stay idle while requests wait: what wakes them, and a policy that never serves."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.decisions import Question, compiled_state
from pmtwin.sim.engines import start_network
from pmtwin.sim.errors import InputError
from pmtwin.sim.stations import Arrivals, Clients, Network, Queue, Router, Servers
from tests.sim.engines.choosing import ENGINES, deciders, random_network, run_alike


def observe(arrays, features, action, reward):
    """Learns nothing."""


def in_groups(arrays, features, mask):
    """Waits until so many requests are there, then serves them."""
    size, left = arrays[0]
    if features[0] >= size:
        left = features[0]
    arrays[0][1] = max(left - 1.0, 0.0)
    return 0 if left > 0.0 else 1


def always_first(arrays, features, mask):
    """Possible or not."""
    return 0


def decider(size: float) -> dict:
    return {"queue": compiled_state((np.array([size, 0.0]),), {"decide": in_groups, "observe": observe})}


def station(source, servers: int = 1, cov: float = 0.0, **values) -> Network:
    queue = Queue("queue", **{"asks": True, "idles": True, **values})
    return Network(stations=(source, queue, Servers("servers", servers=servers, mean_ns=1.0, cov=cov)))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_arrival_wakes_an_idle_server(engine):
    source = Arrivals("jobs", rate_ops=1e7, cov=0.0)
    window = start_network(station(source), engine, 1, decider(2.0)).run_window(6)
    assert window.latency_ns == pytest.approx([101.0, 2.0] * 3), "the first waits 100 ns for the second"
    counts = window.decisions["queue"]
    assert counts["idle"] == 3 and counts["asked"] == 9 and counts["told"] == 6


@pytest.mark.parametrize("engine", ENGINES)
def test_a_server_that_always_works_is_that_of_a_plain_queue(engine):
    source = Arrivals("jobs", rate_ops=9e8)
    plain = {"asks": False, "idles": False}
    asks, never_asks = station(source, 2, 1.0), station(source, 2, 1.0, **plain)
    windows = [
        start_network(network, engine, 3, given).run_window(500)
        for network, given in ((asks, decider(1.0)), (never_asks, {}))
    ]
    assert np.array_equal(windows[0].latency_ns, windows[1].latency_ns)
    assert windows[0].decisions["queue"]["asked"] >= 500


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("capacity", [5, np.inf])
def test_a_policy_that_never_serves_ends_with_the_name_of_the_station(engine, capacity):
    source = Arrivals("jobs", rate_ops=1e7)
    run = start_network(station(source, capacity=capacity), engine, 1, decider(np.inf))
    with pytest.raises(InputError, match=r"action at point queue: '?1.*idle at most"):
        run.run_window(3)


@pytest.mark.parametrize("engine", ENGINES)
def test_clients_that_nobody_serves_are_said_to_wait(engine):
    source = Clients("clients", clients=4, think_ns=10.0)
    run = start_network(station(source), engine, 1, decider(np.inf))
    with pytest.raises(InputError, match=r"action at point queue: 'idle'.*4 requests wait"):
        run.run_window(3)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_window_of_time_ends_though_nobody_is_served(engine):
    source = Clients("clients", clients=4, think_ns=10.0)
    window = start_network(station(source), engine, 1, decider(np.inf)).run_for(1e6)
    assert window.latency_ns.size == 0 and window.decisions["queue"]["idle"] == 4
    assert window.present[0] == 4 and window.busy_ns["servers"] == 0.0


def while_a_worker_works(arrays, seen, action):
    """Idle (the last action) only if a departure will ask again."""
    return action < 2 or seen.busy[3] > 0


def idling_network(number: int) -> Network:
    """A random network, whose first queue may leave its servers idle while others work."""
    network = random_network(np.random.default_rng([36, number]), most_pending=(7, 1 << 16)[number % 2])
    asked = Question(allow=while_a_worker_works)
    first = replace(network.stations[2], idles=True, question=asked)
    workers = replace(network.stations[3], servers=2)
    return replace(network, stations=(*network.stations[:2], first, workers, *network.stations[4:]))


@pytest.mark.parametrize("number", range(6))
def test_both_engines_agree_and_lose_nothing(number):
    """Requests and decisions are conserved; queues are no longer than their room; no server works more than always."""
    _, _, sums = run_alike(idling_network(number), number, (1, 300, 60))
    assert sums["jobs"]["idle"] > 0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("number", range(3))
def test_the_time_in_the_network_is_that_in_its_queues_and_at_its_servers(engine, number):
    """Little's law on each path, from an empty network to an empty one."""
    network, stations = random_network(np.random.default_rng([37, number])), []
    for station in network.stations:
        if isinstance(station, Clients):
            station = Arrivals(station.name, classes=station.classes, rate_ops=5e5)
        elif isinstance(station, Queue):
            station = replace(station, capacity=np.inf)
        elif isinstance(station, Servers):
            station = replace(station, hold=None)
        stations.append(station)
    stations[2] = replace(stations[2], idles=True, question=Question(allow=while_a_worker_works))
    stations[3] = replace(stations[3], servers=2)
    network = replace(network, stations=tuple(stations), requests=300)
    window = start_network(network, engine, number, deciders(network, number)).run_window(300)
    assert window.decisions["jobs"]["idle"] > 0 and window.present.sum() == 0
    spent = sum(window.waited_ns.values()) + sum(window.busy_ns.values())
    assert window.latency_ns.sum() == pytest.approx(spent, rel=1e-9)
    for counts in window.decisions.values():
        assert counts["asked"] == counts["told"] + counts["dropped"] + counts["idle"]


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (lambda: Queue("queue", idles=True), "asks=True"),
        (lambda: Queue("queue", asks=True, idles=True, capacity=0), "at least 1"),
        (lambda: replace(station(Arrivals("jobs", rate_ops=1.0)), classes=("idle",)), "another name"),
        (lambda: start_network(station(Arrivals("jobs", rate_ops=1.0))).set("queue", "idles", False), "idles"),
    ],
)
def test_an_idle_queue_that_cannot_be_is_refused(make, wrong):
    with pytest.raises(InputError, match=wrong):
        make()


def only_work(arrays, seen, action):
    """The first action never is possible."""
    return action == 1


def test_a_routers_action_of_that_name_is_none():
    branches = ("a queue", "a"), ("b queue", "b")
    asked = Question(actions=("idle", "work"), allow=only_work)
    pairs = [(Queue(queue), Servers(servers, servers=1, mean_ns=1.0)) for queue, servers in branches]
    stations = (
        Arrivals("jobs", rate_ops=1e6),
        Router("route", branches=branches, question=asked),
        *pairs[0],
        *pairs[1],
    )
    given = {"route": compiled_state((np.zeros(1),), {"decide": always_first, "observe": observe})}
    with pytest.raises(InputError, match=r"route: '?0'?.*a possible one of 0 to 1 \(idle, work\)$"):
        start_network(Network(stations=stations), "simpy", 1, given).run_window(3)
