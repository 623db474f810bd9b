"""Names and numbers in the cells of a table of points, with errors that state the allowed values."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pmtwin.sim.errors import InputError, check_range, in_full, unknown_name

MAX_ACCESS_SIZE_BYTES = float(1 << 26)


def name_in(field: str, row: Mapping[str, str], known: tuple[str, ...], where: str) -> str:
    """The name in a cell, one of `known`."""
    if row[field] not in known:
        raise unknown_name(field, row[field], known, where)
    return row[field]


def number_in(field: str, row: Mapping[str, str], low: float, high: float, where: str) -> float:
    """The number in a cell, from `low` to `high`."""
    try:
        value = float(row[field])
    except ValueError:
        raise InputError(field, row[field], f"a number, {in_full(low)} to {in_full(high)}", where) from None
    if not math.isfinite(value):
        raise InputError(field, row[field], f"a finite number, {in_full(low)} to {in_full(high)}", where)
    check_range(field, int(value) if value.is_integer() else value, low, high, where=where)
    return value


def whole_in(field: str, row: Mapping[str, str], low: float, high: float, where: str) -> float:
    """The whole number in a cell, from `low` to `high`."""
    value = number_in(field, row, low, high, where)
    if not value.is_integer():
        raise InputError(field, row[field], f"a whole number, {in_full(low)} to {in_full(high)}", where)
    return value
