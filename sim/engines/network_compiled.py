"""Engine `compiled` for a network of stations; the event loop is in `pmtwin.sim.engines.network_kernel`."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.engines import network_kernel as kernel
from pmtwin.sim.engines.network import NetworkRun, NetworkWindow, streams
from pmtwin.sim.stations.network import Network
from pmtwin.sim.stations.plan import build_plan, build_state, grown
from pmtwin.sim.stations.queue import Queue
from pmtwin.sim.stations.station import CLIENTS


class CompiledNetwork(NetworkRun):
    """See `pmtwin.sim.engines.network.NetworkRun`."""

    name = "compiled"

    def __init__(self, network: Network, seed: int | np.random.SeedSequence):
        super().__init__(network, seed)
        self._plans = build_plan(network)
        self._states = build_state(network, streams(network, seed))
        kernel.start(self._plans, self._states)

    def _change(self, network: Network, place: int) -> None:
        kernel.advance(self._plans, self._states, place)
        self._plans = build_plan(network)

    def _window(self, completions: int) -> NetworkWindow:
        start = float(self._states[0]["now"])
        while self._states[0]["free"].size < self._most_clients():
            self._states = grown(self._states)
        kernel.open_window(self._plans, self._states)
        latency, classes = np.empty(completions), np.empty(completions, dtype=np.uint8)
        done = 0
        while (done := kernel.run(self._plans, self._states, latency, classes, done)) < completions:
            if self._states[0]["free_count"]:
                raise RuntimeError(f"the window needs {completions} completions; nothing is left to do after {done}")
            self._states = grown(self._states)
        state = self._states[0]
        queues = [s for s, station in enumerate(self.network.stations) if isinstance(station, Queue)]
        waited = {self.network.stations[s].name: float(state["waited"][s]) for s in queues}
        return NetworkWindow(
            latency, classes, start, float(state["now"]), waited, state["rejected"][: len(self.network.classes)].copy()
        )

    def _most_clients(self) -> int:
        plan = self._plans[0]
        return int(plan["limit"][plan["behaviour"] == CLIENTS].max(initial=0))
