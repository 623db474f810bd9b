"""Timed accesses to the files, compiled: what the models of the devices are fitted to."""

from __future__ import annotations

from pmtwin.scenarios.hybrid_storage.files.accesses import carry_out, check
from pmtwin.scenarios.hybrid_storage.files.content import fill
from pmtwin.scenarios.hybrid_storage.files.kernel import NAP_NS
from pmtwin.scenarios.hybrid_storage.files.records import MOVER, REQUESTS
from pmtwin.scenarios.hybrid_storage.files.system_calls import lock, now_ns, sleep, unlock, wait_until
from pmtwin.sim.compiling import njit
from pmtwin.sim.hybrid.stream import PAGE_BYTES


@njit(cache=True, nogil=True, _nrt=False)
def timed_accesses(files, who, device, write, pages, first, gap_ns, begin_ns, latency_ns):
    """Time accesses; each writes what is there already, or is checked. Stops where one is impossible.

    As in a run, the data of a write are made before the gap, and what was read is checked after its time.

    Args:
        who: thread; each has a buffer of its own.
        device, write, pages, first: shape (n,), int64: the file, the kind, and the pages of each access.
        gap_ns: shape (n,), float64: time that the thread waits before it, as between requests.
        begin_ns, latency_ns: shape (n,), float64, filled in.
    """
    thread = files.thread[who]
    buffer, address = (files.data, files.address[0]) if who == REQUESTS else (files.staged, files.address[1])
    for number in range(first.size):
        file, start, count = device[number], first[number], pages[number]
        if write[number]:
            for row in range(count):
                fill(buffer[row], start + row, files.stored[file, start + row])
        if gap_ns[number] > 0.0:
            wait_until(thread, now_ns(thread) + gap_ns[number])
        begin_ns[number] = now_ns(thread)
        if not carry_out(files, who, file, write[number], address, start * PAGE_BYTES, count * PAGE_BYTES):
            return
        latency_ns[number] = now_ns(thread) - begin_ns[number]
        if not write[number]:
            for row in range(count):
                check(files, who, file, buffer[row], start + row, files.stored[file, start + row])


@njit(cache=True, nogil=True, _nrt=False)
def nap(files):
    """What the mover does while nothing is to move, until all ends."""
    while not files.shared[0].stop:
        lock(files, MOVER)
        now_ns(files.thread[MOVER])
        unlock(files)
        sleep(files.thread[MOVER], NAP_NS)
