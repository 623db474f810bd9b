"""Declaration of a control problem: columns of observations, measures, goals.

A scenario declares what it observes, measures, promises and controls. Code that runs, trains, compares and draws works
on the declaration alone, and knows no scenario by name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

LINEAR, LOG = "linear", "log"
HIGHER, LOWER = "higher", "lower"


@dataclass(frozen=True)
class Column:
    """A number of an observation.

    Args:
        name: of the column.
        low, high: bounds; an observation is clipped to them.
        unit: of the number; empty for shares and counts.
        scale: `linear`, or `log` where ratios matter more than differences (features take the logarithm then).
        optional: whether a window may lack a value; the system then shows NaN (see `observed_columns`).
    """

    name: str
    low: float
    high: float
    unit: str = ""
    scale: str = LINEAR
    optional: bool = False


@dataclass(frozen=True)
class Measure:
    """A number that is measured in every window.

    Args:
        name: with its unit at the end, as a key of results.
        unit: as a reader writes it; empty for shares and counts.
        description: a noun phrase.
        better: `higher`, `lower`, or empty if neither is better.
        scale: scale of axes and errors: `linear`, or `log` where ratios matter.
        compared: whether evaluations report it for each policy; if not, only the result of a single setting shows it.
        tolerance_percent: largest median error, over cases, of a twin that agrees with the measurement; None: no
            validation judges the measure.
        worst_percent: largest error of the worst case; None: no limit.
        low, high: usual range, from which `Normalization` makes the scale that agents learn on; None: not known.
    """

    name: str
    unit: str
    description: str
    better: str = ""
    scale: str = LINEAR
    compared: bool = True
    tolerance_percent: float | None = None
    worst_percent: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def short(self) -> str:
        """The name without its unit: `response` of `response_ms`."""
        return re.sub(r"(_per)?_[a-z0-9]+$", "", self.name) if self.unit else self.name


@dataclass(frozen=True)
class Goal:
    """A promise about one measure: at most the limit where lower is better, at least the limit where higher is.

    Args:
        name: short, as in `met_NAME`.
        measure: the promised measure.
        limit: in the unit of the measure.
    """

    name: str
    measure: Measure
    limit: float

    def met(self, value: float | np.ndarray):
        """Whether a window with this value meets the goal, as bool; for an array of values, an array.

        A window without a value, NaN, breaks no promise.
        """
        is_met = value <= self.limit if self.measure.better == LOWER else value >= self.limit
        is_met = is_met | (value != value)  # NaN alone differs from itself
        return is_met if getattr(is_met, "shape", ()) else bool(is_met)

    def __str__(self):
        sense = "at most" if self.measure.better == LOWER else "at least"
        return f"{self.measure.name} {sense} {self.limit:,.10g}"


def observed_columns(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Columns that policies and agents see: the declared ones, then a column `NAME_present` for each optional one.

    `NAME_present` is 1 if the window has a value. If it has none, `NAME_present` is 0 and the column is at its lower
    bound, so that every number is finite and within its bounds.
    """
    present = (Column(f"{column.name}_present", 0, 1) for column in columns if column.optional)
    return (*columns, *present)


def shown_measures(measures: Sequence[Measure], goals: Sequence[Goal]) -> tuple[Measure, ...]:
    """All measures of a window, each once: the declared ones, and those that only a goal uses."""
    return tuple({measure.name: measure for measure in (*measures, *(goal.measure for goal in goals))}.values())
