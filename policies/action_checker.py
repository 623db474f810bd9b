"""The action checker of a run: what the rules of an operator leave of each action."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.policies.action_rules import ActionRules, StepBudget
from pmtwin.policies.base import Action, Setting

if TYPE_CHECKING:
    import gymnasium

REFUSED, SHORTENED = "refused", "shortened"
"""Notes: the action was not carried out, or a jump only in part."""


def clock_of_windows(seconds: float) -> Callable[[], float]:
    """A clock that goes on by a window's length with each call: products, since sums of a length drift."""
    return (seconds * window for window in count()).__next__


class ActionChecker:
    """Lets actions pass as they are, in part, or not at all.

    Args:
        rules: what actions may do.
        space: action space of the scenario; None: actions are settings to jump to.
        clock: seconds of a clock that does not run back.

    Attributes:
        setting: the setting in force.
        budget: steps that the rules still allow.
        refused: number of actions in this run that were not carried out, or only in part.
        note: `REFUSED`, `SHORTENED` or "", for the last action.
    """

    def __init__(self, rules: ActionRules, space: gymnasium.Space | None, clock: Callable[[], float]):
        keep = rules.settings.keep
        self._rules, self._space, self._clock = rules, space, clock
        self._nothing: Action = () if keep is None else keep
        self.budget, self.refused, self.note = StepBudget(rules), 0, ""
        self.setting: Setting = ()

    def begin(self, setting: Setting, before: Setting | None = None) -> None:
        """Begin a run at a setting; before: the setting that the system has, if the way from there counts as steps.

        Raises:
            InputError: if the rules do not allow the setting, or the way.
        """
        before = setting if before is None else before
        self._rules.check_start(before, setting)
        self.budget, self.refused, self.note, self.setting = StepBudget(self._rules), 0, "", setting
        if setting != before:
            self.budget.note(self._clock(), before, setting)

    def passed(self, proposed: Action) -> Action:
        """The action to carry out in the place of a proposed one: itself, a part of a jump, or one that does nothing.

        Call it once for each window.
        """
        now, choice = self._clock(), self._choice(proposed)
        self.note = ""
        if choice is None:
            return proposed
        wanted = self._rules.settings.after(self.setting, choice)
        after = self._rules.after(self.setting, choice, self.budget.left(now))
        if after != wanted:
            self.note = REFUSED if after == self.setting else SHORTENED
            self.refused += 1
        if after != self.setting:
            self.budget.note(now, self.setting, after)
            self.setting = after
        if after == wanted:
            return choice
        return self._nothing if self.note == REFUSED else after

    def _choice(self, proposed: Action) -> int | Setting | None:
        """The number of a move, or the setting to jump to; None: it changes nothing, or the environment refuses it."""
        if isinstance(proposed, tuple) and not proposed:
            return None
        try:
            if isinstance(proposed, tuple) or (isinstance(proposed, list | np.ndarray) and np.ndim(proposed) == 1):
                return self._rules.settings.check("setting", proposed)
            is_number = not isinstance(proposed, bool) and self._space is not None and self._space.contains(proposed)
            return int(proposed) if is_number else None  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            return None
