"""Baselines for learning policies: shipped choices among numbered actions inside a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.policies.grammar import FIELD
from pmtwin.policies.inline import Choice
from pmtwin.policies.registry import register
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option

if TYPE_CHECKING:
    from pmtwin.sim.decisions.point import DecisionPoint


@dataclass(frozen=True)
class OneActionOptions(Options):
    """The action."""

    action: str = option(help="number of the action, or its name", metavar="ACTION")


@register("fixed")
class OneAction(Choice):
    """Always takes the same action or, if it is impossible, the first possible action."""

    Takes = OneActionOptions
    options: OneActionOptions
    draws = False

    def at(self, point: DecisionPoint):
        """The policy; raises `InputError` for an action that the decision point does not have."""
        self._number(point)
        return super().at(point)

    def arrays(self, point: DecisionPoint, key: int):
        """The number of the action."""
        return (np.array([self._number(point)]),)

    def _number(self, point: DecisionPoint) -> int:
        text, count = self.options.action, len(point.actions)
        if text in point.actions:
            return point.actions.index(text)
        if text.isdecimal() and int(text) < count:
            return int(text)
        raise InputError(FIELD, self.spec, f"0 to {count - 1}, or {', '.join(point.actions)} (point {point.name})")

    @staticmethod
    def decide(arrays: tuple[np.ndarray, ...], features: np.ndarray, mask: np.ndarray):
        """The action of the option; the first possible one if it is masked."""
        action = arrays[0][0]
        return action if mask.size == 0 or mask[action] else np.argmax(mask)


@register("random")
class AnyAction(Choice):
    """Draws each action uniformly from the possible ones."""

    compiled_in = "pmtwin.policies.choices.drawn"

    def arrays(self, point: DecisionPoint, key: int):
        """Key and counter of the draws; a mask of all actions."""
        return np.array([key, 0], np.uint64), np.ones(len(point.actions), np.bool_)
