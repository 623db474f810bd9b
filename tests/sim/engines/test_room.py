"""Room for requests at once: two sizes, so that an overload compiles the kernel once more and not at each size."""

import numpy as np
import pytest

from pmtwin.sim.engines import start_network
from pmtwin.sim.errors import InputError
from pmtwin.sim.stations import Arrivals, Network, Queue, Servers
from pmtwin.sim.stations.plan import FIRST_ROOM, MOST_REQUESTS, build_state, grown

OVERLOAD = Network(stations=(Arrivals("a", rate_ops=2e6), Queue("q"), Servers("s", servers=1, mean_ns=1000.0)))


def room(states):
    return states[0]["free"].size


def test_it_grows_once():
    states = build_state(OVERLOAD, np.zeros((3, 1), np.uint64))
    assert room(states) == FIRST_ROOM and room(grown(states)) == MOST_REQUESTS
    with pytest.raises(InputError, match="requests in the network at once"):
        grown(grown(states))


def test_all_who_waited_are_served_in_order_after_it_grew():
    run, whole = start_network(OVERLOAD, seed=1), start_network(OVERLOAD, seed=1)
    parts = [run.run_window(count).latency_ns for count in (1000, 1500, 5000)]
    assert np.array_equal(np.concatenate(parts), whole.run_window(7500).latency_ns)
    assert np.array_equal(np.concatenate(parts), start_network(OVERLOAD, "simpy", 1).run_window(7500).latency_ns)
