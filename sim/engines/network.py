"""Runs of a declared network of stations: one interface, two engines, the same numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from pmtwin.sim.decisions.first import first_possible
from pmtwin.sim.decisions.point import COUNTS, MOST_IDLE, DecisionPoint
from pmtwin.sim.decisions.question_faults import question_calls
from pmtwin.sim.engines.copying import Copying
from pmtwin.sim.errors import InputError, check_range, unknown_name
from pmtwin.sim.stations.network import Network
from pmtwin.sim.stations.queue import IDLE, Queue

SHORTEST_NS = 1e-9
"""A divisor where no time has passed."""

LONGEST_NS = 1e18
"""Duration of a window, 31 years."""

NOBODY: Mapping[str, Any] = MappingProxyType({})


class NetworkWindow(NamedTuple):
    """A window, request by request in the order of completion.

    Fields:
        latency_ns: shape (n,), from submission to completion.
        classes: shape (n,), uint8, place of the request's class in the network's.
        start_ns, end_ns: the window; it ends with its last completion, or after its duration.
        waited_ns: queue -> time that requests spent in it within the window, summed: the integral over the window of
            the number of waiting requests.
        rejected: shape (classes,), requests that found a queue full.
        arrived: shape (classes,), requests that sources sent. present: shape (classes,), those in the network at the
            window's end: what was there and has arrived, less what was answered or rejected.
        busy_ns, idle_ns: servers -> time that they were busy and idle within the window, summed over all of them.
            A surplus server, which leaves when its request is done, is there and busy until then.
        decisions: decision point -> number of each of `pmtwin.sim.decisions.point.COUNTS` within the window.
    """

    latency_ns: np.ndarray
    classes: np.ndarray
    start_ns: float
    end_ns: float
    waited_ns: dict[str, float]
    rejected: np.ndarray
    arrived: np.ndarray
    present: np.ndarray
    busy_ns: dict[str, float]
    idle_ns: dict[str, float]
    decisions: dict[str, dict[str, int]]

    def utilisation(self, servers: str) -> float:
        """Share of the servers' time within the window that they were busy: 0 to 1."""
        return self.busy_ns[servers] / max(self.busy_ns[servers] + self.idle_ns[servers], SHORTEST_NS)


