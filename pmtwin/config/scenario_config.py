"""The configuration of commands that run a scenario."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType, ModuleType
from typing import Any, ClassVar, Self

from pmtwin.config.shared import CommandConfig
from pmtwin.scenarios.capabilities.required import Capability, require
from pmtwin.scenarios.registry import load_scenario, scenario_names
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.options import build, plain


@dataclass(frozen=True, kw_only=True)
class ScenarioConfig(CommandConfig):
    """The configuration of a command that runs a scenario.

    Fields named `context`, `contexts`, `context_...` and `setting` are called by the scenario's nouns
    (`pmtwin.config.nouns`).

    Class attributes:
        scenario_flag: whether `--scenario` names the scenario (default: the first shipped one); otherwise a word does.
        scenario_optional: whether the first shipped scenario is the default.
        requires: capability that a scenario must declare -> its use, which completes "has no settings, which ...".

    Args:
        scenario: the scenario with its options.
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
        """Options about contexts have no use if the scenario's options set conditions in the place of contexts."""
        reasons = super().without_use()
        if self.scenario.own_conditions is None:
            return reasons
        return {**reasons, **dict.fromkeys(("schedule", "context_steps"), self.scenario.in_place_of_contexts)}

    def scenario_without_use(self) -> Mapping[str, str]:
        """As the scenario declares (`options_without_use`)."""
        return self.scenario.options_without_use

    @classmethod
    def check_scenario(cls, scenario: type[Scenario] | Scenario) -> None:
        """Raise `MissingCapabilityError` if a scenario lacks a capability that the command requires."""
        for capability, use in cls.requires.items():
            require(scenario, capability, use)

    @classmethod
    def scenarios(cls) -> tuple[str, ...]:
        """Names of the scenarios that the command runs; help without a scenario shows the options of the first."""
        names = scenario_names()
        for capability in cls.requires:  # scenarios are loaded for these alone
            names = tuple(name for name in names if capability.is_declared(load_scenario(name)))
        return names

    @classmethod
    def for_scenario(cls, scenario: type[Scenario]) -> type[Self]:
        """The dataclass of options, with those that a scenario adds to the command."""
        module = cls.module_of(scenario)
        return module.Config if module else cls

    @classmethod
    def module_of(cls, scenario: type[Scenario]) -> ModuleType | None:
        """The module with a scenario's additions to the command (`Scenario.commands`); None if there are none."""
        name = scenario.commands.get(cls.command)
        return importlib.import_module(name) if name else None

    @classmethod
    def of_scenario(
        cls, scenario: type[Scenario], values: Mapping[str, Any], given: Mapping[str, Any]
    ) -> dict[str, object]:
        """Fields of the configuration that depend on the scenario's options, above all `scenario`.

        Args:
            scenario: class of the scenario.
            values: dotted path of an option of the scenario -> value that the user gave.
            given: the same for options of the command.
        """
        from pmtwin.policies.points import by_point

        specs = [given[name] for name in ("policies", "policy") if isinstance(given.get(name), str | list | tuple)]
        policies = [spec for value in specs for spec in ([value] if isinstance(value, str) else value)]
        return {"scenario": scenario(build(scenario.Options, scenario.values_beside(values, policies, by_point)))}

    def scenario_arguments(self) -> dict:
        """The scenario's options as nested plain values, without those that the command replaces."""
        return plain(self.scenario.options, self.replaced)
