"""Rules of an operator in a scenario: read for its settings, and before its policies, with minutes of its windows."""

from __future__ import annotations

from pathlib import Path

from pmtwin.policies.action_checker import clock_of_windows
from pmtwin.policies.action_rules import STEPS, ActionRules
from pmtwin.policies.base import Policy
from pmtwin.policies.checked import Checked
from pmtwin.scenarios.capabilities.required import SETTINGS, require
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import InputError


def read_rules(path: str | Path, scenario: Scenario) -> ActionRules:
    """The rules in a file.

    Raises:
        InputError: as `ActionRules.read` and `check_minutes`, and for a scenario without settings.
    """
    require(scenario, SETTINGS, "rules are for")
    rules = ActionRules.read(path, scenario.settings)
    check_minutes(rules, scenario)
    return rules


def check_minutes(rules: ActionRules, scenario: Scenario) -> None:
    """Raise `InputError` for a limit of steps a minute where windows have no length in seconds."""
    if rules.limits_steps and scenario.window_seconds is None:
        limits = ", ".join(f"{name} = {most}" for name, most in rules.record()[STEPS].items())
        allowed = f"no limit of steps in {scenario.name}, whose windows have no length in seconds"
        raise InputError(STEPS, limits, f"{allowed}; remove the table")


def behind_rules(scenario: Scenario, rules: ActionRules | None, policy: Policy) -> Policy:
    """The policy, behind the action checker if there are rules; its clock is that of the windows."""
    return policy if rules is None else Checked(policy, rules, clock_of_windows(scenario.window_seconds or 0.0))
