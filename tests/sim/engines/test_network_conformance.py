"""Both engines give every number of a network alike, bit for bit: random networks, ties, changes between windows."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from pmtwin.sim.engines import start_network
from pmtwin.sim.errors import InputError
from pmtwin.sim.stations import Arrivals, Clients, Network, Processors, ProcessorSharing, Queue, Servers
from pmtwin.sim.stations.processor_sharing import SharedStation

NETWORKS = 100


def random_network(rng: np.random.Generator, constant: bool) -> Network:
    """One or two classes, two to five stages; `constant`: nothing is drawn and times are round, so that many tie."""
    classes = ("a", "b")[: int(rng.integers(1, 3))]
    stations, holders = [], []
    for name in classes:
        stations += [_source(rng, name, constant), *_gate(rng, name)]
    for number in range(int(rng.integers(2, 6))):
        visitors = classes if rng.random() < 0.6 else (classes[int(rng.integers(len(classes)))],)
        kind = rng.integers(4)
        drawn = {"classes": visitors, "mean_ns": _time(rng, constant), "cov": _cov(rng, constant)}
        if kind <= 1:
            stations.append(_queue(rng, number, visitors))
            servers = Servers(f"servers {number}", servers=int(rng.integers(1, 12)), **drawn)
            if rng.random() < 0.5:
                holders.append(len(stations))
            stations.append(servers)
        elif kind == 2:
            stations.append(Processors(f"processors {number}", threads=int(rng.integers(1, 8)), **drawn))
        else:
            speed = tuple(float(s) for s in rng.choice([0.5, 1.0, 1.5, 2.0], int(rng.integers(1, 5))))
            stations.append(ProcessorSharing(f"sharing {number}", speed=speed, **drawn))
    for place in holders:
        later = [s.name for s in stations[place + 1 :] if set(stations[place].classes) <= set(s.classes)]
        if later:
            hold = later[int(rng.integers(len(later)))]
            without = {"mean_ns": None} if rng.random() < 0.5 else {}
            stations[place] = replace(stations[place], hold=hold, **without)
    for name in classes:
        stations.append(ProcessorSharing(f"last of {name}", classes=(name,), mean_ns=100.0, cov=0.0))
    return Network(classes=classes, stations=tuple(stations))


def _source(rng, name, constant):
    if rng.random() < 0.5:
        return Arrivals(
            f"source of {name}", classes=(name,), rate_ops=1e9 / _time(rng, constant), cov=_cov(rng, constant)
        )
    return Clients(
        f"source of {name}", classes=(name,), clients=int(rng.integers(1, 40)),
        think_ns=_time(rng, constant), cov=_cov(rng, constant),
    )  # fmt: skip


def _gate(rng, name):
    """A limit for the whole network: a shared station without one, overloaded, hardly ever completes anything."""
    servers = Servers(f"gate of {name}", classes=(name,), servers=int(rng.integers(1, 12)), hold=f"last of {name}")
    return _queue(rng, f"of {name}", (name,)), servers


def _queue(rng, number, visitors):
    capacity = float(rng.integers(0, 6)) if rng.random() < 0.6 else np.inf
    return Queue(f"queue {number}", classes=visitors, capacity=capacity)


def _time(rng, constant):
    return float(rng.choice([500.0, 1000.0, 2000.0])) if constant else float(10 ** rng.uniform(2, 4))


def _cov(rng, constant):
    return 0.0 if constant else float(rng.choice([0.0, 0.5, 1.0, 2.0]))


def change(rng: np.random.Generator, network: Network) -> tuple[str, str, object]:
    """A random control of the network and a value for it."""
    station = network.stations[int(rng.integers(len(network.stations)))]
    new = {
        Arrivals: ("rate_ops", float(10 ** rng.uniform(5, 6.5))),
        Clients: ("clients", int(rng.integers(1, 40))),
        Queue: ("capacity", float(rng.integers(0, 8))),
        Servers: ("servers", int(rng.integers(1, 12))),
        Processors: ("threads", int(rng.integers(1, 8))),
        ProcessorSharing: ("speed", tuple(float(s) for s in rng.uniform(0.5, 3.0, 2))),
    }[type(station)]
    return station.name, *new


def assert_equal(actual, expected) -> None:
    for name, value in expected._asdict().items():
        np.testing.assert_equal(getattr(actual, name), value, err_msg=name)


@pytest.mark.parametrize("number", range(NETWORKS))
def test_engines_agree_on_every_request(number):
    rng = np.random.default_rng([30, number])
    network = random_network(rng, constant=number % 3 == 0)
    runs = [start_network(network, engine, seed=number) for engine in ("simpy", "compiled")]
    for _ in range(6):
        completions = int(rng.integers(1, 80))
        specification, compiled = [run.run_window(completions) for run in runs]
        assert_equal(compiled, specification)
        for _ in range(int(rng.integers(3))):
            control = change(rng, runs[0].network)
            for run in runs:
                run.set(*control)


@pytest.mark.parametrize("number", range(30))
def test_engines_agree_on_windows_of_time_among_those_of_requests(number):
    """Of round times ends tie with the window's own; some windows complete nothing, some more than the first room."""
    rng = np.random.default_rng([31, number])
    network = random_network(rng, constant=number % 2 == 0)
    runs = [start_network(network, engine, seed=number) for engine in ("simpy", "compiled")]
    begin = 0.0
    for duration_ns in (*rng.choice([1.0, 500.0, 2_000.0, 50_000.0], 5).tolist(), 5e6 if number < 6 else 1e3):
        specification, compiled = [run.run_for(duration_ns) for run in runs]
        assert_equal(compiled, specification)
        assert (compiled.start_ns, compiled.end_ns) == (begin, begin + duration_ns)
        control, completions = change(rng, runs[0].network), int(rng.integers(1, 20))
        for run in runs:
            run.set(*control)
        specification, compiled = [run.run_window(completions) for run in runs]
        assert_equal(compiled, specification)
        begin = compiled.end_ns


