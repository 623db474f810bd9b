"""The state of a hybrid storage in arrays, as compiled code takes it.

Participants, which have at most one pending event each: S slots, each with a request on its way; T sources, where
requests come whether or not others are answered; the mover; and writes of pages that a request has read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.hybrid.devices import US
from pmtwin.sim.hybrid.options import (
    ARRIVALS,
    BY_BANDWIDTH,
    CACHED,
    DROP_OLDEST,
    HOME,
    LAYOUTS,
    OPEN,
    PROMOTE,
    REFUSE,
    SCANS,
    UNLIMITED,
    WITHOUT_EVICTIONS,
    HybridOptions,
    capacities,
)
from pmtwin.sim.hybrid.stream import Paged
from pmtwin.sim.stations.event_heap import Events, make_events
from pmtwin.sim.stations.lines import Lines, empty_lines

NOBODY = -1

MOST_IN_FLIGHT = 256
"""Requests on their way at once in an open system; the next ones wait."""

PING_PONG = 1000
"""Requests within which a move back to where a page came from counts as ping-pong."""

BATCH = 64
"""Pages that move at once on the path of a request; further ones follow."""

READ, WRITE, LINK = range(3)
"""Resources of a device: servers for reads, servers for writes, and the link. Each has two lines, the second one for
moves."""

COME, BEGIN, LATENCY, TRANSFER, SAMPLE, ASLEEP = range(6)
"""Next event of a participant: a request comes; its accesses begin; the latency of an access ends; its transfer ends;
the mover looks whether devices are idle; the mover waits for a page."""

DONE, PLACE, ANSWERED, EMPTY, MOVED_PAGE, PLAN, MOVED_BATCH = range(7)
"""Why `step` returns: enough requests are answered; a request needs a device; a request is answered; devices are idle
and no page waits for a move; a page was moved; moves on the path are to be planned; a batch of them was moved."""

SETTING = np.dtype([
    ("devices", "i4"), ("slots", "i4"), ("sources", "i4"), ("queue", "i4"), ("arrivals", "i4"), ("layout", "i4"),
    ("scan_order", "i4"), ("tells", "i4"), ("moves", "i4"), ("action", "i4"), ("pages", "i8"), ("decision_ns", "f8"),
    ("idle_share", "f8"), ("idle_ns", "f8"), ("every", "i8"), ("reads_decide", "i1"), ("by_bandwidth", "i1"),
    ("drops_oldest", "i1"), ("refuses", "i1"), ("own_time", "i1"),
])  # fmt: skip
"""`tells`: whether policies are told of answers; `moves`: whether one names pages to move in the background; `every`:
requests after which pages move on the path, or 0. `action`: the device of all writes; `NOBODY`: a policy decides.
`own_time`: policies learn from latencies without evictions."""

DEVICE = np.dtype([
    ("latency_ns", "f8", 2), ("seek_ns", "f8", 2), ("bytes_per_ns", "f8", 2), ("servers", "i8", 3), ("busy", "i8", 3),
    ("capacity", "i8"), ("used", "i8"), ("log", "i8"), ("head", "i8"), ("present", "i8"), ("since_ns", "f8"),
    ("busy_ns", "f8"), ("marked_ns", "f8"), ("idle", "i1"), ("cursor", "i8"), ("written", "i8"), ("read", "i8"),
    ("reserved", "i8"), ("scanned", "i8"), ("data_ns", "f8"), ("wake_ns", "f8", 2), ("wake_half_ns", "f8"),
    ("rested_ns", "f8"),
])  # fmt: skip
"""By reads and writes: latency, that of a seek, bandwidth. `busy`: members of each resource. `log`: pages appended.
`head`: byte behind the last access. `present`, `since_ns`, `busy_ns`: requests, not moves; `data_ns`: transfers of
requests; `marked_ns`: `busy_ns` or `data_ns` at the last sample. `cursor`: of the scan;
`scanned`: number of the request after which a recent page was looked at. `used`: pages there and on their way to it;
`reserved`: the latter alone. `wake_ns`, `wake_half_ns`: as in `devices.BlockDevice`; `rested_ns`: end of the last
access of a request."""

PAGE = np.dtype([
    ("address", "i8"), ("home", "i8"), ("accessed", "i8"), ("moved", "i8"), ("count", "i4"), ("pages", "i4"),
    ("version", "i4"), ("prev", "i4"), ("next", "i4"), ("left", "i1"), ("listed", "i1"), ("queued", "i1"),
    ("write", "i1"),
])  # fmt: skip
"""A page: neighbours in the ring of used pages of its device, the least recently used one first; address on the device,
in pages; offset in the stream; number of the request that last used it, and of the one at which it last changed its
device; requests so far; pages of the last one, and whether that was a write; `version` changes with each write and each
change of the device; `left`: the device before this one; `queued`: waits for a move or is being moved."""

REQUEST = np.dtype(
    [("gap_ns", "f8"), ("first", "i8"), ("pages", "i4"), ("head", "i4"), ("tail", "i4"), ("write", "i4")]
)

PARTY = np.dtype([
    ("step", "i4"), ("at", "i4"), ("accesses", "i4"), ("action", "i4"), ("row", "i8"), ("source", "i4"),
    ("sent_ns", "f8"), ("latency_ns", "f8"), ("due_ns", "f8"), ("page", "i8"), ("target", "i4"), ("version", "i4"),
    ("origin", "i4"), ("next_row", "i8"), ("first_row", "i8"), ("rows", "i8"), ("moving", "i4"), ("evicts", "i4"),
    ("evicted", "i4"), ("evicting_ns", "f8"), ("mark_ns", "f8"),
])  # fmt: skip
"""A participant: number of the present access among its accesses; device chosen for its request, which is `row`, of
`source`. A source, or the slot of a thread, has its rows from `first_row` on. Moves have page, target, version and
origin. `moving`: pages move on the path of a request before it begins. Accesses from number `evicts` to before
`evicted` (0: none) make room or promote, since `mark_ns`; they took `evicting_ns`."""

ACCESS = np.dtype([("start", "i8"), ("size", "i8"), ("device", "i4"), ("write", "i4")])
"""An access: first byte on the device, bytes."""

MOVE = np.dtype([("page", "i8"), ("target", "i4"), ("version", "i4")])

ANSWER = np.dtype([("latency_ns", "f8"), ("row", "i8")])

TALLY = np.dtype([
    ("now_ns", "f8"), ("answered", "i8"), ("begun", "i8"), ("needs", "i8"), ("who", "i8"), ("queued", "i8"),
    ("moves", "i8"), ("promotions", "i8"), ("dropped", "i8"), ("stale", "i8"), ("ping_pong", "i8"), ("evictions", "i8"),
    ("asked_bytes", "i8"), ("decisions", "i8"), ("promoted", "i8"), ("mark_ns", "f8"), ("cursor", "i8"),
    ("free_slots", "i8"), ("free_writers", "i8"), ("next_plan", "i8"), ("plans", "i1"), ("planned", "i8"),
    ("batch", "i8"),
])  # fmt: skip
"""`next_plan`: request before which pages move on the path next; `plans`: whether they do; `batch`, `planned`: places
in the plan, of the first move of the present batch and behind its last one."""

COUNTS = ("moves", "promotions", "dropped", "stale", "ping_pong", "evictions", "promoted", "asked_bytes", "decisions")
"""Counters of a run: moves that were done, those of them to a faster device; pages that found the queue or their target
full; pages that were elsewhere or rewritten before their move was done; moves back; evictions before answers; pages
that reads promoted; bytes that requests wrote; placement decisions."""


class State(NamedTuple):
    """A hybrid storage with D devices, P pages, n requests and N participants.

    Fields:
        setting, tally: shape (1,). device: shape (D,). page: shape (P + D,), the last ones are the ends of the rings.
        request: shape (n,), thread by thread.
        device_of: shape (P,), int8.
        party: shape (N,). access: shape (N, most accesses). queue: shape (Q,), the pages that wait for a move.
        plan: shape (P,) or (1,), int64: page * D + target of the moves on the path, in order, before the first -1.
        lines: of each resource and priority, and the sources that wait for a slot. events: pending ones.
        stack: shape (S + Q,): stacks of free slots and, behind it, of free writes of read pages.
        features: shape (S + 1, columns); the last row is that of the scan. mask: shape (D,).
        oldest, free: shape (D,), int64: page at the head of each ring or -1, and free pages of each device.
        answer: shape (window,), the last answers.
        knobs: shape (2,), int64: the setting that holds between windows, told to migration policies.
        draws: key and count of the random numbers.
    """

    setting: np.ndarray
    tally: np.ndarray
    device: np.ndarray
    page: np.ndarray
    request: np.ndarray
    device_of: np.ndarray
    party: np.ndarray
    access: np.ndarray
    queue: np.ndarray
    plan: np.ndarray
    lines: Lines
    events: Events
    stack: np.ndarray
    features: np.ndarray
    mask: np.ndarray
    oldest: np.ndarray
    free: np.ndarray
    answer: np.ndarray
    knobs: np.ndarray
    draws: np.ndarray


def feature_count(devices: int) -> int:
    """Number of features of a decision (`features.py`)."""
    return 9 + max(devices - 2, 0)


def make_state(
    options: HybridOptions, paged: Paged, window: int, key: int, fast_only: bool = False, every: int = 0
) -> State:
    """The storage before its first request.

    Args:
        window: number of answered requests whose latencies are kept.
        key: of the random numbers, uint64.
        fast_only: whether the first device holds all pages.
        every: requests after which pages move on the path; 0: never.
    """
    devices = options.block_devices[:1] if fast_only else options.block_devices
    count, pages, threads = len(devices), len(paged.home), paged.stream.threads
    is_open = options.arrivals == OPEN
    slots, sources = (MOST_IN_FLIGHT, threads) if is_open else (threads, 0)
    queue = 0 if fast_only else options.queue
    parties, most = slots + sources + 1 + queue, int(paged.pages.max())
    accesses = max(3 + (2 * count + 1) * most, 2 * BATCH * (every > 0))
    order = np.argsort(paged.stream.thread, kind="stable")
    stack = np.concatenate([np.arange(slots)[::-1], slots + sources + 1 + np.arange(queue)[::-1]]).astype(np.int32)
    state = State(
        _setting(options, fast_only, count, slots, sources, queue, pages, every), np.zeros(1, TALLY),
        _devices(options, devices, pages, fast_only), _pages(options, paged, count), _requests(paged, order),
        np.full(pages, count - 1, np.int8), np.zeros(parties, PARTY),
        np.zeros((parties, accesses), ACCESS), np.zeros(queue, MOVE), np.full(pages if every else 1, NOBODY),
        empty_lines(6 * count + 1, parties), make_events(parties), stack,
        np.zeros((slots + 1, feature_count(count))), np.zeros(count, np.bool_), np.zeros(count, np.int64),
        np.zeros(count, np.int64), np.zeros(window, ANSWER), np.zeros(2, np.int64), np.array([key, 0], np.uint64),
    )  # fmt: skip
    state.device["cursor"] = pages + np.arange(count)
    state.tally["free_slots"], state.tally["free_writers"] = slots if is_open else 0, queue
    state.tally["next_plan"] = every
    first = 0
    for thread, rows in enumerate(np.bincount(paged.stream.thread, minlength=threads).tolist()):
        party = state.party[slots + thread if is_open else thread]
        party["first_row"], party["next_row"], party["rows"] = first, first, rows
        first += rows
    state.party["step"][slots + sources] = ASLEEP
    return state


def _setting(
    options: HybridOptions, fast_only: bool, devices: int, slots: int, sources: int, queue: int, pages: int, every: int
) -> np.ndarray:
    setting = np.zeros(1, SETTING)
    action, decision_ns = (0, 0.0) if fast_only else (NOBODY, options.decision_ns)
    setting[0] = (
        devices, slots, sources, queue, ARRIVALS.index(options.arrivals), LAYOUTS.index(options.layout),
        SCANS.index(options.scan_order), 0, 0, action, pages, decision_ns, options.idle_percent / 100.0,
        options.idle_ms * 1e6, every, options.reads == PROMOTE, options.idle_measure == BY_BANDWIDTH,
        options.full_queue == DROP_OLDEST, options.full_device == REFUSE, options.reward_latency == WITHOUT_EVICTIONS,
    )  # fmt: skip
    return setting


def _devices(options: HybridOptions, devices: tuple, pages: int, fast_only: bool) -> np.ndarray:
    records = np.zeros(len(devices), DEVICE)
    cached = options.hdd_writes == CACHED
    limits = [UNLIMITED] if fast_only else capacities(options, pages)
    for record, device, capacity in zip(records, devices, limits, strict=True):
        for write in (0, 1):
            latency = device.latency_ns(bool(write), sequential=True, cached=cached)
            record["latency_ns"][write] = latency
            record["seek_ns"][write] = device.latency_ns(bool(write), cached=cached) - latency
            record["bytes_per_ns"][write] = device.write_gb_s if write else device.read_gb_s
            record["servers"][write] = device.servers(bool(write))
            record["wake_ns"][write] = (device.write_wake_us if write else device.read_wake_us) * US
        record["wake_half_ns"] = device.wake_half_us * US
        record["servers"][LINK], record["capacity"], record["head"] = 1, capacity, NOBODY
    records["used"][-1] = records["log"][-1] = pages
    if options.layout == HOME:
        records["log"] = 0
    return records


def _pages(options: HybridOptions, paged: Paged, devices: int) -> np.ndarray:
    """Unwritten pages lie on the last device in the order of their offsets, and in no ring."""
    pages = len(paged.home)
    records = np.zeros(pages + devices, PAGE)
    records["home"][:pages] = paged.home
    records["address"][:pages] = paged.home if options.layout == HOME else np.arange(pages)
    records["prev"][pages:] = records["next"][pages:] = np.arange(pages, pages + devices)
    records["left"] = NOBODY
    return records


def _requests(paged: Paged, order: np.ndarray) -> np.ndarray:
    records = np.zeros(len(order), REQUEST)
    columns = (
        paged.stream.gap_ns,
        paged.first,
        paged.pages,
        paged.missing_head,
        paged.missing_tail,
        paged.stream.write,
    )
    for name, column in zip(REQUEST.names or (), columns, strict=True):
        records[name] = column[order]
    return records
