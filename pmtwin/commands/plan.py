"""Find the cheapest system that keeps a promise: by formula, and checked by simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.shared import Printed, Seeded
from pmtwin.sim.errors import InputError

HELP = "the cheapest system that keeps a promised latency, by formula and checked by simulation"


@dataclass(frozen=True, kw_only=True)
class Config(ScenarioConfig, Seeded, Printed):
    """Options of `pmtwin plan`; what is promised and what it costs are options of the scenario's own plan."""

    command: ClassVar[str] = "plan"

    @classmethod
    def shown_scenario(cls) -> str:
        """The first scenario that can be planned."""
        return _able()[0]


def run(config: Config) -> int:
    """Refuse: a scenario that plans brings a module of its own (`Scenario.commands`).

    Raises:
        InputError: always.
    """
    raise InputError("SCENARIO", config.scenario.name, f"a scenario with a cost: {', '.join(_able())}")


def _able() -> list[str]:
    from pmtwin.scenarios import load_scenario, scenario_names

    return [name for name in scenario_names() if Config.command in load_scenario(name).commands]
