"""The likelihood of the evidence at any parameters, from an emulator of the quantities that it is about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.calibrate.inference.emulator import Emulator, fit_emulator
from pmtwin.calibrate.inference.priors import Priors
from pmtwin.calibrate.inference.statements import INVERSES, SCALES, Statement, log_likelihood

NEAR = 1.0 / 3.0
"""Share of the draws, the most likely ones, in which the emulator's error counts: elsewhere it does not matter."""


@dataclass(frozen=True)
class EmulatedLikelihood:
    """Log-likelihood of scores.

    Args:
        priors: of the parameters.
        statements: the statements that weigh, widened by the emulator's error.
        scales: quantity -> scale on which it is emulated. emulator: of these quantities, in this order.
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
        """An emulation of simulated draws: scores of shape (n, parameters), rows of shape (n, quantities)."""
        used = [each for each in statements if each.weighs]
        scales = {name: each.scale for each in used for name in each.quantities}
        summaries = dict(zip(quantities, rows.T, strict=True))
        logs = log_likelihood(tuple(used), summaries)
        near = logs >= np.quantile(logs, 1.0 - NEAR)
        columns = np.stack([_finite(SCALES[scale](summaries[name])) for name, scale in scales.items()], axis=1)
        emulator = fit_emulator(_stepped(priors, scores), columns, near, seed)
        errors = dict(zip(scales, emulator.error, strict=True))
        widened = tuple(each.widened(float(np.mean([errors[name] for name in each.quantities]))) for each in used)
        return cls(priors, widened, scales, emulator)

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        """Shape (n,)."""
        columns = self.emulator.predict(_stepped(self.priors, scores))
        summaries = {name: INVERSES[scale](columns[:, k]) for k, (name, scale) in enumerate(self.scales.items())}
        return log_likelihood(self.statements, summaries)

    def errors(self) -> dict[str, float]:
        """Scale -> median error of the quantities on it."""
        by_scale: dict[str, list[float]] = {}
        for scale, error in zip(self.scales.values(), self.emulator.error, strict=True):
            by_scale.setdefault(scale, []).append(float(error))
        return {scale: float(np.median(errors)) for scale, errors in by_scale.items()}


def _stepped(priors: Priors, scores: np.ndarray) -> np.ndarray:
    """The scores with those of choices at the middle of their steps: within a step nothing differs."""
    return priors.scores(priors.values(scores))


def _finite(column: np.ndarray) -> np.ndarray:
    """The column with its median in place of missing values."""
    known = np.isfinite(column)
    return np.where(known, column, np.median(column[known]) if known.any() else 0.0)
