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
from pmtwin.sim.errors import AnswerError, InputError, check_range, unknown_name
from pmtwin.sim.stations.network import Network
from pmtwin.sim.stations.queue import IDLE, Queue

SHORTEST_NS = 1e-9
"""Shortest duration of a window; also the divisor where no time has passed."""

LONGEST_NS = 1e18
"""Longest duration of a window: 31 years."""

NO_DECIDERS: Mapping[str, Any] = MappingProxyType({})


class NetworkWindow(NamedTuple):
    """Result of a window; its n completed requests are in the order of completion.

    Fields:
        latency_ns: shape (n,), from submission to completion.
        classes: shape (n,), uint8, index of the request's class in `Network.classes`.
        start_ns, end_ns: the window; it ends with its last completion, or after its duration.
        waited_ns: queue -> integral over the window of the number of waiting requests.
        rejected: shape (classes,), requests that found a queue full.
        arrived: shape (classes,), requests that sources sent.
        present: shape (classes,), requests in the network at the end of the window.
        busy_ns, idle_ns: servers -> busy and idle time within the window, summed over the servers of the station.
            A surplus server is busy until its request is done, and then leaves.
        decisions: decision point -> the counts of `pmtwin.sim.decisions.point.COUNTS` within the window.
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
        """Share of the servers' time in the window during which they were busy: 0 to 1."""
        return self.busy_ns[servers] / max(self.busy_ns[servers] + self.idle_ns[servers], SHORTEST_NS)


class NetworkRun(Copying, ABC):
    """A run of a network, window by window; time and the requests in flight carry over to the next window.

    Args:
        network: the declared network.
        seed: root of all randomness, an int or a SeedSequence.
        deciders: decision point -> its policy, a state that `pmtwin.sim.decisions.choice.decide` takes. A point
            without a policy takes the first possible action.

    Raises:
        InputError: for a station that only a system's own engine runs, or an unknown decision point.
    """

    name: str

    def __init__(self, network: Network, seed: int | np.random.SeedSequence, deciders: Mapping[str, Any] = NO_DECIDERS):
        self.network = network
        self.points = [point for _, point in network.asking()]
        asking = [s for s, _ in network.asking()]
        questions = [network.question(s) for s in asking]
        copies: dict[int, np.ndarray] = {}
        self.questions = [() if question is None else question.state(copies) for question in questions]
        declared = zip(self.points, questions, strict=True)
        self._declared = {point.name: question for point, question in declared if question is not None}
        self.reward_stations = [network.reward_station(s) for s in asking]
        names = [point.name for point in self.points]
        for name in deciders:
            if name not in names:
                raise unknown_name("decision point", name, names)
        self.deciders = [deciders[name] if name in deciders else first_possible() for name in names]
        for station in network.stations:
            if station.behaviour is None:
                raise InputError("station", station.name, "stations with a behaviour; its own engine runs this one")

    def arrays(self, point: str) -> tuple[np.ndarray, ...]:
        """Arrays of a decision point's question, as they are now.

        Raises:
            InputError: for a decision point that does not exist or has no question.
        """
        states = self._question_states()
        if point not in states:
            raise unknown_name("decision point with a question", point, list(states))
        return states[point].arrays

    def _question_states(self) -> dict[str, Any]:
        """Decision point -> the state of its question."""
        return {point.name: state for point, state in zip(self.points, self.questions, strict=True) if state}

    def set(self, station: str, parameter: str, value: object) -> None:
        """Change a parameter of a station between windows; requests in service keep the times drawn for them.

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
            RuntimeError: no event is left, as in a closed network without clients.
            InputError: a policy chose an action that was not possible.
        """
        check_range("completions", completions, 1, 1_000_000_000)
        return self._counted_window(int(completions), np.inf)

    def run_for(self, duration_ns: float) -> NetworkWindow:
        """Run for a duration in ns, with any number of completions; events at the last instant are included.

        Raises:
            InputError: the duration is not positive, or a policy chose an action that was not possible.
        """
        check_range("duration_ns", duration_ns, SHORTEST_NS, LONGEST_NS)
        return self._counted_window(None, float(duration_ns))

    def _counted_window(self, completions: int | None, duration_ns: float) -> NetworkWindow:
        """Run a window, and count its decisions."""
        if not self.points:
            return self._window(completions, duration_ns)
        before = self._counts()
        with question_calls(self._declared, self._question_states(), self._calls_under_way):
            window = self._window(completions, duration_ns)
        after = self._counts()
        for place, point in enumerate(self.points):
            if (action := self._first_impossible(place)) is not None:
                raise AnswerError(point.name, "action", action, self._allowed(point, action))
        counts = [{name: end[name] - start[name] for name in COUNTS} for start, end in zip(before, after, strict=True)]
        return window._replace(decisions=dict(zip([point.name for point in self.points], counts, strict=True)))

    @abstractmethod
    def _change(self, network: Network, place: int) -> None:
        """Continue with `network`, in which the station at index `place` has another declaration."""

    @abstractmethod
    def _window(self, completions: int | None, duration_ns: float) -> NetworkWindow:
        """Run a window of a number of completions or, where that is None, of a duration; field `decisions` is empty."""

    @abstractmethod
    def _counts(self) -> list[dict[str, int]]:
        """The counts of `COUNTS` since the start of the run, by decision point."""

    @abstractmethod
    def _first_impossible(self, place: int) -> int | None:
        """First action that was not possible, of the decision point at index `place`; None: there was none."""

    def _calls_under_way(self) -> dict[str, int]:
        """Decision point -> function of its question that compiled code is calling, `NO_QUESTION` for none."""
        return {}

    @abstractmethod
    def _waiting(self, place: int) -> int:
        """Number of requests that wait at the station with index `place`."""

    def _check_left(self, completions: int | None, done: int) -> None:
        """Raise the error of a window that has no event left and is not complete.

        Raises:
            InputError: requests wait at a queue whose policy leaves all servers idle.
            RuntimeError: otherwise.
        """
        for s, point in self.network.asking():
            if self._idles(point) and (waiting := self._waiting(s)):
                allowed = f"a class: {waiting} requests wait, all servers are idle and no other event is left"
                raise AnswerError(point.name, "action", IDLE, allowed)
        raise RuntimeError(f"the window needs {completions} completions; nothing is left to do after {done}")

    def _idles(self, point: DecisionPoint) -> bool:
        """Whether the last action of a point leaves a server idle."""
        station = self.network.stations[self.network.index(point.name)]
        return isinstance(station, Queue) and station.idles

    def _allowed(self, point: DecisionPoint, action: int) -> str:
        """The allowed actions in words, for the error about one that was not possible."""
        possible = f"a possible one of 0 to {len(point.actions) - 1} ({', '.join(point.actions)})"
        if self._idles(point) and action == len(point.actions) - 1:
            return f"{possible}: {IDLE} at most {MOST_IDLE} times in a row while all servers are idle, then a class"
        return possible


def streams(network: Network, seed: int | np.random.SeedSequence) -> np.ndarray:
    """Random key of the times that each station draws for each class: shape (stations, classes), uint64."""
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    fresh = np.random.SeedSequence(sequence.entropy, spawn_key=sequence.spawn_key)
    shape = len(network.stations), len(network.classes)
    return fresh.generate_state(shape[0] * shape[1], np.uint64).reshape(shape)
