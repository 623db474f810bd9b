"""The configuration of commands that run a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pmtwin.config.shared import CommandConfig
from pmtwin.scenarios.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class ScenarioConfig(CommandConfig):
    """The configuration of a command that runs a scenario.

    Fields named `context`, `contexts`, `context_...` and `setting` go by the scenario's nouns (`pmtwin.config.nouns`).

    Class attributes:
        scenario_flag: whether `--scenario` names it, the first shipped one by default; otherwise the first word does.

    Args:
        scenario: with its own options.
    """

    scenario_flag: ClassVar[bool] = False
    scenario: Scenario
