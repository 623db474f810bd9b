"""Priors of the unknown parameters: independent distributions, and space-filling designs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from pmtwin.sim.errors import InputError, unknown_name

UNIFORM, LOG_UNIFORM, CHOICE = "uniform", "log-uniform", "choice"
DISTRIBUTIONS = (UNIFORM, LOG_UNIFORM, CHOICE)

EDGE = 1e-9
"""Smallest distance of a share from 0 and 1, so that normal scores are finite."""


@dataclass(frozen=True)
class Prior:
    """The prior of one parameter.

    Args:
        name: name of the parameter.
        low, high: range, in `unit`.
        distribution: `uniform`, `log-uniform`, or `choice` among the whole numbers from low to high.
        reason: source of the range.
        unit: unit of `low` and `high`.
        nuisance: whether it affects only the meaning of the evidence, and is no parameter of the simulator.

    Raises:
        InputError: an unknown distribution, or a range that is empty or, for `log-uniform`, not positive.
    """

    name: str
    low: float
    high: float
    distribution: str = UNIFORM
    reason: str = ""
    unit: str = ""
    nuisance: bool = False

    def __post_init__(self):
        if self.distribution not in DISTRIBUTIONS:
            raise unknown_name(f"{self.name}: distribution", self.distribution, DISTRIBUTIONS)
        if not self.high > self.low:
            raise InputError(f"{self.name}: high", self.high, f"more than low, {self.low:g}")
        if self.distribution == LOG_UNIFORM and not self.low > 0.0:
            raise InputError(f"{self.name}: low", self.low, "more than 0 for a log-uniform prior")

    def value(self, share: np.ndarray) -> np.ndarray:
        """The quantile at a share from 0 to 1."""
        if self.distribution == CHOICE:
            count = round(self.high - self.low) + 1
            return self.low + np.minimum(np.floor(np.asarray(share) * count), count - 1)
        if self.distribution == LOG_UNIFORM:
            return np.exp(math.log(self.low) + np.asarray(share) * math.log(self.high / self.low))
        return self.low + np.asarray(share) * (self.high - self.low)

    def share(self, value: np.ndarray) -> np.ndarray:
        """The share of the prior below a value; for a choice, the middle of its step."""
        value = np.asarray(value, dtype=float)
        if self.distribution == CHOICE:
            return (value - self.low + 0.5) / (round(self.high - self.low) + 1)
        if self.distribution == LOG_UNIFORM:
            return np.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Priors:
    """A table of independent priors. Normal scores of parameters that follow the priors are standard normal.

    Raises:
        InputError: a repeated name, or no parameter.
    """

    table: tuple[Prior, ...]

    def __post_init__(self):
        repeated = sorted({name for name in self.names if self.names.count(name) > 1})
        if repeated or not self.table:
            raise InputError("priors", repeated or "none", "one or more parameters, each once")

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the order of the columns of scores and values."""
        return tuple(prior.name for prior in self.table)

    def values(self, scores: np.ndarray) -> np.ndarray:
        """Parameter values, shape (n, parameters), of normal scores of the same shape."""
        shares = special.ndtr(np.asarray(scores, dtype=float))
        return np.stack([prior.value(shares[:, k]) for k, prior in enumerate(self.table)], axis=1)

    def scores(self, values: np.ndarray) -> np.ndarray:
        """Normal scores, shape (n, parameters), of values of the same shape."""
        values = np.asarray(values, dtype=float)
        shares = np.stack([prior.share(values[:, k]) for k, prior in enumerate(self.table)], axis=1)
        return special.ndtri(np.clip(shares, EDGE, 1.0 - EDGE))

    def design(self, count: int, seed: int) -> np.ndarray:
        """Normal scores of a scrambled Sobol design over the priors, shape (count, parameters)."""
        from scipy.stats import qmc

        shares = qmc.Sobol(len(self.table), scramble=True, seed=seed).random_base2(math.ceil(math.log2(max(count, 1))))
        return special.ndtri(np.clip(shares[:count], EDGE, 1.0 - EDGE))

    def draws(self, scores: np.ndarray) -> list[dict[str, float]]:
        """Name -> value of each row."""
        return [dict(zip(self.names, map(float, row), strict=True)) for row in self.values(scores)]


def check_known(field: str, values: Sequence[str], known: Sequence[str]) -> None:
    """Refuse unknown names.

    Raises:
        InputError: a name is not among `known`.
    """
    for name in values:
        if name not in known:
            raise unknown_name(field, name, known)
