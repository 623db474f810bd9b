"""Networks small enough to be computed by hand: what every request sees, on both engines."""

import pytest

from pmtwin.sim.engines import exact_engine_names, start_network
from pmtwin.sim.stations import Arrivals, Clients, Network, Processors, ProcessorSharing, Queue, Servers

ON_EACH_ENGINE = pytest.mark.parametrize("engine", exact_engine_names())


def arrivals(gap_ns: float) -> Arrivals:
    return Arrivals("in", rate_ops=1e9 / gap_ns, cov=0.0)


def run_of(engine, *stations):
    return start_network(Network(stations=stations), engine)


def latencies(run, completions):
    return run.run_window(completions).latency_ns.tolist()


@ON_EACH_ENGINE
def test_a_server_that_is_too_slow_falls_behind_by_the_difference(engine):
    run = run_of(engine, arrivals(600.0), Queue("queue"), Servers("server", servers=1, mean_ns=1000.0, cov=0.0))
    assert latencies(run, 4) == [1000.0, 1400.0, 1800.0, 2200.0]


@ON_EACH_ENGINE
def test_who_finds_the_queue_full_is_rejected(engine):
    """Arrivals at 600, 1200, ...; ends at 1600, 2600, 3600; one may wait: those of 2400 and 3600 find one waiting."""
    run = run_of(
        engine, arrivals(600.0), Queue("queue", capacity=1), Servers("server", servers=1, mean_ns=1000.0, cov=0.0)
    )
    window = run.run_window(3)
    assert window.latency_ns.tolist() == [1000.0, 1400.0, 1800.0]
    assert window.rejected.tolist() == [1]
    assert window.end_ns == 3600.0
    assert window.waited_ns == {"queue": 400.0 + 800.0 + 600.0}


@ON_EACH_ENGINE
def test_more_servers_take_what_waits_when_the_next_window_begins(engine):
    run = run_of(engine, arrivals(100.0), Queue("queue"), Servers("servers", servers=1, mean_ns=1000.0, cov=0.0))
    assert latencies(run, 1) == [1000.0]  # at 1100: nine wait, the next of them is served
    run.set("servers", "servers", 4)
    assert latencies(run, 4) == [1900.0, 1800.0, 1700.0, 1600.0]


@ON_EACH_ENGINE
def test_surplus_servers_leave_when_they_are_done(engine):
    run = run_of(engine, arrivals(100.0), Queue("queue"), Servers("servers", servers=2, mean_ns=1000.0, cov=0.0))
    assert latencies(run, 1) == [1000.0]
    run.set("servers", "servers", 1)
    assert latencies(run, 3) == [1000.0, 1800.0, 2700.0]


@ON_EACH_ENGINE
def test_requests_share_processors(engine):
    """Three at once on two threads run at 2/3: all three done after 1500."""
    run = run_of(engine, Clients("in", clients=3), Processors("host", threads=2, mean_ns=1000.0, cov=0.0))
    assert latencies(run, 3) == pytest.approx([1500.0] * 3)
    run.set("host", "threads", 4)
    assert latencies(run, 3) == pytest.approx([1000.0] * 3)


@ON_EACH_ENGINE
def test_a_held_server_is_free_after_the_last_station(engine):
    """One token over two stations: the second client begins when the first has left both."""
    run = run_of(
        engine, Clients("in", clients=2, think_ns=1e6, cov=0.0),
        Queue("queue"), Servers("pool", servers=1, hold="disk"),
        Processors("host", threads=8, mean_ns=300.0, cov=0.0), ProcessorSharing("disk", mean_ns=700.0, cov=0.0),
    )  # fmt: skip
    assert latencies(run, 3) == pytest.approx([1000.0, 2000.0, 1000.0])


@ON_EACH_ENGINE
def test_a_request_rejected_behind_a_pool_gives_its_server_back(engine):
    """Both pass the pool; the second finds the disk busy until 1050, 11 times, then the first until 2150, 10 times."""
    run = run_of(
        engine, Clients("in", clients=2, think_ns=100.0, cov=0.0),
        Queue("queue"), Servers("pool", servers=2, hold="disk"),
        Queue("line", capacity=0), Servers("disk", servers=1, mean_ns=1050.0, cov=0.0),
    )  # fmt: skip
    window = run.run_window(2)
    assert window.latency_ns.tolist() == [1050.0, 1050.0]
    assert window.end_ns == 1100.0 + 1050.0
    assert window.rejected.tolist() == [11 + 10]
