"""An action checker before any policy: what the rules of an operator do not allow is not carried out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import count

import numpy as np

from pmtwin.policies.action_rules import ActionRules, StepBudget
from pmtwin.policies.base import Action, Policy, PolicyContext, Setting
from pmtwin.sim.errors import InputError


def clock_of_windows(seconds: float) -> Callable[[], float]:
    """A clock that goes on by a window's length with each call."""
    return count(0.0, seconds).__next__


REFUSED, SHORTENED = "refused", "shortened"
"""Notes: the action was not carried out, or a jump only in part."""


class Checked(Policy):
    """The policy behind the checker; it observes the action that was applied in the place of its own.

    Args:
        policy: the policy.
        rules: what it may do.
        clock: seconds of a clock that does not run back.

    Attributes:
        refused: number of actions in this run that were not carried out, or only in part.
        budget: steps that the rules still allow.
    """

    def __init__(self, policy: Policy, rules: ActionRules, clock: Callable[[], float] = time.monotonic):
        self.policy, self.rules, self._clock, self.refused = policy, rules, clock, 0
        self.budget = StepBudget(rules)
        self.options, self.inline, self.mode = policy.options, policy.inline, policy.mode  # type: ignore[misc]
        for name in ("needs_context", "needs_load", "needs_trials", "hears_workloads", "draws"):
            setattr(self, name, getattr(policy, name))
        for name in (
            "on_context",
            "on_workload",
            "on_load",
            "on_trials",
            "save",
            "freeze",
            "learns_in_a_run",
            "preferred",
            "resumed",
            "close",
        ):
            setattr(self, name, getattr(policy, name))

    @property
    def spec(self) -> str:
        """The spec of the policy behind the checker."""
        return self.policy.spec

    def start(self, context: PolicyContext) -> Setting | None:
        """Begin a run of the policy; its first setting counts as steps from the one that the system has.

        Raises:
            InputError: if the first setting is not allowed, and as the policy.
        """
        first, settings = self.policy.start(context), context.controlled
        initial = settings.check("setting", context.initial)
        self._setting = initial if first is None else settings.check("setting", first)
        before = self._setting if self.policy.resumed() else initial  # a stopped run has left it where it was
        if reason := self.rules.start_refusal(before, self._setting):
            raise InputError(
                "start", settings.written(self._setting), "a setting within the rules", wrong=f"is {reason}"
            )
        self.budget, self.refused, self._note = StepBudget(self.rules), 0, ""
        if self._setting != before:
            self.budget.note(self._clock(), before, self._setting)
        keep, self._space = context.controlled.keep, context.action_space
        self._nothing: Action = () if keep is None else keep
        return first

    def act(self, observation: np.ndarray, info: Mapping | None = None) -> Action:
        """The action of the policy, if it is allowed; a part of a jump that is too far; otherwise none."""
        proposed, now = self.policy.act(observation, info), self._clock()
        choice, self._note = self._choice(proposed), ""
        if choice is None:
            return proposed
        wanted = self.rules.settings.after(self._setting, choice)
        after = self.rules.after(self._setting, choice, self.budget.left(now))
        self._note = "" if after == wanted else REFUSED if after == self._setting else SHORTENED
        self.refused += after != wanted
        if after != self._setting:
            self.budget.note(now, self._setting, after)
            self._setting = after
        if after == wanted:
            return choice
        return self._nothing if self._note == REFUSED else after

    def _choice(self, proposed: Action) -> int | Setting | None:
        """The number of a move, or the setting to jump to; None: it changes nothing, or the environment refuses it."""
        if isinstance(proposed, tuple) and not proposed:
            return None
        try:
            if isinstance(proposed, tuple) or (isinstance(proposed, list | np.ndarray) and np.ndim(proposed) == 1):
                return self.rules.settings.check("setting", proposed)
            is_number = not isinstance(proposed, bool) and self._space is not None and self._space.contains(proposed)
            return int(proposed) if is_number else None  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            return None

    def observe(self, observation: np.ndarray, action: Action, reward: float, next_observation: np.ndarray, done: bool):
        """Pass on the action that was applied."""
        self.policy.observe(observation, action, reward, next_observation, done)

    def note(self) -> str:
        """`REFUSED`, `SHORTENED`, or the policy's note."""
        return self._note or self.policy.note()
