"""Which configuration to measure next: the one that teaches the fitted model most per second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.probing.surrogate import Surrogate
from pmtwin.calibrate.residual import coordinates_of
from pmtwin.calibrate.specification import MIN_CONFIGURATIONS
from pmtwin.calibrate.validation import ape

FIRST_OF_EACH = 12
"""Configurations of an operation that are spread over all of them before the first fit."""

JUDGED_FROM = max(FIRST_OF_EACH, MIN_CONFIGURATIONS)
"""Usable configurations of each operation below which no error is told: the process learns its scales from the same
few that it is judged by."""

GROWTH = 0.15
"""A fit is made new when there are so many more measurements; in between, variances are told without one."""


@dataclass(frozen=True)
class Progress:
    """How good the model is by now.

    Args:
        error_percent: [median, mean, 90th percentile] of measured configurations predicted from all others.
        configurations: that were measured.
    """

    error_percent: list[float]
    configurations: int


class Design:
    """The sequential design over all candidates of all operations.

    Args:
        candidates: what may be measured; bandwidths are not looked at.
        media: kind of memory.
        seed: of the first configurations.
    """

    def __init__(self, candidates: Configurations, media: str, seed: int):
        self._candidates, self._media = candidates, media
        self._log_bandwidth = np.full(len(candidates), np.nan)
        self._asked = np.zeros(len(candidates), dtype=bool)
        self._operations = [str(name) for name in dict.fromkeys(candidates.operation.tolist())]
        self._members = {name: np.flatnonzero(candidates.operation == name) for name in self._operations}
        rng = np.random.default_rng(seed)
        self._first = _in_turn([_spread(candidates, group, rng) for group in self._members.values()])
        self._surrogates: dict[str, Surrogate] = {}
        self._gain = np.zeros(len(candidates))
        self._fitted_to = 0

    def tell(self, candidate: int, bandwidth_mib_s: float) -> None:
        """What a candidate was measured to have; of several visits the median of all of them."""
        self._asked[candidate] = True
        self._log_bandwidth[candidate] = np.log(bandwidth_mib_s)

    def give_up(self, candidate: int) -> None:
        """It cannot be measured."""
        self._asked[candidate] = True

    def next(self, seconds: np.ndarray | Sequence[float] | float = 1.0) -> int | None:
        """The next candidate; None when there is none left.

        Args:
            seconds: that measuring each candidate takes, shape (candidates,), or the same for all.
        """
        while self._first:
            candidate = self._first.pop(0)
            if not self._asked[candidate]:
                return self._ask(candidate)
        if np.all(self._asked):
            return None
        if self._measured().sum() >= max(1.0, self._fitted_to * (1.0 + GROWTH)):
            self._fit()
        return self._ask(int(np.argmax(np.where(self._asked, -1.0, self._gain / np.asarray(seconds)))))

    def configurations(self) -> dict[str, int]:
        """Operation -> configurations that have a usable measurement."""
        return {name: int(self._measured()[members].sum()) for name, members in self._members.items()}

    def progress(self) -> Progress | None:
        """As of the last fit; None while it had fewer than `JUDGED_FROM` configurations of any operation."""
        if any(self._judged(name) < JUDGED_FROM for name in self._operations):
            return None
        errors = np.concatenate([surrogate.left_out_errors for surrogate in self._surrogates.values()])
        return Progress(ape(errors), errors.size)

    def _ask(self, candidate: int) -> int:
        self._asked[candidate] = True
        operation = str(self._candidates.operation[candidate])
        if operation in self._surrogates:
            surrogate, members = self._surrogates[operation], self._members[operation]
            surrogate.expect(int(np.searchsorted(members, candidate)))
            self._gain[members] = surrogate.gains()
        return candidate

    def _judged(self, operation: str) -> int:
        surrogate = self._surrogates.get(operation)
        return 0 if surrogate is None else surrogate.left_out_errors.size

    def _measured(self) -> np.ndarray:
        return np.isfinite(self._log_bandwidth)

    def _fit(self) -> None:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):  # the matrices are small: threads of the linear algebra only wait for each other
            for name, members in self._members.items():
                measured = np.flatnonzero(self._measured()[members])
                if measured.size:
                    candidates, known = self._candidates.take(members), self._log_bandwidth[members[measured]]
                    surrogate = Surrogate(candidates, measured, known, self._media, self._surrogates.get(name))
                    self._surrogates[name], self._gain[members] = surrogate, surrogate.gains()
        self._fitted_to = int(self._measured().sum())


def _spread(candidates: Configurations, members: np.ndarray, rng: np.random.Generator) -> list[int]:
    """Candidates of one operation, each the farthest from those before it (Kennard and Stone, 1969)."""
    points = coordinates_of(candidates.take(members))
    width = np.ptp(points, axis=0)
    points = points[:, width > 0] / width[width > 0]
    chosen = [int(rng.integers(members.size))]
    distance = np.linalg.norm(points - points[chosen[0]], axis=1)
    while len(chosen) < min(FIRST_OF_EACH, members.size):
        # those at the same distance, as on a grid there are many, in an order by chance
        farthest = np.flatnonzero(distance >= distance.max() - 1e-12)
        chosen.append(int(rng.choice(farthest)))
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return members[chosen].tolist()


def _in_turn(lists: list[list[int]]) -> list[int]:
    """The first of each, then the second of each."""
    longest = max(map(len, lists), default=0)
    return [each[place] for place in range(longest) for each in lists if place < len(each)]
