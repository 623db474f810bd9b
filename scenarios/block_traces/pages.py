"""Requests as pages: each is split into the pages that it touches, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.block_traces.requests import Requests
from pmtwin.scenarios.block_traces.trace import Trace
from pmtwin.sim.errors import InputError


class Footprint(NamedTuple):
    """What a trace touches: its requests, the pages that these ask for, and how many different ones."""

    requests: int
    page_requests: int
    pages: int


def pages_of(requests: Requests, page_bytes: int) -> np.ndarray:
    """Shape (m,), int64: the numbers of the pages that the requests touch, m at least as many as requests."""
    first = requests.offset // page_bytes
    count = (requests.offset + requests.size - 1) // page_bytes - first + 1
    start = np.cumsum(count) - count
    return np.repeat(first - start, count) + np.arange(count.sum())


def page_blocks(trace: Trace, page_bytes: int) -> Iterator[np.ndarray]:
    """The pages that a trace asks for, a block at a time."""
    for block in trace.blocks():
        yield pages_of(block, trace.page_bytes(page_bytes))


def footprint(trace: Trace, page_bytes: int) -> Footprint:
    """Read the whole trace once; in memory are at most three numbers for each different page.

    Raises:
        InputError: for a trace without requests, or one that cannot be read.
    """
    requests = page_requests = 0
    known, fresh, waiting = np.zeros(0, np.int64), [], 0
    for block in trace.blocks():
        pages = pages_of(block, trace.page_bytes(page_bytes))
        requests, page_requests = requests + len(block.size), page_requests + len(pages)
        fresh.append(np.unique(pages))
        waiting += len(fresh[-1])
        if waiting > len(known):
            known, fresh, waiting = np.unique(np.concatenate([known, *fresh])), [], 0
    if not requests:
        raise InputError("trace", str(trace.path), "at least one request")
    return Footprint(requests, page_requests, len(np.unique(np.concatenate([known, *fresh]))))
