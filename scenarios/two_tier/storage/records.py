"""State of a running system: arrays of records that the compiled functions share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.stations.event_heap import Events, make_events
from pmtwin.sim.stations.lines import NOBODY, Lines, empty_lines

ABSENT, READING, CACHED, PREFETCHING, PREFETCHED = range(5)
"""States of a page. A page has a line of the cache while it is read or cached, but not while it is prefetched."""

PLACES = {"resident": (CACHED,), "prefetch_buffer": (PREFETCHED,), "in_flight": (READING, PREFETCHING)}
"""Place of a page that was requested from the disks and not evicted -> its states."""

COMING, WAITING, READY, SERVED = range(4)
"""Steps of a request: on the way to the process that caches its page; waiting for the page; page present; at the
service threads, in service or in the queue. If caches never evict and no window ends, `SERVED` is skipped: the end of
the service is computed in advance."""

UNIFORM, SEQUENTIAL, ZIPF, TRACE = range(4)
"""Access patterns of clients."""

NEVER_ENDS = 1 << 62
"""Number of requests of a run without end."""

PAGE = np.dtype([
    ("owner", "i4"),  # process that caches it
    ("victim", "i4"),  # dirty page that must be written before this one is read
    ("locked_until", "f8"),  # end of the last writer's lock, s
    ("state", "i1"), ("dirty", "i1"),
    ("considered", "i1"),  # whether the draw for its write-back has been made since it was cached
    ("listed", "i1"), ("to_write", "i1"),  # whether it is in the list of pages to write, and must still be written
    ("wanted", "i1"),  # whether it waits for a line
    ("moving", "i1"),  # whether it waits in the prefetch buffer until the victim in its line is written
])  # fmt: skip

CLIENT = np.dtype([
    ("process", "i4"),
    ("page", "i4"),  # requested page
    ("done", "i8"), ("quota", "i8"),  # number of answered requests, and of all requests
    ("requested_s", "f8"), ("response_s", "f8"),  # time of the request; sum of all response times, s
    ("step", "i1"),
    ("ready_s", "f8"), ("thread_s", "f8"),  # time of arrival at the service threads; begin of service, s
    ("turn", "i8"),  # order of arrival at the service threads
])  # fmt: skip

PROCESS = np.dtype([
    ("first_page", "i8"), ("page_count", "i8"),  # part of the list of pages that its clients request
    ("writing", "i4"), ("reading", "i4"),  # pages of the I/O thread's operation
    ("operations", "i8"),  # number of the I/O thread's operations
    ("started", "f8"), ("busy", "f8"),  # begin of the operation; total time of finished operations, s
    ("working", "i1"),  # whether the I/O thread is busy
    ("pinned", "i8"),  # number of lines whose page has a holder
    ("last_page", "i8"), ("stride", "i8"),  # last miss, and its distance from the miss before
    ("ahead", "i8"), ("to_prefetch", "i8"), ("buffered", "i8"),  # next page to prefetch; pages to prefetch; in buffer
])  # fmt: skip

DISK = np.dtype([
    ("serving", "i4"),  # the I/O thread that it serves
    ("started", "f8"), ("busy", "f8"),  # begin of the service; total time of finished services, s
])  # fmt: skip

CHOICE = np.dtype([
    ("kept", "f8"),  # probability that a uniformly drawn rank is kept (Walker's alias method)
    ("other", "i4"),  # rank that replaces it otherwise
])  # fmt: skip

SETTING = np.dtype([
    ("clients", "i8"), ("processes", "i8"), ("requests", "i8"), ("pages", "i8"),
    ("pattern", "i1"), ("local", "i1"),
    ("sweep", "i8"),  # number of requests in which a client reads its part of the pages in order
    ("drift", "i8"),  # number of answered requests after which each page falls by a rank; 0: never
    ("drift_since", "i8"), ("fallen", "i8"),  # answered requests, and ranks fallen, when the drift last changed
    ("gap_s", "f8"), ("rpc_s", "f8"), ("access_s", "f8"), ("writes", "i1"),
    ("io_s", "f8"), ("disk_s", "f8"), ("contention", "f8"), ("write_back", "f8"),
    ("prefetch_lines", "i8"), ("evicting", "i1"), ("lines", "i8"),
    ("request_key", "u8"), ("disk_key", "u8"), ("page_key", "u8"),
])  # fmt: skip

COUNTS = (
    "requests", "remote", "hits", "waits", "line_waits", "reads", "writes", "evictions", "dirty_evictions",
    "prefetches", "prefetch_hits",
)  # fmt: skip
"""Numbers of requests: answered, from another process, hits, waits for a page that is being read, waits since every
line is pinned. Numbers of pages: read on demand, written, evicted, evicted dirty, prefetched, prefetched and then
requested."""

TALLY = np.dtype([
    *((name, "i8") for name in COUNTS),
    ("arrivals", "i8"),  # number of requests that arrived at the process that caches their page
    ("waiting", "i8"),  # number of I/O threads that wait at any disk
    ("last_answer_s", "f8"), ("end_s", "f8"),  # time of the last answer, and of the last I/O operation
    ("now_s", "f8"),  # present time of the run
    ("turns", "i8"),  # number of arrivals at the service threads
    ("held_s", "f8"), ("thread_wait_s", "f8"),  # answered requests: total time with a service thread, and in the queue
    ("replayed", "i8"),  # number of requests taken from the trace
])  # fmt: skip


class Storage(NamedTuple):
    """The state of a system of P processes, C client threads, k service threads each, D disks.

    Fields:
        setting: shape (1,), `SETTING`.
        tally: shape (1,), `TALLY`; times at the service threads are counted only in runs with windows.
        page: shape (pages,), `PAGE`.
        listed: shape (pages,), int32, pages by rank; process by process if clients request only pages of their process.
            With a trace: shape (n,), pages of its requests.
        choice: shape (pages,) or (1,), `CHOICE`, for Zipf popularity.
        client: shape (C,), `CLIENT`.
        process: shape (P,), `PROCESS`.
        disk: shape (D,), `DISK`.
        free: shape (P, k), float64, time at which each service thread has served all requests assigned to it.
        holders: shape (pages,), int32, number of requests that wait for a page or access it, and of its writes; they
            pin its line. Counted only if a cache can be full.
        readers: for each page the clients that wait for it.
        wanted: for each process its pages that wait for a line.
        misses, to_write: for each process the pages in its I/O queue, and its dirty pages to write.
        at_disk: for each disk the I/O threads that wait.
        latency_s: shape (n,), ring of the response times of the last n answered requests; (0,): not kept.
        events: numbers 0 to C - 1 are clients, then come the I/O threads, then the disks.
    """

    setting: np.ndarray
    tally: np.ndarray
    page: np.ndarray
    listed: np.ndarray
    choice: np.ndarray
    client: np.ndarray
    process: np.ndarray
    disk: np.ndarray
    free: np.ndarray
    holders: np.ndarray
    readers: Lines
    wanted: Lines
    misses: Lines
    to_write: Lines
    at_disk: Lines
    latency_s: np.ndarray
    events: Events


def empty_storage(
    owner: np.ndarray, processes: int, clients: int, threads: int, disks: int, local: bool, window: int = 0
) -> Storage:
    """A system before its first request, with uniform popularity of pages.

    Args:
        owner: process that caches each page, shape (pages,).
        processes: number of processes, P.
        clients: number of client threads, C, numbered process by process.
        threads: number of service threads of a process, k.
        disks: number of disks, D.
        local: whether clients request only pages of their own process.
        window: number of response times that are kept.
    """
    page, process = np.zeros(len(owner), PAGE), np.zeros(processes, PROCESS)
    page["owner"], page["victim"] = owner, NOBODY
    for name in ("writing", "reading", "last_page"):
        process[name] = NOBODY
    counts = np.bincount(owner, minlength=processes)
    process["first_page"], process["page_count"] = (np.cumsum(counts) - counts, counts) if local else (0, len(owner))
    listed = np.argsort(owner, kind="stable") if local else np.arange(len(owner))
    client = np.zeros(clients, CLIENT)
    client["process"] = np.arange(clients) // (clients // processes)
    disk = np.zeros(disks, DISK)
    disk["serving"] = NOBODY
    wanted, misses, to_write = (empty_lines(processes, len(owner)) for _ in range(3))
    return Storage(
        np.zeros(1, SETTING), np.zeros(1, TALLY), page, listed.astype(np.int32), np.zeros(1, CHOICE), client,
        process,
        disk, np.zeros((processes, threads)),
        np.zeros(len(owner), np.int32), empty_lines(len(owner), clients),
        wanted, misses, to_write, empty_lines(disks, processes),
        np.zeros(window), make_events(clients + processes + disks),
    )  # fmt: skip


def places(storage: Storage) -> dict[str, int]:
    """Present number of pages in each of `PLACES`."""
    counts = np.bincount(storage.page["state"], minlength=5)
    return {name: int(counts[list(states)].sum()) for name, states in PLACES.items()}
