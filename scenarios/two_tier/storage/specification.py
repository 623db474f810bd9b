"""The whole system as SimPy processes: the readable specification of the compiled kernel (section III of the paper).

It shares random draws and records with the kernel, so that results are comparable to the last bit; the events are
written independently. At equal times the participant with the smallest number comes first: clients, then I/O threads,
then disks.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from functools import partial

import simpy

from pmtwin.policies.replacement.lines import Pins
from pmtwin.policies.replacement.replaying import request
from pmtwin.scenarios.two_tier.storage import draws
from pmtwin.scenarios.two_tier.storage.popularity import requested_page
from pmtwin.scenarios.two_tier.storage.records import (
    ABSENT,
    CACHED,
    COMING,
    PREFETCHED,
    PREFETCHING,
    READING,
    SERVED,
    WAITING,
    Storage,
)
from pmtwin.scenarios.two_tier.storage.system import System
from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment
from pmtwin.sim.stations.lines import NOBODY
from pmtwin.sim.stations.queue import Line
from pmtwin.sim.stations.servers import Pool
from pmtwin.sim.stations.station import UNLIMITED

FIRST = 2
"""Priority of client 0; SimPy uses 0 and 1."""


class _Page:
    def __init__(self, number: int, owner: _Process, storage: Storage):
        self.number, self.owner, self.storage = number, owner, storage
        self.victim: _Page | None = None
        self.wanted, self.moving = False, False
        self.dirty, self.considered, self.to_write = False, False, False
        self.waiting: list[tuple[int, simpy.Event]] = []
        self.writers: deque[simpy.Event] = deque()  # clients that wait for the lock, behind its holder

    @property
    def state(self) -> int:
        """State of the page, stored in the array of the compiled engine, from which pages are counted."""
        return int(self.storage.page["state"][self.number])

    @state.setter
    def state(self, state: int) -> None:
        self.storage.page["state"][self.number] = state

    def hold(self, change: int) -> None:
        """A request or a write begins (1) or ends (-1) to use the page."""
        self.storage.holders[self.number] += change

    def is_held(self) -> bool:
        """Whether a request or a write uses the page, which pins its line."""
        return self.storage.holders[self.number] > 0


class _Process:
    def __init__(self, number: int, threads: Line, cache):
        self.number, self.threads, self.cache = number, threads, cache
        self.with_line: set[_Page] = set()
        self.wanted: deque[_Page] = deque()
        self.misses: deque[_Page] = deque()
        self.writes: deque[_Page] = deque()
        self.asleep: simpy.Event | None = None
        self.operations = 0
        self.last, self.stride, self.ahead, self.to_prefetch, self.buffered = -1, 0, 0, 0, 0


def _servers(env: AbsoluteEnvironment, count: int) -> Line:
    """A queue with servers; each job draws its service time."""
    line = Line(env, UNLIMITED)
    line.servers = Pool(env, None, 0, count)
    line.servers.queue = line
    return line


def _happens(event: simpy.Event, _: simpy.Event) -> None:
    """Let an event happen after another one."""
    event.succeed()


def _unheard(count: int) -> object:
    """Default for `on_requests`: ignores answered requests."""


class SpecifiedRun:
    """A run of the specification; counters and times of clients, I/O threads and disks are kept in the storage.

    Args:
        system: the system.
        storage: state before the first request.
        caches: caches of all processes; unused if no cache can be full.
    """

    def __init__(self, system: System, storage: Storage, caches: list):
        self.env, self.setting, self.tally = AbsoluteEnvironment(), storage.setting[0], storage.tally[0]
        self.storage = storage
        self.on_requests: Callable[[int], object] = _unheard
        if not self.setting["evicting"]:
            caches = [None] * system.processes
        self.processes = [
            _Process(number, _servers(self.env, system.threads), cache) for number, cache in enumerate(caches)
        ]
        owners = storage.page["owner"].tolist()
        self.pages = [_Page(number, self.processes[owner], storage) for number, owner in enumerate(owners)]
        self.disks = [_servers(self.env, 1) for _ in storage.disk]
        for process in self.processes:
            self.env.process(self.io_thread(process))
        for client in range(system.clients):
            self.env.process(self.client(client))
        self.env.settle(FIRST)

    def advance(self, until: int, on_requests: Callable[[int], object] = _unheard) -> None:
        """Continue until `until` requests have been answered since the start, or the last event is over."""
        self.on_requests = on_requests
        while self.tally["requests"] < until and self.env.peek() < math.inf:
            self.env.step()
        self.env.settle(FIRST)
        self.tally["now_s"] = self.env.now

    @property
    def caches(self) -> list:
        """The present caches of the processes."""
        return [process.cache for process in self.processes]

    def set_threads(self, count: int) -> None:
        """Change the number of service threads of each process; a request in service keeps its thread."""
        for process in self.processes:
            process.threads.servers.servers = count
            process.threads.servers.open_window()
        self.env.settle(FIRST)

    def client(self, number: int):
        """A client thread: sends a request, waits for the answer, pauses, and repeats."""
        env, setting, record = self.env, self.setting, self.storage.client[number]
        process, request_s = self.processes[record["process"]], draws.start_s(setting, number)
        while record["done"] < record["quota"]:
            page = self.pages[requested_page(self.storage, number, int(record["done"]))]
            network_s = 0.0 if page.owner is process else setting["rpc_s"]
            self.tally["remote"] += page.owner is not process
            yield env.at(request_s + network_s, FIRST + number)
            if not self.look_up(page):
                event, record["step"] = env.event(), WAITING
                page.waiting.append((number, event))
                yield event
            record["step"], record["ready_s"], record["thread_s"] = SERVED, env.now, math.inf
            yield from self.served(page, number)
            self.tally["held_s"] += env.now - record["thread_s"]
            self.tally["thread_wait_s"] += record["thread_s"] - record["ready_s"]
            self.release(page)
            record["step"] = COMING
            answered = env.now + network_s
            if self.storage.latency_s.size:
                self.storage.latency_s[self.tally["requests"] % self.storage.latency_s.size] = answered - request_s
            self.tally["requests"] += 1
            record["done"] += 1
            record["response_s"] += answered - request_s
            self.tally["last_answer_s"] = max(self.tally["last_answer_s"], answered)
            request_s = answered + setting["gap_s"]
            self.on_requests(1)

    def look_up(self, page: _Page) -> bool:
        """Whether the page is cached, or moves from the prefetch buffer at once; if not, it is requested or waits."""
        process, state = page.owner, page.state
        self.tally["arrivals"] += 1
        page.hold(1)
        if state in (CACHED, READING):
            if process.cache is not None:
                request(process.cache, page.number, 0)
            self.tally["hits" if state == CACHED else "waits"] += 1
        elif page.wanted or self.every_line_is_pinned(process):
            self.tally["line_waits"] += 1
            if not page.wanted:
                page.wanted = True
                process.wanted.append(page)
        else:
            self.tally["waits"] += state == PREFETCHING
            self.bring(page)
        return page.state == CACHED

    def every_line_is_pinned(self, process: _Process) -> bool:
        """Whether no page of a full cache may leave, since each is read, written or accessed."""
        is_full = process.cache is not None and len(process.with_line) == self.setting["lines"]
        return is_full and all(page.is_held() for page in process.with_line)

    def bring(self, page: _Page) -> None:
        """Give a line to a page, which is read, or moves from the prefetch buffer."""
        process, state = page.owner, page.state
        if process.cache is not None:
            evicted = request(process.cache, page.number, 0, Pins(process.cache.directory.pages, self.storage.holders))
            process.with_line.add(page)
            if evicted >= 0:
                self.evict(self.pages[evicted], page)
        self.note_miss(page)
        self.tally["reads" if state == ABSENT else "prefetch_hits"] += 1
        page.state, page.moving = READING, state == PREFETCHED
        if state == ABSENT or page.victim is not None:
            process.misses.append(page)
        elif state == PREFETCHED:
            self.page_comes(page)
        else:
            process.buffered -= 1
        self.wake(process)

    def release(self, page: _Page) -> None:
        """End a use of a page; the line of an unused page goes to the page that has waited longest for a line."""
        process = page.owner
        page.hold(-1)
        if process.wanted and not page.is_held():
            wanted = process.wanted.popleft()
            wanted.wanted = False
            self.bring(wanted)

    def note_miss(self, page: _Page) -> None:
        """Stride detection: two equal strides in a row start a stream to prefetch."""
        process, number = page.owner, page.number
        stride = number - process.last if process.last >= 0 else 0
        if stride and stride == process.stride:
            process.ahead, process.to_prefetch = number + stride, self.setting["prefetch_lines"]
        process.last, process.stride = number, stride

    def evict(self, victim: _Page, page: _Page) -> None:
        """A page loses its line to `page`; a dirty one must be written first."""
        self.tally["evictions"] += 1
        victim.owner.with_line.remove(victim)
        victim.state, victim.considered = ABSENT, False
        if victim.dirty:
            self.tally["dirty_evictions"] += 1
            victim.dirty = victim.to_write = False
            page.victim = victim

    def write_later(self, page: _Page) -> None:
        """Mark a dirty page to be written once the I/O thread has no misses."""
        page.to_write = True
        if page not in page.owner.writes:
            page.owner.writes.append(page)
        self.wake(page.owner)

    def served(self, page: _Page, number: int):
        """Service by a thread, with the page's lock for a writer; first come, first served."""
        process, writes, record = page.owner, self.setting["writes"], self.storage.client[number]
        if writes:
            page.dirty = True
            if not page.considered and draws.is_written_back(self.setting, page.number):
                self.write_later(page)
            page.considered = True
        yield from process.threads.visit(None)
        record["thread_s"] = self.env.now
        if writes:
            page.writers.append(self.env.event())
            if len(page.writers) > 1:
                yield page.writers[-1]
        yield self.env.at(self.env.now + draws.access_s(self.setting, number, int(record["done"])), FIRST + number)
        if writes:
            page.writers.popleft()
            if page.writers:
                page.writers[0].succeed()
        process.threads.servers.release()

    def io_thread(self, process: _Process):
        """An I/O thread: misses first, then writes, then prefetches; sleeps without work."""
        while True:
            writes, reads = self.next_operation(process)
            if writes is None and reads is None:
                process.asleep = self.env.event()
                yield process.asleep
                continue
            if writes is not None:
                yield from self.operate(process, writes)
                self.tally["writes"] += 1
                if reads is None:
                    self.release(writes)
            if reads is not None:
                if not reads.moving:
                    yield from self.operate(process, reads)
                self.page_comes(reads)

    def wake(self, process: _Process) -> None:
        """Let a sleeping I/O thread look for work."""
        if process.asleep is not None:
            process.asleep.succeed()
            process.asleep = None

    def next_operation(self, process: _Process) -> tuple[_Page | None, _Page | None]:
        """(page to write or None, page to read or None) of the next operation; both None without work."""
        if process.misses:
            page = process.misses.popleft()
            victim, page.victim = page.victim, None
            return victim, page
        while process.writes:
            page = process.writes.popleft()
            if page.to_write:
                page.to_write = page.dirty = False
                page.hold(1)
                return page, None
        return None, self.next_prefetch(process)

    def next_prefetch(self, process: _Process) -> _Page | None:
        """The next absent page of the stream, while the prefetch buffer has an empty line; otherwise None."""
        while process.to_prefetch > 0 and process.buffered < self.setting["prefetch_lines"]:
            number = process.ahead
            process.ahead, process.to_prefetch = number + process.stride, process.to_prefetch - 1
            if not 0 <= number < len(self.pages):
                process.to_prefetch = 0
            elif self.pages[number].owner is process and self.pages[number].state == ABSENT:
                self.pages[number].state = PREFETCHING
                process.buffered += 1
                self.tally["prefetches"] += 1
                return self.pages[number]
        return None

    def operate(self, process: _Process, page: _Page):
        """An operation: the I/O thread's own service, then the disk of the page."""
        env, setting, record = self.env, self.setting, self.storage.process[process.number]
        place = page.number % len(self.disks)
        disk, disk_record = self.disks[place], self.storage.disk[place]
        number = FIRST + len(self.storage.client) + process.number
        record["working"], record["started"] = 1, env.now
        yield env.at(env.now + setting["io_s"], number)
        yield from disk.visit(None)
        disk_record["serving"], disk_record["started"] = process.number, env.now
        waiting = sum(len(line.waiting) for line in self.disks)
        service = draws.disk_s(setting, process.number, process.operations, waiting)
        process.operations += 1
        yield env.at(env.now + service, FIRST + len(self.storage.client) + len(self.processes) + place)
        disk_record["serving"] = NOBODY
        disk_record["busy"] += env.now - disk_record["started"]
        disk.servers.release()
        record["busy"] += env.now - record["started"]
        record["working"] = 0
        self.tally["end_s"] = env.now

    def page_comes(self, page: _Page) -> None:
        """A page arrives, read or moved; its clients go to the service threads in order of their numbers."""
        if page.state == PREFETCHING:
            page.state = PREFETCHED
            return
        if page.victim is not None:  # requested while prefetched: stays in the buffer until the victim is written
            page.moving = True
            return
        page.owner.buffered -= page.moving
        page.state, page.moving = CACHED, False
        for number, event in page.waiting:
            self.env.at(self.env.now, FIRST + number).callbacks.append(partial(_happens, event))
        page.waiting = []
