"""Errors of the functions that a scenario declares of a station: one line with file, line and function."""

import re
from itertools import product

import numpy as np
import pytest

from pmtwin.sim.control import Column
from pmtwin.sim.decisions import Question
from pmtwin.sim.engines import start_network
from pmtwin.sim.errors import InputError
from pmtwin.sim.stations import Arrivals, Network, Queue, Router, Servers
from pmtwin.sim.stations.station import Station


def beyond(arrays, seen, features):
    """A place that the array does not have, if so asked."""
    place = 9 * arrays[1][0]
    features[0] = arrays[0][place]


def of_no_branch(arrays, seen, action):
    """A branch that the router does not have, if so asked."""
    return 2 * arrays[1][1]


def by_zero(arrays, features, action, left):
    """A reward per nothing, if so asked."""
    return 1.0 / (1 - arrays[1][2])


def from_a_file(arrays, seen, action):
    """Nothing that compiles."""
    with open("mask") as mask:
        return bool(mask.read())


def of_no_colour(arrays, seen, action):
    """What nobody sees."""
    return seen.colour == action


ENGINES = ("simpy", "compiled")
RUNNING = {beyond: (3, "IndexError"), of_no_branch: (0, "no branch of the router"), by_zero: (2, "ZeroDivisionError")}
"""Function -> lines down to the one at fault, what is said of it; one question has all, for one compiled kernel."""


def at_the_third_call(arrays, seen, features):
    """A failure that another call does not repeat."""
    arrays[1][0] += 1
    if arrays[1][0] == 3:
        features[0] = arrays[0][arrays[1][0]]


COMPILING = {
    from_a_file: (0, "does not compile: The .with"),
    of_no_colour: (2, "does not compile: Unknown attribute .colour"),
}


def asked(function) -> Question:
    """A question of whose functions that one fails."""
    if function in COMPILING:
        return Question(allow=function)
    return Question(
        features=(Column("work", 0.0, 1.0),), show=beyond, actions=("stay", "move"), act=of_no_branch,
        reward=by_zero, reward_is="1/s", arrays=(np.zeros(2), np.array([each is function for each in RUNNING]) + 0),
    )  # fmt: skip


def routed(name: str, question: Question) -> list[Station]:
    """A router with two servers."""
    branches = (f"{name} queue 1", f"{name} 1"), (f"{name} queue 2", f"{name} 2")
    pairs = [(Queue(queue), Servers(servers, servers=1, mean_ns=5e3)) for queue, servers in branches]
    return [Router(name, branches=branches, question=question), *pairs[0], *pairs[1]]


def fault(engine: str, *stations: Station) -> str:
    """What is said of a network of them."""
    network = Network(stations=(Arrivals("jobs", rate_ops=1e5), *stations))
    with pytest.raises(InputError) as caught:
        start_network(network, engine, 1).run_window(3)
    return str(caught.value)


@pytest.mark.parametrize(("engine", "function"), [*product(ENGINES, (*RUNNING, from_a_file)), ("simpy", of_no_colour)])
def test_the_function_and_its_line_are_named(engine, function):
    below, reason = (RUNNING | COMPILING)[function]
    said = fault(engine, *routed("route", asked(function)))
    exact = engine == "simpy" or function in COMPILING  # a compiled run knows the function alone
    line = function.__code__.co_firstlineno + (below if exact else 0)
    assert said.startswith(f"{__file__}:{line}: ") and "\n" not in said
    assert re.search(f"of the question of route: '?{function.__name__}.*{reason}.*allowed: ", said)
    assert ("engine simpy names the line" in said) == (not exact)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_failure_that_is_not_repeated_names_the_functions_of_the_scenario(engine):
    work, arrays = (Column("work", 0.0, 1.0),), (np.zeros(2), np.zeros(1, np.int64))
    said = fault(engine, *routed("route", Question(features=work, show=at_the_third_call, arrays=arrays)))
    assert said.startswith(f"{__file__}:{at_the_third_call.__code__.co_firstlineno}: ")
    assert "show of the question of route: 'at_the_third_call' failed: IndexError" in said


@pytest.mark.parametrize("engine", ENGINES)
def test_of_two_stations_with_the_same_functions_the_one_at_fault_is_named(engine):
    well = Question(**{**vars(asked(by_zero)), "arrays": (np.zeros(2), np.zeros(3, np.int64))})
    said = fault(engine, *routed("first", well), *routed("second", asked(by_zero)))
    assert "reward of the question of second" in said
