"""A hybrid storage in SimPy: the readable specification of the compiled kernel, which gives the same bits.

At equal times the participant with the smallest number comes first: slots of requests, sources, the mover, writes of
pages that a request has read.
"""

from __future__ import annotations

from collections import deque
from itertools import groupby
from typing import Any

import numpy as np

from pmtwin.sim.decisions.choice import decide, observe
from pmtwin.sim.decisions.state import call_event
from pmtwin.sim.draws import uniform
from pmtwin.sim.hybrid.driving import IMPOSSIBLE, MS, NO_MOVE
from pmtwin.sim.hybrid.options import (
    CLOSED,
    DROP_OLDEST,
    OPEN,
    PROMOTE,
    RANDOM,
    REFUSE,
    WITHOUT_EVICTIONS,
    HybridOptions,
)
from pmtwin.sim.hybrid.records import MOST_IN_FLIGHT
from pmtwin.sim.hybrid.run import Deciders, Reading, last_of
from pmtwin.sim.hybrid.specified_batches import MovesOnPath
from pmtwin.sim.hybrid.specified_devices import Device
from pmtwin.sim.hybrid.specified_pages import Access, Pages, Request
from pmtwin.sim.hybrid.stream import PAGE_BYTES, Paged
from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment, errors_as_raised

FIRST = 2
"""Priority of participant 0; SimPy uses 0 and 1."""


