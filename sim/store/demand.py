"""Service demand of one request, by value size: work in the store, dependent accesses, bytes to move.

Counts come from the access profile (`pmtwin.sim.device.access_profile`). A parameter (`pmtwin.sim.parameters.values`)
replaces a count if the user sets it, or if the profile lacks the count. If the number of records is stated, the demand
is that of `pmtwin.sim.store.accesses`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.access_profile import (
    CACHE_LINE_BYTES,
    count_at,
    has_count,
    outside_counts,
    value_bytes_read,
    written_bytes,
)
from pmtwin.sim.device.payloads import payload_operation
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.load.workload import GET, ClassWorkload
from pmtwin.sim.parameters.values import is_chosen
from pmtwin.sim.store.accesses import large_store_accesses
from pmtwin.sim.store.request_accesses import RequestAccesses, Transfer

COUNTED_AS = {"put_update": "put", "put_insert": "insert"}
"""Names of the puts in an access profile."""


def accesses_of(profile: Profile, values: Mapping[str, float], load: ClassWorkload, operation: str) -> RequestAccesses:
    """Demand of a request of a class, by value size.

    Args:
        values: resolved parameters.
        operation: one of `pmtwin.sim.load.workload.OPERATIONS`.
    """
    if values["records"] and profile.access_profile is not None:
        return large_store_accesses(profile, values, load, operation)
    if operation == GET:
        return _gets(profile, values, load.gets_per_read, load.sizes(False))
    gets = _gets(profile, values, load.gets_per_write, load.sizes(True))
    if operation == "remove":
        return _remove(profile, values, gets, load.sizes(True))
    return _put(profile, values, COUNTED_AS[operation], load.gets_per_write, gets, load.sizes(True))


def _gets(profile: Profile, values: Mapping[str, float], count: float, sizes: np.ndarray) -> RequestAccesses:
    """Demand of `count` gets."""
    access = None if is_chosen(values, "get_chain_accesses") else profile.access_profile
    piece = sizes if access is None else value_bytes_read(access, "get", sizes)
    return RequestAccesses(
        software_ns=count * _software_ns(profile, values, "get", sizes),
        reads=count * _counted(profile, values, "get", "dependent_reads", "get_chain_accesses", sizes),
        writes=np.zeros(sizes.shape),
        transfers=(Transfer("load", count, piece, sizes),) if count else (),
        extrapolated=_outside(profile, "get", sizes),
    )


def _put(
    profile: Profile, values: Mapping[str, float], counted: str, count: float, gets: RequestAccesses, sizes: np.ndarray
) -> RequestAccesses:
    """Demand of a put and the gets before it.

    Args:
        counted: the put's name in an access profile. count: number of gets. gets: their demand.
    """
    return RequestAccesses(
        software_ns=gets.software_ns + _software_ns(profile, values, counted, sizes),
        reads=gets.reads + _counted(profile, values, counted, "dependent_reads", "put_chain_accesses", sizes),
        writes=_counted(profile, values, counted, "rounds", "put_persists", sizes),
        transfers=_put_transfers(profile, values, counted, count, gets, sizes),
        extrapolated=_outside(profile, counted, sizes),
    )


def _remove(profile: Profile, values: Mapping[str, float], gets: RequestAccesses, sizes: np.ndarray) -> RequestAccesses:
    """Demand of a remove and the gets before it: that of a put of an empty value, since a remove was not counted."""
    empty = np.zeros(sizes.shape)
    return RequestAccesses(
        software_ns=gets.software_ns + _software_ns(profile, values, "put", empty),
        reads=gets.reads + _counted(profile, values, "put", "dependent_reads", "put_chain_accesses", empty),
        writes=_counted(profile, values, "put", "rounds", "put_persists", empty),
        transfers=gets.transfers,
        extrapolated=_outside(profile, "put", sizes),
    )


def _put_transfers(
    profile: Profile, values: Mapping[str, float], counted: str, count: float, gets: RequestAccesses, sizes: np.ndarray
) -> tuple[Transfer, ...]:
    access = profile.access_profile
    if is_chosen(values, "put_write_factor") or not has_count(access, counted, "flushed_lines"):
        streams = np.array([payload_operation(True, size) == "ntstore" for size in sizes])
        pieces = {"store_clwb": np.where(streams, 0.0, sizes), "ntstore": np.where(streams, sizes, 0.0)}
        return tuple(
            Transfer(operation, values["put_write_factor"], piece, sizes)
            for operation, piece in pieces.items()
            if piece.any()
        )
    written, lines = written_bytes(access, counted, sizes), np.maximum(sizes, float(CACHE_LINE_BYTES))
    # in an update, one read of the value serves the get before the put and the undo log; an insert finds no value
    old_value = Transfer("load", max(count, 1.0), value_bytes_read(access, counted, sizes), lines)
    return (
        *((old_value,) if counted == "put" else gets.transfers),
        Transfer("store_clwb", 1.0, written.flushed, lines),
        Transfer("ntstore", 1.0, written.streamed, lines),
    )


def _counted(
    profile: Profile, values: Mapping[str, float], operation: str, count: str, parameter: str, sizes: np.ndarray
) -> np.ndarray:
    """A count by value size: from the access profile, unless that lacks it or the parameter is set."""
    if is_chosen(values, parameter) or not has_count(profile.access_profile, operation, count):
        return np.full(sizes.shape, float(values[parameter]))
    return count_at(profile.access_profile, operation, count, sizes)


def _software_ns(profile: Profile, values: Mapping[str, float], operation: str, sizes: np.ndarray) -> np.ndarray:
    prefix = "get" if operation == "get" else "put"
    names = (f"{prefix}_software_ns", f"{prefix}_copy_ns_per_byte")
    chosen = any(is_chosen(values, name) for name in names)
    if not chosen and has_count(profile.access_profile, operation, "software_ns"):
        return count_at(profile.access_profile, operation, "software_ns", sizes)
    fixed, per_byte = (values[name] for name in names)
    return fixed + per_byte * sizes


def _outside(profile: Profile, operation: str, sizes: np.ndarray) -> bool:
    return bool(np.any(outside_counts(profile.access_profile, operation, sizes)))
