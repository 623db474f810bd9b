"""Evidence: statements of a source on simulated quantities, and their weights.

A statement compares simulated quantities with stated values. Each has a discrepancy: the standard deviation between
reality and a simulator with the right parameters, since no simulator is exact. Likelihoods are scaled to at most 1, so
that a statement without simulated quantities counts as met.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from pmtwin.sim.errors import InputError, unknown_name

Summaries = Mapping[str, np.ndarray]
"""Quantity -> its value in each draw, shape (draws,); NaN where it was not simulated."""

LINEAR, LOG, LOGIT, SIGNED_LOG = "linear", "log", "logit", "signed-log"
SCALES = {
    LINEAR: lambda x: np.asarray(x, dtype=float),
    LOG: lambda x: np.log(np.maximum(x, 1e-300)),
    LOGIT: lambda x: special.logit(np.clip(x, 1e-6, 1.0 - 1e-6)),
    SIGNED_LOG: lambda x: np.sign(x) * np.log1p(np.abs(x)),
}
"""Scales on which a discrepancy is constant. `signed-log`: logarithmic on both sides of zero."""

INVERSES = {
    LINEAR: lambda y: y,
    LOG: np.exp,
    LOGIT: special.expit,
    SIGNED_LOG: lambda y: np.sign(y) * np.expm1(np.abs(y)),
}

VALUE, SIGN, CHECK, UNUSED = "value with tolerance", "sign or order only", "check only", "not used"
USES = (VALUE, SIGN, CHECK, UNUSED)

SURPRISE = 0.01
"""Default probability that a statement is wrong; it limits the influence of each statement."""


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement of a source.

    Args:
        name: short, unique name.
        source: place in the source.
        text: the statement, in words.
        use: one of `USES`; only the first two have weight.
        reason: reason for this use.
        discrepancy: standard deviation between simulator and reality, on `scale`.
        scale: one of `SCALES`.
        weight: power of the likelihood; below 1 for statements that repeat each other.
        error_probability: probability that the statement is wrong or misunderstood.

    Raises:
        InputError: an unknown use or scale, or a discrepancy that is not positive.
    """

    name: str
    source: str = ""
    text: str = ""
    use: str = VALUE
    reason: str = ""
    discrepancy: float = 0.1
    scale: str = LINEAR
    weight: float = 1.0
    error_probability: float = SURPRISE

    def __post_init__(self):
        for field, allowed in (("use", USES), ("scale", SCALES)):
            if getattr(self, field) not in allowed:
                raise unknown_name(f"{self.name}: {field}", getattr(self, field), allowed)
        if not self.discrepancy > 0.0:
            raise InputError(f"{self.name}: discrepancy", self.discrepancy, "more than 0")

    @property
    def weighs(self) -> bool:
        """Whether the statement takes part in the posterior."""
        return self.use in (VALUE, SIGN)

    @property
    def quantities(self) -> tuple[str, ...]:
        """Names of the statement's quantities; empty for a statement that is only noted."""
        return ()

    def log_likelihood(self, summaries: Summaries) -> np.ndarray:
        """Shape (draws,), at most 0; 0 where a quantity was not simulated."""
        with np.errstate(divide="ignore", invalid="ignore"):
            likelihood = self.error_probability + (1.0 - self.error_probability) * self.likelihood(
                *self.columns(summaries)
            )
        missing = np.any([np.isnan(summaries[name]) for name in self.quantities], axis=0)
        return self.weight * np.where(missing, 0.0, np.log(likelihood))

    def met(self, summaries: Summaries) -> np.ndarray:
        """Shape (draws,), bool: whether the statement is met, within its stated tolerance; False where unknown."""
        missing = np.any([np.isnan(summaries[name]) for name in self.quantities], axis=0)
        return ~missing & self.holds(*(np.asarray(summaries[name], dtype=float) for name in self.quantities))

    def columns(self, summaries: Summaries) -> list[np.ndarray]:
        """The quantities on the scale."""
        return [SCALES[self.scale](summaries[name]) for name in self.quantities]

    def likelihood(self, *columns: np.ndarray) -> np.ndarray:
        """Shape (draws,), 0 to 1, of quantities on the scale."""
        raise TypeError(f"{self.name}: {type(self).__name__} has no likelihood")  # a programming error: `weighs` asks

    def holds(self, *columns: np.ndarray) -> np.ndarray:
        """Shape (draws,), bool, of quantities as they are."""
        raise TypeError(f"{self.name}: {type(self).__name__} cannot be met")  # a programming error, likewise

    def widened(self, error: float) -> Statement:
        """A copy for quantities with an error that is known on the scale only."""
        return replace(self, discrepancy=math.hypot(self.discrepancy, error))

    def checked(self) -> Statement:
        """A copy that is checked and not used."""
        return replace(self, use=CHECK)


