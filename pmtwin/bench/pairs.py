"""Comparison of two programs that measure the same quantity, by the ratio within pairs of measurements.

The measurements of a pair follow each other, with the sides in alternating order, so that a slower machine for some
time slows both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pmtwin.sim.numerics.statistics import median_interval, spread

WANTED_PERCENT = 10.0

Measure = Callable[[], float]


class Comparison(NamedTuple):
    """One quantity, measured by the probe and by another program."""

    quantity: str
    unit: str
    reference_name: str
    probe: Measure
    reference: Measure


def compared(comparison: Comparison, repeats: int, step: Callable[[], object]) -> dict:
    """Measure `repeats` pairs; `step` is called after each.

    Returns:
        Quantity, unit, median, minimum and maximum of both sides, the ratio probe / reference with its interval,
        whether the ratio is within `WANTED_PERCENT` of 1, and whether that is certain, as it holds for the whole
        interval.
    """
    return _result(comparison, _pairs(comparison, repeats, step))


def _pairs(comparison: Comparison, repeats: int, step: Callable[[], object]) -> list[tuple[float, float]]:
    comparison.probe(), comparison.reference()  # warm-up, not counted
    pairs = []
    for index in range(repeats):
        if index % 2:
            reference = comparison.reference()
            pairs.append((comparison.probe(), reference))
        else:
            pairs.append((comparison.probe(), comparison.reference()))
        step()
    return pairs


def _result(comparison: Comparison, pairs: Sequence[tuple[float, float]]) -> dict:
    ratio = median_interval([probe / reference for probe, reference in pairs])
    sides = zip(("probe", "reference"), zip(*pairs, strict=True), strict=True)
    return {
        "quantity": comparison.quantity,
        "unit": comparison.unit,
        "reference_name": comparison.reference_name,
        **{name: spread(values) for name, values in sides},
        "ratio": ratio,
        "within": _side(ratio["median"]) == 0,
        "certain": _side(ratio["low"]) == _side(ratio["high"]),
    }


def _side(ratio: float) -> int:
    """0 for a ratio within `WANTED_PERCENT` of 1, -1 for one below, 1 for one above."""
    return 0 if abs(ratio - 1.0) * 100.0 <= WANTED_PERCENT else int(math.copysign(1, ratio - 1.0))
