"""The decisions of a run in plain Python, for engine `simpy`: what compiled code does in `pending.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from pmtwin.sim.decisions.choice import decide, observe
from pmtwin.sim.decisions.pending import NS
from pmtwin.sim.decisions.point import COUNTS, DecisionPoint


class Asking:
    """One point of a run.

    Args:
        point: its declaration. state: what decides.
    """

    def __init__(self, point: DecisionPoint, state: Any):
        self.point, self.state = point, state
        self.pending: dict[Any, tuple[np.ndarray, int, float]] = {}
        self.counts = dict.fromkeys(COUNTS, 0)
        self.first_impossible = 0

    def ask(self, features: list[float], possible: list[bool]) -> tuple[np.ndarray, int]:
        """(features as they were shown, the action, which is a possible one in any case)."""
        shown = np.array(features, dtype=float)
        mask = np.array(possible if self.point.masked else [], dtype=bool)
        action = decide(self.state, shown, mask)
        self.counts["asked"] += 1
        if not 0 <= action < len(self.point.actions) or (self.point.masked and not possible[action]):
            self.first_impossible = self.first_impossible if self.counts["impossible"] else action
            self.counts["impossible"] += 1
            action = possible.index(True) if self.point.masked else 0
        return shown, action

    def remember(self, holder: Any, shown: np.ndarray, action: int, now: float) -> None:
        """A decision is about a holder, whose departure will tell the reward."""
        if not self.point.reward:
            return
        if len(self.pending) >= self.point.most_pending:
            self.counts["dropped"] += 1
            return
        self.pending[holder] = shown, action, now

    def tell(self, holder: Any, now: float, added_ns: float) -> None:
        """The holder leaves, and the reward is known."""
        if holder not in self.pending:
            return
        shown, action, since = self.pending.pop(holder)
        self.counts["told"] += 1
        observe(self.state, shown, action, -NS * (now - since + added_ns))