class NetworkRun(Copying, ABC):
    """A network in operation. Time goes on from window to window; requests in flight are carried over.

    Args:
        network: the declared network.
        seed: root of all randomness, an int or a SeedSequence.
        deciders: decision point -> what decides there (`pmtwin.sim.decisions.choice.decide`); points without one take
            the first possible action.

    Raises:
        InputError: for a station that only a special engine runs, or an unknown decision point.
    """

    name: str

    def __init__(self, network: Network, seed: int | np.random.SeedSequence, deciders: Mapping[str, Any] = NOBODY):
        self.network = network
        self.points = [point for _, point in network.asking()]
        asking = [s for s, _ in network.asking()]
        questions = [network.question(s) for s in asking]
        copies: dict[int, np.ndarray] = {}
        self.questions = [() if question is None else question.state(copies) for question in questions]
        declared = zip(self.points, questions, strict=True)
        self._declared = {point.name: question for point, question in declared if question is not None}
        self.told = [network.told(s) for s in asking]
        names = [point.name for point in self.points]
        for name in deciders:
            if name not in names:
                raise unknown_name("decision point", name, names)
        self.deciders = [deciders[name] if name in deciders else first_possible() for name in names]
        for station in network.stations:
            if station.behaviour is None:
                raise InputError("station", station.name, "stations with a behaviour; its own engine runs this one")

    def arrays(self, point: str) -> tuple[np.ndarray, ...]:
        """The present arrays of a decision point's question."""
        states = self._of_questions()
        if point not in states:
            raise unknown_name("decision point with a question", point, list(states))
        return states[point].arrays

    def _of_questions(self) -> dict[str, Any]:
        """Decision point -> the state of its question."""
        return {point.name: state for point, state in zip(self.points, self.questions, strict=True) if state}

    def set(self, station: str, parameter: str, value: object) -> None:
        """Change a parameter of a station between windows; requests in service keep their drawn times.

        Raises:
            InputError: no such station or parameter, or a value that is not allowed.
        """
        network = self.network.with_parameter(station, parameter, value)
        if network != self.network:
            self._change(network, network.index(station))
            self.network = network

    def run_window(self, completions: int) -> NetworkWindow:
        """Run to exactly `completions` completions.

        Raises:
            RuntimeError: nothing more will ever happen: a closed network without clients.
            InputError: a decision that is no possible action.
        """
        check_range("completions", completions, 1, 1_000_000_000)
        return self._told(int(completions), np.inf)

    def run_for(self, duration_ns: float) -> NetworkWindow:
        """Run for a duration in ns, with any number of completions; events at the last instant count.

        Raises:
            InputError: for a duration that is not positive, or a decision that is not possible.
        """
        check_range("duration_ns", duration_ns, SHORTEST_NS, LONGEST_NS)
        return self._told(None, float(duration_ns))

    def _told(self, completions: int | None, duration_ns: float) -> NetworkWindow:
        """The window with its decisions noted."""
        if not self.points:
            return self._window(completions, duration_ns)
        before = self._counts()
        with question_calls(self._declared, self._of_questions(), self._called):
            window = self._window(completions, duration_ns)
        counts = self._counts()
        for place, point in enumerate(self.points):
            if (action := self._first_impossible(place)) is not None:
                raise InputError(f"action at decision point {point.name}", action, self._allowed(point, action))
        spent = [{name: now[name] - then[name] for name in COUNTS} for now, then in zip(counts, before, strict=True)]
        return window._replace(decisions=dict(zip([point.name for point in self.points], spent, strict=True)))

    @abstractmethod
    def _change(self, network: Network, place: int) -> None:
        """Continue with another declaration of the station at index `place`."""

    @abstractmethod
    def _window(self, completions: int | None, duration_ns: float) -> NetworkWindow:
        """The window of so many completions, or of a duration, with no decisions noted."""

    @abstractmethod
    def _counts(self) -> list[dict[str, int]]:
        """Numbers of `COUNTS` of each decision point since the beginning."""

    @abstractmethod
    def _first_impossible(self, place: int) -> int | None:
        """The first answer at the point in that place that was no possible action, if there was one."""

    def _called(self) -> dict[str, int]:
        """Decision point -> what compiled code was calling of its question (`pmtwin.sim.decisions.pending.CALLED`)."""
        return {}

    @abstractmethod
    def _waiting(self, place: int) -> int:
        """Requests that wait at the station in that place of the network."""

    def _check_left(self, completions: int | None, done: int) -> None:
        """Raise an error if no event is left before the window is complete.

        Raises:
            InputError: if a queue whose servers may stay idle serves nobody.
            RuntimeError: otherwise.
        """
        for s, point in self.network.asking():
            if self._idles(point) and (waiting := self._waiting(s)):
                allowed = f"a class at last: {waiting} requests wait, all servers are idle and nothing else will happen"
                raise InputError(f"action at decision point {point.name}", IDLE, allowed)
        raise RuntimeError(f"the window needs {completions} completions; nothing is left to do after {done}")

    def _idles(self, point: DecisionPoint) -> bool:
        """Whether the last action of a point serves nobody."""
        station = self.network.stations[self.network.index(point.name)]
        return isinstance(station, Queue) and station.idles

    def _allowed(self, point: DecisionPoint, action: int) -> str:
        """Text on the allowed actions, after one that was not possible."""
        possible = f"a possible one of 0 to {len(point.actions) - 1} ({', '.join(point.actions)})"
        if self._idles(point) and action == len(point.actions) - 1:
            return f"{possible}: {IDLE} at most {MOST_IDLE} times in a row while no server works, then a class"
        return possible


def streams(network: Network, seed: int | np.random.SeedSequence) -> np.ndarray:
    """Shape (stations, classes), uint64: the random key of what each station draws for each class."""
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    fresh = np.random.SeedSequence(sequence.entropy, spawn_key=sequence.spawn_key)
    shape = len(network.stations), len(network.classes)
    return fresh.generate_state(shape[0] * shape[1], np.uint64).reshape(shape)
