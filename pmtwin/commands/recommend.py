"""The best fixed setting of a workload, how sure that is, and what it costs to be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from pmtwin.config.goals import GoalConfig
from pmtwin.config.record import facts, run_record
from pmtwin.config.shared import Printed, Replacing, Seeded
from pmtwin.config.summaries import description
from pmtwin.console.output import message
from pmtwin.console.overwrite_guard import check_report
from pmtwin.console.progress import progress
from pmtwin.evaluation.notes import known_device
from pmtwin.evaluation.results import Result
from pmtwin.figures.drawing.style import styled
from pmtwin.scenarios.capabilities.required import GOALS, SETTINGS, Capability
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.common.threads import usable_processors
from pmtwin.sim.control import Goal
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import option
from pmtwin.validation.measured import measured_side

DESCRIPTION = description("recommend", "; exit code 1 if no window keeps the goals, at any setting")
CHECK_WINDOWS, CHECK_WARMUP = 5, 2
"""Windows of the real system with `--check`."""

ANSWER = ("setting", "attainment", "attainment_low", "attainment_high")
"""What the first row of the result's table has."""


@dataclass(frozen=True, kw_only=True)
class Config(GoalConfig, Seeded, Printed, Replacing):
    """Options of `pmtwin recommend`."""

    command: ClassVar[str] = "recommend"
    everyday: ClassVar[tuple[str, ...]] = ("context", "goal", "check", "report", "json", "seed")
    scenario_optional: ClassVar[bool] = True
    requires: ClassVar[Mapping[Capability, str]] = MappingProxyType(
        {SETTINGS: "recommend searches", GOALS: "recommend keeps"}
    )
    context: int | str | None = option(None, "{context} of the recommendation (default: the first)")
    report: Path | None = option(
        None, "folder for an HTML page: the answer and the plateau around it", metavar="DIR", recorded=False
    )
    check: bool = option(
        False, f"check the answer with {CHECK_WINDOWS} windows of the real system on an emulated device", recorded=False
    )

    def __post_init__(self):
        super().__post_init__()
        if self.scenario.sequential:
            raise InputError("engine", self.scenario.origin().get("engine"), "a twin; --check tries the real system")
        if self.scenario.own_conditions is not None and self.context is not None:
            raise self.scenario.refused_contexts(self.scenario.contexts.noun, self.context)

    def scenario_without_use(self) -> Mapping[str, str]:
        """What the scenario says of the samples that are drawn where none are asked for."""
        return self.scenario.sampled_systems(1).options_without_use


def run(config: Config) -> int:
    """Search and print; returns 0, or 1 if no window keeps the goals, at any setting.

    Raises:
        MissingDependencyError: with `--check`, if the real system is not built.
    """
    from pmtwin.evaluation.recommendation import is_impossible

    result = result_of(config)
    result.print(config.json)
    return int(is_impossible(result))


def result_of(config: Config) -> Result:
    """Search, and write the page if the configuration names a folder for it; raises as `run`."""
    from pmtwin.evaluation.recommendation import print_recommendation
    from pmtwin.scenarios.recommendation.search import recommend

    scenario, goals = config.scenario, config.scenario.goals
    context = OWN if scenario.own_conditions is not None else _context(config)
    if config.report:
        from pmtwin.report.recommendation import FILES

        check_report(config.report, config.command, config.force, FILES)
    real = _real(scenario, context) if config.check else None
    with progress(desc="recommend", unit="window") as bar:

        def plan(windows: int) -> None:
            bar.total = windows

        result = recommend(scenario, context, goals, config.seed, usable_processors(), None, plan, bar.update)
    recommendation = {
        "scenario": scenario.name,
        "workload": scenario.context_name(context),
        "goals": [str(goal) for goal in goals],
        "known_device": known_device(scenario),
        **result,
    }
    if real is not None:
        recommendation["check"] = _checked(real, goals, result["setting"], config.seed)
    if config.report:
        from pmtwin.report.recommendation import write_recommendation

        with styled():
            page = write_recommendation(recommendation, scenario, context, config.report, facts(scenario, [context]))
        message(f"report: {page}")
    return Result(
        recommendation | {"configuration": {**scenario.origin(), **run_record(config)}},
        lambda: print_recommendation(recommendation, scenario, context),
        lambda: [{name: recommendation[name] for name in ANSWER}, *recommendation["alternatives"]],
    )


def _context(config: Config) -> int | str:
    contexts = config.scenario.contexts
    return contexts.names[0] if config.context is None else contexts.check(config.context)


def _real(scenario: Scenario, context: int | str):
    """The real system, before the search takes its time."""
    from pmtwin.scenarios.environments.environment import ControlEnv

    real = scenario.real(context)
    if real is None:
        raise ConflictError(
            "check", True, f"does not go with scenario {scenario.name}, which has no real system; remove it"
        )
    with closing(ControlEnv(real, episode_steps=None)) as env:
        env.check_engine()
    return real


def _checked(real: Scenario, goals: Sequence[Goal], setting: list[int], seed: int) -> dict:
    """What windows of the real system show at the setting."""
    from pmtwin.scenarios.environments.environment import ControlEnv

    shown = []
    with (
        closing(ControlEnv(real, None, tuple(setting), episode_steps=None, warmup_windows=CHECK_WARMUP)) as env,
        progress(desc="check", total=CHECK_WINDOWS, unit="window") as bar,
    ):
        env.reset(seed=seed)
        for _ in range(CHECK_WINDOWS):
            shown.append(env.carry_out(tuple(setting))[4])
            bar.update()
    met = [all(goal.met(window[goal.measure.name]) for goal in goals) for window in shown]
    means = {goal.measure.name: sum(float(w[goal.measure.name]) for w in shown) / len(shown) for goal in goals}
    system = measured_side(type(real)).system
    return {"system": system, "windows": CHECK_WINDOWS, "attainment": sum(met) / len(met), "measures": means}
