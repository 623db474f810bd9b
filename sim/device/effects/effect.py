"""The form of an effect: a column of the points, a law that changes a plain prediction, an entry in a profile.

For each effect and operation a profile has the parameters, the range that they were fitted on, and the half-width of
the 90 % interval. A request for an effect that was not identified is an error. The modules of the same names in
`pmtwin.calibrate.effects` fit, probe and read the effects.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from pmtwin.sim.device import law
from pmtwin.sim.device.access_points import AccessPoints, Outcome
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.typed_json import NotNegative, check_name, lacking, typed

UNMEASURED_LOG_HALF_WIDTH = 0.35
"""Added to the interval of points outside the range that an effect was measured on. The largest ratio of latencies of
FAST'20's remote node differs from the fitted one by exp(0.35)."""


@dataclass(frozen=True)
class Column:
    """An effect's column.

    Args:
        name: in a table of points, in the probe's cases and in what it measured.
        key: in the points of `pmtwin.sim.device.prediction.predict`.
        names: values that can be measured, that of accesses without the effect first; () for a number, which is 0
            without the effect.
    """

    name: str
    key: str
    names: tuple[str, ...] = ()

    @property
    def absent(self) -> float:
        """Value in the column `key` of accesses without the effect."""
        return 0.0

    @property
    def unsaid(self) -> int | str:
        """Value in the column `name` of the probe's cases without the effect."""
        return "" if self.names else 0


class MixChange(NamedTuple):
    """What an effect changes in mixes, beyond either side alone.

    Fields:
        present: points with the effect.
        time_factor: of a mix, over the time without the effect on either side.
        log_half_width: half-width of its 90 % interval.
    """

    present: np.ndarray
    time_factor: np.ndarray
    log_half_width: float


class EntryForm(Struct):
    """An effect on one operation, in a profile."""

    parameters: dict[str, NotNegative]
    fitted_range: list[dict[str, Any]]
    log_half_width: list[NotNegative]

    def __post_init__(self) -> None:
        for index, box in enumerate(self.fitted_range):
            field = f"fitted_range[{index}]"
            if "pattern" not in box:
                raise lacking(field, "pattern")
            for name, value in box.items():
                if name == "pattern":
                    check_name(f"{field}.pattern", str(value), law.PATTERNS)
                elif typed(f"{field}.{name}", value, tuple[NotNegative, NotNegative], None)[0] > value[1]:
                    raise InputError(f"{field}.{name}", value, "[low, high], low first")


class Effect:
    """An effect on accesses.

    Attributes:
        name: in a profile.
        parameters: name -> meaning.
        axes: columns of the range that an effect was fitted on; of a `VariedEffect` also the key of its column.
        form: of an entry.
        half_widths: number of half-widths of an entry.
        may_be_zero: parameters that may be 0 in an entry.
        as_random: whether the media see such accesses as random ones, whatever their pattern.
        own_latency: whether errors of latency differ from those of plain accesses.
        in_mixes: whether measured mixes hold for such accesses too.
        operations: operations that the effect changes; () for all.
        measured_beside: key of the column of another effect that was present when this one was measured, or "".
    """

    name: str
    parameters: Mapping[str, str]
    axes: tuple[str, ...] = ("access_size_bytes", "threads", "dimms", "power_w")
    form: type[EntryForm] = EntryForm
    half_widths = 1
    may_be_zero: tuple[str, ...] = ()
    as_random = False
    own_latency = False
    in_mixes = False
    operations: tuple[str, ...] = ()
    measured_beside = ""

    def outside(self, entry: Mapping, pattern: str, points: AccessPoints, present: np.ndarray) -> np.ndarray:
        """True for points at `present` outside all ranges that the effect was fitted on."""
        return outside(entry, pattern, {name: points.column(name)[present] for name in self.axes})

    def mix_change(self, entry: Mapping, points: AccessPoints, write_share: np.ndarray) -> MixChange | None:
        """The change of mixes of reads and these writes; None where the effect changes only each side by itself.

        Args:
            entry: the profile's entry of the effect on these writes.
            points: with as many threads as both sides together.
            write_share: share of the threads that write.
        """
        return None

    def widen(self, entry: Mapping, pattern: str, points: AccessPoints, outcome: Outcome, present: np.ndarray) -> None:
        """Add the effect's uncertainty to that of plain accesses."""
        beyond = self.outside(entry, pattern, points, present)
        half = entry["log_half_width"][0] + np.where(beyond, UNMEASURED_LOG_HALF_WIDTH, 0.0)
        outcome.log_half_width[present] = np.hypot(outcome.log_half_width[present], half)
        outcome.extrapolated[present] |= beyond


class VariedEffect(Effect, ABC):
    """An effect that a column of the points requests.

    Attributes:
        column: the column.
    """

    column: Column

    def unread(self, row: Mapping[str, str]) -> float:
        """The value of a row of points whose cell is empty."""
        return self.column.absent

    @abstractmethod
    def read(self, row: Mapping[str, str], pattern: str, access_size_bytes: float, where: str) -> float:
        """The value of the effect's cell in a row of points; the cell is not empty.

        Raises:
            InputError: names field, value, allowed values and `where`.
        """

    def check_threads(self, value: float, threads: float, where: str) -> None:
        """Raise `InputError` if a row of points with this value has a number of threads that does not go with it."""

    @abstractmethod
    def apply(
        self,
        parameters: Mapping[str, float],
        entry: Mapping,
        pattern: str,
        points: AccessPoints,
        outcome: Outcome,
        present: np.ndarray,
    ) -> None:
        """Change `outcome` at the points with the effect.

        Args:
            parameters: of the operation's law.
            entry: the profile's entry of the effect on the operation.
            points: each with one set of DIMMs.
            present: indices of the points with the effect.
        """


def outside(entry: Mapping, pattern: str, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """True for points outside all ranges that an effect was fitted on.

    Args:
        columns: columns of the ranges' axes, arrays of one shape.
    """
    inside = np.zeros(next(iter(columns.values())).shape, dtype=bool)
    for box in entry["fitted_range"]:
        within = np.full(inside.shape, box["pattern"] == pattern)
        for name, values in columns.items():
            low, high = box.get(name, (-np.inf, np.inf))
            within &= (values >= low) & (values <= high)
        inside |= within
    return ~inside


def check_entries(effect: Effect, operations: object, where: str) -> None:
    """Raise `InputError` unless a profile's entries of an effect are by operation and have all its parameters."""
    field = f"effects.{effect.name}"
    for operation, given in typed(field, operations, dict[str, Any], where).items():
        check_name(field, operation, law.OPERATIONS, where)
        entry = typed(f"{field}.{operation}", given, effect.form, where)
        for parameter in effect.parameters:
            if parameter not in entry.parameters:
                raise lacking(f"{field}.{operation}.parameters", parameter, where)
            if entry.parameters[parameter] == 0.0 and parameter not in effect.may_be_zero:
                raise InputError(f"{field}.{operation}.parameters.{parameter}", 0.0, "a finite number above 0", where)
        if len(entry.log_half_width) != effect.half_widths:
            allowed = f"a list of {effect.half_widths}"
            raise InputError(f"{field}.{operation}.log_half_width", entry.log_half_width, allowed, where)
