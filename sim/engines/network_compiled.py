"""Engine `compiled` for a network of stations; the event loop is in `pmtwin.sim.engines.network_kernel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from pmtwin.sim.decisions import pending
from pmtwin.sim.decisions.pending import CALLED, FIRST_IMPOSSIBLE, IMPOSSIBLE, Decisions, make_decisions
from pmtwin.sim.decisions.point import COUNTS
from pmtwin.sim.decisions.state import CompiledState
from pmtwin.sim.engines import network_kernel as kernel
from pmtwin.sim.engines.network import NO_DECIDERS, NetworkRun, NetworkWindow, streams
from pmtwin.sim.errors import InputError
from pmtwin.sim.stations.network import Network
from pmtwin.sim.stations.plan import MOST_REQUESTS, build_plan, build_state, grown
from pmtwin.sim.stations.queue import Queue
from pmtwin.sim.stations.servers import Servers
from pmtwin.sim.stations.station import CLIENTS

FIRST_ROOM = 1024
"""Room for completions in a window of a given duration, before it grows."""


class CompiledNetwork(NetworkRun):
    """See `pmtwin.sim.engines.network.NetworkRun`."""

    name = "compiled"
    copyable = True

    def __init__(self, network: Network, seed: int | np.random.SeedSequence, deciders: Mapping[str, Any] = NO_DECIDERS):
        super().__init__(network, seed, deciders)
        for name, decider in deciders.items():
            if not isinstance(decider, CompiledState):
                allowed = "one whose functions can be compiled; one in plain Python runs on engine simpy"
                raise InputError(f"policy at decision point {name}", type(decider).__name__, allowed)
        self._plans = build_plan(network)
        self._states = build_state(network, streams(network, seed))
        room = self._states[0]["free"].size
        self._decisions = make_decisions(self.points, self.deciders, self.questions, self.reward_stations, room)
        kernel.start(self._plans, self._states)

    def _change(self, network: Network, place: int) -> None:
        kernel.advance(self._plans, self._states, place)
        self._plans = build_plan(network)

    def _window(self, completions: int | None, duration_ns: float) -> NetworkWindow:
        start, before = float(self._states[0]["now"]), self._submitted()
        until = start + duration_ns
        while self._states[0]["free"].size < self._most_clients():
            self._grow()
        kernel.open_window(self._plans, self._states, self._decisions)
        room = FIRST_ROOM if completions is None else completions
        latency, classes, done = np.empty(room), np.empty(room, dtype=np.uint8), 0
        while True:
            done = kernel.run(self._plans, self._states, self._decisions, latency, classes, done, until)
            if done == completions or self._states[0]["now"] == until:
                break
            if done == len(latency):
                latency, classes = np.resize(latency, 2 * done), np.resize(classes, 2 * done)
                continue
            if self._states[0]["free_count"]:
                self._check_left(completions, done)
            self._grow()
        state, count = self._states[0], len(self.network.classes)
        return NetworkWindow(
            latency[:done], classes[:done], start, float(state["now"]), self._by_station(Queue, state["spent"]),
            state["rejected"][:count].copy(), self._submitted() - before, state["present"][:count].copy(),
            self._by_station(Servers, state["spent"]), self._by_station(Servers, state["idle"]), {},
        )  # fmt: skip

    def _counts(self) -> list[dict[str, int]]:
        rows = self._decisions.counts.tolist() if isinstance(self._decisions, Decisions) else []
        return [dict(zip(COUNTS, row, strict=False)) for row in rows]

    def _first_impossible(self, place: int) -> int | None:
        counts = cast("Decisions", self._decisions).counts[place]
        return int(counts[FIRST_IMPOSSIBLE]) if counts[IMPOSSIBLE] else None

    def _calls_under_way(self) -> dict[str, int]:
        column = cast("Decisions", self._decisions).counts[:, CALLED]
        calls = column.tolist()
        column[:] = pending.NO_QUESTION  # the error of a later window must not name this call
        return dict(zip([point.name for point in self.points], calls, strict=True))

    def _waiting(self, place: int) -> int:
        return int(self._states[0]["waiting"][place])

    def _grow(self) -> None:
        self._states = grown(self._states)
        self._decisions = pending.grown(self._decisions, self.points, MOST_REQUESTS)

    def _by_station(self, kind: type, times: np.ndarray) -> dict[str, float]:
        """Station -> its time in ns, for the stations of a kind."""
        stations = enumerate(self.network.stations)
        return {station.name: float(times[s]) for s, station in stations if isinstance(station, kind)}

    def _submitted(self) -> np.ndarray:
        """Requests sent so far: shape (classes,)."""
        return self._states[0]["submitted"][: len(self.network.classes)].astype(np.int64)

    def _most_clients(self) -> int:
        plan = self._plans[0]
        return int(plan["limit"][plan["behaviour"] == CLIENTS].max(initial=0))
