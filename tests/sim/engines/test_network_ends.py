"""A network in which so many requests arrive and no more: both engines alike, to the last bit and the last request."""

import numpy as np
import pytest

from pmtwin.sim.engines import start_network
from pmtwin.sim.errors import InputError
from pmtwin.sim.stations import Arrivals, Clients, Network, Queue, Servers


def network(requests: float, cov: float = 1.0, more=()) -> Network:
    """Two classes, the second passes a slow server first."""
    return Network(
        classes=("hits", "misses"),
        stations=(
            Arrivals("hits", classes=("hits",), rate_ops=80.0, cov=cov),
            Arrivals("misses", classes=("misses",), rate_ops=20.0, cov=cov),
            Queue("line", classes=("misses",)),
            Servers("disk", classes=("misses",), servers=1, mean_ns=3e7),
            Queue("queue"),
            Servers("servers", servers=2, mean_ns=1e6),
            *more,
        ),
        requests=requests,
    )


@pytest.mark.parametrize("requests", [1, 2, 777])
@pytest.mark.parametrize("cov", [0.0, 1.0])
def test_both_engines_answer_all_that_arrive(requests, cov):
    results = []
    for engine in ("simpy", "compiled"):
        run = start_network(network(requests, cov), engine, seed=5)
        windows = [run.run_window(n) for n in ([requests] if requests < 10 else [300, requests - 300])]
        with pytest.raises(RuntimeError, match="nothing is left to do after 0"):
            run.run_window(1)
        results.append([(w.latency_ns.tolist(), w.classes.tolist(), w.end_ns, w.waited_ns) for w in windows])
    assert results[0] == results[1]
    assert sum(len(latencies) for latencies, *_ in results[0]) == requests


def test_the_requests_before_the_end_are_those_of_an_endless_network():
    ending, endless = start_network(network(500), seed=2), start_network(network(np.inf), seed=2)
    assert ending.run_window(400).latency_ns.tolist() == endless.run_window(400).latency_ns.tolist()


def test_clients_go_on_when_the_open_sources_have_ended():
    """Of a class of clients only those of open sources count towards the end."""
    stations = (
        Arrivals("open", classes=("open",), rate_ops=1e6),
        Clients("closed", classes=("closed",), clients=2, think_ns=1e6),
        Queue("queue"),
        Servers("servers", servers=1, mean_ns=1e3),
    )
    counts = []
    for engine in ("simpy", "compiled"):
        run = start_network(Network(classes=("open", "closed"), stations=stations, requests=30), engine, seed=1)
        counts.append(np.bincount(run.run_window(400).classes).tolist())
    assert counts == [[30, 370], [30, 370]]


@pytest.mark.parametrize("requests", [0, -3, 1.5, float("nan")])
def test_a_number_of_requests_that_is_none_is_refused(requests):
    with pytest.raises(InputError, match="requests"):
        network(requests)
