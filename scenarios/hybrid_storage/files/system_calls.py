"""Calls of the C library from compiled code: files, the clock, sleep, and a lock. They hold no lock of Python.

Functions are named, not pointed to, so that compiled code that calls them is kept on disk.
"""

from __future__ import annotations

from numba import types

from pmtwin.sim.compiling import njit

_INT, _LONG = types.int32, types.int64

pread = types.ExternalFunction("pread", _LONG(_INT, _LONG, _LONG, _LONG))
pwrite = types.ExternalFunction("pwrite", _LONG(_INT, _LONG, _LONG, _LONG))
_clock_gettime = types.ExternalFunction("clock_gettime", _INT(_INT, _LONG))
_nanosleep = types.ExternalFunction("nanosleep", _INT(_LONG, _LONG))
_mutex_lock = types.ExternalFunction("pthread_mutex_lock", _INT(_LONG))
_mutex_unlock = types.ExternalFunction("pthread_mutex_unlock", _INT(_LONG))

MONOTONIC = 1
"""Number of the clock that nobody sets."""

SECOND = 1_000_000_000

SPUN_NS = 60_000
"""Last part of a wait, which the thread spins: a sleep ends that much too late."""


@njit(cache=True, _nrt=False, inner=True)
def now_ns(thread):
    """Time of a run, in ns.

    Args:
        thread: record of `records.THREAD`.
    """
    _clock_gettime(MONOTONIC, thread.address)
    return float(thread.seconds * SECOND + thread.nanoseconds - thread.origin_ns)


@njit(cache=True, _nrt=False, inner=True)
def sleep(thread, duration_ns):
    """Sleep, which takes some time longer than asked."""
    whole = int(duration_ns)
    thread.seconds, thread.nanoseconds = whole // SECOND, whole % SECOND
    _nanosleep(thread.address, 0)


@njit(cache=True, _nrt=False, inner=True)
def wait_until(thread, time):
    """Wait until a time of the run; returns at once if it is over."""
    while True:
        left = time - now_ns(thread)
        if left <= 0.0:
            return
        if left > SPUN_NS:
            sleep(thread, left - SPUN_NS)


@njit(cache=True, _nrt=False, inner=True)
def lock(files, who):
    """Begin a part in which no other thread reads or changes what threads share."""
    _mutex_lock(files.shared[0].mutex_address)
    files.shared[0].owner = who


@njit(cache=True, _nrt=False, inner=True)
def unlock(files):
    """End that part."""
    files.shared[0].owner = -1
    _mutex_unlock(files.shared[0].mutex_address)