class SpecifiedRun:
    """Engine `simpy`; arguments as for `running.start_run`."""

    def __init__(self, options: HybridOptions, paged: Paged, deciders: Deciders | None, window: int, key: int):
        self.options, self._paged, self._has_choice = options, paged, deciders is not None
        devices = options.block_devices if deciders else options.block_devices[:1]
        self._env = AbsoluteEnvironment()
        self._pages = Pages(options, paged, devices, deciders is None)
        self._devices = [Device(self._env, device, options) for device in devices]
        self._tells, every = (deciders.tells, deciders.every) if deciders else (False, 0)
        self._moves = bool(deciders and deciders.moves and not every)
        self._scan = 0 if every else options.scan
        self._placing: Any = deciders and deciders.place
        self._migrating: Any = deciders and deciders.migrate
        self._counts, self._answered = self._pages.counts, 0
        self._latency_ns, self._rows = np.zeros(window), np.zeros(window, np.int64)
        self._knobs, self._draws = np.zeros(2, np.int64), np.array([key, 0], np.uint64)
        self._asleep, self._marked_ns = True, 0.0
        self._on_path = MovesOnPath(every, self._pages, self._devices, self._migrating, self._knobs)
        self._start_threads(paged.stream.threads)
        self._start_mover()

    def advance(self, until):
        with errors_as_raised():
            while self._answered < until:
                self._env.step()
            self._env.settle(FIRST)

    def reading(self):
        pages, devices = self._pages, self._devices
        columns = (np.array([getattr(device, name) for device in devices]) for name in ("written", "read", "busy_ns"))
        return Reading(float(self._env.now), self._answered, dict(self._counts), np.array(pages.used), *columns)

    def set_knobs(self, setting):
        self._knobs[:] = setting

    def last(self):
        return last_of(self._latency_ns, self._rows, self._answered)

    def device_of(self):
        return self._pages.device.copy()

    # Requests

    def _start_threads(self, threads: int) -> None:
        is_open = self.options.arrivals == OPEN
        slots = MOST_IN_FLIGHT if is_open else threads
        self._mover = FIRST + slots + (threads if is_open else 0)
        self._free_slots, self._waiting = list(range(slots))[::-1], deque[Any]()
        for thread in range(threads):
            rows = np.flatnonzero(self._paged.stream.thread == thread).tolist()
            self._env.process(self._source(FIRST + slots + thread, rows) if is_open else self._thread(thread, rows))

    def _thread(self, slot: int, rows: list[int]):
        """A thread whose requests wait for the answer of the one before."""
        due, gaps, place = 0.0, self._paged.stream.gap_ns.tolist(), 0
        while True:
            gap, now = gaps[rows[place]], self._env.now
            due = now + gap if self.options.arrivals == CLOSED else max(due + gap, now)
            yield self._env.at(due, FIRST + slot)
            yield from self._on_path.before_request(FIRST + slot)
            yield from self._serve(slot, rows[place], due)
            place = (place + 1) % len(rows)

    def _source(self, priority: int, rows: list[int]):
        """A thread whose requests wait for no answer, but for a slot if all are taken."""
        due, gaps, place = 0.0, self._paged.stream.gap_ns.tolist(), 0
        while True:
            due += gaps[rows[place]]
            yield self._env.at(max(due, self._env.now), priority)
            if not self._free_slots:
                slot_is_free = self._env.event()
                self._waiting.append(slot_is_free)
                slot = yield slot_is_free
            else:
                slot = self._free_slots.pop()
            yield from self._on_path.before_request(FIRST + slot)
            self._env.process(self._in_slot(slot, rows[place], due))
            place = (place + 1) % len(rows)

    def _in_slot(self, slot: int, row: int, sent: float):
        yield from self._serve(slot, row, sent)
        if self._waiting:
            self._waiting.popleft().succeed(slot)
        else:
            self._free_slots.append(slot)

    def _serve(self, slot: int, row: int, sent: float):
        """A request, from its coming to its answer."""
        paged, pages = self._paged, self._pages
        first, head, tail = int(paged.first[row]), int(paged.missing_head[row]), int(paged.missing_tail[row])
        last = first + int(paged.pages[row]) - 1
        request = Request(first, last, head, tail, bool(paged.stream.write[row]))
        pages.begun += 1
        shown, target, evicting_ns = None, 0, 0.0
        is_placed = request.write or (self._has_choice and self.options.reads == PROMOTE)
        if is_placed and self._has_choice:
            shown, target = self._place(request)
        if is_placed:
            accesses = (pages.write if request.write else pages.promote)(request, target)
        else:
            accesses = pages.read(request)
        self._counts["asked_bytes"] += int(paged.stream.size[row]) * request.write
        if shown is not None and self.options.decision_ns > 0.0:
            yield self._env.at(self._env.now + self.options.decision_ns, FIRST + slot)
        for evicts, group in groupby(accesses, key=lambda access: access.evicts):
            begin = self._env.now
            for access in group:
                yield from self._devices[access.device].access(access, FIRST + slot, False)
            evicting_ns += (self._env.now - begin) * evicts
        self._answer(row, request, self._env.now - sent, shown, target, evicting_ns)

    def _place(self, request: Request) -> tuple[np.ndarray, int]:
        """(features, device) of a request, as the policy decides."""
        pages = self._pages
        shown = pages.features(request.first, request.write, len(request.pages))
        features = np.array([*shown, pages.evictions_of(request), request.first], float)
        room = [capacity - reserved for capacity, reserved in zip(pages.capacity, pages.reserved, strict=True)]
        mask = np.array([len(request.pages) <= pages_there for pages_there in room])
        if self.options.full_device == REFUSE:
            mask &= [pages.coming(request, device) <= pages.free(device) for device in range(len(mask))]
        self._counts["decisions"] += 1
        target = decide(self._placing, features, mask)
        if not (0 <= target < len(mask) and mask[target]):
            raise ValueError(IMPOSSIBLE)
        return features, target

    def _answer(
        self, row: int, request: Request, latency: float, shown: np.ndarray | None, target: int, evicting_ns: float
    ) -> None:
        place = self._answered % self._latency_ns.size
        self._latency_ns[place], self._rows[place] = latency, row
        self._answered += 1
        if not request.write:
            self._move_read_pages(request)
        if self.options.reward_latency == WITHOUT_EVICTIONS:
            latency = latency - evicting_ns
        if self._tells:
            if shown is not None:
                observe(self._placing, shown, target, 1.0 / (latency * MS))
            migrate, device = self._migrating, self._pages.device
            call_event(migrate, "used", request.first, len(request.pages), request.write, device)
            call_event(migrate, "answered", latency, request.write)
            self._ask(self._scan, until_a_move=False)
        if self._moves and self._asleep:
            self._mark()
            self._asleep = False
            self._at(self._env.now + 1e6 * self.options.idle_ms, self._look)

    # Moves

    def _start_mover(self) -> None:
        self._queue: list[tuple[int, int, int]] = []  # page, target, version of the page
        self._writers = list(range(self._mover + 1, self._mover + 1 + self.options.queue))[::-1]

    def _at(self, time: float, action) -> None:
        """Let the mover do something at a time."""
        self._env.at(time, self._mover).callbacks.append(lambda _: action())

    def _ask(self, times: int, until_a_move: bool) -> None:
        pages, count = self._pages, len(self._devices)
        for _ in range(times):
            drawn = 0
            if self.options.scan_order == RANDOM:
                drawn = min(int(uniform(self._draws) * len(pages.page)), len(pages.page) - 1)
            oldest = np.array([next(iter(ring), -1) for ring in pages.rings])
            free = np.array([pages.free(device) for device in range(count)])
            page = pages.scanned(drawn)
            shown = np.zeros(len(pages.features(0, False, 0)) + 2)
            if page >= 0:
                shown[:] = *pages.features(page, pages.page[page].write, pages.page[page].pages), 0, page
            answer = int(call_event(self._migrating, "move", page, shown, pages.device, oldest, free, self._knobs))
            if answer == -1:
                return
            if not 0 <= answer < len(pages.page) * count:
                raise ValueError(NO_MOVE)
            if self._enqueue(answer // count, answer % count) and until_a_move:
                return

    def _enqueue(self, page: int, target: int) -> bool:
        record = self._pages.page[page]
        if self._pages.device[page] == target or record.queued:
            return False
        if len(self._queue) >= self.options.queue:
            self._counts["dropped"] += 1
            if self.options.full_queue != DROP_OLDEST or self.options.queue == 0:
                return False
            self._pages.page[self._queue.pop(0)[0]].queued = False
        record.queued = True
        self._queue.append((page, target, record.version))
        return True

    def _mark(self) -> None:
        self._marked_ns = self._env.now
        for device in self._devices:
            device.marked = device.measured_ns

    def _look(self, was_asked: bool = False) -> None:
        """The mover looks for its next page, after a sample if the last one is old.

        Args:
            was_asked: whether the policy was just asked: if its page has no room, the mover sleeps.
        """
        now = self._env.now
        if now >= self._marked_ns + 1e6 * self.options.idle_ms:
            for device in self._devices:
                share = (device.measured_ns - device.marked) / (now - self._marked_ns)
                device.idle = share < self.options.idle_percent / 100.0
            self._mark()
        if self._begins_move():
            return
        self._asleep = True
        if not was_asked and all(device.idle for device in self._devices):
            self._ask(self.options.idle_scan, until_a_move=True)
            if self._queue:
                self._look(was_asked=True)

    def _begins_move(self) -> bool:
        """Whether the mover has a page, or waits for its devices to be idle."""
        pages, devices = self._pages, self._devices
        while self._queue:
            page, target, version = self._queue[0]
            if pages.page[page].version != version:
                self._queue.pop(0)
                pages.page[page].queued = False
                self._counts["stale"] += 1
                continue
            if not (devices[pages.device[page]].idle and devices[target].idle):
                self._asleep = False
                self._at(self._marked_ns + 1e6 * self.options.idle_ms, self._look)
                return True
            self._queue.pop(0)
            if self._reserve(page, target):
                self._asleep = False
                self._env.process(self._move(self._mover, page, target, read=True))
                return True
        return False

    def _reserve(self, page: int, target: int) -> bool:
        pages = self._pages
        if pages.free(target) < 1 or pages.reserved[target] >= max(pages.capacity[target] // 2, 1):
            pages.page[page].queued = False
            self._counts["dropped"] += 1
            return False
        pages.used[target] += 1
        pages.reserved[target] += 1
        return True

    def _move_read_pages(self, request: Request) -> None:
        """Pages that wait for a move, and that the request has read, are written without another read."""
        for entry in [entry for entry in self._queue if entry[0] in request.pages]:
            page, target, version = entry
            if self._writers and self._pages.page[page].version == version:
                self._queue.remove(entry)
                if self._reserve(page, target):
                    self._env.process(self._move(self._writers.pop(), page, target, read=False))

    def _move(self, priority: int, page: int, target: int, read: bool):
        """Read a page, unless a request has, and write it to its target, behind all requests."""
        pages, origin = self._pages, int(self._pages.device[page])
        version, start = pages.page[page].version, pages.start(page)
        address = pages.new_address(page, target)
        if read:
            yield from self._devices[origin].access(Access(origin, False, start, PAGE_BYTES), priority, True)
        else:
            yield self._env.at(self._env.now, priority)
        write = Access(target, True, address * PAGE_BYTES, PAGE_BYTES)
        yield from self._devices[target].access(write, priority, True)
        self._end_move(page, origin, target, address, version)
        if read:
            self._look()
        else:
            self._writers.append(priority)

    def _end_move(self, page: int, origin: int, target: int, address: int, version: int) -> None:
        pages, record = self._pages, self._pages.page[page]
        record.queued = False
        pages.reserved[target] -= 1
        if record.version != version:
            pages.used[target] -= 1
            self._counts["stale"] += 1
            return
        pages.move(page, target, address)
        call_event(self._migrating, "moved", page, origin, target)
