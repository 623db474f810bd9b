"""The configuration of commands that run a scenario."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType, ModuleType
from typing import Any, ClassVar, Self

from pmtwin.config.shared import CommandConfig
from pmtwin.scenarios.capabilities.required import Capability, require
from pmtwin.scenarios.registry import scenario_names
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.options import build, plain


@dataclass(frozen=True, kw_only=True)
class ScenarioConfig(CommandConfig):
    """The configuration of a command that runs a scenario.

    Fields named `context`, `contexts`, `context_...` and `setting` go by the scenario's nouns (`pmtwin.config.nouns`).

    Class attributes:
        scenario_flag: whether `--scenario` names it, the first shipped one by default; otherwise the first word does.
        scenario_optional: whether the first scenario that pmtwin ships is meant where none is named.
        requires: what a scenario must declare -> what for, completing "has no settings, which ...".

    Args:
        scenario: with its own options.
    """

    scenario_flag: ClassVar[bool] = False
    runs_user_code: ClassVar[bool] = True
    scenario: Scenario
    scenario_optional: ClassVar[bool] = False
    requires: ClassVar[Mapping[Capability, str]] = MappingProxyType({})

    def __post_init__(self):
        super().__post_init__()
        self.check_scenario(self.scenario)

    def without_use(self) -> Mapping[str, str]:
        """Options about contexts, where others bring conditions in their place."""
        reasons = super().without_use()
        if self.scenario.own_conditions is None:
            return reasons
        return {**reasons, **dict.fromkeys(("schedule", "context_steps"), self.scenario.in_place_of_contexts)}

    def scenario_without_use(self) -> Mapping[str, str]:
        """What the scenario says."""
        return self.scenario.options_without_use

    @classmethod
    def check_scenario(cls, scenario: type[Scenario] | Scenario) -> None:
        """Raise `MissingCapabilityError` where a scenario lacks what the command requires."""
        for capability, use in cls.requires.items():
            require(scenario, capability, use)

    @classmethod
    def scenarios(cls) -> tuple[str, ...]:
        """Names of the scenarios that the command runs; the help shows the options of the first unless one is named."""
        return scenario_names()

    @classmethod
    def for_scenario(cls, scenario: type[Scenario]) -> type[Self]:
        """The dataclass with what a scenario adds to the command's own options."""
        module = cls.module_of(scenario)
        return module.Config if module else cls

    @classmethod
    def module_of(cls, scenario: type[Scenario]) -> ModuleType | None:
        """The module with what a scenario adds to the command (`Scenario.commands`); None if it adds nothing."""
        name = scenario.commands.get(cls.command)
        return importlib.import_module(name) if name else None

    @classmethod
    def of_scenario(
        cls, scenario: type[Scenario], values: Mapping[str, Any], given: Mapping[str, Any]
    ) -> dict[str, object]:
        """The fields that the scenario's options make.

        Args:
            values: dotted path of an option of the scenario -> its value, of those that are given.
            given: the same for options of the command.
        """
        from pmtwin.policies.points import by_point

        specs = [given[name] for name in ("policies", "policy") if isinstance(given.get(name), str | list | tuple)]
        policies = [spec for each in specs for spec in ([each] if isinstance(each, str) else each)]
        return {"scenario": scenario(build(scenario.Options, scenario.values_beside(values, policies, by_point)))}

    def scenario_arguments(self) -> dict:
        """The scenario's options as they were given, nested, by name; without those that the command replaces."""
        return {name: value for name, value in plain(self.scenario.options).items() if name not in self.replaced}
