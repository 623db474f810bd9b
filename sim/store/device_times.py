"""Times of a device for the store's law: latencies of dependent accesses, bytes of one thread, media time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.access_profile import CACHE_LINE_BYTES
from pmtwin.sim.device.payloads import line_media_ns, ns_per_byte
from pmtwin.sim.device.profile import Profile

PERSIST = "store_clwb"
"""The instruction of a round: a store, its flush and a fence."""


class DeviceTimes(NamedTuple):
    """Times of one device and size of value, in ns; numbers.

    Fields:
        read_ns, write_ns: latency of a dependent read and of a flushed write, nothing else in the device.
        read_line_ns, write_line_ns: time of a line ahead in the queue (`pmtwin.sim.device.latency`).
        read_ns_per_byte, flushed_ns_per_byte, streamed_ns_per_byte: of one thread, in accesses as large as the value.
        read_media_ns, write_media_ns: time of all media together for one line, with as many threads as serve them best.
    """

    read_ns: float
    write_ns: float
    read_line_ns: float
    write_line_ns: float
    read_ns_per_byte: float
    flushed_ns_per_byte: float
    streamed_ns_per_byte: float
    read_media_ns: float
    write_media_ns: float


def device_times(profile: Profile, value_bytes: float, dimms: float, most_threads: int) -> DeviceTimes:
    """Times of a device that up to `most_threads` hardware threads use at once.

    Raises:
        InputError: the profile does not identify one of them.
    """
    idle, size = profile.idle_latency_ns, max(float(value_bytes), float(CACHE_LINE_BYTES))
    return DeviceTimes(
        read_ns=idle["load", "random"],
        write_ns=idle[PERSIST, "random"],
        read_line_ns=profile.queue_line_ns["load"],
        write_line_ns=profile.queue_line_ns[PERSIST],
        read_ns_per_byte=_thread_ns_per_byte(profile, "load", size, dimms),
        flushed_ns_per_byte=_thread_ns_per_byte(profile, PERSIST, size, dimms),
        streamed_ns_per_byte=_thread_ns_per_byte(profile, "ntstore", size, dimms),
        read_media_ns=line_media_ns(profile, "load", most_threads, dimms),
        write_media_ns=line_media_ns(profile, PERSIST, most_threads, dimms),
    )


def _thread_ns_per_byte(profile: Profile, operation: str, size: float, dimms: float) -> float:
    return float(ns_per_byte(profile, np.array([operation]), np.array([size]), np.array([1.0]), dimms)[0])
