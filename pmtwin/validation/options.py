"""Options of `pmtwin validate`; a scenario's measured side and its measures add further options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from pmtwin.config.goals import GoalConfig, with_goals
from pmtwin.config.shared import DryRun, Printed, Replacing, Seeded
from pmtwin.scenarios.comparison.options import SCHEDULES
from pmtwin.scenarios.registry import load_scenario, scenario_names
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.options import build, option, option_again
from pmtwin.validation.learning import NAMES, LearningOptions
from pmtwin.validation.measured import MeasuredSide, measured_side
from pmtwin.validation.tolerances import Tolerances, tolerance_options

SIDE, TOLERANCES = "real", "tolerances"
"""Names of the fields for the options that a scenario adds."""


@dataclass(frozen=True, kw_only=True)
class ValidationConfig(LearningOptions, GoalConfig, Seeded, Printed, DryRun, Replacing):
    """What both sides run, and where the result goes.

    Args:
        side: the measured side of the scenario.
    """

    side: MeasuredSide
    command: ClassVar[str] = "validate"
    everyday: ClassVar[tuple[str, ...]] = (
        "grid",
        "policies",
        "transfer",
        "goal",
        "contexts",
        "windows",
        "seeds",
        "report",
        "seed",
        "json",
        "dry_run",
    )
    scenario_optional: ClassVar[bool] = True

    grid: tuple[str, ...] = option(
        (), "fixed {setting} to compare in every {context}, or a grid by name (default: the grid of the scenario)",
        metavar="{form}", separator=" ",
    )  # fmt: skip
    policies: tuple[str, ...] = option(
        (), "policies to compare over a schedule of {contexts}", metavar="SPEC", separator=" "
    )
    transfer: str = option(
        "",
        "policy (trained:FILE) to compare with the best fixed {setting} on the real system, found by search",
        metavar="SPEC",
    )
    contexts: tuple[int | str, ...] = option((), "{contexts} to compare (default: all)")
    windows: int = option(10, "measured windows per case and {context}", low=1, high=10**6, metavar="N")
    schedule: str = option(SCHEDULES[1], "order of the {contexts}: order or random", choices=SCHEDULES, metavar="KIND")
    steps: int = option(200, "windows per run of a schedule", low=1, high=10**6, metavar="N")
    context_steps: int = option(50, "windows per {context} of a schedule", low=1, high=10**6, metavar="N")
    lead_windows: int = option(
        10,
        "windows of the policy before the measured ones, for --transfer in one {context}",
        low=0,
        high=10**6,
        metavar="N",
    )
    warmup_windows: int = option(2, "windows before the measured ones, discarded", low=0, high=10**6, metavar="N")
    seeds: int = option(3, "number of runs of each case, with different seeds", low=1, high=1000, metavar="N")
    report: Path | None = option(None, "folder for the HTML report", metavar="DIR", recorded=False)
    keep: Path | None = option(
        None, "folder for finished runs, from which an interrupted validation resumes", metavar="DIR", recorded=False
    )

    @property
    def scheduled(self) -> bool:
        """Whether policies run over a schedule of contexts."""
        return bool(self.policies or self.learn or self.transfer)

    @property
    def compares_grid(self) -> bool:
        """Whether fixed settings run in each context by itself: the default if no other case is named."""
        return bool(self.grid) or not self.scheduled

    def without_use(self) -> Mapping[str, str]:
        """Options without effect: they belong to kinds of runs that are not in the plan."""
        reasons = dict(super().without_use())
        if not self.learn:
            belongs = "belongs to --learn; add --learn FILE, or remove this option"
            reasons |= dict.fromkeys(("learnt", *NAMES), belongs)
        if not self.transfer:
            reasons["lead_windows"] = "belongs to --transfer; remove it"
            if not self.compares_grid:
                reasons["windows"] = "has no effect on --policies; use --steps, the windows of a run"
        if not self.scheduled:
            reasons |= dict.fromkeys(("schedule", "context_steps"), "belongs to --policies; remove it")
            reasons["steps"] = "has no effect on --grid; use --windows, the windows of a case"
        return reasons

    @classmethod
    def scenarios(cls) -> tuple[str, ...]:
        """The scenarios with a real system."""
        return tuple(name for name in scenario_names() if load_scenario(name).measured)

    @classmethod
    def for_scenario(cls, scenario: type[Scenario]) -> type[Self]:
        """The configuration with the options of the scenario's measured side and its tolerances.

        Raises:
            InputError: for a scenario without a real system.
        """
        real = measured_side(scenario)
        takes = {SIDE: real.Takes, TOLERANCES: tolerance_options(scenario)}
        fields: list[tuple[str, type, Any]] = [
            (name, kind, field(default_factory=kind)) for name, kind in takes.items()
        ]
        fields += [(name, type(value), option_again(cls, name, value)) for name, value in real.usual.items()]
        attributes = {"replaced": real.replaced, "everyday": (*cls.everyday, *real.everyday)}
        return make_dataclass(cls.__name__, fields, bases=(cls,), namespace=attributes, frozen=True, kw_only=True)

    @classmethod
    def of_scenario(
        cls, scenario: type[Scenario], values: Mapping[str, Any], given: Mapping[str, Any]
    ) -> dict[str, object]:
        """The scenario over a twin, its real system, and what is usual for that."""
        real = measured_side(scenario)
        chosen = {name.partition(".")[2]: value for name, value in given.items() if name.startswith(f"{SIDE}.")}
        side = real.of(scenario, with_goals(scenario, values, given), build(real.Takes, chosen))
        usual = {name: value for name, value in side.defaults(given).items() if name not in given}
        return usual | {"scenario": side.predicted, "side": side}

    def scenario_arguments(self) -> dict:
        """The scenario's options as the user gave them."""
        return self.side.arguments()

    def chosen_tolerances(self) -> Tolerances:
        """The tolerances on the medium of the run.

        Raises:
            InputError: if the real system runs on no known medium.
        """
        chosen = vars(getattr(self, TOLERANCES))
        given = {name: value for name, value in chosen.items() if value is not None}
        return Tolerances(type(self.scenario), self.side.medium, given)

    def __post_init__(self):
        super().__post_init__()
        if self.contexts and self.scenario.own_conditions is not None:
            raise self.scenario.refused_contexts(self.scenario.contexts.plural, list(self.contexts))
        if self.report:
            self.side.check_page(self.report)
