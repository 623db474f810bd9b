"""The arrays of a running system, which the compiled functions share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.stations.event_heap import Events, make_events
from pmtwin.sim.stations.lines import NOBODY, Lines, empty_lines

ABSENT, READING, CACHED, PREFETCHING, PREFETCHED = range(5)
"""States of a page. One that is read has its line from the beginning; a prefetched one has none."""

PLACES = {"resident": (CACHED,), "prefetch_buffer": (PREFETCHED,), "in_flight": (READING, PREFETCHING)}
"""Where pages are that have been asked of the disks and not evicted -> their states."""

COMING, WAITING, READY, SERVED = range(4)
"""Steps of a request: under way to the process that caches its page, waiting for the page, about to be served, or with
a service thread or in the queue for one. Where no line can ever be wanted, and no window ends, the end of the service
is known and not waited for."""

UNIFORM, SEQUENTIAL, ZIPF, TRACE = range(4)
"""Which pages clients ask for."""

NEVER_ENDS = 1 << 62
"""Requests of a run without end."""

PAGE = np.dtype([
    ("owner", "i4"),  # process that caches it
    ("victim", "i4"),  # dirty page that must be written before this one is read
    ("locked_until", "f8"),  # by a writer
    ("state", "i1"), ("dirty", "i1"),
    ("considered", "i1"),  # whether it was said if idle I/O threads write it, in the time that it is cached
    ("listed", "i1"), ("to_write", "i1"),  # in the list of pages to write, and still to be written
    ("wanted", "i1"),  # whether it waits for a line
    ("moving", "i1"),  # whether it waits in the prefetch buffer until its line is written
])  # fmt: skip

CLIENT = np.dtype([
    ("process", "i4"),
    ("page", "i4"),  # requested page
    ("done", "i8"), ("quota", "i8"),  # answered requests; all that it has
    ("requested_s", "f8"), ("response_s", "f8"),  # time of the request; of all its responses, s
    ("step", "i1"),
    ("ready_s", "f8"), ("thread_s", "f8"),  # at the service threads since; has one from then on
    ("turn", "i8"),  # among all that came to service threads
])  # fmt: skip

PROCESS = np.dtype([
    ("first_page", "i8"), ("page_count", "i8"),  # its clients' pages in the list of pages
    ("writing", "i4"), ("reading", "i4"),  # pages in work
    ("operations", "i8"),  # of its I/O thread
    ("started", "f8"), ("busy", "f8"),  # of the operation in work; of all, s
    ("working", "i1"),
    ("pinned", "i8"),  # lines whose page has a holder
    ("last_page", "i8"), ("stride", "i8"), ("ahead", "i8"), ("to_prefetch", "i8"), ("buffered", "i8"),
])  # fmt: skip

DISK = np.dtype([
    ("serving", "i4"),  # the I/O thread that it serves
    ("started", "f8"), ("busy", "f8"),  # of the service in work; of all, s
])  # fmt: skip

CHOICE = np.dtype([
    ("kept", "f8"),  # of a rank that is drawn, with equal probability: with this probability it is the one
    ("other", "i4"),  # rank that it is otherwise (Walker's tables)
])  # fmt: skip

SETTING = np.dtype([
    ("clients", "i8"), ("processes", "i8"), ("requests", "i8"), ("pages", "i8"),
    ("pattern", "i1"), ("local", "i1"),
    ("sweep", "i8"),  # requests in which a client reads its part of the pages in order
    ("drift", "i8"),  # answered requests after which each page falls by a rank; 0: never
    ("drift_since", "i8"), ("fallen", "i8"),  # answered requests when it began; ranks by which pages had fallen then
    ("gap_s", "f8"), ("rpc_s", "f8"), ("access_s", "f8"), ("writes", "i1"),
    ("io_s", "f8"), ("disk_s", "f8"), ("contention", "f8"), ("write_back", "f8"),
    ("prefetch_lines", "i8"), ("evicting", "i1"), ("lines", "i8"),
    ("request_key", "u8"), ("disk_key", "u8"), ("page_key", "u8"),
])  # fmt: skip

COUNTS = (
    "requests", "remote", "hits", "waits", "line_waits", "reads", "writes", "evictions", "dirty_evictions",
    "prefetches", "prefetch_hits",
)  # fmt: skip
"""Requests: answered, from another process, that found their page, that wait for one on its way, that wait since every
line is pinned. Pages: read on demand, written, that left, that left dirty, read ahead, read ahead and then wanted."""

TALLY = np.dtype([
    *((name, "i8") for name in COUNTS),
    ("arrivals", "i8"),  # requests at the process that caches their page
    ("waiting", "i8"),  # I/O threads that wait at any disk, now
    ("last_answer_s", "f8"), ("end_s", "f8"),
    ("now_s", "f8"),  # where the run stands
    ("turns", "i8"),  # requests that have come to service threads
    ("held_s", "f8"), ("thread_wait_s", "f8"),  # of answered requests: with a service thread, and in the queue for one
    ("replayed", "i8"),  # requests taken from the trace
])  # fmt: skip


class Storage(NamedTuple):
    """The state of a system of P processes, C client threads, k service threads each, D disks.

    Fields:
        setting: shape (1,), `SETTING`. tally: shape (1,), `TALLY`. Service threads are counted where windows
            end.
        page: shape (pages,), `PAGE`.
        listed: shape (pages,), int32, what clients ask for: pages by rank, those of a process side by side where its
            clients ask for no others. Of a trace: shape (n,), its pages in order.
        choice: shape (pages,) or (1,), `CHOICE`, of ranks that are not alike.
        client: shape (C,), `CLIENT`. process: shape (P,), `PROCESS`.
        disk: shape (D,), `DISK`.
        free: shape (P, k), float64, when each service thread has done all that has come.
        holders: shape (pages,), int32, requests that wait for a page or access it, and writes of it; its line is
            pinned. Counted where a cache can be full.
        readers: clients that wait for a page, a line for each page. wanted: pages of a process that wait for a line.
            misses, to_write: pages in its I/O queue, and its dirty pages to write. at_disk: I/O threads that wait at a
            disk.
        latency_s: shape (n,), response times of the last n answered requests, in a ring; (0,): not kept.
        events: numbers 0 to C - 1 are clients, then the I/O threads, then the disks.
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
    """A system before its first request; its pages are alike.

    Args:
        owner: shape (pages,), the process that caches each page.
        clients: C, those of a process side by side.
        local: whether clients ask only for pages of their own process.
        window: number of requests whose response times are kept.
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
    """Number of pages in each of `PLACES`, now."""
    counts = np.bincount(storage.page["state"], minlength=5)
    return {name: int(counts[list(states)].sum()) for name, states in PLACES.items()}
