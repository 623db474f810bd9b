"""Traces of objects in libCacheSim's binary format oracleGeneral: 24 bytes a request.

A record is the time in seconds (uint32), the object (uint64), its size in bytes (uint32) and the number of the next
request for the same object (int64), which is computed here anyway where it is needed. The format has no mark, so that
the records are judged: times rarely go back and are years apart at most, few sizes are above 1 GiB, and the next
request is one of the trace or none.
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
"""Shares of a block's records: more of them, and it is another format."""

MOST_SECONDS = 20 * 365 * 86_400

_NEXT, _NEVER = (-2, 1 << 48), np.iinfo(np.int64).max


def blocks(file: BinaryIO, where: str, left_out: LeftOut) -> Iterator[Requests]:
    """The requests of an open file, a block at a time.

    Raises:
        InputError: for a file that ends within a record, or whose records are of another format.
    """
    first = 1
    while content := file.read(BLOCK_REQUESTS * RECORD.itemsize):
        rest = len(content) % RECORD.itemsize
        table = np.frombuffer(content[: len(content) - rest], RECORD)
        _check_plausible(table, where, first)
        if rest:
            raise InputError(
                "bytes at the end", rest, f"whole records of {RECORD.itemsize} bytes; it is truncated", where
            )
        number, count = (table["object"] & OBJECT_NUMBER).astype(np.int64), len(table)
        size, nothing = (table["size"] > 0).astype(np.int64), np.zeros(count, np.int64)
        requests = Requests(table["time"] * 1e6, nothing.astype(bool), number, size, nothing)
        yield checked(requests, where, "record", np.arange(first, first + count), left_out)
        first += count


def _check_plausible(table: np.ndarray, where: str, first: int) -> None:
    if not len(table):
        return
    time = table["time"].astype(np.int64)
    known = (table["next"] >= _NEXT[0]) & (table["next"] < _NEXT[1]) | (table["next"] == _NEVER)
    for wrong, share, what in (
        (~known, MOST_ABSURD, "the next request for its object is none of a trace"),
        (np.diff(time, prepend=time[0]) < 0, MOST_STEPS_BACK, "its time is before that of the record before it"),
        (np.abs(time - np.median(time)) > MOST_SECONDS, MOST_ABSURD, "its time is decades from that of the others"),
        (table["size"] > MOST_SIZE, MOST_ABSURD, f"its size is above {MOST_SIZE:,} bytes"),
    ):
        if wrong.sum() > share * len(table):
            record = first + int(np.argmax(wrong))
            allowed = f"records of {RECORD.itemsize} bytes as libCacheSim writes them, or CSV with a header"
            wrong = f"is binary and no oracleGeneral: of record {record}, {what}"
            raise InputError("trace", where, allowed, wrong=wrong)
