"""Accesses to pages by the measured requests, with the times between two accesses of a page."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.hybrid.stream import Paged


class Accesses(NamedTuple):
    """Accesses sorted by page, those of a page in their order: arrays of shape (m,).

    Time is counted in requests: k is the time after k measured requests, 0 that before them.

    Fields:
        request: int64, measured request of the access, from 0.
        page: int64.
        write: bool.
        since: int64, time from which the page may have been kept for this access: that of its access before, 0 if that
            was not measured, -1 if there was none.
        until: int64, time of the page's next access; if there is none, the number of measured requests.
        starts, is_last: bool, whether the access is the first or the last one of its page.
    """

    request: np.ndarray
    page: np.ndarray
    write: np.ndarray
    since: np.ndarray
    until: np.ndarray
    starts: np.ndarray
    is_last: np.ndarray

    @property
    def time(self) -> np.ndarray:
        """Time after the access."""
        return self.request + 1


def accesses(requests: Paged, first: int) -> Accesses:
    """The accesses of the requests from number `first` on."""
    request = np.repeat(np.arange(len(requests.first)), requests.pages)
    start = np.cumsum(requests.pages, dtype=np.int64) - requests.pages
    page = requests.first[request] + np.arange(len(request)) - start[request]
    order = np.argsort(page, kind="stable")
    request, page = request[order], page[order]
    is_same = page[1:] == page[:-1]
    since = np.full(len(page), -1)
    since[1:][is_same] = np.maximum(request[:-1][is_same] + 1 - first, 0)
    rows = np.flatnonzero(request >= first)
    request, page, since = request[rows] - first, page[rows], since[rows]
    is_last = np.append(page[1:] != page[:-1], True)
    until = np.where(is_last, len(requests.first) - first, np.roll(request, -1) + 1)
    write = requests.stream.write[first:][request]
    return Accesses(request, page, write, since, until, np.roll(is_last, 1), is_last)
