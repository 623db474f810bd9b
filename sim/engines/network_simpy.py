"""Engine `simpy` for a network of stations: the specification. Each request is a process that visits its stations.

Of what happens at the same instant, first comes all that follows from what has happened already, then the ends at the
stations, the last station's first, then arrivals.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.draws import gap_ns
from pmtwin.sim.engines.network import NetworkRun, NetworkWindow, streams
from pmtwin.sim.stations.arrivals import Arrivals
from pmtwin.sim.stations.network import Network
from pmtwin.sim.stations.queue import Line, Queue
from pmtwin.sim.stations.servers import Servers
from pmtwin.sim.stations.timers import AbsoluteEnvironment

FIRST_END = 2
"""Priority of the last station's ends; SimPy's own are 0 and 1."""


class _Request:
    def __init__(self, c: int, index: int, submitted: float):
        self.c, self.index, self.submitted = c, index, submitted
        self.rejected = False


class SimpyNetwork(NetworkRun):
    """See `pmtwin.sim.engines.network.NetworkRun`."""

    name = "simpy"

    def __init__(self, network: Network, seed: int | np.random.SeedSequence):
        super().__init__(network, seed)
        self.env = AbsoluteEnvironment()
        self._streams = streams(network, seed)
        self._declare(network)
        last = len(network.stations) - 1
        self.stations = [
            station.process(self.env, self._draw_at(s), FIRST_END + last - s)
            for s, station in enumerate(network.stations)
        ]
        for queue, servers in zip(self.stations, self.stations[1:], strict=False):
            if isinstance(queue, Line):
                queue.servers, servers.queue = servers, queue
        self._submitted, self._present = [0] * len(network.classes), [0] * len(network.classes)
        self._is_open = [isinstance(network.stations[route[0]], Arrivals) for route in self._routes]
        self._answers: list[tuple[float, int]] = []
        self._rejected = [0] * len(network.classes)
        for c, route in enumerate(self._routes):
            self.env.process(self.stations[route[0]].run(c, self._submit))

    def _declare(self, network: Network) -> None:
        """Note the declaration, apart from the stations' behaviour."""
        classes = range(len(network.classes))
        self._routes = [network.route(c) for c in classes]
        self._released = [network.released_after(c) for c in classes]
        self._quantiles = [[network.quantiles(s, c) for c in classes] for s in range(len(network.stations))]

    def _draw_at(self, s: int):
        def draw(c: int, index: int) -> float:
            return gap_ns(self._quantiles[s][c][np.newaxis], 0, self._streams[s, c], np.uint64(index))

        return draw

    def _change(self, network: Network, place: int) -> None:
        self._declare(network)
        self.stations[place].set(network.stations[place])

    def _window(self, completions: int) -> NetworkWindow:
        start, self._answers, self._rejected = self.env.now, [], [0] * len(self._rejected)
        before = np.array(self._submitted)
        for station in reversed(self.stations):
            station.open_window()
        while len(self._answers) < completions:
            if self.env.peek() == np.inf:
                done = len(self._answers)
                raise RuntimeError(f"the window needs {completions} completions; nothing is left to do after {done}")
            self.env.step()
        self.env.settle(FIRST_END)
        waited, busy, idle = {}, {}, {}
        for declared, station in zip(self.network.stations, self.stations, strict=True):
            if isinstance(declared, Queue):
                station.count()
                waited[declared.name] = station.waited_ns
            elif isinstance(declared, Servers):
                station.count()
                busy[declared.name], idle[declared.name] = station.busy_ns, station.idle_ns
        answers = np.array(self._answers)
        return NetworkWindow(
            answers[:, 0], answers[:, 1].astype(np.uint8), start, self.env.now, waited, np.array(self._rejected),
            np.array(self._submitted) - before, np.array(self._present), busy, idle,
        )  # fmt: skip

    def _submit(self, c: int) -> bool:
        """A source sends a request; false if all that arrive in all have come."""
        opened = [count for count, is_open in zip(self._submitted, self._is_open, strict=True) if is_open]
        if self._is_open[c] and sum(opened) >= self.network.requests:
            return False
        request = _Request(c, self._submitted[c], self.env.now)
        self._submitted[c] += 1
        self._present[c] += 1
        self.env.process(self._visit(request))
        return True

    def _visit(self, request: _Request):
        """A request visits its stations; it frees the servers that it holds where their declaration says."""
        c = request.c
        held: list[int] = []
        for s in self._routes[c][1:]:
            yield from self.stations[s].visit(request)
            if request.rejected:
                self._rejected[c] += 1
                for servers in reversed(held):
                    self.stations[servers].release()
                break
            if isinstance(self.network.stations[s], Servers):
                held.append(s)
            for servers in self._released[c].get(s, ()):
                held.remove(servers)
                self.stations[servers].release()
        else:
            self._answers.append((self.env.now - request.submitted, c))
        self._present[c] -= 1
        self.stations[self._routes[c][0]].answered(c, request.index)
