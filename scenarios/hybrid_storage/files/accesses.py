"""Accesses to the files, compiled: in full or not at all, timed, and checked where they read."""

from __future__ import annotations

from pmtwin.scenarios.hybrid_storage.files.content import is_right
from pmtwin.scenarios.hybrid_storage.files.records import REQUESTS
from pmtwin.scenarios.hybrid_storage.files.system_calls import lock, now_ns, pread, pwrite, unlock, wait_until
from pmtwin.sim.compiling import njit
from pmtwin.sim.hybrid.stream import PAGE_BYTES

MOST_TRIES = 100
"""Calls without a byte (a signal may interrupt one) after which an access has failed."""


@njit(cache=True, _nrt=False, inner=True)
def carry_out(files, who, device, write, address, start, size):
    """Read or write all bytes of an access, and wait as long as the device is slowed; whether that was possible."""
    file, thread = files.file[device], files.thread[who]
    done, tries = 0, 0
    while done < size:
        if write:
            count = pwrite(file.handle, address + done, size - done, start + done)
        else:
            count = pread(file.handle, address + done, size - done, start + done)
        if count > 0:
            done += count
        else:
            tries += 1
            if tries == MOST_TRIES:
                thread.failed, thread.failed_write, thread.failed_start = 1 + device, write, start + done
                files.shared[0].stop = 1
                return False
    if file.delay_ns > 0.0:
        wait_until(thread, now_ns(thread) + file.delay_ns)
    return True


@njit(cache=True, _nrt=False, inner=True)
def perform(state, files, who, access, address):
    """An access of a storage, for which the device is busy if a request waits for it; whether it was possible.

    Its data count for as long as the link of the device's model takes: a file does not tell that time apart.
    """
    device, thread = state.device[access.device], files.thread[who]
    if who == REQUESTS:
        lock(files, who)
        device.present, device.since_ns = 1, now_ns(thread)
        unlock(files)
    begin = now_ns(thread)
    is_done = carry_out(files, who, access.device, access.write, address, access.start, access.size)
    end = now_ns(thread)
    lock(files, who)
    if who == REQUESTS:
        device.present = 0
        device.busy_ns += end - begin
        device.data_ns += access.size / device.bytes_per_ns[access.write]
    if access.write:
        device.written += access.size
    else:
        device.read += access.size
    unlock(files)
    thread.accesses_ns += end - begin
    return is_done


@njit(cache=True, _nrt=False, inner=True)
def check(files, who, device, words, page, version):
    """Count a page that was read, and whether its content is that of this version."""
    thread = files.thread[who]
    thread.reads += 1
    if not is_right(words, page, version):
        thread.wrong += 1
        thread.wrong_page, thread.wrong_device = page, device


@njit(cache=True, _nrt=False, inner=True)
def page_of(access):
    """The first page of an access: each file has all pages in their order."""
    return access.start // PAGE_BYTES


@njit(cache=True, _nrt=False, inner=True)
def pages_of(access):
    """Number of pages of an access."""
    return access.size // PAGE_BYTES
