"""The score that ranks policies: attainment (share of windows that keep all goals) or, without goals, the reward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pmtwin.sim.common.number_forms import percent, rounded
from pmtwin.sim.numerics.statistics import Interval, difference_interval, mean_interval, share_interval

if TYPE_CHECKING:
    from pmtwin.scenarios.comparison.rollout import Steps
    from pmtwin.scenarios.scenario import Scenario

IntervalOf = Callable[[Sequence[float]], Interval]


class Score(NamedTuple):
    """A score of each window, whose mean ranks policies.

    Fields:
        name: key in results.
        subject: words before "of a policy less that of another".
        meaning: what the mean is, in words.
        is_share: whether the score lies between 0 and 1 and is shown in percent.
        of_run: run -> score of each window, shape (windows,).
        interval, difference: functions for the interval of the mean, and of a difference of means.
        text, signed: functions that format a mean, and a difference.
    """

    name: str
    subject: str
    meaning: str
    is_share: bool
    of_run: Callable[[Steps], np.ndarray]
    interval: IntervalOf
    difference: IntervalOf
    text: Callable[[float], str]
    signed: Callable[[float], str]


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{rounded(value)}"


ATTAINMENT = Score(
    "attainment",
    "Share of windows that keep the goals,",
    "share of windows that keep all goals",
    True,
    lambda run: run.met,
    share_interval,
    difference_interval,
    percent,
    partial(percent, signed=True),
)
REWARD = Score(
    "reward",
    "Mean reward",
    "mean over windows",
    False,
    lambda run: run.reward,
    mean_interval,
    mean_interval,
    rounded,
    _signed,
)


def score_of(scenario: Scenario) -> Score:
    """The score of a scenario's policies."""
    return ATTAINMENT if scenario.goals else REWARD
