"""The order of policies on both sides of a validation: how many pairs are the other way round on the twin."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple

from pmtwin.validation.comparison import PATHS
from pmtwin.validation.plan import SIDES


class Order(NamedTuple):
    """Pairs of policies in the same workload.

    Fields:
        pairs, swapped: all of them, and those in another order on the twin.
        by_workload: workload -> Kendall's tau there; a pair that is equal on a side counts as neither.
        near: those of the swapped pairs that are nearer on the real side than a run and the same one again; None where
            no run was repeated.
    """

    pairs: int
    swapped: int
    by_workload: dict[str, float]
    near: int | None = None

    @property
    def tau(self) -> float:
        """Kendall's tau over all pairs."""
        return 1.0 - 2.0 * self.swapped / self.pairs if self.pairs else 1.0

    def words(self) -> str:
        """For a reader."""
        if not self.pairs:
            return "of one policy there is none"
        taus = ", ".join(f"{workload} {tau:.2f}" for workload, tau in self.by_workload.items())
        words = f"Kendall's tau {self.tau:.2f} over {self.pairs} pairs of policies ({taus}), {self.swapped} swapped"
        return words + f", {self.near} of them within the noise floor" * (self.swapped > 0 and self.near is not None)


def order_of(compared: Mapping[str, Any], measure: str, floor_percent: float = math.nan) -> Order:
    """The order of the policies by a measure.

    Args:
        compared: with `comparisons` as of `pmtwin.validation.comparison.compare`.
        floor_percent: distance of a run from the same one again, on the real side; NaN: not known.
    """
    means: dict[str, list[tuple[float, float]]] = {}
    for entry in compared["comparisons"]:
        predicted, measured = (entry[measure][side]["mean"] for side in SIDES)
        if entry["group"] == PATHS and None not in (predicted, measured):
            means.setdefault(entry["workload"], []).append((predicted, measured))
    pairs = swapped = near = 0
    taus: dict[str, float] = {}
    for workload, values in means.items():
        signs = [(p - q) * (m - n) for (p, m), (q, n) in combinations(values, 2)]
        apart = [sign for sign in signs if sign]
        others = sum(sign < 0.0 for sign in apart)
        near += sum(
            (p - q) * (m - n) < 0.0 and 100.0 * abs(m - n) <= floor_percent * min(m, n)
            for (p, m), (q, n) in combinations(values, 2)
        )
        if apart:
            taus[workload] = 1.0 - 2.0 * others / len(apart)
        pairs, swapped = pairs + len(apart), swapped + others
    return Order(pairs, swapped, taus, None if math.isnan(floor_percent) else near)
