"""A scenario: everything that generic code has to know of a control problem, declared once.

Subclass `Scenario`, set its class attributes, and say which system runs below. This file is the core, which every
scenario has; `pmtwin.scenarios.capabilities` has what a scenario may declare besides, one file each: settings, goals,
samples, formulas, training, a real side. A scenario object is the problem with one choice of its options; rollout,
training, evaluation, figures and commands take it from there. `tests/scenarios/admission.py` is a whole one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pmtwin.scenarios.batch import Batch
from pmtwin.scenarios.capabilities.conditions import WithConditions
from pmtwin.scenarios.capabilities.evidence import WithEvidence
from pmtwin.scenarios.capabilities.formulas import WithFormulas
from pmtwin.scenarios.capabilities.goals import WithGoals
from pmtwin.scenarios.capabilities.presentation import WithPresentation
from pmtwin.scenarios.capabilities.real_side import WithRealSide
from pmtwin.scenarios.capabilities.samples import WithSamples
from pmtwin.scenarios.capabilities.settings import WithSettings
from pmtwin.scenarios.capabilities.training import Training, WithTraining
from pmtwin.scenarios.contexts import Contexts
from pmtwin.scenarios.registry import Registered, load_scenario, scenario_names
from pmtwin.scenarios.system import System
from pmtwin.sim.control import LOWER, Column, Measure, observed_columns
from pmtwin.sim.decisions.kind import PointKind
from pmtwin.sim.decisions.point import DecisionPoint
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import NoOptions, build
from pmtwin.sim.options import Options as ScenarioOptions

if TYPE_CHECKING:
    import gymnasium

__all__ = ["Scenario", "Training"]

REQUIRED = ("name", "description", "columns", "measures")
"""Class attributes without which there is no scenario."""


class Scenario(
    WithSettings,
    WithTraining,
    WithConditions,
    WithSamples,
    WithFormulas,
    WithEvidence,
    WithGoals,
    WithPresentation,
    WithRealSide,
    Registered,
):
    """A control problem with one choice of options.

    Class attributes:
        name: name on the command line. description: one line.
        Options: the dataclass of all its options.
        columns: of an observation, in order; optional ones may be missing in a window.
        measures: of a window, in order; the first compared one leads tables.
        contexts: conditions. modes: ways to run the system, the ordinary one first; a policy may ask for another.
        points: decisions inside a window, beside the one between windows; none by default.
        draws: whether runs with other seeds differ whatever decides; otherwise one run of a policy that does not draw
            stands for all.
        warmup_windows: windows before the first observation.
        request_classes: names of the classes of `System.requests`; tails are of the first.
        baselines: specs of policies that every comparison should have.
        stepped: `module:Class` of a Gymnasium environment whose step is a decision inside the windows, made with the
            scenario and `decisions`, the points that decide in steps; empty: none.

    Args:
        options: an object of `Options`; all defaults if omitted.
    """

    description: ClassVar[str]
    Options: ClassVar[type[ScenarioOptions]] = NoOptions
    columns: ClassVar[tuple[Column, ...]]
    measures: tuple[Measure, ...]
    contexts: Contexts = Contexts()
    modes: ClassVar[tuple[str, ...]] = ("controlled",)
    points: tuple[DecisionPoint, ...] = ()
    draws: bool = True
    warmup_windows: ClassVar[int] = 1
    request_classes: ClassVar[tuple[str, ...]] = ()
    baselines: ClassVar[tuple[str, ...]] = ("random",)
    stepped: ClassVar[str] = ""

    options: ScenarioOptions

    def __init__(self, options: ScenarioOptions | None = None):
        self.options = self.Options() if options is None else options

    @classmethod
    def of(cls, **values: Any) -> Scenario:
        """The scenario with options by name, as `sim.options.declared.build` takes them."""
        return cls(build(cls.Options, values))

    @classmethod
    def check_declaration(cls) -> None:
        """Raise `InputError` for a class that declares no whole scenario, naming the missing or wrong part."""
        missing = [name for name in REQUIRED if not hasattr(cls, name)] + sorted(cls.__abstractmethods__)
        if missing:
            allowed = f"a scenario that declares them: {', '.join(missing)}"
            raise InputError(f"scenario {cls.__name__}", "missing attributes", allowed)
        for field in ("columns", "measures"):
            names = [each.name for each in getattr(cls, field)]
            if not names or len(set(names)) < len(names):
                raise InputError(f"scenario {cls.name}: {field}", names, "one or more names, each once")
        lead = next((measure for measure in cls.measures if measure.compared), None)
        if cls.reward is Scenario.reward and not (lead and lead.better):
            allowed = "a compared measure with `better` first, which is the reward by default; "
            raise InputError(f"scenario {cls.name}: reward", None, f"{allowed}or a method reward(measures)")
        cls.settings.check(f"scenario {cls.name}: initial_setting", cls.initial_setting)

    @classmethod
    def values_beside(cls, values: Mapping[str, Any], policies: Sequence[str], by_point: Callable) -> Mapping[str, Any]:
        """The values of options beside specs of policies: what decides may tell which system has to run.

        Args:
            by_point: (spec, scenario) -> what the spec says for each decision point (`policies.points.by_point`).
        """
        return values

    @classmethod
    def all_points(cls) -> tuple[DecisionPoint, ...]:
        """Decision points inside the windows of any of its systems, where its options choose one of several."""
        return cls.points

    @classmethod
    def others_asking(cls, kind: PointKind) -> list[str]:
        """Names of the other scenarios that come with pmtwin and ask policies of a kind inside their windows."""
        asked = {name: load_scenario(name).all_points() for name in scenario_names() if name != cls.name}
        return [name for name, points in asked.items() if any(kind in point.kind.served_by for point in points)]

    @property
    def action_space(self) -> gymnasium.Space:
        """Any Gymnasium space; by default one discrete action for each move of the settings.

        Without moves it is a single action, 0, that changes nothing: what is decided is decided within the windows.
        """
        import gymnasium

        return gymnasium.spaces.Discrete(max(len(self.settings.moves), 1))

    @property
    def observed(self) -> tuple[Column, ...]:
        """Columns that policies and agents see (`pmtwin.sim.control.declared.observed_columns`)."""
        return observed_columns(self.columns)

    @cached_property
    def optional_columns(self) -> list[int]:
        """Places of the columns that a window may lack."""
        return [place for place, column in enumerate(self.columns) if column.optional]

    @property
    def observation_space(self) -> gymnasium.spaces.Box:
        """Shape (columns,), float64, with the bounds of the observed columns."""
        import gymnasium

        low, high = (np.array([getattr(column, end) for column in self.observed]) for end in ("low", "high"))
        return gymnasium.spaces.Box(low.astype(float), high.astype(float), dtype=np.float64)

    @abstractmethod
    def system(self, conditions: Any, seed: int, device: int = 0, mode: str | None = None) -> System:
        """The system below the scenario, not yet started.

        Args:
            conditions: of `contexts`, or the scenario's own (`own_conditions`).
            seed: root of all its random numbers.
            device: number of the sampled device, below `devices` (0 without samples).
            mode: one of `modes`; None: the first.
        """

    def reward(self, measures: Mapping[str, float]) -> float:
        """The reward of a window with these measures; by default the leading measure, negative if lower is better."""
        lead = self.compared[0]
        return -measures[lead.name] if lead.better == LOWER else measures[lead.name]

    def rewards(self, measures: Mapping[str, np.ndarray]) -> np.ndarray:
        """The reward of each of n windows, shape (n,); `measures`: name -> array of shape (n,)."""
        rows = zip(*(values.tolist() for values in measures.values()), strict=True)
        return np.array([self.reward(dict(zip(measures, row, strict=True))) for row in rows])

    def batch(self, threads: int) -> Batch:
        """Runner of the windows of several systems together; `threads`: that it may use."""
        return Batch(self)

    @property
    def engine(self) -> str:
        """Name of what runs the system."""
        return ""

    @property
    def sequential(self) -> bool:
        """Whether two systems at once would disturb each other: one process then runs them all."""
        return False

    @classmethod
    def measure(cls, name: str) -> Measure:
        """The measure of that name."""
        return next(measure for measure in cls.measures if measure.name == name)

    @property
    def compared(self) -> tuple[Measure, ...]:
        """The measures that evaluations report."""
        return tuple(measure for measure in self.measures if measure.compared)
