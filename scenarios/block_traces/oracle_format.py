"""Traces of objects in libCacheSim's binary format oracleGeneral: 24 bytes for each request.

A record has the time in seconds (uint32), the object (uint64), its size in bytes (uint32) and the number of the next
request for the same object (int64), which is not used. The format has no magic number, so that a file is recognised by
plausible records: times rarely go back and lie at most years apart, few sizes are above 1 GiB, and the number of the
next request is possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from pmtwin.scenarios.block_traces.csv_format import OBJECT_NUMBER
from pmtwin.scenarios.block_traces.left_out import LeftOut
from pmtwin.scenarios.block_traces.requests import BLOCK_REQUESTS, MOST_SIZE, Requests, checked
from pmtwin.sim.errors import InputError

RECORD = np.dtype([("time", "<u4"), ("object", "<u8"), ("size", "<u4"), ("next", "<i8")])
MOST_STEPS_BACK, MOST_ABSURD = 0.1, 0.01
"""Largest shares of implausible records in a block; with more, the file is taken for another format."""

MOST_SECONDS = 20 * 365 * 86_400

_NEXT, _NEVER = (-2, 1 << 48), np.iinfo(np.int64).max


def blocks(file: BinaryIO, where: str, left_out: LeftOut) -> Iterator[Requests]:
    """The requests of an open file, a block at a time.

    Raises:
        InputError: for a file that ends within a record, or whose records are implausible.
    """
    first = 1
    while content := file.read(BLOCK_REQUESTS * RECORD.itemsize):
        excess = len(content) % RECORD.itemsize
        table = np.frombuffer(content[: len(content) - excess], RECORD)
        _check_plausible(table, where, first)
        if excess:
            allowed = f"whole records of {RECORD.itemsize} bytes; the file is truncated"
            raise InputError("bytes at the end", excess, allowed, where)
        number, count = (table["object"] & OBJECT_NUMBER).astype(np.int64), len(table)
        size, nothing = (table["size"] > 0).astype(np.int64), np.zeros(count, np.int64)
        requests = Requests(table["time"] * 1e6, nothing.astype(bool), number, size, nothing)
        yield checked(requests, where, "record", np.arange(first, first + count), left_out)
        first += count


def _check_plausible(table: np.ndarray, where: str, first: int) -> None:
    if not len(table):
        return
    time = table["time"].astype(np.int64)
    is_possible = (table["next"] >= _NEXT[0]) & (table["next"] < _NEXT[1]) | (table["next"] == _NEVER)
    for is_wrong, share, fault in (
        (~is_possible, MOST_ABSURD, "has an impossible number of the next request"),
        (np.diff(time, prepend=time[0]) < 0, MOST_STEPS_BACK, "has an earlier time than the record before"),
        (np.abs(time - np.median(time)) > MOST_SECONDS, MOST_ABSURD, "has a time decades away from the other records"),
        (table["size"] > MOST_SIZE, MOST_ABSURD, f"has a size above {MOST_SIZE:,} bytes"),
    ):
        if is_wrong.sum() > share * len(table):
            record = first + int(np.argmax(is_wrong))
            allowed = f"records of {RECORD.itemsize} bytes as libCacheSim writes them, or CSV with a header"
            raise InputError(
                "trace", where, allowed, wrong=f"is binary, but not oracleGeneral: record {record} {fault}"
            )
