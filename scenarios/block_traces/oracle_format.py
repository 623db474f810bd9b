"""Traces of objects in libCacheSim's binary format oracleGeneral: 24 bytes a request.

A record is the time in seconds (uint32), the object (uint64), its size in bytes (uint32) and the number of the next
request for the same object (int64), which is computed here anyway where it is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from pmtwin.scenarios.block_traces.csv_format import OBJECT_NUMBER
from pmtwin.scenarios.block_traces.requests import BLOCK_REQUESTS, Requests, checked
from pmtwin.sim.errors import InputError

NAME = "oraclegeneral"
"""Part of such a file's name, as libCacheSim has it: its content does not show the format."""

RECORD = np.dtype([("time", "<u4"), ("object", "<u8"), ("size", "<u4"), ("next", "<i8")])


def blocks(file: BinaryIO, where: str) -> Iterator[Requests]:
    """The requests of an open file, a block at a time.

    Raises:
        InputError: for a file that ends within a record.
    """
    first = 1
    while content := file.read(BLOCK_REQUESTS * RECORD.itemsize):
        if len(content) % RECORD.itemsize:
            allowed = f"whole records of {RECORD.itemsize} bytes; the file is truncated"
            raise InputError("bytes at the end", len(content) % RECORD.itemsize, allowed, where)
        table = np.frombuffer(content, RECORD)
        number, count = (table["object"] & OBJECT_NUMBER).astype(np.int64), len(table)
        requests = Requests(table["time"] * 1e6, np.zeros(count, bool), number, np.ones(count, np.int64))
        yield checked(requests, where, first, "record")
        first += count
