"""Find the cheapest system that keeps a promise: by formula, and checked by simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.shared import Printed, Seeded
from pmtwin.scenarios.capabilities.required import Capability, require
from pmtwin.scenarios.registry import load_scenario, scenario_names
from pmtwin.scenarios.scenario import Scenario

COST = Capability("cost", "commands", lambda scenario: "plan" in scenario.commands)


@dataclass(frozen=True, kw_only=True)
class Config(ScenarioConfig, Seeded, Printed):
    """Options of `pmtwin plan`; what is promised and what it costs are options of the scenario's own plan."""

    command: ClassVar[str] = "plan"

    @classmethod
    def scenarios(cls) -> tuple[str, ...]:
        """Those that can be planned."""
        return tuple(name for name in scenario_names() if cls.command in load_scenario(name).commands)

    @classmethod
    def for_scenario(cls, scenario: type[Scenario]) -> type[Self]:
        """The configuration of the scenario's own module.

        Raises:
            InputError: for a scenario that cannot be planned.
        """
        require(scenario, COST, "plan minimises")
        return super().for_scenario(scenario)


def run(config: Config) -> int:
    """Never reached: a scenario that plans brings a `run` of its own, and `Config.for_scenario` refuses the others."""
    raise NotImplementedError(config.scenario.name)  # a fault of the scenario, which declares COST without a `run`
