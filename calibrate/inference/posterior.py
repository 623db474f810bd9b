"""Summary of the posterior: quantiles of prior and posterior, identified parameters, correlations, statements met."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pmtwin.calibrate.inference.priors import Priors
from pmtwin.calibrate.inference.run import Draws
from pmtwin.calibrate.inference.statements import Ranking, Statement
from pmtwin.calibrate.inference.tempering import resample

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

IDENTIFIED = 0.5
"""Ratio of the widths of the posterior's and the prior's 90 % intervals, in shares of the prior, below which a
parameter is identified."""

REMARKABLE = 0.3
"""Smallest absolute correlation of parameters that is reported."""

RARE = 0.05
"""Posterior probability below which a statement is missed."""


@dataclass(frozen=True)
class Posterior:
    """Weighted draws with their inputs.

    Args:
        priors: those of the parameters. statements: the evidence. draws: result of
            `pmtwin.calibrate.inference.run.infer`.
    """

    priors: Priors
    statements: tuple[Statement, ...]
    draws: Draws

    @cached_property
    def values(self) -> np.ndarray:
        """Parameter values, shape (n, parameters)."""
        return self.priors.values(self.draws.scores)

    @property
    def effective_size(self) -> float:
        """Effective sample size: 1 over the sum of the squared weights (Kong 1992)."""
        return float(1.0 / np.sum(self.draws.weights**2))

    def sample(self, count: int, seed: int) -> np.ndarray:
        """Indices of draws resampled by weight, shape (count,)."""
        return resample(self.draws.weights, count, np.random.default_rng(seed))

    @cached_property
    def representative(self) -> int:
        """Index of the medoid: the draw with the least mean distance to the posterior, in its standard deviations.

        It is a joint draw, since the medians of single parameters together need not be plausible. Only draws at least
        as likely as the posterior's median draw are considered.
        """
        scores, weights = self.draws.scores, self.draws.weights
        heavy = np.flatnonzero(weights > 1e-4 * weights.max())
        likely = heavy[self.draws.log_likelihoods[heavy] >= self.quantile(self.draws.log_likelihoods, 0.5)]
        middle = weights @ scores
        deviation = np.sqrt(weights @ (scores - middle) ** 2)
        points, centres = scores[likely] / deviation, scores[heavy] / deviation
        distances = np.sqrt(((points[:, None, :] - centres[None]) ** 2).sum(axis=2)) @ weights[heavy]
        return int(likely[np.argmin(distances)])

    def quantile(self, column: np.ndarray, share: float | np.ndarray) -> np.ndarray:
        """Weighted quantile of a column, shape (n,); draws with NaN are left out."""
        present = ~np.isnan(column)
        order = np.argsort(column[present], kind="stable")
        values, weights = column[present][order], self.draws.weights[present][order]
        places = np.cumsum(weights) - 0.5 * weights
        return np.interp(np.asarray(share) * weights.sum(), places, values)

    def parameters(self) -> list[dict]:
        """Rows by parameter: quantiles of prior and posterior, `shrinkage` and `identified`.

        `shrinkage` is 1 less the ratio of the posterior's width to the prior's, both in shares of the prior.
        """
        rows = []
        for k, prior in enumerate(self.priors.table):
            quantiles = self.quantile(self.values[:, k], np.array(QUANTILES))
            low, high = prior.share(quantiles[[0, -1]])
            width = float(high - low) / (QUANTILES[-1] - QUANTILES[0])
            rows.append(
                {
                    "name": prior.name,
                    "unit": prior.unit,
                    "distribution": prior.distribution,
                    "low": prior.low,
                    "high": prior.high,
                    "reason": prior.reason,
                    "nuisance": prior.nuisance,
                    "prior": prior.value(np.array(QUANTILES)).tolist(),
                    "posterior": quantiles.tolist(),
                    "shrinkage": 1.0 - width,
                    "identified": width < IDENTIFIED,
                }
            )
        return rows

    def correlation(self) -> np.ndarray:
        """Correlation of the parameters' normal scores, shape (parameters, parameters)."""
        scores, weights = self.draws.scores, self.draws.weights
        centred = scores - weights @ scores
        spread = (weights[:, None] * centred).T @ centred
        deviation = np.sqrt(np.diag(spread))
        return spread / np.outer(deviation, deviation)

    def correlated(self) -> list[tuple[str, str, float]]:
        """(parameter, parameter, correlation) from `REMARKABLE` on, the strongest first."""
        matrix, names = self.correlation(), self.priors.names
        pairs = [(names[i], names[j], float(matrix[i, j])) for i in range(len(names)) for j in range(i)]
        return sorted((pair for pair in pairs if abs(pair[2]) >= REMARKABLE), key=lambda pair: -abs(pair[2]))

    def statement_rows(self) -> list[dict]:
        """Rows by statement: its use, the number of draws and the posterior probability that meet it, the posterior
        quantiles of its quantities, and whether it is `missed`.

        A ranking also has `pairs` (quantity, smaller quantity, posterior probability), and `pair_probability`, their
        mean.
        """
        rows = []
        for statement in self.statements:
            row: dict[str, Any] = {
                name: getattr(statement, name) for name in ("name", "source", "text", "use", "reason")
            }
            if statement.quantities:
                met, known = statement.met(self.draws.summaries), self._known(statement)
                weights = np.where(known, self.draws.weights, 0.0)
                probability = float(weights @ met / weights.sum()) if weights.sum() else None
                row |= {
                    "probability": probability,
                    "draws_that_meet_it": int(met.sum()),
                    "draws": int(known.sum()),
                    "missed": probability is None or probability < RARE,
                    "quantities": {
                        name: self.quantile(self.draws.summaries[name], np.array(QUANTILES)).tolist()
                        for name in statement.quantities
                    },
                }
            if isinstance(statement, Ranking):
                pairs = statement.pairs(self.draws.summaries)
                probabilities = [float(self.draws.weights @ is_met) for is_met in pairs.values()]
                row["pairs"] = [(*names, value) for names, value in zip(pairs, probabilities, strict=True)]
                row["pair_probability"] = float(np.mean(probabilities))
            rows.append(row)
        return rows

    def _known(self, statement: Statement) -> np.ndarray:
        return ~np.any([np.isnan(self.draws.summaries[name]) for name in statement.quantities], axis=0)

    def most_met_at_once(self) -> tuple[int, int]:
        """(largest number of weighed statements that one draw meets, number of weighed statements)."""
        used = [statement for statement in self.statements if statement.weighs]
        met = np.sum([statement.met(self.draws.summaries) for statement in used], axis=0)
        return int(met.max()), len(used)
