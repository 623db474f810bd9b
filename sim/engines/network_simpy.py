"""Engine `simpy` for a network of stations. Each request is a process that visits its stations.

It is the specification that engine `compiled` follows. Order of events at the same instant: first the consequences of
earlier events, then the departures from each station, the last station of the network first; a source is a station too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pmtwin.sim.decisions.asking import Asking
from pmtwin.sim.decisions.point import GONE
from pmtwin.sim.decisions.question import Seen, branch_by
from pmtwin.sim.draws import gap_ns
from pmtwin.sim.engines.network import NO_DECIDERS, NetworkRun, NetworkWindow, streams
from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment, errors_as_raised
from pmtwin.sim.stations.arrivals import Arrivals
from pmtwin.sim.stations.network import Network
from pmtwin.sim.stations.plan import sizes
from pmtwin.sim.stations.queue import NO_REQUEST, ByClass, Line, Queue
from pmtwin.sim.stations.router import Router
from pmtwin.sim.stations.servers import Servers

if TYPE_CHECKING:
    from pmtwin.sim.stations.servers import Pool
    from pmtwin.sim.stations.station import Source

FIRST_END = 2
"""Priority of the events of the last station; SimPy itself uses 0 and 1."""


class _Request:
    def __init__(self, c: int, index: int, submitted: float):
        self.c, self.index, self.submitted = c, index, submitted
        self.rejected = False


class SimpyNetwork(NetworkRun):
    """See `pmtwin.sim.engines.network.NetworkRun`."""

    name = "simpy"

    def __init__(self, network: Network, seed: int | np.random.SeedSequence, deciders: Mapping[str, Any] = NO_DECIDERS):
        super().__init__(network, seed, deciders)
        declared = zip(self.points, self.deciders, self.questions, self.reward_stations, strict=True)
        self._asking = [Asking(point, policy, question, station) for point, policy, question, station in declared]
        self._asked_at = {s: asking for (s, _), asking in zip(network.asking(), self._asking, strict=True)}
        self.env = AbsoluteEnvironment()
        self._streams = streams(network, seed)
        self._declare(network)
        places = range(len(network.stations))
        last = len(network.stations) - 1
        self.stations = [
            station.process(self.env, self._draw_at(s), FIRST_END + last - s)
            for s, station in enumerate(network.stations)
        ]
        for queue, servers in zip(self.stations, self.stations[1:], strict=False):
            if isinstance(queue, Line):
                queue.servers = cast("Pool", servers)  # the network has checked that servers follow a queue
                queue.servers.queue = queue
        for s in self._asked_at:
            if isinstance(station := network.stations[s], Queue):
                cast("Line", self.stations[s]).ask(partial(self._choose, s, station), station.idles)
        self._submitted, self._present = [0] * len(network.classes), [0] * len(network.classes)
        self._is_open = [isinstance(network.stations[route[0]], Arrivals) for route in self._routes]
        self._answers: list[tuple[float, int]] = []
        self._rejected = [0] * len(network.classes)
        self._pools = {s: cast("Pool", self.stations[s]) for s in places if isinstance(network.stations[s], Servers)}
        self._sources = [cast("Source", self.stations[route[0]]) for route in self._routes]
        for c, source in enumerate(self._sources):
            self.env.process(source.run(c, self._submit))

    def _declare(self, network: Network) -> None:
        """Take over routes, branches and tables of a declaration; the stations keep theirs."""
        classes = range(len(network.classes))
        self._routes = [network.route(c) for c in classes]
        self._after = [{s: network.after(c, s) for s in route} for c, route in enumerate(self._routes)]
        self._forks = {s: station for s, station in enumerate(network.stations) if isinstance(station, Router)}
        self._released = [network.released_after(c) for c in classes]
        quantiles = [[network.quantiles(s, c) for c in classes] for s in range(len(network.stations))]
        self._quantiles = cast("list[list[np.ndarray]]", quantiles)  # None only where no time is drawn

    def _draw_at(self, s: int):
        def draw(c: int, index: int) -> float:
            return gap_ns(self._quantiles[s][c][np.newaxis], 0, self._streams[s, c], np.uint64(index))

        return draw

    def _change(self, network: Network, place: int) -> None:
        self._declare(network)
        self.stations[place].set(network.stations[place])

    def _window(self, completions: int | None, duration_ns: float) -> NetworkWindow:
        start, self._answers, self._rejected = self.env.now, [], [0] * len(self._rejected)
        before = np.array(self._submitted)
        for station in reversed(self.stations):
            station.open_window()
        with errors_as_raised():
            if completions is None:
                self.env.run_to(start + duration_ns)
            else:
                self._complete(completions)
        waited: dict[str, float] = {}
        busy: dict[str, float] = {}
        idle: dict[str, float] = {}
        for declared, station in zip(self.network.stations, self.stations, strict=True):
            if isinstance(declared, Queue):
                line = cast("Line", station)
                line.count()
                waited[declared.name] = line.waited_ns
            elif isinstance(declared, Servers):
                pool = cast("Pool", station)
                pool.count()
                busy[declared.name], idle[declared.name] = pool.busy_ns, pool.idle_ns
        answers = np.array(self._answers).reshape(-1, 2)
        return NetworkWindow(
            answers[:, 0], answers[:, 1].astype(np.uint8), start, self.env.now, waited, np.array(self._rejected),
            np.array(self._submitted) - before, np.array(self._present), busy, idle, {},
        )  # fmt: skip

    def _complete(self, completions: int) -> None:
        """Run until a number of requests are answered, and the consequences of the last answer have happened."""
        while len(self._answers) < completions:
            if self.env.peek() == np.inf:
                self._check_left(completions, len(self._answers))
            self.env.step()
        self.env.settle(FIRST_END)

    def _submit(self, c: int) -> bool:
        """Submit a request of class c; False if the last arrival of the run has been sent."""
        opened = [count for count, is_open in zip(self._submitted, self._is_open, strict=True) if is_open]
        if self._is_open[c] and sum(opened) >= self.network.requests:
            return False
        request = _Request(c, self._submitted[c], self.env.now)
        self._submitted[c] += 1
        self._present[c] += 1
        self.env.process(self._visit(request))
        return True

    def _visit(self, request: _Request):
        """Process of a request: it visits its stations, and frees servers where their declaration says."""
        c, rejected_ns = request.c, 0.0
        stations, after, released = self.stations, self._after[c], self._released[c]
        held_servers: list[int] = []
        s = after[self._routes[c][0]]
        while s >= 0:
            yield from stations[s].visit(request)
            if request.rejected:
                self._rejected[c] += 1
                rejected_ns = self.network.rejection_ns
                for servers in reversed(held_servers):
                    self._pools[servers].release()
                break
            if s in self._pools:
                held_servers.append(s)
            for asking in self._asking:
                asking.tell(request, s, self.env.now, request.submitted)
            for servers in released.get(s, ()):
                held_servers.remove(servers)
                self._pools[servers].release()
            s = self._branch(request, s) if s in self._forks else after[s]
        else:
            self._answers.append((self.env.now - request.submitted, c))
        for asking in self._asking:
            asking.tell(request, GONE, self.env.now, request.submitted, rejected_ns)
        self._present[c] -= 1
        self._sources[c].answered(c, request.index)

    def _branch(self, request: _Request, s: int) -> int:
        """Index of the first station of the branch that a request takes at router s."""
        declared, asking = self._forks[s], self._asked_at[s]
        counts = []
        for name, quantity in declared.shown:
            station = self.stations[self.network.index(name)]
            counts.append(len(station.waiting) if quantity == "waiting" else station.busy)
        firsts = [self.network.index(branch[0]) for branch in declared.branches]
        room = [not (isinstance(line := self.stations[first], Line) and line.is_full()) for first in firsts]
        possible = room if declared.masked and any(room) else [True] * len(asking.point.actions)
        seen = partial(self._seen, request.c, request.index, request.submitted)
        shown, action = asking.ask(counts, possible, seen)
        asking.remember(request, shown, action, self.env.now)
        branch = branch_by(asking.question, seen(), action, len(firsts)) if declared.acts else action
        return firsts[branch]

    def _choose(self, s: int, station: Queue, waiting: ByClass) -> tuple | None:
        """The waiting (request, turn) that a free server behind queue s takes; None: the server stays idle."""
        asking = self._asked_at[s]
        classes = [self.network.classes.index(name) for name in station.classes or self.network.classes]
        counts = [waiting.count(c) for c in classes]
        present = [c for c, count in zip(classes, counts, strict=True) if count]
        if len(present) == 1 and not station.idles:
            return waiting.take(present[0])
        possible = [count > 0 for count in counts]
        if station.idles:
            possible.append(asking.may_idle())
        seen = partial(self._seen, NO_REQUEST, NO_REQUEST, self.env.now)
        shown, action = asking.ask(counts, possible, seen)
        if station.idles:
            asking.note_idle(action == len(classes), self._pools[s + 1].busy > 0)
            if action == len(classes):
                return None
        request, turn = waiting.take(classes[action])
        asking.remember(request, shown, action, self.env.now)
        return request, turn

    def _seen(self, c: int, index: int, submitted: float) -> Seen:
        """The network as the question of a decision point sees it now.

        Args:
            c, index, submitted: class, number in the class and submission time (ns) of the request at a router.
        """
        stations, classes = sizes(self.network)
        waiting, busy = np.zeros(stations, np.int64), np.zeros(stations, np.int64)
        by_class, present = np.zeros((stations, classes), np.int64), np.zeros(classes, np.int64)
        present[: len(self._present)] = self._present
        for s, station in enumerate(self.stations):
            waiting[s], busy[s] = len(station.waiting), station.busy
            if isinstance(station.waiting, ByClass):
                by_class[s, : len(self._present)] = [station.waiting.count(c) for c in range(len(self._present))]
        return Seen(float(self.env.now), waiting, busy, by_class, present, c, index, float(submitted))

    def _counts(self) -> list[dict[str, int]]:
        return [dict(asking.counts) for asking in self._asking]

    def _first_impossible(self, place: int) -> int | None:
        return self._asking[place].first_impossible

    def _waiting(self, place: int) -> int:
        return len(self.stations[place].waiting)
