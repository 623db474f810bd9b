"""The decisions of a run in plain Python, for engine `simpy`; `pending.py` has them in compiled code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pmtwin.sim.decisions.choice import decide, observe
from pmtwin.sim.decisions.point import COUNTS, GONE, MOST_IDLE, DecisionPoint
from pmtwin.sim.decisions.question import Left, Seen, consult, reward_of


class Asking:
    """A decision point of a run.

    Args:
        point: its declaration.
        state: the policy, as `pmtwin.sim.decisions.choice.decide` takes it.
        question: the state of its question, or the empty tuple.
        reward_station: index of the station whose departures make rewards known; `GONE`: departures from the system.
    """

    def __init__(self, point: DecisionPoint, state: Any, question: Any, reward_station: int):
        self.point, self.state, self.question, self._reward_station = point, state, question, reward_station
        declared = [(column.low, column.high) for column in point.features[point.usual_features :]]
        self._bounds = np.array(declared).reshape(-1, 2)
        self.pending: dict[Any, tuple[np.ndarray, int, float]] = {}
        self.counts = dict.fromkeys(COUNTS, 0)
        self.first_impossible: int | None = None
        self._idle_in_a_row = 0

    def ask(self, features: Sequence[float], possible: list[bool], seen: Callable[[], Seen]) -> tuple[np.ndarray, int]:
        """(features as the policy saw them, action); an impossible action is counted, and a possible one taken instead.

        Args:
            features: the features that the station itself shows.
            possible: for each action, whether the station allows it.
            seen: gives the network as the point's question sees it.
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
        """Whether the next decision may leave the server idle."""
        return self._idle_in_a_row < MOST_IDLE

    def note_idle(self, idle: bool, working: bool) -> None:
        """Count a decision of a point whose servers may stay idle.

        Args:
            idle: whether the decision leaves the server idle. working: whether any server of the station is busy.
        """
        if idle:
            self.counts["idle"] += 1
            self._idle_in_a_row += not working
        elif self.first_impossible is None:
            self._idle_in_a_row = 0

    def remember(self, holder: Any, shown: np.ndarray, action: int, now: float) -> None:
        """Keep a decision until its reward is known: when `holder`, the request that it is about, departs."""
        if not self.point.reward:
            return
        if len(self.pending) >= self.point.most_pending:
            self.counts["dropped"] += 1
            return
        self.pending[holder] = shown, action, now

    def tell(self, holder: Any, station: int, now: float, submitted: float, rejected_ns: float = 0.0) -> None:
        """Pass the reward of a decision to the policy, if the holder's departure from this station makes it known.

        Args:
            holder: the request that departs. station: index of the station, or `GONE`: from the network.
            now, submitted: present time and submission time of the request, in ns.
            rejected_ns: time in ns that a rejection adds; 0 for an answered request.
        """
        if holder not in self.pending or station not in (GONE, self._reward_station):
            return
        shown, action, since = self.pending.pop(holder)
        self.counts["told"] += 1
        left = Left(float(now), float(since), float(submitted), holder.c, holder.index, float(rejected_ns))
        observe(self.state, shown, action, reward_of(self.question, shown, action, left))
