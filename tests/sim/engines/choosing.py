"""Networks whose stations ask, and what decides in them, for tests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.decisions import CompiledState, compiled_state
from pmtwin.sim.decisions.point import COUNTS
from pmtwin.sim.draws import bits, high_uniform
from pmtwin.sim.engines import start_network
from pmtwin.sim.engines.network import NetworkRun, NetworkWindow
from pmtwin.sim.stations import Arrivals, Clients, Network, Queue, Router, Servers

_0 = np.uint64(0)
ENGINES = ("simpy", "compiled")


def decide(arrays, features, mask):
    """The best action so far, or any possible one in a tenth of the decisions."""
    mean, _, drawn = arrays
    number = high_uniform(bits(drawn[0], drawn[1], _0))
    drawn[1] += np.uint64(1)
    best = -1
    for action in range(mean.size):
        if mask.size > 0 and not mask[action]:
            continue
        if number < 0.1 and best >= 0:
            number *= 7.0
            number -= np.floor(number)
            best = action if number < 0.5 else best
        elif best < 0 or mean[action] - 1e-3 * features.sum() > mean[best] - 1e-3 * features.sum():
            best = action
    return best


def observe(arrays, features, action, reward):
    """The mean reward of the action."""
    mean, count, _ = arrays
    count[action] += 1
    mean[action] += (reward - mean[action]) / count[action]


def bandit(actions: int, key: int) -> CompiledState:
    """A learner with random draws, so that both engines must ask and tell it the same in the same order."""
    arrays = np.zeros(actions), np.zeros(actions), np.array([key, 0], np.uint64)
    return compiled_state(arrays, {"decide": decide, "observe": observe})


def deciders(network: Network, key: int) -> dict[str, CompiledState]:
    """A bandit for each point of a network."""
    return {point.name: bandit(len(point.actions), key + place) for place, (_, point) in enumerate(network.asking())}


def run_alike(network: Network, number: int, counts: tuple[int, ...]) -> Alike:
    """Windows of so many completions in both engines, which are equal in every bit, and in which nothing is lost."""
    given = [deciders(network, number) for _ in ENGINES]
    runs = [start_network(network, engine, number, each) for engine, each in zip(ENGINES, given, strict=True)]
    conserved = Conserved(network)
    for count in counts:
        specified, compiled = (run.run_window(count) for run in runs)
        assert np.array_equal(specified.latency_ns, compiled.latency_ns)
        assert np.array_equal(specified.classes, compiled.classes)
        assert specified.decisions == compiled.decisions
        assert specified.waited_ns == compiled.waited_ns and specified.busy_ns == compiled.busy_ns
        conserved.check(compiled)
    return Alike(runs, given, conserved.sums)


class Alike(NamedTuple):
    """Runs of both engines, what decided in each, and the counts of all decisions by point."""

    runs: list[NetworkRun]
    deciders: list[dict[str, CompiledState]]
    sums: dict[str, dict[str, int]]


class Conserved:
    """What holds in each window: nothing is lost, queues keep to their room, no server works more than always."""

    def __init__(self, network: Network):
        self.network, self.present = network, np.zeros(len(network.classes), np.int64)
        self.sums = {point.name: dict.fromkeys(COUNTS, 0) for _, point in network.asking()}

    def check(self, window: NetworkWindow) -> None:
        """The next window keeps to it."""
        answered = np.bincount(window.classes, minlength=self.present.size)
        assert np.array_equal(self.present + window.arrived, answered + window.rejected + window.present)
        self.present = window.present
        assert all(0.0 <= window.utilisation(name) <= 1.0 for name in window.busy_ns)
        duration = window.end_ns - window.start_ns
        for name, waited in window.waited_ns.items():
            capacity = self.network.stations[self.network.index(name)].capacity
            assert 0.0 <= waited <= capacity * duration * (1 + 1e-12)
        for name, counts in window.decisions.items():
            spent = self.sums[name] = {key: self.sums[name][key] + counts[key] for key in COUNTS}
            pending = spent["asked"] - spent["told"] - spent["dropped"] - spent["idle"]
            assert 0 <= pending <= min(self.network.most_pending, int(window.present.sum()))


def random_network(rng: np.random.Generator, most_pending: int = 1 << 16) -> Network:
    """Two classes, a queue that asks, and two routers; rejections, ties and holding servers among them."""
    ns, tied = 1000.0, rng.random() < 0.3
    cov = 0.0 if tied else 1.0
    stations = [
        Arrivals("a's", classes=("a",), rate_ops=1e9 / ns / float(rng.integers(1, 4)), cov=cov),
        Clients("b's", classes=("b",), clients=int(rng.integers(1, 9)), think_ns=ns * int(rng.integers(1, 5)), cov=cov),
        Queue("jobs", capacity=int(rng.integers(2, 30)), asks=True),
        Servers("workers", servers=int(rng.integers(1, 4)), mean_ns=(ns, ns / 2), cov=cov, hold=_hold(rng)),
    ]
    for number in range(2):
        names = [f"{number}-{branch}" for branch in range(2)]
        branches = tuple((f"queue {name}", f"servers {name}") for name in names)
        shown = tuple(("waiting", "busy")[place % 2] for place in range(2))
        shown = tuple(zip((branches[0][0], branches[1][1]), shown, strict=True))
        stations.append(Router(f"router-{number}", branches=branches, shown=shown, masked=rng.random() < 0.5))
        for name in names:
            stations.append(Queue(f"queue {name}", capacity=int(rng.integers(0, 20))))
            stations.append(Servers(f"servers {name}", servers=int(rng.integers(1, 4)),
                                    mean_ns=ns * int(rng.integers(1, 4)), cov=cov))  # fmt: skip
    stations += [Queue("last queue"), Servers("last", servers=40, mean_ns=ns / 2, cov=cov)]
    return Network(classes=("a", "b"), stations=tuple(stations), rejection_ns=50 * ns, most_pending=most_pending)


def _hold(rng) -> str | None:
    return "last" if rng.random() < 0.3 else None
