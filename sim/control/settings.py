"""Settings: the controlled whole numbers of a scenario, the values that each may have, and the actions on them."""

from __future__ import annotations

import math
import operator
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product
from typing import Any

from pmtwin.sim.errors import InputError

MOST_LISTED = 12
"""Values of a number that an error lists; of a longer list it shows the first ones and the last."""


@dataclass(frozen=True)
class Settings:
    """The controlled whole numbers, and the discrete actions (moves) that change them.

    Args:
        noun: noun for a setting, in results and options ("pools").
        names: names of the numbers of a setting.
        low, high: bounds of each number.
        unit: unit of the numbers ("threads").
        moves: action -> change of each number, clipped at the bounds; a change of 1 leads to the next value. Empty: the
            scenario has no moves.
        values: for each number its values in rising order, or None for every whole number from `low` to `high`; empty:
            None for all numbers. See `of`.
        contradiction: setting -> what is allowed, where its numbers contradict each other; else "". Only what a user
            states is refused for it, and searches leave it out: agents may play all settings.
        repeats: setting -> whether it is another way to state a setting that `all` has: searches leave it out.
    """

    noun: str
    names: tuple[str, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    unit: str = ""
    moves: tuple[tuple[int, ...], ...] = ()
    values: tuple[tuple[int, ...] | None, ...] = ()
    contradiction: Callable[[tuple[int, ...]], str] | None = None
    repeats: Callable[[tuple[int, ...]], bool] | None = None

    @classmethod
    def of(
        cls, noun: str, values: Mapping[str, Sequence[int]], unit: str = "", moves: tuple[tuple[int, ...], ...] = ()
    ) -> Settings:
        """Settings whose numbers have stated values.

        Args:
            values: name of a number -> its values: a range with a step (`range(0, 101, 10)`), a logarithmic range
                (`logarithmic(1, 256, 9)`), or a list.

        Raises:
            InputError: values that are no whole numbers in rising order.
        """
        for name, numbers in values.items():
            _check_values(f"{noun}: values of {name}", numbers)
        low, high = (tuple(numbers[place] for numbers in values.values()) for place in (0, -1))
        listed = tuple(
            None if isinstance(numbers, range) and numbers.step == 1 else tuple(numbers) for numbers in values.values()
        )
        return cls(noun, tuple(values), low, high, unit, moves, listed if any(listed) else ())

    @cached_property
    def levels(self) -> tuple[Sequence[int], ...]:
        """The values that each number may have."""
        listed = self.values or (None,) * len(self.names)
        bounds = zip(self.low, self.high, listed, strict=True)
        return tuple(range(low, high + 1) if values is None else values for low, high, values in bounds)

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
        """The allowed settings in words, for errors."""
        if not self:
            return "none: there are no settings"
        described = [_described(values) for values in self.levels]
        bounds = f"each {described[0]}" if len(set(described)) == 1 and len(described) > 1 else ", ".join(described)
        unit = f" of {self.unit}" if self.unit else ""
        count = len(described)
        return f"{count} whole number{'s' * (count > 1)}{unit} ({', '.join(self.names)}), {bounds}"

    def check(self, field: str, setting: Any) -> tuple[int, ...]:
        """The setting as ints.

        Raises:
            InputError: unless there is one whole number for each name, among its values.
        """
        setting = getattr(
            setting, "tolist", lambda: setting
        )()  # of an array, which errors would write over several lines
        try:
            numbers = tuple(_whole_number(number) for number in setting)
        except (TypeError, ValueError) as error:
            raise InputError(field, setting, self.allowed) from error
        if len(numbers) != len(self.names) or not self.contains(numbers):
            raise InputError(field, setting, self.allowed)
        return numbers

    def stated(self, field: str, setting: Any, shown: str | None = None) -> tuple[int, ...]:
        """As `check`, for a setting that a user states; `shown`: as the user wrote it.

        Raises:
            InputError: also if its numbers contradict each other.
        """
        numbers = self.check(field, setting)
        if self.contradiction and (allowed := self.contradiction(numbers)):
            raise InputError(field, shown or self.written(numbers), allowed)
        return numbers

    def parse(self, field: str, text: str) -> tuple[int, ...]:
        """`"10,12"` as a setting that a user states.

        Raises:
            InputError: as `stated`.
        """
        try:
            numbers = self.check(field, [float(part) for part in text.split(",")])
        except ValueError as error:
            raise InputError(field, text, f"{self.form}: {self.allowed}") from error
        return self.stated(field, numbers, text)

    def written(self, setting: Sequence[int]) -> str:
        """A setting as text that `parse` reads."""
        return ",".join(map(str, setting))

    def contains(self, setting: Sequence[int]) -> bool:
        """Whether each number is one of its values."""
        return all(n in values for n, values in zip(setting, self.levels, strict=True))

    def places(self, setting: Sequence[int]) -> tuple[int, ...]:
        """Index, from 0, of each number among its values; of the nearest value for a number that is not among them."""
        return tuple(_nearest(values, n) for n, values in zip(setting, self.levels, strict=True))

    def at(self, places: Sequence[int]) -> tuple[int, ...]:
        """The setting whose numbers have these indices among their values."""
        return tuple(values[place] for place, values in zip(places, self.levels, strict=True))

    def clipped(self, setting: Sequence[int]) -> tuple[int, ...]:
        """The nearest setting within the bounds."""
        if self.values:
            return self.at(self.places(setting))
        return tuple(min(max(n, low), high) for n, low, high in zip(setting, self.low, self.high, strict=True))

    def shifted(self, setting: Sequence[int], change: Sequence[int]) -> tuple[int, ...] | None:
        """The setting with each number moved by `change` values; None if that is outside the bounds."""
        places = [place + step for place, step in zip(self.places(setting), change, strict=True)]
        inside = all(0 <= place < len(values) for place, values in zip(places, self.levels, strict=True))
        return self.at(places) if inside else None

    def moved(self, setting: Sequence[int], action: int) -> tuple[int, ...]:
        """The setting after a discrete action."""
        move = self.moves[action]
        if not self.values:
            return self.clipped([n + change for n, change in zip(setting, move, strict=True)])
        steps = zip(self.places(setting), move, self.levels, strict=True)
        return self.at([min(max(place + change, 0), len(values) - 1) for place, change, values in steps])

    def after(self, setting: tuple[int, ...], action: Any) -> tuple[int, ...]:
        """The setting after an action: the number of a move, or a setting to jump to (a tuple)."""
        return action if isinstance(action, tuple) else self.moved(setting, int(action))

    def towards(self, setting: Sequence[int], target: Sequence[int]) -> int:
        """The move after which a setting is nearest to a target."""
        return min(range(len(self.moves)), key=lambda action: self.distance(self.moved(setting, action), target))

    def way(self, setting: tuple[int, ...], target: Sequence[int]) -> list[tuple[int, ...]]:
        """Settings on the way to a target by successive moves, both ends included.

        The way ends before the target if no move leads nearer to it.
        """
        way = [setting]
        while True:
            following = self.moved(way[-1], self.towards(way[-1], target))
            if self.distance(following, target) >= self.distance(way[-1], target):
                return way
            way.append(following)

    @property
    def widths(self) -> list[int]:
        """Number of values of each number."""
        return [len(values) for values in self.levels]

    @property
    def starts(self) -> list[int]:
        """First value of each of an agent's numbers: the lower bound or, for a number with `values`, index 0."""
        listed = self.values or (None,) * len(self.names)
        return [low if values is None else 0 for low, values in zip(self.low, listed, strict=True)]

    def of_agent(self, numbers: Sequence[int], from_zero: bool = False) -> tuple[int, ...]:
        """The setting for an agent's numbers, without checks.

        Args:
            from_zero: whether all numbers count from 0, rather than from `starts`.
        """
        if len(numbers) != len(self.names):
            return tuple(numbers)
        listed = zip(numbers, self.low, self.values or (None,) * len(self.names), strict=True)
        return tuple(
            number + (low if from_zero else 0) if values is None else values[number] for number, low, values in listed
        )

    def distance(self, a: Sequence[int], b: Sequence[int]) -> int:
        """Distance of two settings in steps of single numbers to the next value."""
        if not self.values:
            return numbers_apart(a, b)
        return numbers_apart(self.places(a), self.places(b))

    def all(self) -> Iterator[tuple[int, ...]]:
        """All settings, the last number fastest, without those that contradict themselves or repeat another one."""
        left_out = [rule for rule in (self.contradiction, self.repeats) if rule]
        return (setting for setting in product(*self.levels) if not any(rule(setting) for rule in left_out))

    def within(self, low: Sequence[int], high: Sequence[int]) -> Settings:
        """The settings with no number outside bounds, which are values of the numbers."""
        listed = zip(self.values, low, high, strict=False)  # no values: none of the numbers is listed
        values = tuple(row and tuple(value for value in row if a <= value <= b) for row, a, b in listed)
        return replace(self, low=tuple(low), high=tuple(high), values=values)

    def __len__(self):
        """Number of settings, also of those that `all` leaves out."""
        return math.prod(self.widths)

    def __bool__(self):
        """Whether a setting has any numbers; `NO_SETTINGS`, of a scenario without settings, has the only setting ()."""
        return bool(self.names)


NO_SETTINGS = Settings("setting", (), (), ())
"""The settings of a scenario that has none."""


def numbers_apart(a: Sequence[int], b: Sequence[int]) -> int:
    """Sum of the absolute differences between the numbers of two settings."""
    return sum(abs(y - x) for x, y in zip(a, b, strict=True))


def logarithmic(low: int, high: int, count: int) -> tuple[int, ...]:
    """At most `count` whole numbers from `low` to `high`, in about equal ratios: `logarithmic(1, 256, 9)`.

    Raises:
        InputError: unless 1 <= low < high and count >= 2.
    """
    if not 1 <= low < high:
        raise InputError("logarithmic", [low, high], "whole numbers from 1 on, the lower one first")
    if count < 2:
        raise InputError("logarithmic: count", count, "at least 2")
    values = {round(low * (high / low) ** (step / (count - 1))) for step in range(count)}
    return tuple(sorted(values))


def _check_values(field: str, values: Sequence[int]) -> None:
    are_whole = all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    if not (are_whole and len(values) and all(a < b for a, b in pairwise(values))):
        allowed = "one whole number or more, the least first; for fractions choose a smaller unit (0.5 s: 500 ms)"
        raise InputError(field, list(values), allowed)


def _nearest(values: Sequence[int], number: float) -> int:
    """Index of the value nearest to a number; of two equally near ones, the lower."""
    place = bisect_left(values, number)
    if place == len(values) or (place and number - values[place - 1] <= values[place] - number):
        return place - 1
    return place


def _described(values: Sequence[int]) -> str:
    low, high = values[0], values[-1]
    steps = {b - a for a, b in pairwise(values)} if not isinstance(values, range) else {1}
    if steps == {1}:
        return f"{low} to {high}"
    if len(steps) == 1 and len(values) > 2:
        return f"{low} to {high} in steps of {steps.pop()}"
    shown = list(map(str, values))
    if len(shown) > MOST_LISTED:
        shown = [*shown[: MOST_LISTED - 2], "...", shown[-1]]
    return f"one of {' '.join(shown)}"


def _whole_number(number: Any) -> int:
    if isinstance(number, bool):
        raise TypeError("a truth value is no number")
    if isinstance(number, float):
        if not number.is_integer():
            raise ValueError("not whole")
        return int(number)
    return operator.index(number)
