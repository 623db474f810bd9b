"""The likelihood of the evidence at any parameters, from an emulator of the simulated quantities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.calibrate.inference.emulator import Emulator, fit_emulator
from pmtwin.calibrate.inference.priors import Priors
from pmtwin.calibrate.inference.statements import INVERSES, SCALES, Statement, log_likelihood

NEAR = 1.0 / 3.0
"""Share of the draws, the most likely ones, from which the emulator's error is estimated."""


@dataclass(frozen=True)
class EmulatedLikelihood:
    """Log-likelihood of scores.

    Args:
        priors: of the parameters.
        statements: the weighed statements, with the emulator's error added to their discrepancy.
        scales: quantity -> scale on which it is emulated. emulator: emulates these quantities, in this order.
    """

    priors: Priors
    statements: tuple[Statement, ...]
    scales: dict[str, str]
    emulator: Emulator

    @classmethod
    def from_draws(
        cls,
        priors: Priors,
        statements: tuple[Statement, ...],
        quantities: tuple[str, ...],
        scores: np.ndarray,
        rows: np.ndarray,
        seed: int,
    ) -> EmulatedLikelihood:
        """The likelihood with an emulator of simulated draws.

        Args:
            scores: normal scores of the draws, shape (n, parameters). rows: their quantities, shape (n, quantities).
        """
        used = [statement for statement in statements if statement.weighs]
        scales = {name: statement.scale for statement in used for name in statement.quantities}
        summaries = dict(zip(quantities, rows.T, strict=True))
        logs = log_likelihood(tuple(used), summaries)
        likely = logs >= np.quantile(logs, 1.0 - NEAR)
        columns = np.stack([_finite(SCALES[scale](summaries[name])) for name, scale in scales.items()], axis=1)
        emulator = fit_emulator(_stepped(priors, scores), columns, likely, seed)
        errors = dict(zip(scales, emulator.error, strict=True))
        widened = tuple(
            statement.widened(float(np.mean([errors[name] for name in statement.quantities]))) for statement in used
        )
        return cls(priors, widened, scales, emulator)

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        """Log-likelihoods, shape (n,), of scores of shape (n, parameters)."""
        columns = self.emulator.predict(_stepped(self.priors, scores))
        summaries = {name: INVERSES[scale](columns[:, k]) for k, (name, scale) in enumerate(self.scales.items())}
        return log_likelihood(self.statements, summaries)

    def errors(self) -> dict[str, float]:
        """Scale -> median emulator error of the quantities on that scale."""
        by_scale: dict[str, list[float]] = {}
        for scale, error in zip(self.scales.values(), self.emulator.error, strict=True):
            by_scale.setdefault(scale, []).append(float(error))
        return {scale: float(np.median(errors)) for scale, errors in by_scale.items()}


def _stepped(priors: Priors, scores: np.ndarray) -> np.ndarray:
    """The scores, with those of discrete choices moved to the middle of their step."""
    return priors.scores(priors.values(scores))


def _finite(column: np.ndarray) -> np.ndarray:
    """The column with its median in place of missing values."""
    finite = np.isfinite(column)
    return np.where(finite, column, np.median(column[finite]) if finite.any() else 0.0)
