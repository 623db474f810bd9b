"""Requests as pages: each request is split into the pages that it touches, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.block_traces.requests import Requests
from pmtwin.scenarios.block_traces.trace import Trace
from pmtwin.scenarios.block_traces.volumes import first_pages
from pmtwin.sim.errors import InputError


class Footprint(NamedTuple):
    """Footprint of a trace.

    Fields:
        requests: number of requests.
        page_requests: number of requests for single pages.
        pages: number of different pages.
        volumes: number of volumes.
        backwards: number of requests with an earlier time than the request before.
        left_out: rows of `LeftOut`: requests of size 0, and lines that are no requests.
    """

    requests: int
    page_requests: int
    pages: int
    volumes: int = 1
    backwards: int = 0
    left_out: tuple[dict, ...] = ()


def pages_of(requests: Requests, page_bytes: int, where: str | None = None) -> np.ndarray:
    """Numbers of the pages that the requests touch, request by request: int64, shape (m,), one or more for each.

    Args:
        where: path of the file, for the error.

    Raises:
        InputError: for too large a page number, or too many volumes.
    """
    first = requests.offset // page_bytes
    count = (requests.offset + requests.size - 1) // page_bytes - first + 1
    start = np.cumsum(count) - count
    return np.repeat(first_pages(requests.volume, first, where) - start, count) + np.arange(count.sum())


MOST_PAGES = 1 << 20
"""Largest number of pages of a block, without those of its last request."""


def _split_blocks(trace: Trace, page_bytes: int) -> Iterator[Requests]:
    """The blocks of a trace; blocks with too many pages are divided."""
    for block in trace.blocks():
        if not len(block.size):
            continue
        pages = np.cumsum(block.size // page_bytes + 1)
        cuts = np.searchsorted(pages, np.arange(MOST_PAGES, pages[-1], MOST_PAGES)) + 1
        for first, end in pairwise([0, *cuts.tolist(), len(block.size)]):
            if end > first:
                yield block.chosen(slice(first, end))


def page_blocks(trace: Trace, page_bytes: int) -> Iterator[np.ndarray]:
    """The pages of a trace, a block at a time.

    Raises:
        InputError: for a trace that cannot be read.
    """
    page_bytes = trace.page_bytes(page_bytes)
    for block in _split_blocks(trace, page_bytes):
        yield pages_of(block, page_bytes, str(trace.path))


def footprint(
    trace: Trace, page_bytes: int, on_pages: Callable[[np.ndarray], object] = lambda pages: None
) -> Footprint:
    """Read a whole trace once; memory holds at most three numbers for each different page.

    Args:
        on_pages: called with the pages of each block.

    Raises:
        InputError: for a trace without requests, or one that cannot be read.
    """
    requests = page_requests = backwards = 0
    last_us = -np.inf
    distinct, recent, recent_count = np.zeros(0, np.int64), [], 0  # pages so far; pages of the latest blocks
    page_bytes = trace.page_bytes(page_bytes)
    for block in _split_blocks(trace, page_bytes):
        pages = pages_of(block, page_bytes, str(trace.path))
        requests, page_requests = requests + len(block.size), page_requests + len(pages)
        backwards += int((np.diff(block.time_us, prepend=last_us) < 0.0).sum())
        last_us = block.time_us[-1]
        on_pages(pages)
        recent.append(np.unique(pages))
        recent_count += len(recent[-1])
        if recent_count > len(distinct):
            distinct, recent, recent_count = np.unique(np.concatenate([distinct, *recent])), [], 0
    if not requests:
        wrong = f"has no requests{f' (left out: {trace.left_out})' if trace.left_out.rows else ''}"
        raise InputError("trace", str(trace.path), "at least one request of a byte or more", wrong=wrong)
    distinct = np.unique(np.concatenate([distinct, *recent]))
    left_out = tuple(trace.left_out.rows.values())
    return Footprint(requests, page_requests, len(distinct), len(trace.volumes), backwards, left_out)
