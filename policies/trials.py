"""Base of tuners: settings are tried one after the other, each for some windows, and the best one is kept."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pmtwin.policies.base import Action, Policy, PolicyContext, Setting
from pmtwin.sim.options import Options, option

PATIENCE = 50
"""Windows after which a setting that is not reached is given up: an action checker is in the way."""


@dataclass(frozen=True)
class TrialOptions(Options):
    """How long, and how many."""

    windows: int = option(10, "windows of a trial that count", low=1, high=10**6)
    settle: int = option(1, "windows before them, after a change, that do not", low=0, high=10**6)
    trials: int = option(200, "trials, after which the best setting stays; 0: without end", low=0, high=10**9)
    finalists: int = option(5, "best settings that are tried again at the end", low=1, high=1000)
    again: int = option(4, "trials of each of them", low=0, high=1000)


class Tuner(Policy):
    """A policy that tries settings. A derived class says which setting is next, and hears what the last one earned."""

    Takes: ClassVar[type[Options]] = TrialOptions
    options: TrialOptions

    def start(self, context: PolicyContext) -> None:
        """Begin a run at the scenario's initial setting, which is the first trial.

        Raises:
            InputError: for a scenario without settings.
        """
        if not context.settings or context.initial is None:
            raise self.unserved(context, "settings to choose from")
        shown = set(context.settings.names) <= {column.name for column in context.columns}
        self._columns = context.setting_columns if shown else ()
        self._settings, self._random = context.settings, context.generator()
        self._means: dict[Setting, tuple[float, int]] = {}
        self._target = self._at = context.initial
        self._rewards: list[float] = []
        self._moving = self._tried = 0
        self._left: list[Setting] | None = None
        self.begin(context.initial)

    def act(self, observation: np.ndarray, info: Mapping | None = None) -> Action:
        """A jump to the setting of the trial; nothing while the system is there."""
        if len(self._rewards) >= self.options.settle + self.options.windows:
            self._finish()
        return () if self._at == self._target else self._target

    def observe(self, observation: np.ndarray, action: Action, reward: float, next_observation: np.ndarray, done: bool):
        """Note the reward of a window at the setting of the trial."""
        self._at = self._setting_in(next_observation)
        if self._at == self._target:
            self._rewards.append(float(reward))
            return
        self._moving += 1
        if self._moving > PATIENCE:
            self._target, self._moving = self._at, 0

    def preferred(self) -> Setting | None:
        """The setting with the highest mean reward so far."""
        return max(self._means, key=lambda setting: self._means[setting][0], default=None)

    def begin(self, first: Setting) -> None:
        """Prepare a run whose first trial is at `first`."""
        return

    @abstractmethod
    def following(self) -> Setting:
        """The setting of the next trial."""

    def hear(self, setting: Setting, mean: float) -> None:
        """Hear the mean reward of a trial."""
        return

    def _finish(self) -> None:
        """End a trial, and choose the next one."""
        rewards = self._rewards[self.options.settle :]
        mean, count = self._means.get(self._target, (0.0, 0))
        self._means[self._target] = ((mean * count + float(np.mean(rewards))) / (count + 1), count + 1)
        self._rewards, self._moving, self._tried = [], 0, self._tried + 1
        if self._left is None:
            self.hear(self._target, float(np.mean(rewards)))
        self._target = self._next()

    def _next(self) -> Setting:
        if not self.options.trials or self._tried < self.options.trials:
            return self.following()
        if self._left is None:
            best = sorted(self._means, key=lambda setting: self._means[setting][0], reverse=True)
            finalists = best[: self.options.finalists]
            self._left = finalists * self.options.again
            self._means = {setting: self._means[setting] for setting in finalists}
        if self._left:
            return self._left.pop(0)
        return self.preferred() or self._target

    def _setting_in(self, observation: np.ndarray) -> Setting:
        """The setting that the system is at; where observations do not show it, that of the trial."""
        if not self._columns:
            return self._target
        return tuple(round(float(observation[column])) for column in self._columns)

    def drawn(self) -> Setting:
        """A random setting without contradictions."""
        while True:
            setting = self._settings.at([int(self._random.integers(width)) for width in self._settings.widths])
            if not self.contradicts(setting):
                return setting

    def contradicts(self, setting: Setting) -> bool:
        """Whether the numbers of a setting contradict each other."""
        return bool(self._settings.contradiction and self._settings.contradiction(setting))
