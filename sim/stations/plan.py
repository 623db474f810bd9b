"""A network as two records of fixed layout for compiled code: its declaration and its state.

Records, not arrays: handing an array to a compiled function counts a reference, which costs more than the call.
Their sizes are rounded up, so that nearly all networks share one compiled kernel.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pmtwin.sim.decisions.point import GONE, DecisionPoint
from pmtwin.sim.draws import GAP_BINS
from pmtwin.sim.errors import check_range
from pmtwin.sim.stations.lines import NOBODY
from pmtwin.sim.stations.network import Network
from pmtwin.sim.stations.ordered import NEVER, ROOM_BESIDES
from pmtwin.sim.stations.queue import Queue
from pmtwin.sim.stations.router import SHOWN, Router
from pmtwin.sim.stations.station import MOST_SPEEDS, SHARING, UNLIMITED

FIRST_ROOM, MOST_REQUESTS = 2048, 1 << 20
"""Room for requests, at first and after it was exceeded. There is no size in between: each needs a compiled kernel, and
compiling one takes far longer than clearing the memory of the larger size (some 200 MB)."""

LEAST_STATIONS, LEAST_CLASSES = 8, 2


@lru_cache
def plan_type(stations: int, classes: int) -> np.dtype:
    """Layout of the declaration."""
    return np.dtype([
        ("stations", "i8"), ("classes", "i8"),
        ("requests", "i8"),  # that arrive in all
        ("behaviour", "i8", stations),  # of `pmtwin.sim.stations.station`
        ("source", "i8", classes),  # the class's source
        ("source_class", "i8", stations),  # the class of a source
        ("next", "i8", (classes, stations)),  # the class's station after one; -1 after the last
        ("released", "i8", (classes, stations, stations)),  # servers that are freed after a station; padded with -1
        ("timed", "i8", stations),  # the station draws a time
        ("quantiles", "f8", (stations * classes, GAP_BINS + 1)),  # of the time in ns of station s, class c: see `row`
        ("limit", "i8", stations),  # servers, room, clients; of a shared station the length of its row in `speeds`
        ("point", "i8", stations),  # the decision point at a station; -1: none
        ("actions", "i8", stations),  # of a router: as many as branches, or as its question has
        ("branches", "i8", stations), ("branch", "i8", (stations, stations)),  # of a router; the first station of each
        ("shown_count", "i8", stations), ("shown", "i8", (stations, 2 * stations)),  # station and quantity in one
        ("masked", "i8", stations),  # of a router: what of `pmtwin.sim.stations.router` says which branch is possible
        ("tells", "i8", stations),  # a request that leaves the station has a reward told
        ("idles", "i8", stations),  # a free server may stay idle though requests wait
        ("visitors", "i8", stations), ("visitor", "i8", (stations, classes)),  # classes that visit a queue that asks
        ("rejection_ns", "f8"),
        ("speeds", "f8", (stations, MOST_SPEEDS)),  # work per ns of all requests together with 1, 2, ... of them
    ], align=True)  # fmt: skip


@lru_cache
def state_type(stations: int, classes: int, room: int) -> np.dtype:
    """Layout of the state, with room for a number of requests at once, a power of two."""
    return np.dtype([
        ("now", "f8"),
        ("end", "f8", stations),  # when something next leaves the station
        ("keys", "f8", (stations, room + ROOM_BESIDES)), ("slots", "u4", (stations, room + ROOM_BESIDES)),
        ("head", "u4", stations), ("tail", "u4", stations),  # these four: `pmtwin.sim.stations.ordered`
        ("virtual", "f8", stations), ("last", "f8", stations),  # virtual clock of a shared station, brought up to date
        ("busy", "i8", stations),  # requests at a shared station, servers in use, clients of a source
        # `pmtwin.sim.stations.lines`: of each station, and of each class at each station
        ("front", "i4", stations * (1 + classes)), ("back", "i4", stations * (1 + classes)), ("behind", "i4", room),
        ("waiting", "i8", stations),  # requests in a queue
        ("class_waiting", "i8", (stations, classes)),  # of each class, in a queue that asks
        ("spent", "f8", stations),  # time in this window that requests waited in a queue, that servers were busy
        ("idle", "f8", stations), ("since", "f8", stations),  # that servers were idle; when these were last counted
        ("turn_slot", "u4", room), ("turn_station", "i8", room),  # a ring: who was given a server and leaves its queue
        ("turn_first", "i8"), ("turn_end", "i8"),
        ("slot_class", "i8", room), ("slot_index", "u8", room), ("slot_submitted", "f8", room),  # of a request
        ("free", "u4", room), ("free_count", "i8"),  # a stack of slots not in use
        ("submitted", "u8", classes),  # requests so far
        ("present", "i8", classes),  # requests now in the network
        ("rejected", "i8", classes),  # in this window
        ("streams", "u8", stations * classes),  # random keys: see `row`
    ], align=True)  # fmt: skip


def build_plan(network: Network) -> np.ndarray:
    """Shape (1,): the declaration as a record."""
    stations, classes = sizes(network)
    plans = np.zeros(1, dtype=plan_type(stations, classes))
    plan = plans[0]
    plan["stations"], plan["classes"] = len(network.stations), len(network.classes)
    plan["requests"] = UNLIMITED if network.requests == np.inf else int(network.requests)
    plan["next"], plan["released"], plan["point"] = -1, -1, -1
    plan["rejection_ns"] = network.rejection_ns
    for s, station in enumerate(network.stations):
        plan["behaviour"][s], plan["limit"][s] = station.behaviour, station.limit()
        if station.behaviour == SHARING:
            row = station.speeds()
            plan["speeds"][s, : len(row)], plan["limit"][s] = row, len(row)
    for c in range(len(network.classes)):
        route = network.route(c)
        plan["next"][c, route] = [network.after(c, s) for s in route]
        plan["source"][c], plan["source_class"][route[0]] = route[0], c
        for s, freed in network.released_after(c).items():
            plan["released"][c, s, : len(freed)] = freed
        for s in route:
            table = network.quantiles(s, c)
            if table is not None:
                plan["quantiles"][s * len(network.classes) + c], plan["timed"][s] = table, 1
    for number, (s, point) in enumerate(network.asking()):
        plan["point"][s] = number
        _plan_of_point(plan, network, s, point)
        if network.told(s) != GONE:
            plan["tells"][network.told(s)] = 1
    return plans


def _plan_of_point(plan: np.void, network: Network, s: int, point: DecisionPoint) -> None:
    """Write the fields of a station that asks for decisions."""
    station = network.stations[s]
    if isinstance(station, Queue):
        visitors = [c for c in range(len(network.classes)) if network.visits(station, c)]
        plan["idles"][s] = station.idles
        plan["visitors"][s], plan["visitor"][s, : len(visitors)] = len(visitors), visitors
    elif isinstance(station, Router):
        firsts = [network.index(branch[0]) for branch in station.branches]
        shown = [2 * network.index(name) + SHOWN.index(quantity) for name, quantity in station.shown]
        plan["actions"][s] = len(point.actions)
        plan["branches"][s], plan["branch"][s, : len(firsts)] = len(firsts), firsts
        plan["shown_count"][s], plan["shown"][s, : len(shown)] = len(shown), shown
        plan["masked"][s] = station.masks()


def build_state(network: Network, streams: np.ndarray) -> np.ndarray:
    """Shape (1,): the network at time zero, empty; `streams`: shape (stations, classes), uint64, the random keys."""
    states = np.zeros(1, dtype=state_type(*sizes(network), FIRST_ROOM))
    state = states[0]
    state["end"], state["keys"] = NEVER, NEVER
    state["front"] = state["back"] = state["behind"] = NOBODY
    state["free"], state["free_count"] = np.arange(FIRST_ROOM), FIRST_ROOM
    state["streams"][: streams.size] = streams.ravel()
    return states


def grown(states: np.ndarray) -> np.ndarray:
    """The same state, shape (1,), with room for `MOST_REQUESTS`.

    Call it between events, when no request is about to continue.

    Raises:
        InputError: if the state has this room already.
    """
    old = states[0]
    stations, room = old["end"].size, old["free"].size
    check_range("requests in the network at once", room + 1, 1, MOST_REQUESTS)
    larger = np.zeros(1, dtype=state_type(stations, old["submitted"].size, MOST_REQUESTS))
    for name in old.dtype.names:
        part = tuple(slice(size) for size in np.shape(old[name]))
        larger[name][(0, *part)] = old[name]
    new, more, count = larger[0], MOST_REQUESTS, old["free_count"]
    new["free"][count : count + more - room], new["free_count"] = np.arange(room, more), count + more - room
    return larger


def sizes(network: Network) -> tuple[int, int]:
    """Room for (stations, classes): powers of two."""
    needed = len(network.stations), len(network.classes)
    stations, classes = (max(least, 1 << (count - 1).bit_length())
                         for least, count in zip((LEAST_STATIONS, LEAST_CLASSES), needed, strict=True))  # fmt: skip
    return stations, classes
