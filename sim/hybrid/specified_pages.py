"""The pages of a hybrid storage in plain Python: where they are, room, and which accesses a request needs."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pmtwin.sim.hybrid.columns import NEVER
from pmtwin.sim.hybrid.devices import BlockDevice
from pmtwin.sim.hybrid.options import APPEND, OLDEST, RECENT, UNLIMITED, HybridOptions, capacities
from pmtwin.sim.hybrid.records import COUNTS, PING_PONG
from pmtwin.sim.hybrid.scanning import MOST_SKIPPED
from pmtwin.sim.hybrid.stream import PAGE_BYTES, Paged


@dataclass
class Page:
    """A page: its address and home in pages, its last request, and when it last changed its device, and from where."""

    address: int
    home: int
    accessed: int = 0
    count: int = 0
    pages: int = 0
    write: bool = False
    moved: int = 0
    left: int | None = None
    version: int = 0
    queued: bool = False


class Access(NamedTuple):
    """Bytes of a device, read or written at once; `evicts`: to make room, or to promote what was read."""

    device: int
    write: bool
    start: int
    size: int
    evicts: bool = False


class Request(NamedTuple):
    """Pages from `first` to `last`; of the first and the last one so many bytes are left out."""

    first: int
    last: int
    head: int
    tail: int
    write: bool

    @property
    def pages(self) -> range:
        """The pages."""
        return range(self.first, self.last + 1)


class Pages:
    """All pages; at first each is on the last device, and in no ring.

    Attributes:
        device: shape (P,), int8, of each page. rings: used pages of each device, the oldest use first.
        used: pages on each device and on their way to it; reserved: the latter alone. begun: requests so far.
        counts: by the names of `COUNTS`; the run counts here what happens to no page as well.
    """

    def __init__(self, options: HybridOptions, paged: Paged, devices: tuple[BlockDevice, ...], fast_only: bool):
        count = len(paged.home)
        self._append, self._order = options.layout == APPEND, options.scan_order
        self.capacity = [UNLIMITED] if fast_only else capacities(options, count)
        self.device = np.full(count, len(devices) - 1, np.int8)
        addresses = range(count) if self._append else paged.home.tolist()
        self.page = [Page(*place) for place in zip(addresses, paged.home.tolist(), strict=True)]
        self.rings: list[OrderedDict[int, None]] = [OrderedDict() for _ in devices]
        self.used, self.reserved, self._log = ([0] * len(devices) for _ in range(3))
        self.used[-1] = self._log[-1] = count
        self._cursor: list[int | None] = [None] * len(devices)
        self._looked_at = [0] * len(devices)
        self.begun = self.asked = 0
        self.counts = dict.fromkeys(COUNTS, 0)

    def free(self, device: int) -> int:
        """Pages that a device has room for."""
        return self.capacity[device] - self.used[device]

    def read(self, request: Request) -> list[Access]:
        """Each page is read where it is, and becomes the newest of its device."""
        accesses: list[Access] = []
        for page in request.pages:
            head = request.head if page == request.first else 0
            size = PAGE_BYTES - head - (request.tail if page == request.last else 0)
            extend(accesses, 0, Access(int(self.device[page]), False, self.start(page) + head, size))
            self._leave_ring(page)
            self.rings[self.device[page]][page] = None
            self._note_use(page, request)
        return accesses

    def write(self, request: Request, target: int) -> list[Access]:
        """The rest of pages that change their address is read; the target makes room; all pages are written to it."""
        accesses, head, tail = self._rest(request, target)
        count = len(request.pages)
        for page in request.pages:
            self._leave_ring(page)
            self.used[self.device[page]] -= 1
        self._make_room(accesses, target, count)
        self.used[target] += count
        for page in request.pages:
            self.settle(page, target, self.new_address(page, target))
            self._note_use(page, request)
        size = count * PAGE_BYTES - head - tail
        return [*accesses, Access(target, True, self.start(request.first) + head, size)]

    def promote(self, request: Request, target: int) -> list[Access]:
        """Each page is read where it is; those on slower devices are written to the target, which makes room."""
        accesses: list[Access] = []
        coming = [page for page in request.pages if self.device[page] > target]
        for page in request.pages:
            whole = page in coming
            head = 0 if whole or page > request.first else request.head
            tail = 0 if whole or page < request.last else request.tail
            size = PAGE_BYTES - head - tail
            extend(accesses, 0, Access(int(self.device[page]), False, self.start(page) + head, size))
            self._leave_ring(page)
            if whole:
                self.used[self.device[page]] -= 1
            else:
                self.rings[self.device[page]][page] = None
            self._note_use(page, request)
        self._make_room(accesses, target, len(coming))
        self.used[target] += len(coming)
        self.counts["promoted"] += len(coming)
        begin = len(accesses)
        for page in coming:
            self.settle(page, target, self.new_address(page, target))
            extend(accesses, begin, Access(target, True, self.start(page), PAGE_BYTES, True))
        return accesses

    def _rest(self, request: Request, target: int) -> tuple[list[Access], int, int]:
        first, last, head, tail = request.first, request.last, request.head, request.tail
        head_moves = head > 0 and (self._append or self.device[first] != target)
        tail_moves = tail > 0 and (self._append or self.device[last] != target)
        on_first, on_last = int(self.device[first]), int(self.device[last])
        if head_moves and tail_moves and first == last:
            return [Access(on_first, False, self.start(first), PAGE_BYTES)], 0, 0
        heads = [Access(on_first, False, self.start(first), head)] if head_moves else []
        tails = [Access(on_last, False, self.start(last) + PAGE_BYTES - tail, tail)] if tail_moves else []
        return heads + tails, 0 if head_moves else head, 0 if tail_moves else tail

    def _make_room(self, accesses: list[Access], device: int, pages: int) -> None:
        """Evict to the next device, which makes room for the evicted pages first."""
        missing = pages - self.free(device)
        if missing <= 0 or device == len(self.used) - 1:
            return
        self._make_room(accesses, device + 1, missing)
        victims = list(self.rings[device])[:missing]
        begin = len(accesses)
        for page in victims:
            extend(accesses, begin, Access(device, False, self.start(page), PAGE_BYTES, True))
        begin = len(accesses)
        for page in victims:
            self._leave_ring(page)
            self.settle(page, device + 1, self.new_address(page, device + 1))
            extend(accesses, begin, Access(device + 1, True, self.start(page), PAGE_BYTES, True))
        self.used[device] -= missing
        self.used[device + 1] += missing
        self.counts["evictions"] += missing

    def settle(self, page: int, device: int, address: int) -> None:
        """A page that is in no ring is now on this device, as its newest."""
        record, origin = self.page[page], int(self.device[page])
        record.address, record.version = address, record.version + 1
        if origin != device:
            record.left, record.moved = origin, self.begun
            self.device[page] = device
        self.rings[device][page] = None

    def move(self, page: int, device: int, address: int) -> None:
        """A page is moved; its target counts it already."""
        record, origin = self.page[page], int(self.device[page])
        self.counts["moves"] += 1
        self.counts["promotions"] += device < origin
        self.counts["ping_pong"] += device == record.left and self.begun - record.moved <= PING_PONG
        self.used[self.device[page]] -= 1
        self._leave_ring(page)
        self.settle(page, device, address)

    def new_address(self, page: int, device: int) -> int:
        """Behind the last page that was written to the device, or the page's home."""
        if not self._append:
            return self.page[page].home
        self._log[device] += 1
        return self._log[device] - 1

    def start(self, page: int) -> int:
        """First byte of a page on its device."""
        return self.page[page].address * PAGE_BYTES

    def _leave_ring(self, page: int) -> None:
        device = int(self.device[page])
        if self._cursor[device] == page:
            self._cursor[device] = self._next(device, page, backwards=False)
        self.rings[device].pop(page, None)

    def _note_use(self, page: int, request: Request) -> None:
        record = self.page[page]
        record.accessed, record.pages, record.write = self.begun, len(request.pages), request.write
        record.count += 1

    def features(self, page: int, write: bool, pages: int) -> list[float]:
        """What policies see of a page: the columns of `pmtwin.sim.hybrid.features`, without the evictions."""
        record = self.page[page]
        free = [self.free(device) / self.capacity[device] for device in range(len(self.used) - 1)]
        interval = self.begun - record.accessed if record.count else NEVER
        since_move = NEVER if record.left is None else self.begun - record.moved
        return [write, pages, interval, record.count, free[0], self.device[page], since_move, *free[1:]]

    def coming(self, request: Request, target: int) -> int:
        """Pages of a request that would come to a device: those elsewhere, of a read those on slower devices."""
        devices = self.device[request.first : request.last + 1]
        return int(np.sum((devices != target) if request.write else (devices > target)))

    def evictions_of(self, request: Request) -> int:
        """Pages that a request evicts if it is placed on the first device."""
        return max(self.coming(request, 0) - self.free(0), 0)

    def scanned(self, any_page: int) -> int:
        """The page that a migration policy is asked about, or -1; `any_page`: a page that was drawn."""
        device = self.asked % len(self.used)
        self.asked += 1
        if self._order in (OLDEST, RECENT):
            return self._walk(device, self._order == RECENT)
        listed = any_page in self.rings[self.device[any_page]]
        return any_page if listed and self._is_old(any_page) else -1

    def _walk(self, device: int, backwards: bool) -> int:
        if backwards and self._looked_at[device] != self.begun:
            self._cursor[device], self._looked_at[device] = None, self.begun
        page = self._cursor[device]
        if page is None:
            page = self._next(device, None, backwards)
        for _ in range(MOST_SKIPPED):
            if page is None or self._is_old(page):
                break
            page = self._next(device, page, backwards)
        self._cursor[device] = None if page is None else self._next(device, page, backwards)
        return -1 if page is None else page

    def _is_old(self, page: int) -> bool:
        return self.begun - self.page[page].accessed > 1

    def _next(self, device: int, page: int | None, backwards: bool) -> int | None:
        """The page behind another one in a ring, or before it; None is before the first and behind the last."""
        ring = [None, *self.rings[device], None]
        place = 0 if page is None and not backwards else len(ring) - 1 if page is None else ring.index(page)
        return ring[place - 1 if backwards else place + 1]


def extend(accesses: list[Access], begin: int, access: Access) -> None:
    """Append an access, or make the last one longer that it follows on the device; none before number `begin`."""
    last = accesses[-1] if len(accesses) > begin else None
    if last and last[:2] == access[:2] and last.start + last.size == access.start:
        accesses[-1] = last._replace(size=last.size + access.size)
    else:
        accesses.append(access)
