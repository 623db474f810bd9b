"""Traces as CSV with a header: `time_us,dev,op,offset,size` of block requests, or `time,obj_id,...` of objects.

Columns may stand in any order. Of block requests `offset` and `size` are needed, in bytes, of objects `obj_id` (which
libCacheSim calls so; sizes of objects do not count). Other columns are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TextIO

import numpy as np

from pmtwin.scenarios.block_traces.requests import BLOCK_REQUESTS, Requests, checked
from pmtwin.sim.errors import InputError

KINDS = {"time_us": "f8", "op": "U16", "offset": "i8", "size": "i8", "obj_id": "u8"}
WRITES = ("W", "WRITE", "SET", "PUT")
OBJECT_NUMBER = np.uint64((1 << 62) - 1)
"""The bits of an object's number that count: they are hashes of 64 bits."""


def columns(header: str, where: str) -> tuple[list[str], list[int]]:
    """Names of the columns that are read, and their places.

    Raises:
        InputError: for a header without the needed ones.
    """
    names = _names(header)
    read = [name for name in KINDS if name in names]
    if by_object(header) and "obj_id" not in read:
        raise InputError("header", header.strip()[:100], "columns offset and size, or obj_id", where)
    return read, [names.index(name) for name in read]


def by_object(header: str) -> bool:
    """Whether the trace is of objects: it lacks the beginning or the length of requests."""
    return not {"offset", "size"} <= set(_names(header))


def _names(header: str) -> list[str]:
    return [name.strip().lower() for name in header.split(",")]


def blocks(file: TextIO, where: str) -> Iterator[Requests]:
    """The requests of an open file, a block at a time.

    Raises:
        InputError: naming file and line, for a line that cannot be read.
    """
    names, places = columns(file.readline(), where)
    first = 2
    while lines := list(islice(file, BLOCK_REQUESTS)):
        yield checked(_requests(_table(lines, names, places, where, first)), where, first, "line")
        first += len(lines)


def _table(lines: list[str], names: list[str], places: list[int], where: str, first: int) -> np.ndarray:
    kinds = [(name, KINDS[name]) for name in names]
    try:
        table = np.loadtxt(lines, kinds, delimiter=",", usecols=places, ndmin=1, comments=None)
    except ValueError:
        table = np.zeros(0, kinds)
    if len(table) == len(lines):
        return table
    for number, line in enumerate(lines):
        try:
            if line.strip():
                np.loadtxt([line], kinds, delimiter=",", usecols=places, ndmin=1, comments=None)
                continue
        except ValueError:
            pass
        whole = ", ".join(name for name in names if KINDS[name] in ("i8", "u8"))
        allowed = f"whole numbers in {whole}" + (", a number in time_us" if "time_us" in names else "")
        raise InputError("line", line.strip()[:100], allowed, f"{where}, line {first + number}")
    return table


def _requests(table: np.ndarray) -> Requests:
    names, nothing = table.dtype.names, np.zeros(len(table))
    write = np.isin(np.char.upper(table["op"]), WRITES) if "op" in names else nothing.astype(bool)
    time_us = table["time_us"] if "time_us" in names else nothing
    if {"offset", "size"} <= set(names):
        return Requests(time_us, write, table["offset"], table["size"])
    number = (table["obj_id"] & OBJECT_NUMBER).astype(np.int64)
    return Requests(time_us, write, number, np.ones(len(table), np.int64))
