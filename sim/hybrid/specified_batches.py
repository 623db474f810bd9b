"""Moves on the path of a request, in SimPy: a policy plans them, and the request waits until all are done."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from pmtwin.sim.decisions.state import call_event
from pmtwin.sim.hybrid.driving import NO_PLAN
from pmtwin.sim.hybrid.records import BATCH
from pmtwin.sim.hybrid.specified_devices import Device
from pmtwin.sim.hybrid.specified_pages import Access, Pages, extend
from pmtwin.sim.hybrid.stream import PAGE_BYTES


class MovesOnPath:
    """Plans of a policy, and their moves.

    Args:
        every: requests after which a plan is made; 0: never.
        migrating: state of the policy. knobs: the setting that it is told.
    """

    def __init__(self, every: int, pages: Pages, devices: Sequence[Device], migrating: Any, knobs: np.ndarray):
        self._every, self._pages, self._devices, self._migrating, self._knobs = every, pages, devices, migrating, knobs
        self._next, self._is_under_way = every, False

    def before_request(self, priority: int):
        """The moves before the next request begins, batch after batch, if it is time for them."""
        pages = self._pages
        if not self._every or self._is_under_way or pages.begun < self._next:
            return
        self._is_under_way, self._next = True, pages.begun + self._every
        waiting = self._planned()
        while accesses := self._batch(waiting):
            for access in accesses:
                yield from self._devices[access.device].access(access, priority, False)
        self._is_under_way = False

    def _planned(self) -> deque[tuple[int, int]]:
        """(page, target) of the plan, up to the first -1."""
        pages, count = self._pages, len(self._devices)
        plan, waiting = np.full(len(pages.page), -1), deque[tuple[int, int]]()
        free = np.array([pages.free(device) for device in range(count)])
        call_event(self._migrating, "plan", pages.device, free, self._knobs, plan)
        if not ((plan >= -1) & (plan < len(pages.page) * count)).all():
            raise ValueError(NO_PLAN)
        for number in plan.tolist():
            if number == -1:
                break
            waiting.append((number // count, number % count))
        return waiting

    def _batch(self, waiting: deque[tuple[int, int]]) -> list[Access]:
        """The next moves: all pages are read, then all are written; nobody else finds them at their old places."""
        pages, moved = self._pages, dict[int, tuple[int, int]]()
        accesses: list[Access] = []
        while len(moved) < BATCH and waiting:
            page, target = waiting.popleft()
            origin = int(pages.device[page])
            if origin == target:
                continue
            if pages.free(target) < 1 or page in moved:
                pages.counts["dropped"] += 1
                continue
            extend(accesses, 0, Access(origin, False, pages.start(page), PAGE_BYTES))
            pages.used[target] += 1
            pages.move(page, target, pages.new_address(page, target))
            moved[page] = origin, target
        begin = len(accesses)
        for page, (_, target) in moved.items():
            extend(accesses, begin, Access(target, True, pages.start(page), PAGE_BYTES))
        for page, (origin, target) in moved.items():
            call_event(self._migrating, "moved", page, origin, target)
        return accesses
