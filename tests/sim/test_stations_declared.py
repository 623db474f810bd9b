"""A list of stations that is no network is refused with the field, the value and what is allowed."""

import math

import pytest

from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.engines import start_network
from pmtwin.sim.errors import InputError
from pmtwin.sim.parameters.values import resolve
from pmtwin.sim.stations import Arrivals, Clients, Network, Processors, ProcessorSharing, Queue, Servers

IN = Arrivals("in", rate_ops=1e5)
QUEUE = Queue("queue")
SERVERS = Servers("servers", servers=2, mean_ns=1e3)


def network(*stations, classes=("requests",)):
    return Network(classes=classes, stations=stations)


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: Arrivals("in", rate_ops=0.0), "in: rate_ops: 0.0"),
        (lambda: Arrivals("in", rate_ops=math.nan), "in: rate_ops: nan"),
        (lambda: Queue("queue", capacity=2.5), "queue: capacity: 2.5 is not accepted; allowed: a whole number"),
        (lambda: Queue("queue", capacity=-1), "queue: capacity: -1"),
        (lambda: Servers("servers", servers=0, mean_ns=1e3), "servers: servers: 0"),
        (lambda: Servers("servers", servers=2), "servers: mean_ns is missing"),
        (lambda: Servers("servers", servers=2, mean_ns=(1e3, -1.0)), "servers: mean_ns: -1.0"),
        (lambda: ProcessorSharing("ps", mean_ns=1e3, speed=()), "ps: speed: []"),
        (lambda: Processors("host", mean_ns=1e3, threads=0), "host: threads: 0"),
        (lambda: network(SERVERS), "stations of class requests: ['servers']"),
        (lambda: network(IN), "stations of class requests: ['in']"),
        (lambda: network(IN, SERVERS), "station before servers: 'in'"),
        (lambda: network(IN, QUEUE), "station after queue is missing"),
        (lambda: network(IN, QUEUE, Queue("second"), SERVERS), "station after queue: 'second'"),
        (lambda: network(IN, IN, QUEUE, SERVERS), "stations: ['in', 'in', 'queue', 'servers']"),
        (lambda: network(IN, QUEUE, SERVERS, classes=("a", "b")), "in: classes: []"),
        (lambda: network(Arrivals("in", rate_ops=1.0, classes=("a",)), QUEUE, SERVERS), "in: classes: 'a'"),
        (lambda: network(IN, QUEUE, Servers("pool", servers=1, hold="in")), "pool: hold: 'in'"),
        (lambda: network(IN, QUEUE, Servers("pool", servers=1, hold="disk")), "station: 'disk'"),
        (lambda: network(IN, QUEUE, Servers("pool", servers=1, mean_ns=(1e3, 2e3))), "pool: mean_ns: [1000.0, 2000.0]"),
        (lambda: network(Clients("in", clients=3), Queue("queue", capacity=0), SERVERS), "in: think_ns: 0.0"),
    ],
)  # fmt: skip
def test_a_bad_declaration_names_field_and_value(declare, message):
    with pytest.raises(InputError) as error:
        declare()
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("control", "message"),
    [
        (("queues", "capacity", 3), "station: 'queues' is not accepted; allowed: in, queue, servers (did you mean"),
        (("queue", "room", 3), "queue: parameter: 'room'"),
        (("queue", "capacity", -3), "queue: capacity: -3"),
        (("servers", "mean_ns", None), "servers: mean_ns is missing"),
        (("queue", "name", "line"), "queue: parameter: 'name'"),
    ],
)  # fmt: skip
def test_a_bad_control_is_refused_and_changes_nothing(control, message):
    run = start_network(network(IN, QUEUE, SERVERS))
    with pytest.raises(InputError) as error:
        run.set(*control)
    assert str(error.value).startswith(message)
    assert run.network == network(IN, QUEUE, SERVERS)


@pytest.mark.parametrize("engine", ["simpy", "compiled"])
def test_a_network_without_clients_says_that_nothing_is_left(engine):
    run = start_network(network(Clients("in", clients=0), QUEUE, SERVERS), engine)
    with pytest.raises(RuntimeError, match="nothing is left to do after 0"):
        run.run_window(1)


def test_stations_of_the_middleware_need_its_own_engine(closed):
    model = build_model(load_profile(), closed, resolve(), direct=False)
    with pytest.raises(InputError) as error:
        start_network(model.network((3, 4)))
    assert str(error.value).startswith("station: 'interactive'")


def test_an_unknown_engine_is_refused():
    with pytest.raises(InputError, match="did you mean 'simpy'"):
        start_network(network(IN, QUEUE, SERVERS), "simpi")
