"""Times of a device for the store's law: latencies of dependent accesses, time per byte, media time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.effects.directory import Directory, entry_ns_per_byte
from pmtwin.sim.device.effects.effect import UNMEASURED_LOG_HALF_WIDTH
from pmtwin.sim.device.effects.remote import Remote
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES
from pmtwin.sim.device.payloads import line_media_ns, ns_per_byte
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError

PERSIST = "store_clwb"
"""The instruction of a round: a store, its flush and a fence."""


class DeviceTimes(NamedTuple):
    """Times of a device for one size of value, in ns.

    Fields:
        read_ns, write_ns: latency of a dependent read and of a flushed write on an idle device.
        read_line_ns, write_line_ns: time of a line ahead in the queue (`pmtwin.sim.device.latency`).
        read_ns_per_byte, flushed_ns_per_byte, streamed_ns_per_byte: of one thread, in accesses as large as the value.
        read_media_ns, write_media_ns: time of all media together for one line, with as many threads as serve them best.
        read_factor, write_factor: how much longer a read and a write take than from the local node.
        entry_read_ns, entry_ns_per_byte: time of all media for the directory entries of a dependent read, and of a byte
            that is streamed.
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
    read_factor: float = 1.0
    write_factor: float = 1.0
    entry_read_ns: float = 0.0
    entry_ns_per_byte: float = 0.0


def device_times(
    profile: Profile,
    value_bytes: float,
    dimms: float,
    most_threads: int,
    remote: bool = False,
    last_elsewhere: float = 0.0,
) -> DeviceTimes:
    """Times of a device that up to `most_threads` hardware threads use at once.

    Args:
        remote: whether all threads run on the remote node.
        last_elsewhere: share of the lines read that the other node used last.

    Raises:
        InputError: the profile does not identify one of the times.
    """
    idle, size = profile.idle_latency_ns, max(float(value_bytes), float(CACHE_LINE_BYTES))
    varied = {Remote.column.key: float(remote), Directory.column.key: last_elsewhere}
    read_factor, write_factor = (_factor(profile, name) if remote else 1.0 for name in ("load", PERSIST))
    entry_read, entry_byte = _entry_ns(profile, last_elsewhere, dimms) if last_elsewhere else (0.0, 0.0)
    return DeviceTimes(
        read_ns=idle["load", "random"] * read_factor,
        write_ns=idle[PERSIST, "random"] * write_factor,
        read_line_ns=profile.queue_line_ns["load"] * read_factor,
        write_line_ns=profile.queue_line_ns[PERSIST] * write_factor,
        read_ns_per_byte=_thread_ns_per_byte(profile, "load", size, dimms, varied),
        flushed_ns_per_byte=_thread_ns_per_byte(profile, PERSIST, size, dimms, varied),
        streamed_ns_per_byte=_thread_ns_per_byte(profile, "ntstore", size, dimms, varied),
        read_media_ns=line_media_ns(profile, "load", most_threads, dimms) * read_factor,
        write_media_ns=line_media_ns(profile, PERSIST, most_threads, dimms) * write_factor,
        read_factor=read_factor,
        write_factor=write_factor,
        entry_read_ns=entry_read,
        entry_ns_per_byte=entry_byte,
    )


def remote_log_half_width(profile: Profile) -> float:
    """Half-width of the log time of accesses from the remote node that were not measured there; 0 without any."""
    entries = (profile.effects or {}).get(Remote.name, {}).values()
    return max((entry["log_half_width"][0] + UNMEASURED_LOG_HALF_WIDTH for entry in entries), default=0.0)


def _factor(profile: Profile, operation: str) -> float:
    return _entry(profile, Remote.name, operation)["time_factor"]


def _entry_ns(profile: Profile, last_elsewhere: float, dimms: float) -> tuple[float, float]:
    """Time of all media for the entries of a dependent read, and of a byte that is streamed."""
    scattered, streamed = entry_ns_per_byte(
        _entry(profile, Directory.name, "load"), np.array([False, True]), np.array(last_elsewhere), np.array(dimms)
    ).tolist()
    return scattered * CACHE_LINE_BYTES, streamed


def _entry(profile: Profile, effect: str, operation: str) -> Mapping[str, float]:
    """Parameters of an effect on an operation."""
    entry = (profile.effects or {}).get(effect, {}).get(operation)
    if entry is None:
        raise InputError(
            "profile", profile.name, f"one that identifies {effect} of {operation}, for numa remote and both"
        )
    return entry["parameters"]


def _thread_ns_per_byte(
    profile: Profile, operation: str, size: float, dimms: float, varied: Mapping[str, float]
) -> float:
    if varied[Remote.column.key]:
        _factor(profile, operation)
    operations, sizes, one = np.array([operation]), np.array([size]), np.array([1.0])
    return float(ns_per_byte(profile, operations, sizes, one, dimms, varied)[0])
