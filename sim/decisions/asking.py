"""The decisions of a run in plain Python, for engine `simpy`: what compiled code does in `pending.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pmtwin.sim.decisions.choice import decide, observe
from pmtwin.sim.decisions.point import COUNTS, GONE, MOST_IDLE, DecisionPoint
from pmtwin.sim.decisions.question import Left, Seen, consult, reward_of


class Asking:
    """One point of a run.

    Args:
        point: its declaration. state: what decides. question, told: as in `pmtwin.sim.decisions.pending.Decisions`.
    """

    def __init__(self, point: DecisionPoint, state: Any, question: Any, told: int):
        self.point, self.state, self.question, self._told = point, state, question, told
        declared = [(column.low, column.high) for column in point.features[point.usual_features :]]
        self._bounds = np.array(declared).reshape(-1, 2)
        self.pending: dict[Any, tuple[np.ndarray, int, float]] = {}
        self.counts = dict.fromkeys(COUNTS, 0)
        self.first_impossible: int | None = None
        self._idle_in_a_row = 0

    def ask(self, features: Sequence[float], possible: list[bool], seen: Callable[[], Seen]) -> tuple[np.ndarray, int]:
        """(features as they were shown, the action, which is a possible one in any case).

        Args:
            features: that the station itself shows. possible: actions that it allows. seen: for the point's question.
        """
        usual, shown = len(features), np.zeros(len(self.point.features))
        shown[:usual] = features
        mask = np.array(possible if self.point.masked else [], dtype=bool)
        if self.question:
            consult(self.question, seen(), self._bounds, shown[usual:], mask)
        action = decide(self.state, shown, mask)
        self.counts["asked"] += 1
        if not 0 <= action < len(self.point.actions) or (self.point.masked and not mask[action]):
            self.first_impossible = action if self.first_impossible is None else self.first_impossible
            action = int(mask.argmax()) if self.point.masked else 0
        return shown, action

    def may_idle(self) -> bool:
        """Whether nobody has to be served in the next decision."""
        return self._idle_in_a_row < MOST_IDLE

    def note_idle(self, idle: bool, working: bool) -> None:
        """A point whose servers may stay idle has decided, while some of them work or none."""
        if idle:
            self.counts["idle"] += 1
            self._idle_in_a_row += not working
        elif self.first_impossible is None:
            self._idle_in_a_row = 0

    def remember(self, holder: Any, shown: np.ndarray, action: int, now: float) -> None:
        """A decision is about a holder, whose departure will tell the reward."""
        if not self.point.reward:
            return
        if len(self.pending) >= self.point.most_pending:
            self.counts["dropped"] += 1
            return
        self.pending[holder] = shown, action, now

    def tell(self, holder: Any, station: int, now: float, submitted: float, rejected_ns: float = 0.0) -> None:
        """The holder, a request, leaves a station, or the network (`GONE`): the reward may be known."""
        if holder not in self.pending or station not in (GONE, self._told):
            return
        shown, action, since = self.pending.pop(holder)
        self.counts["told"] += 1
        left = Left(float(now), float(since), float(submitted), holder.c, holder.index, float(rejected_ns))
        observe(self.state, shown, action, reward_of(self.question, shown, action, left))
