"""Results of a window from an environment, of one system or of several at once: checked, with the goals beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pmtwin.sim.control import HIGHER
from pmtwin.sim.errors import InputError

if TYPE_CHECKING:
    from pmtwin.scenarios.scenario import Scenario


def checked_observation(scenario: Scenario, observation: np.ndarray) -> np.ndarray:
    """The observation of a system as policies and agents see it (`pmtwin.sim.control.declared.observed_columns`).

    Raises:
        InputError: unless it has the scenario's columns, each a number or, of an optional one, NaN.
    """
    shape = (len(scenario.columns),)
    if observation.shape != shape:
        names = ", ".join(column.name for column in scenario.columns)
        raise InputError(
            f"scenario {scenario.name}: shape of observation()", observation.shape, f"{list(shape)}: {names}"
        )
    optional = scenario.optional_columns
    if not optional and math.isfinite(observation.dot(observation)):  # the usual case
        return observation
    missing = np.isnan(observation)
    for place in np.flatnonzero(missing):
        column = scenario.columns[place]
        if not column.optional:
            allowed = "a number; a column that a window may lack is declared with optional=True"
            raise InputError(f"scenario {scenario.name}: observation()", f"nan in column {column.name}", allowed)
    low = np.array([column.low for column in scenario.columns], dtype=float)
    return np.concatenate([np.where(missing, low, observation), ~missing[optional]])


def checked_measures(scenario: Scenario, measures: Mapping[str, Any]) -> Mapping[str, Any]:
    """The measures of a window.

    Raises:
        InputError: unless all of the scenario's are among them.
    """
    missing = [measure.name for measure in scenario.measures if measure.name not in measures]
    if missing:
        raise InputError(f"scenario {scenario.name}: measures()", sorted(measures), f"also {', '.join(missing)}")
    return measures


def checked_reward(scenario: Scenario, value: float | np.ndarray) -> float | np.ndarray:
    """The reward of a window, or the rewards of several.

    Raises:
        InputError: unless it is a finite number.
    """
    if type(value) is float and math.isfinite(value):  # the usual case, a tenth of the time
        return value
    finite = np.isfinite(value)
    if not np.all(finite):
        wrong = np.asarray(value)[~finite].item(0)
        allowed = "a finite number, also of a window that has no value of a measure (NaN)"
        raise InputError(f"scenario {scenario.name}: reward()", wrong, allowed)
    return value


def offers_too_little(scenario: Scenario, offered: Mapping[str, float]) -> bool:
    """Whether `offered` (of `System.offered`) is less than a goal asks for, so that no setting keeps it."""
    return any(
        goal.measure.better == HIGHER and not goal.met(offered.get(goal.measure.name, math.inf))
        for goal in scenario.goals
    )


def window_info(
    scenario: Scenario, measures: Mapping[str, Any], setting: Any, extrapolated: Any, device: Any
) -> dict[str, Any]:
    """The `info` of a step: numbers of one system, or of each an array over systems; no setting without settings.

    The context is not among them: an agent has to find it out, as the real middleware does.
    """
    return {
        **measures,
        **{f"met_{goal.name}": goal.met(measures[goal.measure.name]) for goal in scenario.goals},
        **({scenario.settings.noun: setting} if scenario.settings else {}),
        "extrapolated": extrapolated,
        "device": device,
    }
