"""`--rules`: the action checker before every policy, for every command that runs policies or settings of a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.sim.options import option

if TYPE_CHECKING:
    from pmtwin.policies.action_rules import ActionRules


@dataclass(frozen=True, kw_only=True)
class RulesConfig(ScenarioConfig):
    """The configuration of a command with an action checker."""

    rules: Path | None = option(None, "rules of the action checker before every policy", metavar="FILE")

    @cached_property
    def action_rules(self) -> ActionRules | None:
        """The rules of the action checker, if there are any; the file is read once.

        Raises:
            InputError: for rules that are not accepted, or that the scenario cannot keep.
        """
        if self.rules is None:
            return None
        from pmtwin.scenarios.rules import read_rules

        return read_rules(self.rules, self.scenario)
