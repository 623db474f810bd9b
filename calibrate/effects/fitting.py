"""What each effect defines for its fitting: cases of the probe, reading of measurements, fit of its entry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.calibrate.context import Mix, Varied
from pmtwin.calibrate.effects.fit import EffectFit
from pmtwin.calibrate.effects.mix_rows import MixRow
from pmtwin.calibrate.effects.rows import EffectRows
from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.probing.cases import Case
from pmtwin.sim.device import law
from pmtwin.sim.device.effects import Column, Effect, VariedEffect
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.files.csv_table import Table

MIN_ROWS = 12
"""Smallest number of configurations with an effect for a fit of its parameters."""


@dataclass(frozen=True)
class Measured:
    """Measurements that inform the effects.

    Args:
        rows: bandwidths of accesses with an effect, of tables and of the device itself.
        mixes: mixes of tables.
        varied: accesses of the device with an effect.
        plain: the device's plain sweep, on the local node.
        own_mixes: mixes of the device.
        tables: all tables, for columns that only one effect reads.
        media: kind of the device's memory, as `pmtwin.calibrate.context.Context` names it.
    """

    rows: EffectRows
    mixes: Sequence[MixRow] = ()
    varied: Sequence[Varied] = ()
    plain: Configurations | None = None
    tables: Sequence[Table] = ()
    own_mixes: Sequence[Mix] = ()
    media: str = ""


@dataclass(frozen=True)
class CaseLimits:
    """Limits of a probe: numbers of threads on the local and on the remote node; `dense`: whether it has more cases."""

    threads: Sequence[int]
    remote_threads: Sequence[int]
    dense: bool


class Fitting(ABC):
    """Fitting of one effect.

    Attributes:
        effect: of `pmtwin.sim.device.effects`.
        closes: phrase of the "not identified" list that an entry of the effect removes, or "".
        of_each_operation: whether the "not identified" list names operations without an entry.
    """

    effect: Effect
    closes = ""
    of_each_operation = True

    @abstractmethod
    def fit(self, operation: str, profile: Profile, measured: Measured) -> dict | None:
        """The profile's entry of one operation; None if the data do not identify it.

        Args:
            profile: the law, with the effects of the fittings before this one (`pmtwin.calibrate.effects.registry`).
        """

    def cases(self, operation: str, limits: CaseLimits) -> list[tuple[Case, ...]]:
        """Cases of the probe for the effect, in groups that stay together."""
        return []

    def value_of(self, column: Column, measured: float | str, access_size_bytes: float) -> float:
        """The effect's value in a case, from the probe's column; 0 where it is absent."""
        return float(measured != column.names[0] if column.names else measured)

    def fault(self, value: float, operation: str, pattern: str, pure: bool) -> str:
        """Why the effect's form does not cover a measured case; "" if it does.

        Args:
            value: of the effect's column.
            pure: whether the case measures the bandwidth of one operation.
        """
        return "" if pure else f"{self.effect.name} in a case that is no bandwidth of one operation"


def entry_of(
    effect: VariedEffect,
    parameters: Mapping[str, float],
    fit: EffectFit,
    rows: EffectRows,
    errors: Sequence[np.ndarray],
) -> dict:
    """The profile's entry of a fit to rows.

    Args:
        parameters: of the operation's law.
        errors: log(predicted / measured) of the rows behind each of the effect's half-widths.
    """
    boxes = []
    without = law.bandwidth_mib_s(parameters, rows.pattern == "random", *rows.law_columns())
    for pattern in sorted(set(rows.pattern.tolist())):
        for dimms in np.unique(rows.dimms[rows.pattern == pattern]):
            cell = rows.take((rows.pattern == pattern) & (rows.dimms == dimms))
            axes = {name: cell.value if name == effect.column.key else getattr(cell, name) for name in effect.axes}
            ranges = {name: [float(values.min()), float(values.max())] for name, values in axes.items()}
            boxes.append({"pattern": pattern, **ranges})
    ratios = {"bandwidth_over_plain": over_plain(rows.bandwidth_mib_s / without)}
    return fit.entry(boxes, len(rows), errors) | ratios


def over_plain(ratios: np.ndarray) -> list[float]:
    """[median, 5th, 95th percentile] over the configurations: 1 is no effect."""
    return [round(float(value), 4) for value in np.quantile(ratios, (0.5, 0.05, 0.95))]


def powers_of_two(first: int, last: int, octaves: int = 1) -> list[int]:
    """Powers of two from `first` to at most `last`, `octaves` apart."""
    return [first << step for step in range(0, (last // first).bit_length(), octaves)]
