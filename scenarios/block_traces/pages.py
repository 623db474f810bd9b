"""Requests as pages: each is split into the pages that it touches, in their order."""

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
        requests, page_requests: of the trace, and of their pages. pages: different ones. volumes: that these are of.
        backwards: requests whose time is before that of the one above.
        left_out: requests that touch nothing, and lines that are none: reason, count and first place of each kind.
    """

    requests: int
    page_requests: int
    pages: int
    volumes: int = 1
    backwards: int = 0
    left_out: tuple[dict, ...] = ()


def pages_of(requests: Requests, page_bytes: int, where: str | None = None) -> np.ndarray:
    """Shape (m,), int64: the numbers of the pages that the requests touch, m at least as many as requests.

    Raises:
        InputError: for a page beyond those that can be numbered; `where`: the file.
    """
    first = requests.offset // page_bytes
    count = (requests.offset + requests.size - 1) // page_bytes - first + 1
    start = np.cumsum(count) - count
    return np.repeat(first_pages(requests.volume, first, where) - start, count) + np.arange(count.sum())


MOST_PAGES = 1 << 20
"""Pages of a block, beside those of its last request."""


def _split_blocks(trace: Trace, page_bytes: int) -> Iterator[Requests]:
    """The blocks of a trace, those of large requests divided."""
    for block in trace.blocks():
        if not len(block.size):
            continue
        so_far = np.cumsum(block.size // page_bytes + 1)
        cuts = np.searchsorted(so_far, np.arange(MOST_PAGES, so_far[-1], MOST_PAGES)) + 1
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
    """Read the whole trace once; in memory are at most three numbers for each different page.

    Args:
        on_pages: called with the pages of each block.

    Raises:
        InputError: for a trace without requests, or one that cannot be read.
    """
    requests = page_requests = backwards = 0
    last_us = -np.inf
    known, fresh, waiting = np.zeros(0, np.int64), [], 0
    page_bytes = trace.page_bytes(page_bytes)
    for block in _split_blocks(trace, page_bytes):
        pages = pages_of(block, page_bytes, str(trace.path))
        requests, page_requests = requests + len(block.size), page_requests + len(pages)
        backwards += int((np.diff(block.time_us, prepend=last_us) < 0.0).sum())
        last_us = block.time_us[-1]
        on_pages(pages)
        fresh.append(np.unique(pages))
        waiting += len(fresh[-1])
        if waiting > len(known):
            known, fresh, waiting = np.unique(np.concatenate([known, *fresh])), [], 0
    if not requests:
        said = f" (left out: {trace.left_out})" if trace.left_out.rows else ""
        wrong = f"has no requests{said}"
        raise InputError("trace", str(trace.path), "at least one request of a byte or more", wrong=wrong)
    every = np.unique(np.concatenate([known, *fresh]))
    left_out = tuple(trace.left_out.rows.values())
    return Footprint(requests, page_requests, len(every), len(trace.volumes), backwards, left_out)
