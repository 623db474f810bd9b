"""A deep Q-network at work in a scenario: watches windows, acts at each tick, learns, and keeps all in a database."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np

from pmtwin.policies.base import Action, PolicyContext, Setting
from pmtwin.policies.network.files import FORMAT, save_network
from pmtwin.policies.online.database import FIELD, ReplayDatabase, StoredTick
from pmtwin.policies.online.inputs import TickInputs
from pmtwin.policies.online.learner import OnlineLearner
from pmtwin.policies.online.presets import PROPOSED, Hyperparameters
from pmtwin.policies.online.ticks import NO_ACTION
from pmtwin.sim.errors import InputError

NOTHING = ()
"""The action that changes nothing."""

AGENT = 0
"""Number of the only monitoring agent, whose indicators are a scenario's columns and measures."""


class OnlineAgent:
    """One run of learning.

    Args:
        context: a scenario with numbered actions, and columns with bounds.
        hyperparameters: of learning.
        path: replay database; None: only memory. A database with ticks of this run is continued: what it holds is
            learned again, then its last action is made.

    Attributes:
        resumed: ticks that were found in the database.

    Raises:
        InputError: if the database cannot be used.
    """

    def __init__(self, context: PolicyContext, hyperparameters: Hyperparameters, path: str | None):
        self._context, self._hyperparameters = context, hyperparameters
        self.inputs = TickInputs(context, hyperparameters.hold, hyperparameters.seen)
        seed = np.random.SeedSequence(context.seed.entropy, spawn_key=context.seed.spawn_key)  # type: ignore[union-attr]
        self.learner = OnlineLearner(hyperparameters, self.inputs.columns, context.action_count, seed)
        self._windows: list[np.ndarray] = []
        self._levels: list[float] = []
        self._proposed: int | None = None  # at the last tick, until its outcome is known
        self._level: float | None = None
        self._applied: int | None = None
        self._ts = self.resumed = 0
        self._pending: int | None = None
        self._again = False
        self.database = None if path is None else ReplayDatabase(path, self._layout())
        self.setting = None if self.database is None else self._resume(self.database)

    def act(self, observation: np.ndarray, info: Mapping | None) -> Action:
        """The action at a tick; between ticks, and before the first measurement, the one that changes nothing."""
        if not self.inputs.measured(info):
            return NOTHING
        if self._again:  # the window that was in progress when the run was stopped
            self._again, self._proposed = False, self._pending
            return NOTHING if self._pending is None else self._pending
        numbers = self.inputs.numbers(observation, info)
        proposed = self._note_window(numbers, self._level)
        if self.database is not None:
            self.database.add(StoredTick(self._ts, {AGENT: numbers}, proposed, None, self._level), self._applied)
        self._ts += 1
        self._proposed = proposed
        return NOTHING if proposed is None else proposed

    def observe(self, action: Action, reward: float) -> None:
        """Learn from the outcome of the last action.

        Args:
            action: the action that was applied. reward: of the window after it.
        """
        self._level, self._applied = float(reward), None
        if self._proposed is not None:
            self._applied = None if isinstance(action, tuple) else int(action)
            self._learn(self._proposed, self._applied)
        self._proposed = None

    def learn_anew(self, database: ReplayDatabase) -> None:
        """Learn from all ticks of a database, in their order, whoever chose their actions; before the first window.

        Raises:
            InputError: if the database has other columns, or actions of another number of windows.
        """
        path, names = str(database.path), database.layout.get("indicators")
        if names != list(self.inputs.names):
            raise InputError(FIELD, path, f"one of {self._context.scenario}", wrong="has other indicators")
        before, proposed = None, None
        for tick in self._checked(database):
            if before is not None and proposed is not None:
                self._learn(proposed, before.applied)
            is_due = self._note_window(tick.cells[AGENT], tick.level) is not None
            if is_due != (tick.action is not None):
                allowed = f"actions of {self._hyperparameters.hold} windows (hold)"
                raise InputError(FIELD, path, allowed, wrong="has actions of another number of windows")
            before, proposed = tick, tick.action

    def workload_started(self) -> None:
        """Explore more again."""
        self.learner.workload_started()

    def save(self, path: str | Path) -> Path:
        """Write the network to a file for the policies `mlp`, `dqn` and `trained`."""
        origin = {
            "scenario": self._context.scenario,
            "interface": self.inputs.interface.to_dict(),
            "learning": asdict(self._hyperparameters) | {"norm": str(self._hyperparameters.norm)},
            "ticks": self.learner.taken,
        }
        return save_network(path, self.inputs.perceptron(self.learner.layers), origin, FORMAT)

    def _note_window(self, numbers: np.ndarray, level: float | None) -> int | None:
        """Add a window; the proposed action if a tick ends with it."""
        self._windows.append(numbers)
        if level is not None:
            self._levels.append(level)
        if len(self._windows) < self._hyperparameters.hold and self.learner.replay.added:
            return None
        cells, missing = self.inputs.tick(self._windows)
        mean = float(np.mean(self._levels)) if self._levels else np.nan
        self._windows, self._levels = [], []
        return self.learner.choose(cells, missing, mean)

    def _learn(self, proposed: int, applied: int | None) -> None:
        if self._hyperparameters.learned == PROPOSED:
            self.learner.learn(proposed)
        else:
            self.learner.learn(NO_ACTION if applied is None else applied)

    def _setting_in(self, numbers: np.ndarray) -> Setting:
        return tuple(round(float(numbers[column])) for column in self._context.setting_columns)

    def _checked(self, database: ReplayDatabase) -> Iterator[StoredTick]:
        """All ticks, which must follow one another."""
        for ts, tick in enumerate(database.ticks()):
            if tick.ts != ts or AGENT not in tick.cells:
                raise InputError(FIELD, str(database.path), f"a tick {ts}", wrong=f"goes on with tick {tick.ts}")
            yield tick

    def _resume(self, database: ReplayDatabase) -> Setting | None:
        """Learn again what the database holds; the setting of the last window, if it shows one."""
        before, path = None, str(database.path)
        for tick in self._checked(database):
            if before is not None and self._pending is not None:
                self._learn(self._pending, before.applied)
            self._pending = self._note_window(tick.cells[AGENT], tick.level)
            if self._pending != tick.action:
                wrong = f"has action {tick.action} at tick {tick.ts}, where this run chooses {self._pending}"
                raise InputError(FIELD, path, "the database of the same run and version", wrong=wrong)
            before, self._ts = tick, self._ts + 1
        self.resumed, self._again = self._ts, before is not None
        return self._setting_in(before.cells[AGENT]) if before and _shows_setting(self._context) else None

    def _layout(self) -> dict:
        """What a database of this run holds."""
        settings, seed = self._context.settings, self._context.seed
        text = json.dumps([asdict(self._hyperparameters), str(seed)], sort_keys=True, default=str)
        return {
            "scenario": self._context.scenario,
            "columns": [[column.name, column.low, column.high, column.scale] for column in self._context.columns],
            "indicators": list(self.inputs.names),
            "actions": self._context.action_count,
            "settings": {} if settings is None else dict(zip(settings.names, map(list, settings.levels), strict=True)),
            "learning": hashlib.sha256(text.encode()).hexdigest()[:16],
        }


def _shows_setting(context: PolicyContext) -> bool:
    names = {column.name for column in context.columns}
    return bool(context.settings) and set(context.settings.names) <= names  # type: ignore[union-attr]
