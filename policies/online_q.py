"""Online Q-learning: Algorithm 2 on a live system, within an operator's limits.

- *Bounds*: no action leaves the bounds. The way back into them, or to the fall-back setting, is made in limited steps.
- *Exploration*: rare, and by one action, since the system is in use.
- *Fall-back*: after a number of consecutive windows below the service level, the policy goes step by step to a fixed
  setting and does not learn, until a number of consecutive windows keep the level. `note` reports it for each window.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from pmtwin.policies.base import Action, Policy, PolicyContext, Setting
from pmtwin.policies.grammar import FIELD
from pmtwin.policies.linear_q import QLearningParameters
from pmtwin.policies.online_limits import OnlineLimits, check_within, clipped, towards
from pmtwin.policies.registry import register
from pmtwin.policies.settings_text import parse_setting
from pmtwin.policies.trained_for import check_trained_for
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option

FALL_BACK, CLIPPED, EXPLORED = "fall-back", "clipped", "explored"
"""Notes: at the fall-back setting or on the way there; the best action would have left the bounds; a random action."""


@dataclass(frozen=True)
class OnlineQOptions(Options):
    """The trained weights, and what an operator allows a policy that learns on a running system."""

    file: str = option(help="trained policy, written by pmtwin train", metavar="FILE[@N,N]")
    fall_back: tuple[int, ...] | None = option(
        None,
        "fall-back and initial setting, also FILE@N,N (default: the scenario's initial setting)",
        metavar="N,N",
        parse=parse_setting,
    )
    limits: OnlineLimits = field(default_factory=OnlineLimits)
    epsilon: float = option(0.02, "share of random actions", low=0.0, high=1.0)

    def __post_init__(self):
        super().__post_init__()
        if self.limits.bounds is not None and self.fall_back is not None:
            check_within(self.fall_back, self.limits.bounds)


@register("online-q")
class OnlineQ(Policy):
    """A trained policy that continues to learn on the running system, within bounds, with a setting to fall back to.

    Raises:
        InputError: if the file is no trained policy, or the limits contradict each other.
    """

    Takes = OnlineQOptions
    options: OnlineQOptions

    def __init__(self, options: OnlineQOptions):
        from pmtwin.policies.linear_q.files import load_model  # numba is loaded for this policy only

        super().__init__(_short_form_resolved(options))
        self.model, self.origin = load_model(self.options.file)
        self._trained = self.model.state()

    @property
    def files(self):
        """The trained file."""
        return (self.options.file,)

    @classmethod
    def check_scenario(cls, context: PolicyContext):
        """Refuse scenarios without settings, or whose actions are not the moves of their settings.

        Raises:
            InputError: for such a scenario.
        """
        if context.settings is None or len(context.settings.moves) != context.action_count:
            allowed = "in a scenario with settings, and one action for each move of them, which"
            raise InputError(FIELD, cls.called(), f"{allowed} {context.scenario} has not")

    def start(self, context: PolicyContext):
        """Begin a run with the fall-back setting and the trained weights, without the learning of earlier runs.

        Raises:
            InputError: if the file was trained for another scenario, other actions or other observations, or a limit
                lies outside the scenario's bounds.
        """
        from pmtwin.policies.linear_q import QLearner

        check_trained_for(context, self.origin, self.model.columns, self.model.actions, self.options.file)
        self.check_scenario(context)
        self._settings = context.controlled
        self._context, self._columns = context, context.setting_columns
        self._bounds, self._fall_back = self._limits(context)
        self.model.restore(self._trained)
        self._learner = QLearner(self.model, QLearningParameters())
        self._random = context.generator()
        self._broken = self._met = self._steps = 0
        self._fallen, self._begun, self._note = False, False, ""
        return self._fall_back

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """An action within the bounds, greedy or rarely random; during the fall-back the fixed setting, in steps."""
        self._watch(info)
        self._note = FALL_BACK if self._fallen else ""
        setting = tuple(round(float(observation[column])) for column in self._columns)
        target = self._fall_back if self._fallen else clipped(setting, self._bounds)
        if self._fallen or setting != target:
            if setting == target:
                return self._context.stay(setting)
            ends = self._settings.places(setting), self._settings.places(target)
            return self._settings.at(towards(*ends, self.options.limits.step))
        allowed = [action for action, move in enumerate(self._settings.moves) if self._within(setting, move)]
        if not allowed:
            return self._context.stay(setting)
        if self._random.random() < self.options.epsilon:
            self._note = EXPLORED
            return int(self._random.choice(allowed))
        values = self.model.values(observation)
        best = max(allowed, key=values.__getitem__)
        self._note = CLIPPED if values.max() > values[best] else ""
        return best

    def note(self):
        """`FALL_BACK`, `CLIPPED`, `EXPLORED`, or empty."""
        return self._note

    def observe(self, observation: np.ndarray, action: Action, reward: float, next_observation: np.ndarray, done: bool):
        """Learn from the policy's actions; jumps and windows of the fall-back are none."""
        if isinstance(action, tuple) or self._fallen:
            self._begun = False
            return
        if not self._begun:
            self._learner.begin(observation)
            self._begun = True
        self._steps += 1
        self._learner.learn(action, float(reward), next_observation, done)
        self.model.check_finite("while it ran")

    def save(self, path: str):
        """Write a file as `pmtwin train` does, from which `q-learning` and `online-q` can start."""
        from pmtwin.policies.linear_q.files import save_model

        return save_model(path, self.model, {**self.origin, "learnt_online_steps": self._steps})

    def _limits(self, context: PolicyContext) -> tuple[tuple[Setting, Setting], Setting]:
        """(bounds, fall-back setting) in this scenario."""
        settings, options = context.controlled, self.options
        bounds = options.limits.bounds or (settings.low, settings.high)
        for setting in bounds:
            settings.check(f"{self.spec}: bounds", setting)
        fall_back = options.fall_back or context.initial
        if fall_back is None:
            raise InputError(FIELD, self.spec, "online-q:FILE,fall-back=N,N")
        fall_back = settings.check(f"{self.spec}: fall-back", fall_back)
        check_within(fall_back, bounds)
        return bounds, fall_back

    def _within(self, setting: Setting, move: Setting) -> bool:
        after, (lower, upper) = self._context.controlled.shifted(setting, move), self._bounds
        return after is not None and all(low <= n <= high for n, low, high in zip(after, lower, upper, strict=True))

    def _watch(self, info: Mapping | None):
        """Count the windows below and at the service level, and begin or end the fall-back."""
        met = self._context.goals_met(info)
        if met is None:
            return
        self._broken, self._met = (0, self._met + 1) if met else (self._broken + 1, 0)
        if self._fallen:
            self._fallen = self._met < self.options.limits.resume_after
        else:
            self._fallen = self._broken >= self.options.limits.fall_back_after


def _short_form_resolved(options: OnlineQOptions) -> OnlineQOptions:
    """The options with `FILE@N,N` split into file and fall-back setting.

    Raises:
        InputError: for limits after the @, as earlier versions took them; the error shows the present form.
    """
    file, at, setting = options.file.rpartition("@")
    if at and re.search(r"(^|\+)[a-z-]+=", setting):
        limits = setting.replace("+", ",")
        form = f"{file},{limits}" if re.match("[a-z]", limits) else f"{file}@{limits}"
        raise InputError(FIELD, f"online-q:{options.file}", f"online-q:{form} (limits after commas)")
    if not at or not re.fullmatch(r"[\d.,+-]+", setting):
        return options
    if options.fall_back is not None:
        raise InputError(FIELD, f"online-q:{options.file}", "either FILE@N,N or fall-back=N,N")
    field = f"{FIELD} online-q: fall-back"
    try:
        return replace(options, file=file, fall_back=parse_setting(field, setting))
    except InputError as error:
        raise InputError(field, setting, error.allowed) from error
