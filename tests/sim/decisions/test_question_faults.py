"""Errors of the functions that a scenario declares of a station: one line with file, line and function."""

import re

import numpy as np
import pytest

from pmtwin.sim.control import Column
from pmtwin.sim.decisions import Question
from pmtwin.sim.engines import start_network
from pmtwin.sim.errors import InputError
from pmtwin.sim.stations import Arrivals, Network, Queue, Router, Servers


def beyond(arrays, seen, features):
    """A place that the array does not have."""
    place = seen.present[0] + 5
    features[0] = arrays[0][place]


def by_zero(arrays, features, action, left):
    """A reward per nothing."""
    return 1.0 / arrays[0][0]


def from_a_file(arrays, seen, action):
    """Nothing that compiles."""
    with open("mask") as mask:
        return bool(mask.read())


def of_no_colour(arrays, seen, action):
    """What nobody sees."""
    return seen.colour == action


RUNNING = {
    beyond: ({"features": (Column("work", 0.0, 1.0),), "show": beyond}, 3, "IndexError"),
    by_zero: ({"reward": by_zero, "reward_is": "1/s"}, 2, "ZeroDivisionError"),
}
COMPILING = {
    from_a_file: ({"allow": from_a_file}, 0, "does not compile: The .with"),
    of_no_colour: ({"allow": of_no_colour}, 2, "does not compile: Unknown attribute .colour"),
}


def fault(engine: str, values: dict) -> str:
    """What is said of a network with that question."""
    question = Question(arrays=(np.zeros(2),), **values)
    branches = ("a queue", "a"), ("b queue", "b")
    router = Router("route", branches=branches, question=question)
    pairs = [(Queue(queue), Servers(servers, servers=1, mean_ns=5e3)) for queue, servers in branches]
    network = Network(stations=(Arrivals("jobs", rate_ops=1e5), router, *pairs[0], *pairs[1]))
    with pytest.raises(InputError) as caught:
        start_network(network, engine, 1).run_window(3)
    return str(caught.value)


@pytest.mark.parametrize("function", [*RUNNING, *COMPILING])
@pytest.mark.parametrize("engine", ["simpy", "compiled"])
def test_the_function_and_its_line_are_named(engine, function):
    values, below, reason = (RUNNING | COMPILING)[function]
    said = fault(engine, values)
    exact = engine == "simpy" or function in COMPILING  # a compiled run knows the function alone
    line = function.__code__.co_firstlineno + (below if exact else 0)
    assert said.startswith(f"{__file__}:{line}: ") and "\n" not in said
    assert re.search(f"of the question of route: '?{function.__name__}.*{reason}.*allowed: ", said)
    assert ("engine simpy names the line" in said) == (not exact)
