"""The interface of policies that decide between windows: `start` once, then `act` and `observe` for each window.

It follows the loop of the thesis' figure 3.4. It knows spaces and goals, but no scenario: bandits, deep Q-networks and
placement agents fit the same methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast

import numpy as np

from pmtwin.policies.grammar import FIELD
from pmtwin.policies.specified import BETWEEN, Specified
from pmtwin.sim.control import LOG, Column, Goal, Measure, Settings
from pmtwin.sim.decisions.point import DecisionPoint
from pmtwin.sim.errors import InputError

if TYPE_CHECKING:
    import gymnasium

    from pmtwin.sim.control.forecast import Forecaster

Setting: TypeAlias = tuple[int, ...]
Action: TypeAlias = Any
"""An element of the scenario's action space, or the setting to jump to: whole numbers, preferably a tuple."""


@dataclass(frozen=True)
class PolicyContext:
    """What a policy knows before the first window.

    Args:
        scenario: name of the scenario.
        seed: root of the policy's random numbers; an integer becomes a `SeedSequence`.
        action_space: Gymnasium space of the actions.
        columns: columns of an observation, in order.
        settings: the controlled numbers, and how each discrete action changes them; None in scenarios without settings.
        goals: the operator's goals.
        measures: measures of each window besides the observation.
        context: the first context (a workload, a time of day), for oracles; None for other policies.
        best: context -> the best setting found by a search, for oracles; None where there was no search.
        initial: the setting of the first window, unless the policy chooses another; () without settings.
        constant: the best setting for all contexts together, for policy `best-constant`.
        plans: for the clairvoyant: context -> (whether the coming load is known, whether settings change by steps) ->
            plan. A plan has `best(state, present)`, the best setting at a load and queues, and `usual`, the setting
            that is best on average.
        forecaster: makes a `pmtwin.sim.control.forecast.Forecaster`; its argument `host_estimate` says whether that
            estimates the system besides the load. None in scenarios without formulas.
        points: decision points inside the simulation.
    """

    scenario: str
    seed: np.random.SeedSequence | int = 0
    action_space: gymnasium.Space | None = None
    columns: tuple[Column, ...] = ()
    settings: Settings | None = None
    goals: tuple[Goal, ...] = ()
    measures: tuple[Measure, ...] = ()
    context: int | str | None = None
    best: Mapping[int | str, Setting] | None = None
    initial: Setting | None = None
    constant: Setting | None = None
    plans: Mapping[int | str, Any] | None = None
    forecaster: Callable[..., Forecaster] | None = None
    points: tuple[DecisionPoint, ...] = ()

    def __post_init__(self):
        if not isinstance(self.seed, np.random.SeedSequence):
            object.__setattr__(self, "seed", np.random.SeedSequence(self.seed))

    @classmethod
    def of(cls, scenario: Any, **fields: Any) -> PolicyContext:
        """The context in a scenario.

        Args:
            scenario: a `pmtwin.scenarios.Scenario`, which declares its name, spaces, columns, settings and goals.
            fields: further fields, such as `seed`, `context`, `best`.
        """
        declared = {
            name: getattr(scenario, name) for name in ("action_space", "goals", "measures", "forecaster", "points")
        }
        declared |= {"columns": scenario.observed, "settings": scenario.settings or None}
        return cls(scenario.name, **declared, initial=scenario.initial_setting, **fields)

    @property
    def is_discrete(self) -> bool:
        """Whether actions are numbered from 0."""
        from gymnasium.spaces import Discrete  # takes half a second: commands that only list policies do without

        return isinstance(self.action_space, Discrete) and self.action_space.start == 0

    @property
    def action_count(self) -> int:
        """Number of actions.

        Raises:
            InputError: unless the action space is discrete.
        """
        if not self.is_discrete:
            allowed = f"one with a Discrete action space, as the policy requires; this one has {self.action_space}"
            raise InputError("scenario", self.scenario, allowed)
        return int(cast("gymnasium.spaces.Discrete", self.action_space).n)

    def check_choice(self) -> None:
        """Raise `InputError` unless there are two or more numbered actions."""
        if self.action_count < 2:
            allowed = "one with two or more actions between windows, among which the policy chooses; this one has"
            raise InputError("scenario", self.scenario, f"{allowed} {self.action_count}")

    @property
    def observation_size(self) -> int:
        """Length of an observation."""
        return len(self.columns)

    @property
    def log_columns(self) -> tuple[bool, ...]:
        """For each column of an observation, whether its logarithm enters the features."""
        return tuple(column.scale == LOG for column in self.columns)

    def goal(self, measure: str) -> Goal:
        """The goal of a measure.

        Raises:
            InputError: if the scenario has no such goal.
        """
        for goal in self.goals:
            if goal.measure.name == measure:
                return goal
        known = ", ".join(goal.measure.name for goal in self.goals) or "none"
        allowed = f"in a scenario with it; {self.scenario} has: {known}"
        raise InputError(FIELD, f"a policy for a goal of {measure}", allowed)

    def goals_met(self, info: Mapping | None) -> bool | None:
        """Whether a window with these measures keeps all goals; None without measures."""
        if not info or not all(goal.measure.name in info for goal in self.goals):
            return None
        return all(goal.met(info[goal.measure.name]) for goal in self.goals)

    @property
    def controlled(self) -> Settings:
        """The scenario's settings, for policies that need them.

        Raises:
            InputError: if the scenario has none.
        """
        if self.settings is None:
            raise InputError(
                FIELD, "a policy that chooses settings", f"in a scenario with some; {self.scenario} has none"
            )
        return self.settings

    @property
    def setting_columns(self) -> tuple[int, ...]:
        """Indices of the columns of an observation that show the setting, in the order of the setting's numbers.

        Raises:
            InputError: if observations do not show the setting.
        """
        names = [column.name for column in self.columns]
        numbers = self.settings.names if self.settings else ()
        if not numbers or not set(numbers) <= set(names):
            shown = ", ".join(names) or "nothing"
            allowed = f"in a scenario whose observations show it; {self.scenario} shows: {shown}"
            raise InputError(FIELD, "a policy that reads the setting in force", allowed)
        return tuple(names.index(name) for name in numbers)

    def stay(self, setting: Setting | None = None) -> Action:
        """The action that changes nothing: a discrete action if there is one, else the setting in force.

        Raises:
            InputError: if there is no such action and `setting`, the setting in force, is None.
        """
        keep = self.settings.keep if self.settings else None
        if keep is None and setting is None:
            allowed = f"in a scenario with an action that changes nothing; {self.scenario} has none"
            raise InputError(FIELD, "a policy that leaves the setting alone", allowed)
        return setting if keep is None else keep

    def generator(self) -> np.random.Generator:
        """A generator of the policy's random numbers; each call starts the same sequence."""
        # A copy without the spawn counter of the caller's sequence: starting twice gives the same numbers.
        seed = cast("np.random.SeedSequence", self.seed)  # `__post_init__` has converted integers
        return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key))


