"""An action checker before any policy: what the rules of an operator do not allow is not carried out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from pmtwin.policies.action_checker import ActionChecker
from pmtwin.policies.action_rules import ActionRules, StepBudget
from pmtwin.policies.base import Action, Policy, PolicyContext, Setting


class Checked(Policy):
    """The policy behind the checker; it observes the action that was applied in the place of its own.

    Args:
        policy: the policy.
        rules: what it may do.
        clock: seconds of a clock that does not run back.
    """

    def __init__(self, policy: Policy, rules: ActionRules, clock: Callable[[], float] = time.monotonic):
        self.policy, self.rules, self._clock = policy, rules, clock
        self._checker = ActionChecker(rules, None, clock)
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
    def refused(self) -> int:
        """Number of actions in this run that were not carried out, or only in part."""
        return self._checker.refused

    @property
    def budget(self) -> StepBudget:
        """Steps that the rules still allow."""
        return self._checker.budget

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
        setting = initial if first is None else settings.check("setting", first)
        before = setting if self.policy.resumed() else initial  # a stopped run has left it where it was
        self._checker = ActionChecker(self.rules, context.action_space, self._clock)
        self._checker.begin(setting, before)
        return first

    def act(self, observation: np.ndarray, info: Mapping | None = None) -> Action:
        """The action of the policy, if it is allowed; a part of a jump that is too far; otherwise none."""
        return self._checker.passed(self.policy.act(observation, info))

    def observe(self, observation: np.ndarray, action: Action, reward: float, next_observation: np.ndarray, done: bool):
        """Pass on the action that was applied."""
        self.policy.observe(observation, action, reward, next_observation, done)

    def note(self) -> str:
        """The checker's note (`pmtwin.policies.action_checker`), or the policy's."""
        return self._checker.note or self.policy.note()
