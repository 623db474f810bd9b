"""The measured side of a validation: how a scenario's real system runs, what it can prove, and what is judged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from pmtwin.scenarios.capabilities.required import REAL_SYSTEM, require
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting
from pmtwin.sim.common.lazy import object_at
from pmtwin.sim.control import Measure
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import NoOptions, Options, plain

if TYPE_CHECKING:
    from pmtwin.figures.drawing.rendered import Table
    from pmtwin.scenarios.comparison.rollout import Context
    from pmtwin.validation.cases import Changes
    from pmtwin.validation.criteria import Criterion
    from pmtwin.validation.plan import ValidationPlan


Control = TypeVar("Control", bound=Scenario)
Takings = TypeVar("Takings", bound=Options)


@dataclass(frozen=True)
class BetweenRuns:
    """Work between the runs of the real system, such as measuring its host.

    Args:
        windows: number of windows of the real system that this work takes in all.
        step: called with (number of finished runs, number of all runs, callback after each of these windows).
    """

    windows: int = 0
    step: Callable[[int, int, Callable[[], object]], None] = lambda done, runs, on_window: None


@dataclass(frozen=True)
class Medium:
    """A medium that a real system may run on.

    Args:
        verdict: name of the verdict if twin and real system agree.
        scope: what such a verdict proves, and what it does not.
        agreed: nouns for what agrees if all checks pass, if the scope is not to say it.
        tolerances: tolerances that differ from those of the measures, by name; None: not judged.
        at_saturation: whether errors of the leading measure count only where the offered load exceeds capacity.
    """

    verdict: str
    scope: str
    tolerances: Mapping[str, float | None] = field(default_factory=dict)
    at_saturation: bool = False
    agreed: str = ""

    def shows(self, passed: bool) -> str:
        """What a comparison shows, by whether all of its checks pass."""
        if not self.agreed:
            return self.scope
        first = f"{self.agreed} agree" if passed else f"{self.agreed}: not all of these were shown to agree"
        return f"{first}; {self.scope}"


class MeasuredSide(ABC, Generic[Control, Takings]):
    """The measured side of a validation; a scenario names its class in `Scenario.measured`.

    Class attributes:
        system: noun for the real system.
        media: name -> medium that the real system may run on, with its tolerances.
        measures: names of the compared measures, the leading one first; empty: all that evaluations report.
        asks_inside: decision points inside its windows where the real system asks policies, as the twin does.
        grids: name -> settings; a validation that names no case runs the first grid. Empty: the initial setting.
        usual: option of `pmtwin validate` -> its default for this real system, where that differs.
        Takes: further options of `pmtwin validate` for this real system. everyday: names of those in its short help.
        replaced: names of scenario options that `Takes` replaces, or that a validation does not have.
        report_files: patterns of the files that `write_page` writes beside the page.

    Args:
        predicted: the scenario over a twin.
        measured: the same scenario over the real system.
        options: an object of `Takes`.

    Raises:
        InputError: if options contradict each other or the scenario.
    """

    system: ClassVar[str] = "real system"
    media: ClassVar[Mapping[str, Medium]]
    measures: ClassVar[tuple[str, ...]] = ()
    asks_inside: ClassVar[tuple[str, ...]] = ()
    grids: ClassVar[Mapping[str, Sequence[tuple[int, ...]]]] = {}
    usual: ClassVar[Mapping[str, int]] = {}
    Takes: ClassVar[type[Options]] = NoOptions
    everyday: ClassVar[tuple[str, ...]] = ()
    replaced: ClassVar[tuple[str, ...]] = ()
    report_files: ClassVar[tuple[str, ...]] = ()

    options: Takings

    def __init__(self, predicted: Control, measured: Control, options: Takings | None = None):
        self.predicted, self.measured = predicted, measured
        self.options = self.Takes() if options is None else options  # type: ignore[assignment]  # `Takes` makes `Takings`

    @classmethod
    @abstractmethod
    def of(cls, scenario: type[Control], values: Mapping[str, Any], options: Takings) -> Self:
        """The measured side for these options.

        Args:
            values: dotted path of each given option of the scenario -> its value.
            options: an object of `Takes`.

        Raises:
            InputError: for a value that is not accepted.
        """

    @property
    @abstractmethod
    def medium(self) -> str:
        """The name, in `media`, of the medium that the real system runs on.

        Raises:
            InputError: if the real system runs on none of them.
        """

    @property
    def warnings(self) -> list[str]:
        """Warnings for the reader about how the real system is run, one sentence each."""
        return []

    def defaults(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Options of `pmtwin validate` -> values where the user gives none, if they depend on this real system.

        Args:
            given: options of the command that the user gave.
        """
        return {}

    def criteria(self, compared: Mapping[str, Any]) -> Sequence[Criterion]:
        """Further criteria of the verdict.

        Args:
            compared: result of `comparison.compare`.
        """
        return ()

    def shortened(self, scenario: Control, times: int) -> Control:
        """The scenario with windows shorter by the factor `times`, if windows have a length."""
        return scenario

    def saturating(self) -> Changes:
        """Options under which clients offer more than the system can do; empty if the scenario has no such options."""
        return ()

    def preflight(self) -> Control:
        """The measured scenario for a trial start, without the parts whose start cannot fail."""
        return self.measured

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Context manager around all runs; removes the real system's temporary files at the end."""
        yield

    @contextmanager
    def between(self, plan: ValidationPlan[Control], keep: Path | None) -> Iterator[BetweenRuns]:
        """Context manager around the real system's runs: yields the work to do before each run and after the last."""
        yield BetweenRuns()

    def outcome(self, plan: ValidationPlan[Control]) -> tuple[ValidationPlan[Control], dict]:
        """(plan for the twin, entries for the record of the run), from the work done between the real system's runs."""
        return plan, {}

    def record(self, predicted: Control) -> dict:
        """Record of everything needed to repeat the runs; `predicted`: the scenario as the twin ran it."""
        return predicted.record()

    def arguments(self) -> dict:
        """The scenario's options as the user gave them, nested by name, for the record of the run."""
        return plain(self.measured.options)

    def planned(self) -> dict:
        """Entries about the real system in the JSON of a dry run."""
        return {}

    def planned_words(self) -> dict[str, str]:
        """Rows that replace the scenario's rows in the table of a dry run, in words."""
        return {}

    def window_seconds(
        self, scenario: Control, context: Context, settings: Sequence[Setting]
    ) -> Sequence[float] | None:
        """Expected seconds of a window of the real system at each setting; None if unknown.

        Raises:
            MissingDependencyError: if the real system is not built.
        """
        return None

    def besides_seconds(self, conditions: int) -> float:
        """Expected seconds outside windows, for this number of pairs of options and context."""
        return 0.0

    def setup(self, result: dict) -> dict[str, str]:
        """What each side ran on and the goals that both were judged by: name -> a few words."""
        return {"goals": "; ".join(result["goals"])}

    def tables(self, result: dict) -> list[Table]:
        """The result as tables for a reader."""
        from pmtwin.validation.tables import tables

        return tables(result)

    def write_page(self, result: dict, folder: Path) -> Path:
        """Write the result as an HTML page into a folder; returns the page's path.

        Raises:
            InputError: if this scenario has no page.
        """
        allowed = f"a scenario with a page; {self.predicted.name} has none (--json)"
        raise InputError("report", str(folder), allowed)

    def check_page(self, folder: Path) -> None:
        """Raise the error of `write_page`, if any, before anything is measured."""
        if type(self).write_page is MeasuredSide.write_page:
            self.write_page({}, folder)


def measured_side(scenario: type[Scenario]) -> type[MeasuredSide]:
    """The class of a scenario's measured side.

    Raises:
        InputError: if the scenario has no real system.
    """
    require(scenario, REAL_SYSTEM, "validate measures")
    named = scenario.measured
    if isinstance(named, str):
        return object_at(named)
    return named


def compared_measures(scenario: type[Scenario]) -> tuple[Measure, ...]:
    """The measures whose errors a validation reports."""
    names = measured_side(scenario).measures
    known = {measure.name: measure for measure in scenario.measures}
    return tuple(known[name] for name in names) or tuple(
        candidate for candidate in scenario.measures if candidate.compared
    )


def judged_measures(scenario: type[Scenario]) -> tuple[Measure, ...]:
    """The compared measures that declare a tolerance: a verdict judges their errors."""
    return tuple(measure for measure in compared_measures(scenario) if measure.tolerance_percent is not None)
