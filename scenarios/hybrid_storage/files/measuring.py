"""Accesses of one kind and size to a file, one after another, compiled: what a device's model is fitted to."""

from __future__ import annotations

from pmtwin.scenarios.hybrid_storage.files.accesses import carry_out, check
from pmtwin.scenarios.hybrid_storage.files.content import fill
from pmtwin.scenarios.hybrid_storage.files.records import REQUESTS
from pmtwin.scenarios.hybrid_storage.files.system_calls import now_ns
from pmtwin.sim.compiling import njit
from pmtwin.sim.hybrid.stream import PAGE_BYTES


@njit(cache=True, nogil=True, _nrt=False)
def timed_accesses(files, who, device, write, pages, first, latency_ns):
    """Time accesses; each writes what is there already, or is checked. Stops where one is impossible.

    Args:
        who: thread; each has a buffer of its own.
        pages: of an access. first: shape (n,), int64, first page of each.
        latency_ns: shape (n,), float64, filled in.
    """
    thread = files.thread[who]
    buffer, address = (files.data, files.address[0]) if who == REQUESTS else (files.staged, files.address[1])
    for number in range(first.size):
        start = first[number]
        if write:
            for row in range(pages):
                fill(buffer[row], start + row, files.stored[device, start + row])
        begin = now_ns(thread)
        if not carry_out(files, who, device, write, address, start * PAGE_BYTES, pages * PAGE_BYTES):
            return
        latency_ns[number] = now_ns(thread) - begin
        if not write:
            for row in range(pages):
                check(files, who, device, buffer[row], start + row, files.stored[device, start + row])
