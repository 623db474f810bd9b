"""State of the compiled middleware between events: one record of fixed layout, and constants to read it with."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.load.workload import MAX_CLIENTS, Kind
from pmtwin.sim.stations.ordered import FRONT, NEVER, ROOM_BESIDES

CPU = 0
"""Station 0 is the host's processors, the stations from 1 on are the device's kinds of operation."""

UNLIMITED = np.int64(1) << 60

RING = MAX_CLIENTS
"""Room for the clients of a class; a power of two. The used part of a ring is one too (`ring_mask`)."""

SLOTS = 2048
"""Room for the requests in service; a power of two, and more than any mode admits."""

STATION_ROOM = SLOTS + ROOM_BESIDES


@lru_cache
def state_dtype(kinds: int) -> np.dtype:
    """Layout of the changing state as one record; fields are indexed by class (2), kind, station (1 + kinds) or slot.

    Indices are unsigned: the compiler then omits Python's treatment of negative indices.
    """
    return np.dtype([
        ("now", "f8"),
        ("cpu_last", "f8"),  # time of the last update of the processors' virtual clock
        ("cpu_virtual", "f8"),
        ("device_last", "f8"),
        ("virtual", "f8", kinds),  # virtual clocks of the device
        ("population", "u4", kinds),
        ("cpu_threads", "u4"),  # threads that want a hardware thread: sets the speed of each
        ("keys", "f8", (1 + kinds, STATION_ROOM)),  # [station, head:tail]: virtual end times, ascending; then NEVER
        ("slots", "u4", (1 + kinds, STATION_ROOM)),  # slots of the requests with these end times
        ("head", "u4", 1 + kinds),
        ("tail", "u4", 1 + kinds),
        ("slot_kind", "u4", SLOTS),
        ("slot_submitted", "f8", SLOTS),
        ("slot_device_work", "f8", SLOTS),
        ("free", "u4", SLOTS),  # a stack of slots not in use
        ("free_count", "u4"),
        ("gate", "u4", SLOTS),  # a ring of slots that wait for a hardware thread to access the device
        ("gate_first", "i8"),
        ("gate_end", "i8"),
        ("pools", "u4", 2),
        ("busy", "u4", 2),
        ("ring_mask", "i8", 2),  # the lowest bits of a number are its place in a ring; a short ring stays in the cache
        ("ready", "f8", (2, RING)),  # a ring of times at which clients are ready
        ("ready_first", "i8", 2),
        ("ready_end", "i8", 2),
        ("queued", "f8", (2, RING)),  # a ring of submission times of requests that waited at the end of a window
        ("queued_first", "i8", 2),
        ("queued_end", "i8", 2),
        ("queued_window", "u4", (2, RING)),  # number of that window; orders requests submitted at the same instant
        ("windows", "u4"),  # number of windows that have ended
        ("retiring_clients", "u4", 2),  # clients to retire at their next answer
        ("budget", "i8", 2),  # requests of the trace released and not yet submitted
        ("next_arrival_ns", "f8", 2),  # time of the next request in the trace
        ("gap_factor", "f8", 2),  # factor on the gaps of the trace: the inverse of the pace
        ("submitted", "u8", 2),  # number of requests submitted so far, the index of the next gap
        ("started", "u8", 2),  # number of requests started so far, the index of the next one's other draws
        ("waited", "f8", 2),  # time in queue of the requests started in this window
        ("random_keys", "u8", 2),
    ], align=True)  # fmt: skip


def empty_states(kinds: int) -> np.ndarray:
    """The initial state, shape (1,): no clients and no operations."""
    states = np.zeros(1, dtype=state_dtype(kinds))
    states["head"] = states["tail"] = FRONT
    states["keys"][:, :, FRONT] = NEVER
    return states


def with_kinds(states: np.ndarray, before: tuple[Kind, ...], after: tuple[Kind, ...]) -> np.ndarray:
    """The state with the kinds of operation `after`, which include the kinds `before`."""
    result = empty_states(len(after))
    places = np.array([after.index(kind) for kind in before])
    along = dict.fromkeys(("virtual", "population"), places)
    along |= {name: np.append(CPU, 1 + places) for name in ("keys", "slots", "head", "tail")}
    for name in result.dtype.names or ():
        if name in along:
            result[name][:, along[name]] = states[name]
        else:
            result[name] = states[name]
    result["slot_kind"] = places[states["slot_kind"]]
    return result


@njit(cache=True, forceinline=True, inner=True)
def in_device(st):
    """Number of operations of all kinds in the device."""
    count = np.int64(0)
    for k in range(st.population.shape[0]):
        count += st.population[k]
    return count
