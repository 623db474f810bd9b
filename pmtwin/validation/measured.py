"""What a validation has to know of a scenario's real system: how it is run, what it can prove, what is asked of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from pmtwin.scenarios.capabilities.required import REAL_SYSTEM, require
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.common.lazy import object_at
from pmtwin.sim.control import Measure
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import NoOptions, Options, plain

if TYPE_CHECKING:
    from pmtwin.figures.drawing.rendered import Table
    from pmtwin.scenarios.comparison.rollout import Context
    from pmtwin.scenarios.system import Setting
    from pmtwin.validation.cases import Changes
    from pmtwin.validation.plan import ValidationPlan


Control = TypeVar("Control", bound=Scenario)
Takings = TypeVar("Takings", bound=Options)


@dataclass(frozen=True)
class BetweenRuns:
    """Work between the runs of the real system, such as measuring its host.

    Args:
        windows: how many windows of the real system it takes in all.
        step: called with (runs that are done, all runs, what to call after each of these windows).
    """

    windows: int = 0
    step: Callable[[int, int, Callable[[], object]], None] = lambda done, runs, on_window: None


@dataclass(frozen=True)
class Medium:
    """What a real system may run on.

    Args:
        verdict: what agreement with it is called.
        scope: what it proves, and what not.
        tolerances: those that differ from what the measures declare, by name; None is not asked.
        at_saturation: errors of the leading measure count only where the load is more than the system does.
    """

    verdict: str
    scope: str
    tolerances: Mapping[str, float | None] = field(default_factory=dict)
    at_saturation: bool = False


class MeasuredSide(ABC, Generic[Control, Takings]):
    """The measured side of a validation; a scenario names its class in `Scenario.measured`.

    Class attributes:
        system: what the real system is called.
        media: name -> what it may run on, and what is asked then.
        measures: names of those that are compared, the leading one first; empty: all that evaluations report.
        grids: name -> settings; the first is what a validation runs that names no case. Empty: the initial setting.
        Takes: options of a validation alone. replaced: names of options of the scenario that these stand in for, or
            that a validation does not have.
        report_files: patterns of the files that `write_page` puts beside the page.

    Args:
        predicted: the scenario over a twin. measured: the same over the real system.
        options: an object of `Takes`.

    Raises:
        InputError: for options that do not fit.
    """

    system: ClassVar[str] = "real system"
    media: ClassVar[Mapping[str, Medium]]
    measures: ClassVar[tuple[str, ...]] = ()
    grids: ClassVar[Mapping[str, Sequence[tuple[int, ...]]]] = {}
    Takes: ClassVar[type[Options]] = NoOptions
    replaced: ClassVar[tuple[str, ...]] = ()
    report_files: ClassVar[tuple[str, ...]] = ()

    options: Takings

    def __init__(self, predicted: Control, measured: Control, options: Takings | None = None):
        self.predicted, self.measured = predicted, measured
        self.options = self.Takes() if options is None else options  # type: ignore[assignment]  # `Takes` makes `Takings`

    @classmethod
    @abstractmethod
    def of(cls, scenario: type[Control], values: Mapping[str, Any], options: Takings) -> Self:
        """The side that options mean.

        Args:
            values: dotted path of an option of the scenario -> its value, of those that are given.

        Raises:
            InputError: for a value that is not accepted.
        """

    @property
    @abstractmethod
    def medium(self) -> str:
        """Which of `media` it runs on.

        Raises:
            InputError: if it is none of them.
        """

    @property
    def warnings(self) -> list[str]:
        """What a reader should know of how it is run."""
        return []

    def shortened(self, scenario: Control, times: int) -> Control:
        """The scenario with windows so many times shorter, if its windows have a length."""
        return scenario

    def saturating(self) -> Changes:
        """Options of the scenario under which clients ask for all that the system does; none where it has no such."""
        return ()

    def preflight(self) -> Control:
        """The measured scenario without the parts that start in any case: it is started to see whether it can be."""
        return self.measured

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Around all that runs: what the real system makes and nobody needs later is removed at the end."""
        yield

    @contextmanager
    def between(self, plan: ValidationPlan[Control], keep: Path | None) -> Iterator[BetweenRuns]:
        """While the real system's runs go on: what is to be done before each of them and after the last."""
        yield BetweenRuns()

    def outcome(self, plan: ValidationPlan[Control]) -> tuple[ValidationPlan[Control], dict]:
        """After these runs: the plan for the twin, and what the record of the run says of what was done between."""
        return plan, {}

    def record(self, predicted: Control) -> dict:
        """What makes the runs repeatable; `predicted`: the scenario as the twin ran it."""
        return predicted.record()

    def arguments(self) -> dict:
        """The scenario's options as they were given, for the record of the run: nested, by name."""
        return plain(self.measured.options)

    def planned(self) -> dict:
        """What a dry run says of it."""
        return {}

    def planned_words(self) -> dict[str, str]:
        """Rows of the table of a dry run in place of those of the scenario: what its options do not say."""
        return {}

    def window_seconds(
        self, scenario: Control, context: Context, settings: Sequence[Setting]
    ) -> Sequence[float] | None:
        """Expected seconds of a window of the real system at each setting, where something tells them.

        Raises:
            MissingDependencyError: if the real system is not there.
        """
        return None

    def besides_seconds(self, conditions: int) -> float:
        """Expected seconds besides the windows, under so many pairs of options and context."""
        return 0.0

    def setup(self, result: dict) -> dict[str, str]:
        """What each side of a result ran on, and what both were judged by: name -> a few words."""
        return {"goals": "; ".join(result["goals"])}

    def tables(self, result: dict) -> list[Table]:
        """The result for a reader."""
        from pmtwin.validation.tables import tables

        return tables(result)

    def write_page(self, result: dict, folder: Path) -> Path:
        """The result as a page below a folder; returns its path.

        Raises:
            InputError: unless the class writes one.
        """
        allowed = f"a scenario with a page; {self.predicted.name} has none (--json)"
        raise InputError("report", str(folder), allowed)

    def check_page(self, folder: Path) -> None:
        """Raise what `write_page` would, before anything is measured."""
        if type(self).write_page is MeasuredSide.write_page:
            self.write_page({}, folder)


def measured_side(scenario: type[Scenario]) -> type[MeasuredSide]:
    """The class that a scenario names.

    Raises:
        InputError: if it names none.
    """
    require(scenario, REAL_SYSTEM, "validate measures")
    named = scenario.measured
    if isinstance(named, str):
        return object_at(named)
    return named


def compared_measures(scenario: type[Scenario]) -> tuple[Measure, ...]:
    """The measures whose errors a validation tells."""
    names = measured_side(scenario).measures
    known = {measure.name: measure for measure in scenario.measures}
    return tuple(known[name] for name in names) or tuple(
        candidate for candidate in scenario.measures if candidate.compared
    )


def judged_measures(scenario: type[Scenario]) -> tuple[Measure, ...]:
    """Those of which a verdict asks that errors are small: they declare a tolerance."""
    return tuple(measure for measure in compared_measures(scenario) if measure.tolerance_percent is not None)
