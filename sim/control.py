"""The words in which a control problem is declared: columns, measures, goals, settings.

A scenario declares what it observes, measures, promises and controls in these terms. Whatever runs, trains, compares
and draws works on the declaration and knows no scenario by name.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from pmtwin.sim.errors import InputError

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
    """

    name: str
    low: float
    high: float
    unit: str = ""
    scale: str = LINEAR


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
        """Whether a window with this value meets the goal, as bool; for an array of values, an array."""
        is_met = value <= self.limit if self.measure.better == LOWER else value >= self.limit
        return is_met if getattr(is_met, "shape", ()) else bool(is_met)

    def __str__(self):
        sense = "at most" if self.measure.better == LOWER else "at least"
        return f"{self.measure.name} {sense} {self.limit:,.10g}"


def shown_measures(measures: Sequence[Measure], goals: Sequence[Goal]) -> tuple[Measure, ...]:
    """All measures of a window, including measures that only a goal uses, each once."""
    return tuple({measure.name: measure for measure in (*measures, *(goal.measure for goal in goals))}.values())


@dataclass(frozen=True)
class Settings:
    """The controlled whole numbers: a policy may jump to any setting, and each discrete action changes it.

    Args:
        noun: what one setting is called, in results and options ("pools").
        names: of its numbers.
        low, high: bounds of each number.
        unit: of the numbers ("threads").
        moves: action -> change of each number, clipped at the bounds; empty where actions are no moves.
    """

    noun: str
    names: tuple[str, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    unit: str = ""
    moves: tuple[tuple[int, ...], ...] = ()

    @property
    def keep(self) -> int | None:
        """The action that changes nothing; None if there is none."""
        zero = (0,) * len(self.names)
        return self.moves.index(zero) if zero in self.moves else None

    @property
    def form(self) -> str:
        """Notation of a setting: `INTERACTIVE,BATCH`."""
        return ",".join(name.split("_")[0].upper() for name in self.names)

    @property
    def allowed(self) -> str:
        """Allowed settings, as text for errors."""
        if not self:
            return "none: there are no settings"
        each = [f"{low} to {high}" for low, high in zip(self.low, self.high, strict=True)]
        bounds = f"each {each[0]}" if len(set(each)) == 1 and len(each) > 1 else ", ".join(each)
        unit = f" of {self.unit}" if self.unit else ""
        return f"{len(each)} whole number{'s' * (len(each) > 1)}{unit} ({', '.join(self.names)}), {bounds}"

    def check(self, field: str, setting: object) -> tuple[int, ...]:
        """The setting as ints.

        Raises:
            InputError: unless it is as many whole numbers as there are names, each within its bounds.
        """
        try:
            numbers = tuple(_whole_number(number) for number in setting)
        except (TypeError, ValueError) as error:
            raise InputError(field, setting, self.allowed) from error
        if len(numbers) != len(self.names) or not self.contains(numbers):
            raise InputError(field, setting, self.allowed)
        return numbers

    def parse(self, field: str, text: str) -> tuple[int, ...]:
        """`"10,12"` as a setting.

        Raises:
            InputError: as `check`, with the text as it was written.
        """
        try:
            return self.check(field, [float(part) for part in text.split(",")])
        except ValueError as error:
            raise InputError(field, text, f"{self.form}: {self.allowed}") from error

    def written(self, setting: Sequence[int]) -> str:
        """A setting as text that `parse` reads."""
        return ",".join(map(str, setting))

    def contains(self, setting: Sequence[int]) -> bool:
        """Whether each number lies within its bounds."""
        return all(low <= n <= high for n, low, high in zip(setting, self.low, self.high, strict=True))

    def clipped(self, setting: Sequence[int]) -> tuple[int, ...]:
        """The nearest setting within the bounds."""
        return tuple(min(max(n, low), high) for n, low, high in zip(setting, self.low, self.high, strict=True))

    def moved(self, setting: Sequence[int], action: int) -> tuple[int, ...]:
        """The setting after a discrete action."""
        return self.clipped([n + change for n, change in zip(setting, self.moves[action], strict=True)])

    def towards(self, setting: Sequence[int], target: Sequence[int]) -> int:
        """The discrete action after which a setting is nearest to a target."""
        return min(range(len(self.moves)), key=lambda action: self.distance(self.moved(setting, action), target))

    def way(self, setting: tuple[int, ...], target: Sequence[int]) -> list[tuple[int, ...]]:
        """Settings on the way to a target by one discrete action after another, both ends included.

        It ends before the target where no action leads nearer.
        """
        way = [setting]
        while True:
            after = self.moved(way[-1], self.towards(way[-1], target))
            if self.distance(after, target) >= self.distance(way[-1], target):
                return way
            way.append(after)

    @property
    def widths(self) -> list[int]:
        """Number of values of each number."""
        return [high - low + 1 for low, high in zip(self.low, self.high, strict=True)]

    @staticmethod
    def distance(before: Sequence[int], after: Sequence[int]) -> int:
        """Sum of the absolute differences between two settings."""
        return sum(abs(new - old) for old, new in zip(before, after, strict=True))

    def all(self) -> Iterator[tuple[int, ...]]:
        """All settings, the last number fastest."""
        return product(*(range(low, high + 1) for low, high in zip(self.low, self.high, strict=True)))

    def __len__(self):
        return math.prod(high - low + 1 for low, high in zip(self.low, self.high, strict=True))

    def __bool__(self):
        """Whether there are any: a scenario without settings has `NO_SETTINGS`, whose only setting is ()."""
        return bool(self.names)


NO_SETTINGS = Settings("setting", (), (), ())
"""The settings of a scenario that has none."""


def _whole_number(number: object) -> int:
    if isinstance(number, bool):
        raise TypeError("a truth value is no number")
    if isinstance(number, float):
        if not number.is_integer():
            raise ValueError("not whole")
        return int(number)
    return operator.index(number)