def test_a_window_of_time_has_all_that_ends_within_it_and_at_its_end():
    """A client that sends at once is served 100 ns each time: ends at 100, 200, ... ns."""
    network = Network(
        stations=(Clients("in", clients=1), Queue("queue"), Servers("server", servers=1, mean_ns=100.0, cov=0.0))
    )
    for engine in ("simpy", "compiled"):
        run = start_network(network, engine)
        windows = [run.run_for(duration_ns) for duration_ns in (300.0, 50.0, 49.0, 1.0, 400.0, 200_000.0)]
        assert [len(window.classes) for window in windows] == [3, 0, 0, 1, 4, 2_000]
        assert [window.end_ns for window in windows] == [300.0, 350.0, 399.0, 400.0, 800.0, 200_800.0]
        assert windows[0].busy_ns == {"server": 300.0} and windows[1].busy_ns == {"server": 50.0}
        with pytest.raises(InputError, match="duration_ns: 0"):
            run.run_for(0.0)


def test_requests_tie_and_are_rejected_and_wait():
    """The comparison above would prove little if that never happened."""
    rejected, ties, waited = 0, 0, 0.0
    for number in range(0, 30, 3):
        run = start_network(random_network(np.random.default_rng([30, number]), constant=True))
        window = run.run_window(200)
        rejected += window.rejected.sum()
        waited += sum(window.waited_ns.values())
        ties += window.latency_ns.size - np.unique(window.latency_ns).size
    assert rejected > 0
    assert ties > 500
    assert waited > 0.0


@dataclass(frozen=True, kw_only=True)
class Hyperthreads(SharedStation):
    """Two threads a core, the second adding `smt_yield` of a core."""

    cores: int
    smt_yield: float

    def speeds(self) -> tuple[float, ...]:
        whole = [float(n) for n in range(1, self.cores + 1)]
        return (*whole, *[self.cores + n * self.smt_yield for n in whole])


def test_a_station_that_is_a_case_of_sharing_is_one_class():
    """Both engines run it, with no line changed elsewhere, controls included."""
    host = Hyperthreads("host", mean_ns=1_000.0, cores=2, smt_yield=0.25)
    network = Network(stations=(Clients("in", clients=8, think_ns=500.0), host))
    runs = [start_network(network, engine) for engine in ("simpy", "compiled")]
    for control in (("host", "cores", 2), ("host", "cores", 1), ("host", "smt_yield", 0.5)):
        for run in runs:
            run.set(*control)
        specification, compiled = [run.run_window(300) for run in runs]
        assert_equal(compiled, specification)


def test_another_seed_gives_other_latencies():
    network = random_network(np.random.default_rng(1), constant=False)
    first, second = (start_network(network, seed=seed).run_window(200).latency_ns for seed in (0, 1))
    assert np.mean(first == second) < 0.5


def test_a_backlog_larger_than_the_first_room_changes_nothing():
    """The kernel begins with room for 2,048 requests; twice as many arrive as are served."""
    network = Network(
        stations=(Arrivals("in", rate_ops=2e6), Queue("queue"), Servers("server", servers=1, mean_ns=1e3))
    )
    runs = [start_network(network, engine, seed=3) for engine in ("simpy", "compiled")]
    for _ in range(2):
        specification, compiled = [run.run_window(3_000) for run in runs]
        assert_equal(compiled, specification)


def test_more_clients_than_the_first_room_come():
    network = Network(stations=(Clients("in", clients=5), Queue("queue"), Servers("server", servers=3, mean_ns=1e3)))
    runs = [start_network(network, engine) for engine in ("simpy", "compiled")]
    for several in ((5,), (3_000,), (3_500, 10), (20,)):
        for run in runs:
            for clients in several:  # only the last one counts
                run.set("in", "clients", clients)
        specification, compiled = [run.run_window(4_000) for run in runs]
        assert_equal(compiled, specification)