@dataclass(frozen=True, kw_only=True)
class Value(Statement):
    """A quantity has a value; met within two discrepancies."""

    quantity: str
    value: float

    @property
    def quantities(self) -> tuple[str, ...]:
        return (self.quantity,)

    def likelihood(self, *columns: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * self._distance(columns[0]) ** 2)

    def holds(self, *columns: np.ndarray) -> np.ndarray:
        return np.abs(self._distance(SCALES[self.scale](columns[0]))) <= 2.0

    def _distance(self, column: np.ndarray) -> np.ndarray:
        return (column - SCALES[self.scale](self.value)) / self.discrepancy


@dataclass(frozen=True, kw_only=True)
class Between(Statement):
    """A quantity lies between two bounds, either of which may be infinite."""

    quantity: str
    low: float = -math.inf
    high: float = math.inf

    @property
    def quantities(self) -> tuple[str, ...]:
        return (self.quantity,)

    def likelihood(self, *columns: np.ndarray) -> np.ndarray:
        low, high = (_on_scale(end, self.scale) for end in (self.low, self.high))
        below, above = (special.ndtr((end - columns[0]) / self.discrepancy) for end in (low, high))
        middle = 0.5 * (low + high) if math.isfinite(low) and math.isfinite(high) else None
        most = 1.0 if middle is None else 2.0 * special.ndtr((high - middle) / self.discrepancy) - 1.0
        return np.clip((above - below) / most, 0.0, 1.0)

    def holds(self, *columns: np.ndarray) -> np.ndarray:
        return (columns[0] >= self.low) & (columns[0] <= self.high)


@dataclass(frozen=True, kw_only=True)
class Ranking(Statement):
    """Quantities are ordered, the greatest first (Plackett and Luce: each with a Gumbel discrepancy of its own)."""

    order: tuple[str, ...]

    @property
    def quantities(self) -> tuple[str, ...]:
        return self.order

    def likelihood(self, *columns: np.ndarray) -> np.ndarray:
        scores = np.stack(columns) / self.discrepancy
        rest = np.flip(np.logaddexp.accumulate(np.flip(scores, axis=0), axis=0), axis=0)
        return np.exp(np.sum(scores - rest, axis=0))

    def log_likelihood(self, summaries: Summaries) -> np.ndarray:
        """Log-likelihood of the order, in which each quantity may be wrong."""
        missing = np.any([np.isnan(summaries[name]) for name in self.order], axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            log = np.log(self.likelihood(*self.columns(summaries)))
        least = len(self.order) * math.log(self.error_probability)
        return self.weight * np.where(missing, 0.0, np.maximum(log, least))

    def holds(self, *columns: np.ndarray) -> np.ndarray:
        return np.all(np.diff(np.stack(columns), axis=0) <= 0.0, axis=0)

    def pairs(self, summaries: Summaries) -> dict[tuple[str, str], np.ndarray]:
        """(greater, lesser) as stated -> whether a draw has them so, shape (draws,); equal ones count half."""
        in_order = {}
        for i, greater in enumerate(self.order):
            for lesser in self.order[i + 1 :]:
                difference = np.asarray(summaries[greater]) - np.asarray(summaries[lesser])
                in_order[greater, lesser] = 0.5 * (np.sign(difference) + 1.0)
        return in_order


@dataclass(frozen=True, kw_only=True)
class Note(Statement):
    """A statement about a quantity that is not simulated, with the reason."""


def _on_scale(end: float, scale: str) -> float:
    if scale == LOGIT:
        return -math.inf if end <= 0.0 else math.inf if end >= 1.0 else float(special.logit(end))
    if scale == LOG and end <= 0.0:
        return -math.inf
    return float(end if math.isinf(end) else SCALES[scale](end))


def log_likelihood(statements: tuple[Statement, ...], summaries: Summaries) -> np.ndarray:
    """Sum over the statements that weigh, shape (draws,)."""
    return np.sum([each.log_likelihood(summaries) for each in statements if each.weighs], axis=0)
