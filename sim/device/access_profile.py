"""Counted device accesses of each key-value operation: the section `access_profile` of a device's profile.

The counts are properties of the store's software (`store`, `store_version`), not of the device. Each is a function of
the value's size: linear between the counted sizes, constant below the smallest, continued with the last slope above the
largest (`outside_counts`).

| operation | count | unit | method |
|---|---|---|---|
| get, put, insert | `dependent_reads` | media lines in the longest chain of pointers, with the value's first | traced |
| put, insert | `rounds` | fences that wait for writes | counted |
| put, insert | `flushed_lines` | cache lines of 64 B flushed (clwb) | counted |
| put, insert | `streamed_bytes` | bytes written with non-temporal stores | counted |
| any, optional | `value_lines` | cache lines of the stored value that are read | traced |
| any, optional | `software_ns` | processor time with all memory in the caches and no flushes, ns | timed |

A put overwrites a value with one of the same size, and reads the old value. If only values up to `traced_to_bytes` were
traced, counts of larger values continue with the last slope.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple, TypeGuard

import numpy as np
from msgspec import Struct

from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.files.typed_json import Positive, lacking, typed

CACHE_LINE_BYTES = 64
KEY_BYTES = 16
"""Default size of a key."""

SIZES = "value_bytes"
TRACED_TO = "traced_to_bytes"
METHODS = ("counted", "traced", "timed", "derived")

REQUIRED = {
    "get": ("dependent_reads",),
    "put": ("dependent_reads", "rounds", "flushed_lines", "streamed_bytes"),
    "insert": ("dependent_reads", "rounds", "flushed_lines", "streamed_bytes"),
}
OPTIONAL: tuple[str, ...] = (
    "software_ns",
    "cold_lines",
    "cold_media_lines",
    "value_lines",
    "shared_lines",
    "flush_calls",
    "fences",
)
OPTIONAL += ("copied_bytes", "value_bytes_copied", "log_bytes", "media_lines", "media_line_writes", "instructions")


def has_count(access: Mapping | None, operation: str, name: str) -> TypeGuard[Mapping]:
    """Whether an access profile is present and has a count of an operation."""
    return access is not None and name in access["operations"].get(operation, {})


def count_at(access: Mapping, operation: str, name: str, sizes: np.ndarray | float) -> np.ndarray:
    """Count of an operation at value `sizes` in bytes; same shape."""
    table = access["operations"][operation]
    knots, counts = np.asarray(table[SIZES], dtype=float), np.asarray(table[name], dtype=float)
    sizes = np.asarray(sizes, dtype=float)
    inside = np.interp(sizes, knots, counts)
    if knots.size < 2:
        return inside
    slope = (counts[-1] - counts[-2]) / (knots[-1] - knots[-2])
    return np.where(sizes > knots[-1], np.maximum(0.0, counts[-1] + slope * (sizes - knots[-1])), inside)


class Written(NamedTuple):
    """Bytes that a write moves at the device's bandwidth, by value size: arrays of one shape.

    Fields:
        flushed: stored and then flushed (clwb).
        streamed: written with non-temporal stores.
    """

    flushed: np.ndarray
    streamed: np.ndarray


def written_bytes(access: Mapping, operation: str, sizes: np.ndarray | float) -> Written:
    """Bytes that a write moves besides the first cache line of each round.

    These are all flushed and streamed bytes (the value, its old content in the undo log, metadata) less one cache line
    per round, which is subtracted from both in proportion.
    """
    flushed = CACHE_LINE_BYTES * count_at(access, operation, "flushed_lines", sizes)
    streamed = count_at(access, operation, "streamed_bytes", sizes)
    waited_for = CACHE_LINE_BYTES * count_at(access, operation, "rounds", sizes)
    remaining = 1.0 - np.minimum(1.0, waited_for / np.maximum(flushed + streamed, 1.0))
    return Written(remaining * flushed, remaining * streamed)


def value_bytes_read(access: Mapping, operation: str, sizes: np.ndarray) -> np.ndarray:
    """Bytes of the stored value that an operation reads after its first line, which belongs to the chain of reads.

    A put reads the value that it overwrites, for the undo log. If the lines were not traced, the result is `sizes`.
    """
    if not has_count(access, operation, "value_lines"):
        return np.asarray(sizes, dtype=float)
    return CACHE_LINE_BYTES * np.maximum(0.0, count_at(access, operation, "value_lines", sizes) - 1.0)


def outside_counts(access: Mapping | None, operation: str, sizes: np.ndarray) -> np.ndarray:
    """Whether counts at value `sizes` are extrapolated; False if the operation has no counts."""
    if access is None or operation not in access["operations"]:
        return np.zeros(np.shape(sizes), dtype=bool)
    table = access["operations"][operation]
    return (np.asarray(sizes) < table[SIZES][0]) | (np.asarray(sizes) > table.get(TRACED_TO, table[SIZES][-1]))


class _Form(Struct):
    store: str
    store_version: str
    key_bytes: Positive
    methods: dict[str, str]
    operations: dict[str, dict]


def check_access_profile(value: object, where: str) -> None:
    """Raise `InputError`, about the first fault, unless `value` is None or an access profile."""
    if value is None:
        return
    field = "access_profile"
    form = typed(field, value, _Form, where)
    if not {"get", "put"} <= set(form.operations):
        raise InputError(f"{field}.operations", form.operations, "an object with at least get and put", where)
    for operation, table in form.operations.items():
        if operation not in REQUIRED:
            raise unknown_name(f"{field}.operations", operation, REQUIRED, where)
        _check_table(f"{field}.{operation}", operation, table, where)
        for name in table:
            method = form.methods.get(name)
            if name not in (SIZES, TRACED_TO) and method not in METHODS:
                raise InputError(f"{field}.methods.{name}", method, f"one of {', '.join(METHODS)}", where)


def _check_table(field: str, operation: str, table: dict, where: str) -> None:
    for name in (SIZES, *REQUIRED[operation]):
        if name not in table:
            raise lacking(field, name, where)
    length = len(table[SIZES]) if isinstance(table[SIZES], list) else 0
    traced_to = table.get(TRACED_TO, table[SIZES][-1] if length else 0)
    if length and (isinstance(traced_to, bool) or traced_to not in table[SIZES]):
        raise InputError(f"{field}.{TRACED_TO}", traced_to, f"one of {SIZES}", where)
    for name, numbers in table.items():
        if name == TRACED_TO:
            continue
        if name not in (SIZES, *REQUIRED[operation], *OPTIONAL):
            raise unknown_name(field, name, (SIZES, *REQUIRED[operation], *OPTIONAL), where)
        if not isinstance(numbers, list) or len(numbers) != length or not length:
            raise InputError(f"{field}.{name}", numbers, f"a list as long as {SIZES}, at least one number", where)
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < math.inf:
                raise InputError(f"{field}.{name}", number, "finite numbers of at least 0", where)
    if any(right <= left for left, right in zip(table[SIZES], table[SIZES][1:], strict=False)):
        raise InputError(f"{field}.{SIZES}", table[SIZES], "rising numbers", where)
