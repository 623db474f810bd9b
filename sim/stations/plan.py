"""A network as two records for compiled code: its declaration (plan) and its state.

They are records rather than arrays: passing an array to a compiled function counts a reference, which costs more than
the call. Their sizes are rounded up, so that nearly all networks share one compiled kernel.
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
"""Room for requests at the start, and after it was exceeded. There is no size in between: each size needs a compiled
kernel, and compiling takes far longer than clearing the memory of the larger size (some 200 MB)."""

LEAST_STATIONS, LEAST_CLASSES = 8, 2
"""Smallest room for stations and classes."""


@lru_cache
def plan_type(stations: int, classes: int) -> np.dtype:
    """Layout of the declaration. Row of station s and class c: s * (number of classes) + c."""
    return np.dtype([
        ("stations", "i8"), ("classes", "i8"),
        ("requests", "i8"),  # total arrivals at open sources
        ("behaviour", "i8", stations),  # numbers of `pmtwin.sim.stations.station`
        ("source", "i8", classes),  # source of a class
        ("source_class", "i8", stations),  # class of a source
        ("next", "i8", (classes, stations)),  # station that a class visits after a station; -1 after the last
        ("released", "i8", (classes, stations, stations)),  # servers that are freed after a station; padded with -1
        ("timed", "i8", stations),  # whether the station draws a time
        ("quantiles", "f8", (stations * classes, GAP_BINS + 1)),  # of the drawn times in ns, by row
        ("limit", "i8", stations),  # servers, capacity, clients; at a shared station the length of its row of `speeds`
        ("point", "i8", stations),  # index of the station's decision point; -1: none
        ("actions", "i8", stations),  # of a router: number of actions
        ("branches", "i8", stations), ("branch", "i8", (stations, stations)),  # of a router; their first stations
        ("shown_count", "i8", stations), ("shown", "i8", (stations, 2 * stations)),  # 2 * station + index in `SHOWN`
        ("masked", "i8", stations),  # of a router: the rule of `pmtwin.sim.stations.router` for possible branches
        ("tells", "i8", stations),  # whether departures from the station make rewards known
        ("idles", "i8", stations),  # whether a free server may stay idle though requests wait
        ("visitors", "i8", stations), ("visitor", "i8", (stations, classes)),  # of a queue that asks: its classes
        ("rejection_ns", "f8"),
        ("speeds", "f8", (stations, MOST_SPEEDS)),  # work per ns of all requests together, with 1, 2, ... of them
    ], align=True)  # fmt: skip


@lru_cache
def state_type(stations: int, classes: int, room: int) -> np.dtype:
    """Layout of the state; `room`: largest number of requests at once, a power of two."""
    return np.dtype([
        ("now", "f8"),
        ("end", "f8", stations),  # time of the next departure from the station
        ("keys", "f8", (stations, room + ROOM_BESIDES)), ("slots", "u4", (stations, room + ROOM_BESIDES)),
        ("head", "u4", stations), ("tail", "u4", stations),  # these four: `pmtwin.sim.stations.ordered`
        ("virtual", "f8", stations), ("last", "f8", stations),  # shared station: virtual clock, time of its last update
        ("busy", "i8", stations),  # requests at a shared station, servers in use, clients of a source
        # `pmtwin.sim.stations.lines`: one line per station, then one per station and class
        ("front", "i4", stations * (1 + classes)), ("back", "i4", stations * (1 + classes)), ("behind", "i4", room),
        ("waiting", "i8", stations),  # requests in a queue
        ("class_waiting", "i8", (stations, classes)),  # requests of each class, in a queue that asks
        ("spent", "f8", stations),  # within this window: waiting time in a queue, busy time of servers
        ("idle", "f8", stations), ("since", "f8", stations),  # idle time of servers; time of the last update of both
        ("turn_slot", "u4", room), ("turn_station", "i8", room),  # a ring: requests given a server; queue
        ("turn_first", "i8"), ("turn_end", "i8"),
        ("slot_class", "i8", room), ("slot_index", "u8", room), ("slot_submitted", "f8", room),  # of a request
        ("free", "u4", room), ("free_count", "i8"),  # a stack of free slots
        ("submitted", "u8", classes),  # requests since the start
        ("present", "i8", classes),  # requests in the network
        ("rejected", "i8", classes),  # requests in this window
        ("streams", "u8", stations * classes),  # random keys, by row
    ], align=True)  # fmt: skip


def build_plan(network: Network) -> np.ndarray:
    """The declaration as an array of one record, shape (1,)."""
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
        if network.reward_station(s) != GONE:
            plan["tells"][network.reward_station(s)] = 1
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
    """The empty network at time zero, as an array of one record, shape (1,).

    Args:
        streams: shape (stations, classes), uint64, the random keys.
    """
    states = np.zeros(1, dtype=state_type(*sizes(network), FIRST_ROOM))
    state = states[0]
    state["end"], state["keys"] = NEVER, NEVER
    state["front"] = state["back"] = state["behind"] = NOBODY
    state["free"], state["free_count"] = np.arange(FIRST_ROOM), FIRST_ROOM
    state["streams"][: streams.size] = streams.ravel()
    return states


def grown(states: np.ndarray) -> np.ndarray:
    """The same state with room for `MOST_REQUESTS` requests.

    Call it between events, when no request is about to continue.

    Args:
        states: the state as an array of one record, shape (1,).

    Raises:
        InputError: the state has this room already.
    """
    old = states[0]
    stations, room = old["end"].size, old["free"].size
    check_range("requests in the network at once", room + 1, 1, MOST_REQUESTS)
    larger = np.zeros(1, dtype=state_type(stations, old["submitted"].size, MOST_REQUESTS))
    for name in old.dtype.names:
        part = tuple(slice(size) for size in np.shape(old[name]))
        larger[name][(0, *part)] = old[name]
    state, count = larger[0], old["free_count"]
    added = MOST_REQUESTS - room
    state["free"][count : count + added], state["free_count"] = np.arange(room, MOST_REQUESTS), count + added
    return larger


def sizes(network: Network) -> tuple[int, int]:
    """Room for (stations, classes) in the records: powers of two."""
    needed = len(network.stations), len(network.classes)
    stations, classes = (max(least, 1 << (count - 1).bit_length())
                         for least, count in zip((LEAST_STATIONS, LEAST_CLASSES), needed, strict=True))  # fmt: skip
    return stations, classes