class Policy(Specified, ABC):
    """Chooses an action between two windows. Derive from it, write `act`, and name the class on the command line.

    A whole policy, in `my_policies.py`, run by `pmtwin evaluate SCENARIO --policies my_policies.py:Lucky`:

        from pmtwin.policies import Policy

        class Lucky(Policy):
            '''Draws an action in every window.'''

            def start(self, context):
                self.random, self.actions = context.generator(), context.action_count

            def act(self, observation, info=None):
                return int(self.random.integers(self.actions))

    Options are a frozen dataclass of `option` fields, named in `Takes`. Their values are checked, and read from
    `self.options`. `pmtwin list policies my_policies.py:Stubborn` lists them; a spec gives them as
    `my_policies.py:Stubborn:windows=5`:

        from dataclasses import dataclass
        from pmtwin.policies import Options, option

        @dataclass(frozen=True)
        class StubbornOptions(Options):
            windows: int = option(3, "windows between two actions", low=1, high=1000)

        class Stubborn(Lucky):
            '''Draws an action in every third window, or as the option says.'''

            Takes = StubbornOptions

            def start(self, context):
                super().start(context)
                self.window = 0

            def act(self, observation, info=None):
                self.window += 1
                return super().act(observation) if self.window % self.options.windows == 0 else 0

    To work in any scenario, `start` takes what it needs from the context (`action_space`, `columns`, `settings`,
    `goals`). If the scenario lacks something, `start` raises `InputError` (`unserved` makes one). The constructor keeps
    only the options; `start` creates all state of a run, so that one object can run many times.

    Args:
        options: an object of `Takes`; all defaults if omitted.
    """

    decides = BETWEEN

    mode: ClassVar[str | None] = None
    """The scenario's mode for this policy (`direct`: nothing to control); None: the ordinary mode."""

    needs_context: ClassVar[bool] = False
    """True for oracles: `on_context` reveals the context, which no fair policy knows."""

    needs_load: ClassVar[bool] = False
    """True for oracles: `on_load` reveals the coming window's load and queues before every `act`."""

    needs_trials: ClassVar[bool] = False
    """True for oracles that may try the coming window: `on_trials` brings a function for it before every `act`."""

    hears_workloads: ClassVar[bool] = False
    """True for policies that are told when a workload starts: `on_workload`. Which one it is, they are not told."""

    draws: ClassVar[bool] = True
    """Whether runs depend on the seed."""

    inline: Mapping[str, Any] = MappingProxyType({})
    """Decision point inside the simulation -> the `InlinePolicy` that decides there; set by `make_policy`."""

    form: ClassVar[str] = ""
    """Format name in the header of trained files, by which `trained:FILE` finds the policy; empty: no trained files."""

    def start(self, context: PolicyContext) -> Setting | None:
        """Begin a run; returns the first setting, or None for the scenario's initial setting.

        Raises:
            InputError: if the policy cannot serve this scenario.
        """
        return None

    @abstractmethod
    def act(self, observation: np.ndarray, info: Mapping | None = None) -> Action:
        """Choose the action for the next window.

        Args:
            observation: shape `(observation_size,)`, the scenario's columns after the last window.
            info: name -> measure of the last window, before the first window of the warm-up; None or empty where
                nothing has been measured.

        Returns:
            An element of the action space, or a tuple of whole numbers: the setting to jump to.
        """

    def note(self) -> str:
        """A remark on the last choice, one or two words, usually empty; reports count how often each occurs."""
        return ""

    def observe(
        self, observation: np.ndarray, action: Action, reward: float, next_observation: np.ndarray, done: bool
    ) -> None:
        """Receive the outcome of the last action; policies that learn during a run override this."""
        return

    def learns_in_a_run(self) -> bool:
        """Whether the policy learns during a run."""
        return type(self).observe is not Policy.observe

    def freeze(self) -> None:
        """Stop learning in the coming runs.

        Raises:
            InputError: for a policy that learns during a run and cannot be stopped.
        """
        if self.learns_in_a_run():
            allowed = f"on: {self.spec} learns by its method observe, which cannot be stopped"
            raise InputError("learning", "frozen", allowed)

    def on_context(self, context: int | str) -> None:
        """Receive a change of context; called only on policies with `needs_context`."""
        return

    def preferred(self) -> Setting | None:
        """The setting that the run so far has shown to be the best; None: the policy names none."""
        return None

    def resumed(self) -> int:
        """Windows of an earlier, stopped run that this run goes on from."""
        return 0

    def close(self) -> None:
        """Give back the files of a run; may be called again."""
        return

    def on_workload(self) -> None:
        """Hear that another workload has started; called only on policies with `hears_workloads`."""
        return

    def on_load(self, load: Any) -> None:
        """Receive the coming window's load and the queues (`pmtwin.scenarios.system.Load`); only with `needs_load`."""
        return

    def on_trials(self, trial: Callable[[Setting], tuple[float, Any]]) -> None:
        """Receive a function: setting -> (payoff of the coming window, load and queues after it).

        Called only on policies with `needs_trials`.
        """
        return

    def save(self, path: str) -> Path | None:
        """Write what this run has learned to a file, from which another run can start.

        Returns:
            The path; None if the policy learns nothing.

        Raises:
            InputError: if the file cannot be written.
        """
        return None

    def exported(self, context: PolicyContext) -> dict | None:
        """The policy for C++, as plain values: `kind` and the fields of docs/steering-policy.md; None: not exportable.

        A derived class may act differently, so that it must override this method too (`pmtwin.policies.steering`).
        """
        return None

    def unserved(self, context: PolicyContext, needs: str) -> InputError:
        """The error for a scenario that the policy cannot serve; `needs` completes the phrase "a scenario with"."""
        return InputError(FIELD, self.spec, f"in a scenario with {needs}, which {context.scenario} has not")
