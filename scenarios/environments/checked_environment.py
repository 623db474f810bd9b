"""A scenario's environment with the action checker before whoever acts in it."""

from __future__ import annotations

from typing import Any

from pmtwin.policies.action_checker import ActionChecker, clock_of_windows
from pmtwin.policies.action_rules import ActionRules
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting


class CheckedEnv(ControlEnv):
    """Carries out what the rules leave of an action; `info` shows the setting that came of it.

    An episode begins within the rules (`ActionRules.start_near`); how far that is from the initial setting is not
    limited, since no system makes that step.

    Args:
        rules: of the operator.
        scenario, arguments: as for `ControlEnv`.

    Raises:
        InputError: naming the argument that is not accepted.
    """

    def __init__(self, rules: ActionRules, scenario: Scenario, *arguments: Any, **named: Any):
        super().__init__(scenario, *arguments, **named)
        self._rules = rules
        self._checker: ActionChecker | None = None

    def _begin(self, options: dict) -> None:
        super()._begin(options)
        if self.mode == self.scenario.modes[0]:
            clock = clock_of_windows(self.scenario.window_seconds or 0.0)
            self._checker = ActionChecker(self._rules, self.scenario.action_space, clock)
            self._checker.begin(self.setting)

    def _first_setting_of(self, stated: object) -> Setting:
        return self._rules.start_near(super()._first_setting_of(stated), self.scenario.initial_setting)

    def _advance(self, action: Any) -> tuple:
        return super()._advance(action if self._checker is None else self._checker.passed(action))
