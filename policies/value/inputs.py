"""Inputs of a value model: observations and measures of the last windows, and a possible next setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pmtwin.policies.base import PolicyContext
from pmtwin.sim.control import LOG, Settings, shown_measures
from pmtwin.sim.control.window_history import window_numbers
from pmtwin.sim.errors import InputError

MOST_SETTINGS = 100_000


@dataclass(frozen=True)
class Inputs:
    """The numbers of one window, in order: the columns of the observation, then measures.

    Args:
        columns: number of columns of an observation.
        measures: names of the measures, which are read from `info`.
        logs: for each number of a window, then of a setting, whether it enters as a logarithm.
    """

    columns: int
    measures: tuple[str, ...]
    logs: tuple[bool, ...]

    @classmethod
    def of(cls, context: PolicyContext) -> Inputs:
        """The inputs for a scenario: every column, and every measure that it declares.

        Raises:
            InputError: for a scenario without settings or goals.
        """
        check_served(context, "afterstate")
        names = tuple(measure.name for measure in shown_measures(context.measures, context.goals))
        # measures are positive rates and times, which span orders of magnitude
        logs = (*context.log_columns, *(True for _ in names), *setting_logs(context))
        return cls(context.observation_size, names, logs)

    @property
    def window_size(self) -> int:
        """Number of numbers of a window."""
        return self.columns + len(self.measures)

    def window(self, observation: np.ndarray, info: Mapping[str, float]) -> np.ndarray:
        """The numbers of the last window: float64, shape (window_size,)."""
        return window_numbers(observation, info, self.measures)


def check_served(context: PolicyContext, policy: str) -> None:
    """Raise `InputError`, which names the policy, for a scenario without settings or without goals."""
    if not context.settings:
        wrong = f"jumps to settings, of which {context.scenario} has none"
        raise InputError("policy", policy, "in a scenario with settings", wrong=wrong)
    if not context.goals:
        wrong = f"keeps goals, of which {context.scenario} has none"
        raise InputError("policy", policy, "in a scenario with goals", wrong=wrong)


def setting_logs(context: PolicyContext) -> tuple[bool, ...]:
    """For each number of a setting, whether it enters as a logarithm, as the column that shows it does."""
    scales = {column.name: column.scale for column in context.columns}
    return tuple(scales.get(name) == LOG for name in context.controlled.names)


def every_setting(settings: Settings) -> np.ndarray:
    """All settings, int64, shape (n, numbers); the last number varies fastest.

    Raises:
        InputError: for more than `MOST_SETTINGS`.
    """
    if len(settings) > MOST_SETTINGS:
        raise InputError("settings", len(settings), f"at most {MOST_SETTINGS:,} to compare in every window")
    return np.array(list(settings.all()), dtype=np.int64)
