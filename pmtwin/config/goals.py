"""Goals on the command line: `--goal MEASURE=LIMIT`, the same for every command that uses goals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import ConflictError, InputError, unknown_name
from pmtwin.sim.options import leaves, option


@dataclass(frozen=True, kw_only=True)
class GoalConfig(ScenarioConfig):
    """The configuration of a command that uses goals; the record has their limits as options of the scenario."""

    goal: tuple[str, ...] = option(
        (),
        "limit of a measure, such as {goal} (default: the scenario's goals); repeatable",
        metavar="MEASURE=LIMIT",
        separator=" ",
        recorded=False,
    )

    @classmethod
    def of_scenario(
        cls, scenario: type[Scenario], values: Mapping[str, Any], given: Mapping[str, Any]
    ) -> dict[str, object]:
        return super().of_scenario(scenario, with_goals(scenario, values, given), given)


def with_goals(scenario: type[Scenario], values: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a scenario's options, with the limits of `--goal`.

    Args:
        scenario: the scenario.
        values, given: as in `ScenarioConfig.of_scenario`.

    Raises:
        InputError: for another form, a measure without a goal, a limit that is no positive number, or a second limit.
    """
    paths = {leaf.name: ".".join(leaf.path) for leaf in leaves(scenario.Options)}
    words = given.get("goal", ())
    limits = _limits(words if isinstance(words, list | tuple) else (), scenario)  # another kind is refused later
    values = scenario.values_beside_goals(values, limits)
    return {**values, **{paths[scenario.goal_options[name]]: limit for name, limit in limits.items()}}


def _limits(words: Sequence[str], scenario: type[Scenario]) -> dict[str, float]:
    """Measure -> limit."""
    known = scenario.goal_options
    limits: dict[str, float] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not known:
            raise ConflictError(
                "goal", word, f"has no use: scenario {scenario.name} has no goal that can be changed; remove it"
            )
        if not equals:
            raise InputError("goal", word, f"MEASURE=LIMIT, with the measure {' or '.join(known)}")
        if name not in known:
            raise unknown_name("goal", name, known)
        if name in limits:
            raise InputError(
                "goal", word, "each measure once", wrong=f"is a second limit beside {name}={limits[name]:g}"
            )
        try:
            limits[name] = float(text)
        except ValueError:
            limits[name] = float("nan")
        if not 0.0 < limits[name] < float("inf"):
            unit = next((measure.unit for measure in scenario.measures if measure.name == name), "")
            raise InputError("goal", word, f"a positive number{f' of {unit}' if unit else ''}")
    return limits
