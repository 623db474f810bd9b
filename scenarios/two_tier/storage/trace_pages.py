"""A block trace as requests of the whole system, with pages numbered without gaps."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.block_traces import Trace
from pmtwin.scenarios.block_traces.pages import page_blocks
from pmtwin.sim.errors import InputError


class TracePages(NamedTuple):
    """Requests of a trace.

    Fields:
        requests: page of each request, int32, shape (n,); the numbers keep the order of the pages.
        pages: number of different pages.
    """

    requests: np.ndarray
    pages: int


def read_trace(path: Path, page_bytes: int) -> TracePages:
    """The pages of a trace; a process reads an unchanged file only once.

    Raises:
        InputError: for a file that cannot be read, or without requests.
    """
    try:
        return _read(path, page_bytes, _state(path))
    except InputError as error:
        raise error.renamed("requests_from") from error


def _state(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=4)
def _read(path: Path, page_bytes: int, state: tuple[int, int] | None) -> TracePages:
    blocks = list(page_blocks(Trace(path), page_bytes))
    if not blocks:
        raise InputError("requests_from", str(path), "at least one request of a byte or more", wrong="has no requests")
    pages, requests = np.unique(np.concatenate(blocks), return_inverse=True)
    return TracePages(requests.astype(np.int32), len(pages))
