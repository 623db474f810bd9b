"""What policies are ranked by: how often they keep the goals, or the reward where a scenario has no goals."""

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
    """A number of each window, whose mean ranks policies.

    Fields:
        name: key of results. subject: begins "... of a policy less that of another". meaning: of its mean.
        is_share: whether it lies between 0 and 1, and is read in percent.
        of_run: its value in each window of a run, shape (windows,).
        interval, difference: intervals of its mean, and of a difference of means.
        text, signed: a mean, and a difference, for a reader.
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
