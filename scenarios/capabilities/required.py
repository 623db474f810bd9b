"""Check that a scenario has declared a capability, before generic code uses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from pmtwin.scenarios.capabilities.goals import WithGoals
from pmtwin.scenarios.registry import load_scenario, scenario_names
from pmtwin.sim.errors import InputError

if TYPE_CHECKING:
    from pmtwin.scenarios.scenario import Scenario


class Capability(NamedTuple):
    """A part of a declaration that not every scenario has.

    Fields:
        noun: completes "scenario NAME has no ...".
        attribute: attribute of `Scenario` that declares the capability.
        is_declared: function: class or object of a scenario -> whether it has the capability.
    """

    noun: str
    attribute: str
    is_declared: Callable[[type[Scenario] | Scenario], bool]


def _has_goals(scenario: type[Scenario] | Scenario) -> bool:
    """Whether there are goals; a class, whose goals depend on its options, has goals if it overrides `goals`."""
    return scenario.goals is not WithGoals.goals if isinstance(scenario, type) else bool(scenario.goals)


SETTINGS = Capability("settings", "settings", lambda scenario: bool(scenario.settings))
GOALS = Capability("goals", "goals", _has_goals)
REAL_SYSTEM = Capability("real system", "measured", lambda scenario: bool(scenario.measured))
PRIORS = Capability("priors of its parameters", "inference", lambda scenario: bool(scenario.inference))
STEERED = Capability("middleware in C++", "steered", lambda scenario: scenario.steered)


class MissingCapabilityError(InputError):
    """A scenario lacks a capability: "scenario NAME has no settings, which recommend searches; allowed: ...".

    Args:
        field, value: `scenario` and its name, or the option that needs the capability and its value.
        allowed: completes "has no ...".
    """

    def _sentence(self) -> str:
        return f"{self.field} {self.value} has no {self.allowed}"


def require(scenario: type[Scenario] | Scenario, capability: Capability, use: str) -> None:
    """Raise `MissingCapabilityError` if a scenario has not declared a capability.

    Args:
        use: completes "has no settings, which ...": "recommend searches".
    """
    if not capability.is_declared(scenario):
        known = [name for name in scenario_names() if capability.is_declared(load_scenario(name))]
        allowed = f"a scenario that declares `{capability.attribute}`"
        allowed += f", such as {', '.join(known)}" if known else ""
        raise MissingCapabilityError("scenario", scenario.name, f"{capability.noun}, which {use}; allowed: {allowed}")
