"""Engine `compiled` for a network of stations; the event loop is in `pmtwin.sim.engines.network_kernel`."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.engines import network_kernel as kernel
from pmtwin.sim.engines.network import NetworkRun, NetworkWindow, streams
from pmtwin.sim.stations.network import Network
from pmtwin.sim.stations.plan import build_plan, build_state, grown
from pmtwin.sim.stations.queue import Queue
from pmtwin.sim.stations.servers import Servers
from pmtwin.sim.stations.station import CLIENTS


class CompiledNetwork(NetworkRun):
    """See `pmtwin.sim.engines.network.NetworkRun`."""

    name = "compiled"
    copyable = True

    def __init__(self, network: Network, seed: int | np.random.SeedSequence):
        super().__init__(network, seed)
        self._plans = build_plan(network)
        self._states = build_state(network, streams(network, seed))
        kernel.start(self._plans, self._states)

    def _change(self, network: Network, place: int) -> None:
        kernel.advance(self._plans, self._states, place)
        self._plans = build_plan(network)

    def _window(self, completions: int) -> NetworkWindow:
        start, before = float(self._states[0]["now"]), self._submitted()
        while self._states[0]["free"].size < self._most_clients():
            self._states = grown(self._states)
        kernel.open_window(self._plans, self._states)
        latency, classes = np.empty(completions), np.empty(completions, dtype=np.uint8)
        done = 0
        while (done := kernel.run(self._plans, self._states, latency, classes, done)) < completions:
            if self._states[0]["free_count"]:
                raise RuntimeError(f"the window needs {completions} completions; nothing is left to do after {done}")
            self._states = grown(self._states)
        state, count = self._states[0], len(self.network.classes)
        return NetworkWindow(
            latency, classes, start, float(state["now"]), self._by_station(Queue, state["spent"]),
            state["rejected"][:count].copy(), self._submitted() - before, state["present"][:count].copy(),
            self._by_station(Servers, state["spent"]), self._by_station(Servers, state["idle"]),
        )  # fmt: skip

    def _by_station(self, kind: type, times: np.ndarray) -> dict[str, float]:
        """The time of each station of a kind."""
        stations = enumerate(self.network.stations)
        return {station.name: float(times[s]) for s, station in stations if isinstance(station, kind)}

    def _submitted(self) -> np.ndarray:
        """Requests of each class so far."""
        return self._states[0]["submitted"][: len(self.network.classes)].astype(np.int64)

    def _most_clients(self) -> int:
        plan = self._plans[0]
        return int(plan["limit"][plan["behaviour"] == CLIENTS].max(initial=0))
