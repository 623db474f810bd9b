"""I/O threads and disks: each thread makes one operation at a time; misses first, then writes, then prefetches.

An operation takes the thread's own service time, then waits and is served at the disk of the page (FIFO). A dirty
victim is written before the page that takes its line is read, or moved from the prefetch buffer.
"""

from __future__ import annotations

from pmtwin.scenarios.two_tier.storage import draws
from pmtwin.scenarios.two_tier.storage.records import ABSENT, CACHED, PREFETCHED, PREFETCHING, READY
from pmtwin.sim.compiling import njit
from pmtwin.sim.stations.event_heap import push, remove_first
from pmtwin.sim.stations.lines import NOBODY, join_line, leave_line


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def hold(storage, page):
    """Pin a cached page for a request or a write, until `_release` of the kernel."""
    storage.holders[page] += 1
    if storage.holders[page] == 1:
        storage.process[storage.page[page].owner].pinned += 1


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def ask_for_page(storage, time, page):
    """Put a miss into the I/O queue of its process."""
    join_line(storage.misses, storage.page[page].owner, page)
    wake(storage, time, storage.page[page].owner)


@njit(cache=True, _nrt=False, inner=True)
def ask_for_write(storage, time, page):
    """Mark a dirty page to be written once the I/O thread of its process has no misses."""
    entry = storage.page[page]
    entry.to_write = 1
    if not entry.listed:
        entry.listed = 1
        join_line(storage.to_write, entry.owner, page)
    wake(storage, time, entry.owner)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def note_miss(storage, page):
    """Stride detection: two equal strides in a row in the sequence of misses start a stream to prefetch."""
    process = storage.process[storage.page[page].owner]
    stride = 0 if process.last_page == NOBODY else page - process.last_page
    if stride != 0 and stride == process.stride:
        process.ahead, process.to_prefetch = page + stride, storage.setting[0].prefetch_lines
    process.last_page, process.stride = page, stride


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def wake(storage, time, number):
    """Let an idle I/O thread begin its next operation, if there is one."""
    process = storage.process[number]
    if process.working:
        return
    page = leave_line(storage.misses, number)
    if page != NOBODY:
        process.reading, process.writing = page, storage.page[page].victim
        storage.page[page].victim = NOBODY
    else:
        process.writing = _next_write(storage, number)
        if process.writing == NOBODY:
            process.reading = _next_prefetch(storage, process, number)
        elif storage.setting[0].evicting:
            hold(storage, process.writing)
    if process.writing != NOBODY or process.reading != NOBODY:
        _begin(storage, time, number)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _next_write(storage, number):
    while True:
        page = leave_line(storage.to_write, number)
        if page == NOBODY:
            return NOBODY
        entry = storage.page[page]
        entry.listed = 0
        if entry.to_write:
            entry.to_write = entry.dirty = 0
            return page


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _next_prefetch(storage, process, number):
    """The next absent page of the stream, while the prefetch buffer has an empty line; otherwise `NOBODY`."""
    setting = storage.setting[0]
    while process.to_prefetch > 0 and process.buffered < setting.prefetch_lines:
        page = process.ahead
        process.ahead, process.to_prefetch = page + process.stride, process.to_prefetch - 1
        if page < 0 or page >= setting.pages:
            process.to_prefetch = 0
            break
        if storage.page[page].owner == number and storage.page[page].state == ABSENT:
            storage.page[page].state = PREFETCHING
            process.buffered += 1
            storage.tally[0].prefetches += 1
            return page
    return NOBODY


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _begin(storage, time, number):
    process, setting = storage.process[number], storage.setting[0]
    process.working, process.started = 1, time
    push(storage.events, time + setting.io_s, setting.clients + number)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def arrive_at_disk(storage, time, number):
    """The I/O thread's own service ends: its page queues at the disk."""
    process = storage.process[number]
    page = process.reading if process.writing == NOBODY else process.writing
    place = page % storage.disk.size
    remove_first(storage.events)
    if storage.disk[place].serving == NOBODY:
        _serve(storage, time, place, number)
        return
    join_line(storage.at_disk, place, number)
    storage.tally[0].waiting += 1


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _serve(storage, time, place, number):
    setting, process, disk = storage.setting[0], storage.process[number], storage.disk[place]
    disk.serving, disk.started = number, time
    service = draws.disk_s(setting, number, process.operations, storage.tally[0].waiting)
    process.operations += 1
    push(storage.events, time + service, setting.clients + setting.processes + place)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def leave_disk(storage, time, place):
    """A disk finishes a page and begins the next; returns the I/O thread of the finished page."""
    disk, following = storage.disk[place], leave_line(storage.at_disk, place)
    number = disk.serving
    disk.serving = NOBODY
    disk.busy += time - disk.started
    remove_first(storage.events)
    if following != NOBODY:
        storage.tally[0].waiting -= 1
        _serve(storage, time, place, following)
    return number


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def end_operation(storage, time, number):
    """An I/O thread finishes an operation; after writing a victim it reads the page that takes its line.

    Returns:
        The written page, if no other page takes its line; otherwise `NOBODY`.
    """
    process = storage.process[number]
    process.busy += time - process.started
    process.working = 0
    storage.tally[0].end_s = time
    page, written = process.reading, process.writing
    process.writing = NOBODY
    if written != NOBODY:
        storage.tally[0].writes += 1
        if page == NOBODY:
            return written
        if not storage.page[page].moving:
            _begin(storage, time, number)
            return NOBODY
    process.reading = NOBODY
    _page_comes(storage, time, page)
    return NOBODY


@njit(cache=True, _nrt=False, inner=True)
def _page_comes(storage, time, page):
    """A page arrives: it has been read, or is moved from the prefetch buffer."""
    entry = storage.page[page]
    if entry.state == PREFETCHING:
        entry.state = PREFETCHED
        return
    if entry.victim != NOBODY:
        entry.moving = 1
        return
    if entry.moving:
        entry.moving = 0
        storage.process[entry.owner].buffered -= 1
    entry.state = CACHED
    resume(storage, time, page)


@njit(cache=True, _nrt=False, inner=True)
def resume(storage, time, page):
    """Send the clients that wait for a page to the service threads, in order of their numbers."""
    client = leave_line(storage.readers, page)
    while client != NOBODY:
        storage.client[client].step = READY
        push(storage.events, time, client)
        client = leave_line(storage.readers, page)
