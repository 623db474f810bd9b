"""One quantity, measured by two programs in pairs; what counts is the ratio within a pair.

Neighbouring measurements make a pair, each side first in every other one, so that what slows the machine down for a
while slows both.
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
        quantity, unit, both sides' median, least and most, the ratio probe / reference with its interval, whether the
        ratio is within `WANTED_PERCENT` of 1, and whether that is certain: the interval says the same from end to end.
    """
    return _result(comparison, _pairs(comparison, repeats, step))


def _pairs(comparison: Comparison, repeats: int, step: Callable[[], object]) -> list[tuple[float, float]]:
    comparison.probe(), comparison.reference()  # not counted: caches, clock rates and the kernel's pages settle
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
    """0 within the wanted percent of 1; below -1, above 1."""
    return 0 if abs(ratio - 1.0) * 100.0 <= WANTED_PERCENT else int(math.copysign(1, ratio - 1.0))
