"""Stations that ask: both engines ask and tell the same in the same order, nothing is lost, and bounds hold."""

import numpy as np
import pytest

from pmtwin.sim.engines import start_network
from pmtwin.sim.errors import InputError
from pmtwin.sim.stations import Arrivals, Network, Queue, Router, Servers
from pmtwin.sim.stations.plan import FIRST_ROOM
from tests.sim.engines.choosing import bandit, deciders, random_network, run_alike

FAST, SLOW = ("fast queue", "fast"), ("slow queue", "slow")


def two_servers(rate_ops=1e5, capacity=np.inf, masked=False, **values) -> Network:
    stations = (
        Arrivals("jobs", rate_ops=rate_ops),
        Router("route", branches=(FAST, SLOW), shown=((FAST[0], "waiting"), (SLOW[1], "busy")), masked=masked),
        Queue(FAST[0], capacity=capacity),
        Servers(FAST[1], servers=1, mean_ns=5_000.0),
        Queue(SLOW[0], capacity=capacity),
        Servers(SLOW[1], servers=1, mean_ns=10_000.0),
    )
    return Network(stations=stations, **values)


class Always:
    """Plain Python: one action, and what it was shown and told."""

    def __init__(self, action):
        self.action, self.shown, self.told = action, [], []

    def decide(self, features, mask):
        self.shown.append((*features, *mask))
        return self.action

    def observe(self, features, action, reward):
        self.told.append(reward)


@pytest.mark.parametrize("number", range(40))
def test_both_engines_decide_alike_to_the_last_bit(number):
    network = random_network(np.random.default_rng([7, number]), most_pending=(1 << 16, 3)[number % 4 == 0])
    _, given, _ = run_alike(network, number, (1, 150, 60))
    for name, state in given[0].items():
        for learned, compiled in zip(state.arrays, given[1][name].arrays, strict=True):
            assert np.array_equal(learned, compiled), name


@pytest.mark.parametrize("number", range(4))
def test_every_decision_is_told_dropped_or_pending(number):
    network = random_network(np.random.default_rng([8, number]), most_pending=2)
    window = start_network(network, seed=number, deciders=deciders(network, 1)).run_window(300)
    for name, counts in window.decisions.items():
        pending = counts["asked"] - counts["told"] - counts["dropped"]
        assert 0 <= pending <= 2, name
    assert any(counts["told"] and counts["dropped"] for counts in window.decisions.values())


def test_the_reward_is_minus_the_time_to_the_departure():
    always = Always(0)
    window = start_network(two_servers(), "simpy", 1, {"route": always}).run_window(200)
    assert always.told == pytest.approx((-1e-9 * window.latency_ns).tolist(), rel=1e-9)


def test_a_rejection_counts_as_the_declared_time():
    always = Always(0)
    network = two_servers(capacity=0, rejection_ns=7e9)
    window = start_network(network, "simpy", 1, {"route": always}).run_window(50)
    assert window.rejected[0] > 0
    assert sum(reward == -7.0 for reward in always.told) == window.rejected[0]


def test_what_is_shown_is_the_network_before_the_arrival():
    always = Always(1)
    start_network(two_servers(rate_ops=5e4), "simpy", 1, {"route": always}).run_window(50)
    assert {shown[0] for shown in always.shown} == {0.0} and {shown[1] for shown in always.shown} == {0.0, 1.0}


def test_a_masked_router_spares_full_branches():
    window = start_network(two_servers(rate_ops=1e6, capacity=0, masked=True), seed=1).run_window(500)
    assert window.busy_ns["slow"] > 0.0, "the first possible action is the slow server when the fast one is busy"
    assert start_network(two_servers(rate_ops=1e6, capacity=0), seed=1).run_window(500).busy_ns["slow"] == 0.0


def test_nobody_named_takes_the_first_possible_action():
    named = start_network(two_servers(), "simpy", 3, {"route": Always(0)}).run_window(100)
    assert np.array_equal(named.latency_ns, start_network(two_servers(), "compiled", 3).run_window(100).latency_ns)


@pytest.mark.parametrize(
    ("engine", "given", "wrong"),
    [
        ("simpy", {"route": Always(2)}, "action at point route: 2"),
        ("compiled", {"route": Always(1)}, "plain Python runs on engine simpy"),
        ("simpy", {"rout": Always(1)}, "route"),
    ],
)
def test_what_cannot_decide_is_refused(engine, given, wrong):
    with pytest.raises(InputError, match=wrong):
        start_network(two_servers(), engine, 1, given).run_window(10)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"branches": (FAST, ("slow", "slow queue"))}, "the stations that follow it"),
        ({"branches": (FAST,)}, "two or more"),
        ({"shown": ((FAST[1], "waiting"),)}, "a Queue"),
        ({"shown": ((FAST[0], "length"),)}, "waiting"),
    ],
)
def test_a_router_that_cannot_be_is_refused(change, wrong):
    stations = list(two_servers().stations)
    with pytest.raises(InputError, match=wrong):
        stations[1] = Router("route", **{"branches": (FAST, SLOW), **change})
        Network(stations=tuple(stations))


def test_a_network_that_fills_up_goes_on_deciding_alike():
    network = two_servers(rate_ops=1e7)
    given = [{"route": bandit(2, 5)} for _ in range(2)]
    runs = [start_network(network, engine, 1, each) for engine, each in zip(("simpy", "compiled"), given, strict=True)]
    windows = [run.run_window(200) for run in runs]
    assert windows[0].present[0] > FIRST_ROOM
    assert np.array_equal(windows[0].latency_ns, windows[1].latency_ns)
    assert windows[0].decisions == windows[1].decisions
    for specified, compiled in zip(*(each["route"].arrays for each in given), strict=True):
        assert np.array_equal(specified, compiled)
