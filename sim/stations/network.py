"""Declaration of a queueing network as a list of stations, for both engines."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, TypeGuard, cast

import numpy as np

from pmtwin.sim.control import LOG, Column
from pmtwin.sim.decisions.point import GONE, DecisionPoint
from pmtwin.sim.decisions.question import Question
from pmtwin.sim.draws import gamma_table
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.stations.clients import Clients
from pmtwin.sim.stations.queue import IDLE, Queue
from pmtwin.sim.stations.router import Router
from pmtwin.sim.stations.servers import Servers
from pmtwin.sim.stations.station import Station

_FIXED = ("name", "classes", "hold", "question", "asks", "idles")
"""Fields of a station that cannot change during a run."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """Classes of requests, and the stations that they visit.

    Args:
        classes: names of the classes.
        stations: in the order of visits; a request visits the stations that list its class. Each class has one source
            (`Arrivals` or `Clients`), which serves only this class and is its first station. A `Queue` is followed by
            its `Servers`, which list the same classes.
        requests: total number of arrivals at open sources; infinite by default.
        rejection_ns: time in ns that the usual reward of a decision adds for a rejected request.
        most_pending: largest number of decisions of a point whose reward is not known yet; of further decisions, the
            reward is dropped and counted.

    Raises:
        InputError: the stations form no valid network.
    """

    classes: tuple[str, ...] = ("requests",)
    stations: tuple[Station, ...]
    requests: float = math.inf
    rejection_ns: float = 1e9
    most_pending: int = 1 << 16

    def __post_init__(self):
        object.__setattr__(self, "classes", tuple(self.classes))
        object.__setattr__(self, "stations", tuple(self.stations))
        if not (self.requests == math.inf or (self.requests >= 1 and int(self.requests) == self.requests)):
            raise InputError("requests", self.requests, "a whole number from 1, or infinite")
        self._check_names()
        self._check_sources()
        self._check_pairs()
        self._check_branches()
        self._check_holds()
        self._check_questions()
        self._check_draws()

    def index(self, name: str) -> int:
        """Index of the station with this name.

        Raises:
            InputError: no station has it.
        """
        names = [station.name for station in self.stations]
        if name not in names:
            raise unknown_name("station", name, names)
        return names.index(name)

    def visits(self, station: Station, c: int) -> bool:
        """Whether requests of class c visit the station."""
        return not station.classes or self.classes[c] in station.classes

    def route(self, c: int) -> list[int]:
        """Indices of the stations that class c visits, its source first."""
        return self._routes[c]

    @cached_property
    def _routes(self) -> list[list[int]]:
        stations = list(enumerate(self.stations))
        return [[s for s, station in stations if self.visits(station, c)] for c in range(len(self.classes))]

    def after(self, c: int, s: int) -> int:
        """Index of the station that class c visits after station s; -1 after its last station and after a router."""
        if isinstance(self.stations[s], Router):
            return -1
        if not self._routers:
            return next((place for place in self.route(c) if place > s), -1)
        branches = self._branches_with(s)
        last = max((self.index(name) for branch in branches for name in branch), default=s)
        inside = branches and self.stations[s].name not in [branch[-1] for branch in branches]
        later = [place for place in self.route(c) if place > (s if inside else last)]
        return later[0] if later else -1

    def _branches_with(self, s: int) -> tuple[tuple[str, ...], ...]:
        """The branches of the router that has station s in one of its branches; empty if no router has."""
        for place in self._routers:
            router = cast("Router", self.stations[place])
            if place < s and any(self.stations[s].name in branch for branch in router.branches):
                return router.branches
        return ()

    @cached_property
    def _routers(self) -> list[int]:
        """Indices of the routers, the last router first."""
        return [s for s, station in enumerate(self.stations) if isinstance(station, Router)][::-1]

    def asking(self) -> list[tuple[int, DecisionPoint]]:
        """(index, decision point) of each station that asks for decisions, in order."""
        return [(s, self._point(station)) for s, station in enumerate(self.stations) if _asks(station)]

    def question(self, s: int) -> Question | None:
        """The question that station s, which asks for decisions, declares; None if it declares none."""
        return cast("Router | Queue", self.stations[s]).question

    def reward_station(self, s: int) -> int:
        """Index of the station whose departures make the rewards of decisions at station s known; `GONE`: of none.

        Rewards that are not known before become known when the request leaves the network.
        """
        question = self.question(s)
        return self.index(question.told) if question is not None and question.told else GONE

    def _point(self, station: Router | Queue) -> DecisionPoint:
        question = station.question or Question()
        reward = f"{question.reward_is}, when it leaves {question.told or 'the network'}"
        if isinstance(station, Queue):
            names = station.classes or self.classes
            shown = tuple(Column(f"waiting_{name}", 0, station.limit(), "requests", LOG) for name in names)
            waiting = "a request waits" if station.idles else "requests of several classes wait"
            return DecisionPoint(
                station.name, f"a server is free and {waiting}", features=shown + question.features,
                actions=(*names, IDLE) if station.idles else names, masked=True, reward=reward,
                usual_features=len(shown), most_pending=self.most_pending,
            )  # fmt: skip
        shown = tuple(
            Column(f"{quantity}_{name}".replace(" ", "_"), 0, self.stations[self.index(name)].limit(), "requests", LOG)
            for name, quantity in station.shown
        )
        actions = question.actions or tuple(branch[0] for branch in station.branches)
        return DecisionPoint(
            station.name, "an arrival", features=shown + question.features, actions=actions,
            masked=station.masked or question.masks, reward=reward,
            usual_features=len(shown), most_pending=self.most_pending,
        )  # fmt: skip

    def released_after(self, c: int) -> dict[int, list[int]]:
        """Station -> servers that a request of class c frees when it leaves the station, the last servers first."""
        freed: dict[int, list[int]] = {}
        for s in reversed(self.route(c)):
            if isinstance(self.stations[s], Servers):
                freed.setdefault(self._held_until(s), []).append(s)
        return freed

    def quantiles(self, s: int, c: int) -> np.ndarray | None:
        """Quantile function (`pmtwin.sim.draws.gamma_table`) of the time, in ns, that station s draws for class c.

        None: the class does not visit the station, or the station draws no time.
        """
        station = self.stations[s]
        if not self.visits(station, c):
            return None
        drawn = station.drawn(station.classes.index(self.classes[c]) if station.classes else c)
        if drawn is None:
            return None
        return gamma_table(float(drawn[0]), float(drawn[1]))

    def with_parameter(self, name: str, parameter: str, value: object) -> Network:
        """The network with another value of one station's parameter.

        Raises:
            InputError: unknown station or parameter, or a value that is not allowed.
        """
        s = self.index(name)
        station = self.stations[s]
        known = [field.name for field in fields(station) if field.name not in _FIXED]
        if parameter not in known:
            raise unknown_name(f"{name}: parameter", parameter, known)
        if getattr(station, parameter) is None or value is None:
            raise InputError(f"{name}: {parameter}", value, "a number, where the network was declared with one")
        change: dict[str, Any] = {parameter: value}
        changed = replace(station, **change)
        return replace(self, stations=(*self.stations[:s], changed, *self.stations[s + 1 :]))

    def _held_until(self, s: int) -> int:
        hold = cast("Servers", self.stations[s]).hold
        return s if hold is None else self.index(hold)

    def _check_names(self) -> None:
        for field_name, names in (("classes", self.classes), ("stations", [station.name for station in self.stations])):
            if not names or len(set(names)) < len(names):
                raise InputError(field_name, list(names), "one name or more, all different")
        for station in self.stations:
            for name in station.classes:
                if name not in self.classes:
                    raise unknown_name(f"{station.name}: classes", name, self.classes)

    def _check_sources(self) -> None:
        for c, name in enumerate(self.classes):
            sources = [s for s in self.route(c) if self.stations[s].source]
            if len(sources) != 1 or sources[0] != self.route(c)[0]:
                raise InputError(
                    f"stations of class {name}", [self.stations[s].name for s in self.route(c)],
                    "one source (Arrivals, Clients) at the beginning; a second class needs one with classes=(...)",
                )  # fmt: skip
            source = self.stations[sources[0]]
            if sum(self.visits(source, other) for other in range(len(self.classes))) != 1:
                raise InputError(f"{source.name}: classes", source.classes, "one class: each class has its own source")
            if len(self.route(c)) == 1:
                raise InputError(f"stations of class {name}", [source.name], "at least one station after the source")

    def _check_pairs(self) -> None:
        for station, following in itertools.pairwise((None, *self.stations, None)):
            if isinstance(station, Queue) and isinstance(following, Servers):
                if station.classes != following.classes:
                    allowed = f"those of its queue: {station.classes}"
                    raise InputError(f"{following.name}: classes", following.classes, allowed)
            elif isinstance(station, Queue):
                allowed = "Servers, which serve the queue"
                raise InputError(f"station after {station.name}", following and following.name, allowed)
            elif isinstance(following, Servers):
                allowed = "a Queue, of capacity 0 if no request may wait"
                raise InputError(f"station before {following.name}", station and station.name, allowed)

    def _check_branches(self) -> None:
        for s, station in enumerate(self.stations):
            if not isinstance(station, Router):
                continue
            named = [name for branch in station.branches for name in branch]
            following = [later.name for later in self.stations[s + 1 :]]
            if following[: len(named)] != named:
                raise InputError(f"{station.name}: branches", named, f"the stations that follow it: {following}")
            for name in named:
                if isinstance(self.stations[self.index(name)], Router):
                    raise InputError(
                        f"{station.name}: branches", name, "stations other than routers: branches do not nest"
                    )
                if self.stations[self.index(name)].classes != station.classes:
                    raise InputError(f"{name}: classes", self.stations[self.index(name)].classes,
                                     f"those of {station.name}: {station.classes}")  # fmt: skip
            for name, quantity in station.shown:
                shown = self.stations[self.index(name)]
                if not isinstance(shown, Queue if quantity == "waiting" else Servers):
                    kind = (
                        "a Queue, which has requests that wait" if quantity == "waiting" else "Servers, which are busy"
                    )
                    raise InputError(f"{station.name}: shown", (name, quantity), kind)

    def _check_holds(self) -> None:
        for s, station in enumerate(self.stations):
            if not isinstance(station, Servers) or station.hold is None:
                continue
            until = self.index(station.hold)
            visitors = [c for c in range(len(self.classes)) if self.visits(station, c)]
            if until <= s or not all(self.visits(self.stations[until], c) for c in visitors):
                later = [station.name for station in self.stations[s + 1 :]]
                raise InputError(
                    f"{station.name}: hold", station.hold, f"a later station for the same classes: {later}"
                )
            if self._branch_of(until) != self._branch_of(s):
                allowed = "a station of the same branch; outside all branches if the servers are outside them"
                raise InputError(f"{station.name}: hold", station.hold, allowed)

    def _branch_of(self, s: int) -> tuple[str, ...] | None:
        name = self.stations[s].name
        return next((branch for branch in self._branches_with(s) if name in branch), None)

    def _check_questions(self) -> None:
        for s, station in enumerate(self.stations):
            if _asks(station) and (question := station.question) and 0 <= self.reward_station(s) < s:
                later = [station.name for station in self.stations[s:]]
                raise InputError(f"{station.name}: told", question.told, f"a station from it on: {later}")
            if isinstance(station, Queue) and station.idles and IDLE in (station.classes or self.classes):
                raise InputError("class", IDLE, f"another name: {station.name} has an action of this name")

    def _check_draws(self) -> None:
        limited = any(isinstance(station, Queue) and station.capacity < np.inf for station in self.stations)
        for station in self.stations:
            if isinstance(station, Clients) and station.think_ns == 0.0 and limited:
                allowed = "above 0 ns: at a full queue a client without pause is rejected endlessly at one instant"
                raise InputError(f"{station.name}: think_ns", station.think_ns, allowed)
            visitors = len(station.classes or self.classes)
            for field_name in ("mean_ns", "cov"):
                values = getattr(station, field_name, None)
                if isinstance(values, Sequence) and len(values) != visitors:
                    raise InputError(
                        f"{station.name}: {field_name}", values, f"one number, or {visitors}: one for each class"
                    )


def _asks(station: Station) -> TypeGuard[Router | Queue]:
    return isinstance(station, Router) or (isinstance(station, Queue) and station.asks)
