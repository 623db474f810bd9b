"""A scenario: everything that generic code has to know of a control problem, declared once.

Subclass `Scenario`, set its class attributes, and say how a window is rewarded and which system runs below. A scenario
object is the problem with one choice of its options; rollout, training, evaluation, figures and commands take it from
there. `tests/scenarios/admission.py` is a whole one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pmtwin.scenarios.batch import Batch
from pmtwin.scenarios.contexts import OWN, Contexts
from pmtwin.scenarios.system import Setting, System
from pmtwin.sim.control import Column, Goal, Measure, Settings
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import Options, build, plain

if TYPE_CHECKING:
    import gymnasium


@dataclass(frozen=True)
class Training:
    """Default size of a training campaign.

    Args:
        episodes: training episodes by context; empty: 300 of each.
        dataset_episodes: episodes of the random agent, of each context.
        episode_steps: windows of an episode.
    """

    episodes: Mapping[int | str, int] = field(default_factory=dict)
    dataset_episodes: int = 150
    episode_steps: int = 200


class Scenario(ABC):
    """A control problem with one choice of options.

    Class attributes:
        name: name on the command line. description: one line.
        Options: the dataclass of all its options.
        columns: of an observation, in order.
        measures: of a window, in order; the first compared one leads tables.
        settings: the controlled numbers, their bounds and the actions on them.
        initial_setting: setting at the beginning of an episode.
        everyday: names of the options that `--help` shows; `--help-all` shows the rest.
        examples: name of a command -> lines for the end of its help.
        contexts: conditions. modes: ways to run the system, the ordinary one first; a policy may ask for another.
        request_classes: names of the classes of `System.requests`; tails are of the first.
        baselines: specs of policies that every comparison should have.
        training: default campaign of Q-learning.
        recommended: name of the policy that `pmtwin train` trains by default.
        figures: dotted module with the `PIPELINE` of `pmtwin figures` and `pmtwin run`; empty: its baselines alone.
        listings: dotted module whose `LISTINGS` (name -> `scenarios.listing.Listing`) `pmtwin list` shows; empty: none.
        warming: dotted module whose `CASES` (name of a command -> small command lines that call all that it compiles,
            in a folder with `FILES`, name -> text) `pmtwin warm` runs; empty: none.
        explained: dotted module with `explain` (`pmtwin.scenarios.explanation.Explain`), its number of `steps`, and
            `check`, which raises `InputError` where no explanation is possible; empty: `pmtwin simulate --explain` is
            refused.
        measured: `module:Class` of the `pmtwin.validation.MeasuredSide` of its real system, or the class itself; empty:
            there is none, and `pmtwin validate` refuses it.
        inference: `module:Class` of the `pmtwin.inference.side.InferenceSide` of its model's parameters, or the class
            itself; empty: there is none, and `pmtwin infer` refuses it.
        goal_options: measure with a goal -> name of the option that has its limit, for `--goal`.
        own_conditions_option: name of the option that brings `own_conditions`.
        commands: name of a command -> dotted module with what the scenario adds to it: `Config`, derived from the
            command's own, with more options, and `run(config)`.
        steered: whether a middleware in C++ reads its policies too (`pmtwin export`, docs/steering-policy.md).

    Args:
        options: an object of `Options`; all defaults if omitted.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    Options: ClassVar[type[Options]] = Options
    columns: ClassVar[tuple[Column, ...]]
    measures: ClassVar[tuple[Measure, ...]]
    settings: ClassVar[Settings]
    initial_setting: ClassVar[Setting]
    everyday: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    contexts: ClassVar[Contexts] = Contexts()
    modes: ClassVar[tuple[str, ...]] = ("controlled",)
    request_classes: ClassVar[tuple[str, ...]] = ()
    baselines: ClassVar[tuple[str, ...]] = ("random",)
    training: ClassVar[Training] = Training()
    recommended: ClassVar[str] = "q-learning"
    figures: ClassVar[str] = ""
    listings: ClassVar[str] = ""
    warming: ClassVar[str] = ""
    explained: ClassVar[str] = ""
    measured: ClassVar[str | type] = ""
    inference: ClassVar[str | type] = ""
    goal_options: ClassVar[Mapping[str, str]] = MappingProxyType({})
    own_conditions_option: ClassVar[str] = ""
    commands: ClassVar[Mapping[str, str]] = MappingProxyType({})
    steered: ClassVar[bool] = False
    spec: ClassVar[str] = ""
    """Spec for `scenarios.load_scenario`: the name, or FILE.py:NAME; set when the scenario is loaded."""

    def __init__(self, options: Options | None = None):
        self.options = self.Options() if options is None else options

    @classmethod
    def of(cls, **values: Any) -> Scenario:
        """The scenario with options by name, as `sim.options.build` takes them."""
        return cls(build(cls.Options, values))

    @property
    def action_space(self) -> gymnasium.Space:
        """Any Gymnasium space; by default one discrete action for each move of the settings."""
        import gymnasium

        return gymnasium.spaces.Discrete(len(self.settings.moves))

    @property
    def observation_space(self) -> gymnasium.Space:
        """Shape (columns,), float64, with the bounds of the columns."""
        import gymnasium

        low, high = (np.array([getattr(column, end) for column in self.columns]) for end in ("low", "high"))
        return gymnasium.spaces.Box(low.astype(float), high.astype(float), dtype=np.float64)

    @property
    @abstractmethod
    def goals(self) -> tuple[Goal, ...]:
        """Goals of the operator."""

    @abstractmethod
    def reward(self, measures: Mapping[str, float]) -> float:
        """The reward of a window with these measures."""

    @property
    def resize_cost(self) -> float:
        """Loss of a window's reward for each step of 1 by which a number of the setting changed before it."""
        return 0.0

    @abstractmethod
    def system(self, conditions: Any, seed: int, device: int = 0, mode: str | None = None) -> System:
        """The system below the scenario, not yet started.

        Args:
            conditions: of `contexts`, or the scenario's own (`own_conditions`).
            seed: root of all its random numbers.
            device: number of the sampled device, below `devices` (0 without samples).
            mode: one of `modes`; None: the first.
        """

    def rewards(self, measures: Mapping[str, np.ndarray]) -> np.ndarray:
        """The reward of each of n windows, shape (n,); `measures`: name -> array of shape (n,)."""
        rows = zip(*(values.tolist() for values in measures.values()), strict=True)
        return np.array([self.reward(dict(zip(measures, row, strict=True))) for row in rows])

    def batch(self, threads: int) -> Batch:
        """Runner of the windows of several systems together; `threads`: that it may use."""
        return Batch(self)

    @property
    def own_conditions(self) -> Any:
        """Conditions of the options that replace all contexts; None if there are none."""
        return None

    @property
    def replaced_options(self) -> frozenset[str]:
        """Names of options without effect beside the others: a reader of a result is not told their values."""
        return frozenset()

    def refused_contexts(self, field: str, value: object) -> InputError:
        """The error of contexts that are asked for beside `own_conditions`."""
        flag = f"--{self.own_conditions_option.replace('_', '-')}"
        reason = f"does not go with {flag}, which replaces the {self.contexts.plural}; remove one of the two"
        return ConflictError(field, value, reason)

    def predicted(
        self, context: int | str, settings: Sequence[Setting], loads: int, seed: int, pace: float = 1.0
    ) -> Mapping[str, np.ndarray] | None:
        """Predictions for windows at settings, from formulas: measure -> values, shape (loads, settings).

        Args:
            loads: largest number of loads of a run. seed: of the load. pace: factor on what is offered.

        Returns:
            None: the scenario has no formulas.
        """
        return None

    @property
    def forecaster(self) -> Callable[[], Any] | None:
        """Makes a `pmtwin.sim.forecast.Forecaster` of the options' own system; None without formulas."""
        return None

    def sampled_systems(self, count: int) -> Scenario:
        """The scenario over `count` plausible systems, if any are known; otherwise itself."""
        return self

    def real(self, context: int | str) -> Scenario | None:
        """The real system, or its emulation, under the conditions of a context; None where there is none.

        A load that changes has its mean there.
        """
        return None

    @property
    def trained_contexts(self) -> tuple[int | str, ...]:
        """Contexts of a training: named contexts not kept aside, or the conditions of the options (`OWN`)."""
        if self.own_conditions is not None:
            return (OWN,)
        return self.contexts.trained or tuple(self.contexts.families)

    def drawn_conditions(self, rng: np.random.Generator) -> Any | None:
        """Conditions for a part of a training episode, drawn from stated ranges; None: the named contexts are all."""
        return None

    def drawn_context(
        self, names: Sequence[int | str], drawn_share: float, rng: np.random.Generator
    ) -> tuple[int | str, Any]:
        """(one of these contexts, conditions from `drawn_conditions` in its place or None).

        Args:
            drawn_share: probability of drawn conditions.
        """
        name = names[int(rng.integers(len(names)))]
        drawn = drawn_share > 0.0 and rng.random() < drawn_share
        return name, self.drawn_conditions(rng) if drawn else None

    def offered_load(self, context: int | str) -> float | None:
        """Load that is offered in a context, in the unit of the leading compared measure; None: without a bound."""
        return None

    def load_varies(self, context: int | str) -> bool:
        """Whether the load of a context, its rates or mix, differs from run to run by more than single requests."""
        return False

    @property
    def devices(self) -> int:
        """Plausible systems of which each run or episode meets one (domain randomisation); 0: there is one system."""
        return 0

    @property
    def sampled_by(self) -> str:
        """Option with their number, for errors."""
        return "device_samples"

    @property
    def sampled(self) -> str:
        """Noun, in the plural, of what differs from sample to sample."""
        return "devices"

    @property
    def known_device(self) -> str:
        """Why all samples have the same device: a clause; empty where devices differ, where there are no samples and
        devices can be drawn, or where results rest on no device."""
        return ""

    @property
    def engine(self) -> str:
        """Name of what runs the system."""
        return ""

    @property
    def sequential(self) -> bool:
        """Whether two systems at once would disturb each other: one process then runs them all."""
        return False

    def rests_on_profile(self) -> bool:
        """Whether results rest on a device profile, outside of which they are extrapolated."""
        return True

    def unmeasured(self, contexts: Sequence[int | str]) -> str:
        """A clause: what is asked of the device in these contexts that its profile was not fitted on; or empty."""
        return ""

    def extrapolated_where(
        self, contexts: Sequence[int | str], settings: Sequence[Setting] | None = None
    ) -> str | None:
        """A clause: the states of the system in which results in these contexts are extrapolated; empty: none.

        Args:
            settings: at which windows ran; None: any.

        Returns:
            None: the scenario cannot say.
        """
        return None

    def setup(self, contexts: Sequence[int | str]) -> dict[str, str]:
        """What results in these contexts rest on and are judged by, for a reader: name -> a few words."""
        return {"goals": "; ".join(map(str, self.goals))} if self.goals else {}

    @property
    def setup_options(self) -> frozenset[str]:
        """Names of options whose values `setup` says under another name: a reader who sees it needs no row of them."""
        return frozenset(self.goal_options.values())

    def record(self) -> dict:
        """The options as plain values, for the record of a run."""
        return plain(self.options)

    def origin(self) -> dict:
        """Further inputs of a trained policy, as plain values: files below the system, by their content."""
        return {}

    def trained_otherwise(self, origin: Mapping[str, Any]) -> list[str]:
        """What differs from the conditions of a training: "OTHER, not for THIS" each; what is not recorded is left out.

        Args:
            origin: of the trained file; its `environment` is the `record` of that time.
        """
        return []

    def parameters(self) -> dict[str, list]:
        """`parameters` of the model, each with its origin, and `warnings` about them, for the record of a run."""
        return {}

    def derived(self) -> dict[str, str]:
        """Values that are not as by default because of another option: name -> the value and why, for a reader."""
        return {}

    def context_name(self, context: int | str) -> str:
        """Noun for a context."""
        return f"{self.contexts.noun} {context}"

    def context_record(self, context: int | str) -> dict:
        """Record of a run in one context, under the context's name there."""
        return {self.contexts.noun: context}

    @classmethod
    def named_modules(cls, measured: bool = False) -> tuple[str, ...]:
        """Modules that the declaration names; they do not affect the scenario's results.

        Args:
            measured: whether to include the module of the real system.
        """
        named = (cls.figures, cls.listings, cls.explained, cls.inference, *([cls.measured] if measured else []))
        named += tuple(cls.commands.values())
        return tuple(name.partition(":")[0] for name in named if isinstance(name, str) and name)

    @classmethod
    def measure(cls, name: str) -> Measure:
        """The measure of that name."""
        return next(measure for measure in cls.measures if measure.name == name)

    @property
    def compared(self) -> tuple[Measure, ...]:
        """The measures that evaluations report."""
        return tuple(measure for measure in self.measures if measure.compared)

    def __reduce_ex__(self, protocol):
        # Of a file outside the import path: the other process loads it before it reads the options, which it defines.
        from pmtwin.scenarios.registry import blank

        spec = vars(type(self)).get("spec")  # its own: a class derived from this one is another scenario
        return (blank, (spec,), self.__dict__) if spec else super().__reduce_ex__(protocol)
