"""What one request asks of the store and the device, by value size: work, dependent accesses, bytes to move.

Of a profile that has an access profile (`sim.access_profile`) this is what was counted; a parameter that somebody set,
and all of them where nothing was counted, stand in for it (`pmtwin.sim.parameters`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pmtwin.sim.access_profile import (
    CACHE_LINE_BYTES,
    count_at,
    has_count,
    outside_counts,
    value_bytes_read,
    written_bytes,
)
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.parameters import is_chosen
from pmtwin.sim.payloads import payload_operation
from pmtwin.sim.workload import ClassWorkload


class Transfer(NamedTuple):
    """Bytes that are moved at the device's bandwidth.

    Fields:
        operation: the instruction, in the names of the device law.
        count: how many pieces, a number.
        piece_bytes: of each of them, shape (SIZE_BINS,).
        access_bytes: what lies together, shape (SIZE_BINS,): the access size of the device law.
    """

    operation: str
    count: float
    piece_bytes: np.ndarray
    access_bytes: np.ndarray


class Accesses(NamedTuple):
    """What one request asks for, by value size; arrays of shape (SIZE_BINS,).

    Fields:
        software_ns: CPU work in the store with one operation in progress.
        reads, writes: dependent reads, and rounds of flush and fence, that wait for one another.
        transfers: of at most one piece of each instruction and number of pieces.
        extrapolated: some value lies outside those that were counted.
    """

    software_ns: np.ndarray
    reads: np.ndarray
    writes: np.ndarray
    transfers: tuple[Transfer, ...]
    extrapolated: bool


def accesses_of(profile: Profile, values: Mapping[str, float], load: ClassWorkload, is_write: bool) -> Accesses:
    """What a read or write request of a class asks for.

    Args:
        values: resolved parameters.
    """
    gets, sizes = load.gets_per_write if is_write else load.gets_per_read, load.sizes(is_write)
    software = gets * _software_ns(profile, values, "get", sizes)
    reads = gets * _counted(profile, values, "get", "dependent_reads", "get_chain_accesses", sizes)
    if not is_write:
        counted = not is_chosen(values, "get_chain_accesses") and profile.access_profile is not None
        piece = value_bytes_read(profile.access_profile, "get", sizes) if counted else sizes
        transfers = (Transfer("load", gets, piece, sizes),)
        return Accesses(software, reads, np.zeros(sizes.shape), transfers, _outside(profile, "get", sizes))
    return Accesses(
        software_ns=software + _software_ns(profile, values, "put", sizes),
        reads=reads + _counted(profile, values, "put", "dependent_reads", "put_chain_accesses", sizes),
        writes=_counted(profile, values, "put", "rounds", "put_persists", sizes),
        transfers=_put_transfers(profile, values, gets, sizes),
        extrapolated=_outside(profile, "put", sizes),
    )


def _put_transfers(
    profile: Profile, values: Mapping[str, float], gets: float, sizes: np.ndarray
) -> tuple[Transfer, ...]:
    access = profile.access_profile
    if is_chosen(values, "put_write_factor") or access is None:
        streams = np.array([payload_operation(True, size) == "ntstore" for size in sizes])
        pieces = {"store_clwb": np.where(streams, 0.0, sizes), "ntstore": np.where(streams, sizes, 0.0)}
        return tuple(
            Transfer(operation, values["put_write_factor"], piece, sizes)
            for operation, piece in pieces.items()
            if piece.any()
        )
    written, lines = written_bytes(access, "put", sizes), np.maximum(sizes, float(CACHE_LINE_BYTES))
    return (
        # one read of the value serves the get before the put and the undo log
        Transfer("load", max(gets, 1.0), value_bytes_read(access, "put", sizes), lines),
        Transfer("store_clwb", 1.0, written.flushed, lines),
        Transfer("ntstore", 1.0, written.streamed, lines),
    )


def _counted(
    profile: Profile, values: Mapping[str, float], operation: str, count: str, parameter: str, sizes: np.ndarray
) -> np.ndarray:
    """A count by value size: of the profile's access profile, unless it has none or somebody set the parameter."""
    if is_chosen(values, parameter) or not has_count(profile.access_profile, operation, count):
        return np.full(sizes.shape, float(values[parameter]))
    return count_at(profile.access_profile, operation, count, sizes)


def _software_ns(profile: Profile, values: Mapping[str, float], operation: str, sizes: np.ndarray) -> np.ndarray:
    names = (f"{operation}_software_ns", f"{operation}_copy_ns_per_byte")
    chosen = any(is_chosen(values, name) for name in names)
    if not chosen and has_count(profile.access_profile, operation, "software_ns"):
        return count_at(profile.access_profile, operation, "software_ns", sizes)
    fixed, per_byte = (values[name] for name in names)
    return fixed + per_byte * sizes


def _outside(profile: Profile, operation: str, sizes: np.ndarray) -> bool:
    return bool(np.any(outside_counts(profile.access_profile, operation, sizes)))
