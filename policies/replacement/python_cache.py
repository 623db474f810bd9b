"""A cache of pages under a policy in plain Python, with the same steps as `cache.access`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pmtwin.policies.replacement.cache import FILLED, HIT
from pmtwin.policies.replacement.directory import make_directory
from pmtwin.sim.decisions.whole_number import whole_number
from pmtwin.sim.errors import InputError

if TYPE_CHECKING:
    from pmtwin.policies.inline import Replacement


class PythonCache:
    """A fully associative cache, for the SimPy engine and for replays.

    Args:
        policy: policy in plain Python.
        lines: number of lines.
        key: key of the policy's random numbers.
    """

    def __init__(self, policy: Replacement, lines: int, key: int):
        self.policy, self._lines = policy.begun(lines, key), lines
        self._places: dict[int, int] = {}
        self.directory = make_directory(lines)  # only `pages` is kept up to date, for pins

    def access(self, page: int, next_use: int = 0, pins: Any = None) -> int:
        """Request a page, as `pmtwin.policies.replacement.cache.access`."""
        line = self._places.get(page)
        if line is not None:
            self._call("hit", line)
            return HIT
        self._call("miss", page)
        evicted = FILLED
        if len(self._places) < self._lines:
            line = len(self._places)
        else:
            line = self._victim(pins)
            evicted = int(self.directory.pages[line])
            del self._places[evicted]
            self._call("evict", line, evicted)
        self._places[page] = line
        self.directory.pages[line] = page
        self._call("admit", line)
        return evicted

    def replay(self, pages: np.ndarray) -> int:
        """Number of misses of requests for pages, shape (n,); the cache keeps its pages for the next call."""
        return sum(self.access(page) != HIT for page in pages.tolist())

    def _call(self, event: str, *arguments: int) -> None:
        function = getattr(self.policy, event, None)
        if function is not None:
            with self.policy.calls(event):
                function(*arguments)

    def _victim(self, pins: Any) -> int:
        with self.policy.calls("victim"):
            line = whole_number(self.policy.victim(pins))
        if not 0 <= line < self._lines or (pins is not None and pins.holders[pins.pages[line]] > 0):
            field = f"policy {self.policy.spec}: victim()"
            raise InputError(field, line, f"a line of the cache, 0 to {self._lines - 1}, that is not pinned")
        return line
