"""Actions with a meaning of their own: a scenario's function does what they mean, and says which branch follows."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.decisions import Question, compiled_state
from pmtwin.sim.engines import start_network
from pmtwin.sim.errors import InputError
from pmtwin.sim.stations import Arrivals, Network, Queue, Router, Servers
from tests.sim.engines.choosing import ENGINES, random_network, run_alike

ACTIONS = ("keep", "up", "down")
PAGES = np.array([0, 1, 2, 1])


def move(arrays, seen, action):
    """Moves the page that a request is for, and sends the request to where the page is."""
    where, pages = arrays
    page = pages[seen.index % pages.size]
    if action > 0:
        where[page] = 0 if action == 1 else 1
    return where[page]


def only_down(arrays, seen, action):
    """A page that is down already stays."""
    where, pages = arrays
    return action == 0 or (action == 2 and where[pages[seen.index % pages.size]] == 0)


def reward_of_action(arrays, features, action, left):
    """The action itself."""
    return float(action)


def pages_on(engine: str, where: np.ndarray):
    """A run of reads of three pages on two devices."""
    asked = Question(
        actions=ACTIONS, act=move, allow=only_down, reward=reward_of_action, reward_is="the action",
        arrays=(where, PAGES),
    )  # fmt: skip
    stations = (
        Arrivals("reads", rate_ops=1e6, cov=0.0),
        Router("place", branches=(("up queue", "up"), ("down queue", "down")), question=asked),
        Queue("up queue"), Servers("up", servers=9, mean_ns=1.0, cov=0.0),
        Queue("down queue"), Servers("down", servers=9, mean_ns=100.0, cov=0.0),
    )  # fmt: skip
    return start_network(Network(stations=stations), engine, 1, {"place": compiled_state((np.zeros(2),), LAST)})


def last_possible(arrays, features, mask):
    """The last action that is possible."""
    action = mask.size - 1
    while action > 0 and not mask[action]:
        action -= 1
    return action


def sum_rewards(arrays, features, action, reward):
    """Number of actions, sum of rewards."""
    arrays[0][0] += action > 0
    arrays[0][1] += reward


LAST = {"decide": last_possible, "observe": sum_rewards}


@pytest.mark.parametrize("engine", ENGINES)
def test_an_action_changes_the_scenarios_state_and_later_requests_meet_it(engine):
    where = np.zeros(3, np.int64)
    run = pages_on(engine, where)
    assert run.run_window(1).latency_ns == pytest.approx([100.0])
    assert run.arrays("place")[0].tolist() == [1, 0, 0]
    run.run_window(5)
    assert run.arrays("place")[0].tolist() == [1, 1, 1]
    assert run.deciders[0].arrays[0].tolist() == [3, 6], "each page went down (2) once, and stayed (0) from then on"
    assert not where.any(), "what the scenario declares stays for the next run"


def count_here(arrays, seen, action):
    """Counts the actions at the first router; both routers' branches hang on the sum."""
    arrays[0][0] += 1 + action
    return arrays[0][0] % 2


def count_there(arrays, seen, action):
    """Counts the actions at the second router."""
    arrays[1][0] += 10 * (1 + action) + seen.c
    return arrays[1][0] % 2


def even_or_keep(arrays, seen, action):
    """Forbids by what both routers have counted."""
    return action == 0 or (arrays[0][0] + action) % 3 > 0


def acting_network(number: int) -> Network:
    """A random network, the routers of which share an array that their actions change."""
    network, shared = random_network(np.random.default_rng([38, number])), np.zeros(1, np.int64)
    asked = {
        "router-0": Question(actions=("a", "b", "c"), act=count_here, allow=even_or_keep, arrays=(shared,)),
        "router-1": Question(actions=("a", "b"), act=count_there, arrays=(np.zeros(4), shared)),
    }
    stations = [
        replace(station, question=asked[station.name], masked=False) if station.name in asked else station
        for station in network.stations
    ]
    return replace(network, stations=tuple(stations))


@pytest.mark.parametrize("number", range(6))
def test_both_engines_act_alike_and_lose_nothing(number):
    runs, *_ = run_alike(acting_network(number), number, (1, 150, 60))
    (here,), (_, there) = (runs[1].arrays(name) for name in ("router-0", "router-1"))
    assert here is there and here[0] == runs[0].arrays("router-0")[0][0] > 100
    again = pickle.loads(pickle.dumps(runs[1]))
    assert np.array_equal(again.run_window(50).latency_ns, runs[1].run_window(50).latency_ns)
    assert again.arrays("router-0")[0] is again.arrays("router-1")[1], "a copy shares what its original does"


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (lambda: Question(act=move), "two names or more"),
        (lambda: Queue("queue", asks=True, question=Question(act=move, actions=ACTIONS)), "actions are the classes"),
        (
            lambda: Router("r", branches=(("a",), ("b",)), masked=True, question=Question(act=move, actions=ACTIONS)),
            "its actions are no branches",
        ),
        (lambda: pages_on("simpy", np.zeros(3, np.int64)).arrays("plac"), "place"),
    ],
)
def test_an_action_that_cannot_be_is_refused(make, wrong):
    with pytest.raises(InputError, match=wrong):
        make()
