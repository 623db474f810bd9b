"""Counter-based random draws of requests and disks: the same for both engines and for any order of events."""

from __future__ import annotations

import math

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import bits, high_uniform, low_uniform

_0, _1, _2, _32 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(32)


@njit(cache=True, _nrt=False)
def start_s(setting, client):
    """Time of a client's first request, uniform over a pause."""
    return high_uniform(bits(setting.request_key, np.uint64(client), _1)) * setting.gap_s


@njit(cache=True, _nrt=False, inner=True)
def place_of(setting, client, number, count):
    """Index of the page of a client's request, uniform among `count` pages."""
    index = np.uint64(client) * np.uint64(setting.requests) + np.uint64(number)
    return np.int64(high_uniform(bits(setting.request_key, index, _0)) * count)


@njit(cache=True, _nrt=False, inner=True)
def rank_of(setting, client, number, count):
    """(uniform rank among `count`, uniform number in [0, 1)) of a client's request, for the alias method."""
    index = np.uint64(client) * np.uint64(setting.requests) + np.uint64(number)
    drawn = bits(setting.request_key, index, _2)
    return np.int64(high_uniform(drawn) * count), low_uniform(drawn)


@njit(cache=True, _nrt=False)
def access_s(setting, client, number):
    """Exponential service time of a client's request: one access, or the two of a read-modify-write."""
    index = np.uint64(client) * np.uint64(setting.requests) + np.uint64(number)
    return -setting.access_s * math.log(1.0 - low_uniform(bits(setting.request_key, index, _0)))


@njit(cache=True, _nrt=False)
def disk_s(setting, process, operation, waiting):
    """Exponential service time of a page at a disk; its mean grows with the number of pages that wait at all disks."""
    index = (np.uint64(process) << _32) + np.uint64(operation)
    mean = setting.disk_s * (1.0 + waiting) ** setting.contention
    return -mean * math.log(1.0 - high_uniform(bits(setting.disk_key, index, _0)))


@njit(cache=True, _nrt=False)
def is_written_back(setting, page):
    """Whether an idle I/O thread writes back a dirty page; drawn once for each page."""
    return high_uniform(bits(setting.page_key, np.uint64(page), _0)) < setting.write_back
