"""The words in which a control problem is declared: columns, measures, goals, settings.

A scenario declares what it observes, measures, promises and controls in these terms. Whatever runs, trains, compares
and draws works on the declaration and knows no scenario by name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

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
        optional: whether a window may have no value of it: the system then shows NaN (see `observed_columns`).
    """

    name: str
    low: float
    high: float
    unit: str = ""
    scale: str = LINEAR
    optional: bool = False


@dataclass(frozen=True)
class Measure:
    """A number that every window shows.

    Args:
        name: with its unit at the end, as a key of results.
        unit: as a reader writes it; empty for shares and counts.
        description: a noun phrase.
        better: `higher`, `lower`, or empty where neither is.
        scale: `linear`, or `log` where ratios matter: of axes and of errors.
        compared: whether evaluations report it for each policy; the others are shown for a single setting only.
        tolerance_percent: median error, over cases, at which a twin still agrees with the measurement; None: no
            validation judges it.
        worst_percent: the same for the worst case; None: no limit.
        low, high: usual range, for a scale that agents learn on; None: none is known.
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
        measure: the measure that it is about.
        limit: in the unit of the measure.
    """

    name: str
    measure: Measure
    limit: float

    def met(self, value):
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
    """What policies and agents see of declared columns: these, and behind them one for each that is optional.

    The added one, `NAME_present`, is 1 where the window has a value and 0 where it has none; the column itself then has
    its lower bound. So every number that an agent sees is finite and within bounds.
    """
    present = (Column(f"{column.name}_present", 0, 1) for column in columns if column.optional)
    return (*columns, *present)


def shown_measures(measures: Sequence[Measure], goals: Sequence[Goal]) -> tuple[Measure, ...]:
    """All measures of a window, including measures that only a goal uses, each once."""
    return tuple({measure.name: measure for measure in (*measures, *(goal.measure for goal in goals))}.values())
