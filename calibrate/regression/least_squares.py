"""Two fits of a linear model of times: ordinary least squares, and one without negative estimates.

The first is R's `lm`, with its standard errors, t, p and AIC. The second assumes noise proportional to the time, since
times range over many orders of magnitude, and keeps all estimates at 0 or above, since costs are not negative. It is
quasi-likelihood with a constant coefficient of variation (McCullagh and Nelder, 1989, chapter 8), solved by iterated
non-negative least squares (Lawson and Hanson, 1974). The weights follow from the fitted times: weights from measured
times would bias means downward. The standard errors come from a bootstrap over runs.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg, optimize, stats

from pmtwin.sim.errors import InputError
from pmtwin.sim.regression.file import Estimate
from pmtwin.sim.regression.formula import Formula

LEAST_TO_TERMS = 2
"""Least number of runs for each term."""

COLLINEAR = 1e-12
"""Relative part of a term outside the span of the earlier terms below which the term is redundant."""

REPLICATES = 200
ITERATIONS = 50
LEAST_FITTED = 0.01
"""Least fitted time in a run's weight, as a share of its measured time; else a single run could decide the fit."""


def ordinary(formula: Formula, columns: dict[str, np.ndarray]) -> tuple[dict[str, Estimate], float]:
    """Estimates by term, and Akaike's information criterion as R's `AIC` computes it.

    Raises:
        InputError: too few runs, or terms that are linearly dependent at these runs.
    """
    matrix, response = _checked(formula, columns), columns[formula.response]
    scale = np.linalg.norm(matrix, axis=0)
    q, r = linalg.qr(matrix / scale, mode="economic")
    alone = np.flatnonzero(np.abs(np.diag(r)) < COLLINEAR)
    if alone.size:
        raise InputError("formula", formula.terms[alone[0]], "terms that the runs separate from the terms before them")
    estimates = linalg.solve_triangular(r, q.T @ response) / scale
    runs, terms = matrix.shape
    residual = float(np.sum((response - matrix @ estimates) ** 2))
    inverse = linalg.solve_triangular(r, np.eye(terms)) / scale[:, None]
    errors = np.sqrt(residual / (runs - terms) * (inverse**2).sum(axis=1))
    t = estimates / np.maximum(errors, 1e-300)
    p = 2.0 * stats.t.sf(np.abs(t), runs - terms)
    rows = zip(formula.terms, estimates.tolist(), errors.tolist(), t.tolist(), p.tolist(), strict=True)
    aic = runs * (np.log(2.0 * np.pi * max(residual, 1e-300) / runs) + 1.0) + 2.0 * (terms + 1)
    return {name: Estimate(*values) for name, *values in rows}, float(aic)


def not_negative(
    formula: Formula, columns: dict[str, np.ndarray], rng: np.random.Generator | None = None
) -> dict[str, Estimate]:
    """Estimates by term, none below 0; with standard errors from `REPLICATES` further fits if `rng` is given.

    Raises:
        InputError: too few runs, or a term that is negative at one of them.
    """
    matrix, response = _checked(formula, columns), columns[formula.response]
    negative = np.flatnonzero((matrix < 0.0).any(axis=0))
    if negative.size:
        raise InputError("formula", formula.terms[negative[0]], "terms that are 0 or above at all runs")
    estimates, errors = _quasi_likelihood(matrix, response), [None] * len(formula.terms)
    if rng is not None:
        draws = rng.integers(len(response), size=(REPLICATES, len(response)))
        replicates = [_quasi_likelihood(matrix[rows], response[rows], estimates) for rows in draws]
        errors = np.std(replicates, axis=0, ddof=1).tolist()
    rows = zip(formula.terms, estimates.tolist(), errors, strict=True)
    return {name: Estimate(estimate, error) for name, estimate, error in rows}


def _quasi_likelihood(matrix: np.ndarray, response: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """Estimates, shape (terms,); `start`: initial estimates, None to weight by the measured times at first."""
    before, fitted = start, response if start is None else matrix @ start
    for _ in range(ITERATIONS):
        weights = 1.0 / np.maximum(fitted, LEAST_FITTED * response)
        weighted = matrix * weights[:, None]
        scale = np.maximum(np.linalg.norm(weighted, axis=0), 1e-300)
        estimates = optimize.nnls(weighted / scale, response * weights)[0] / scale
        fitted = matrix @ estimates
        if before is not None and np.allclose(before, estimates, rtol=1e-6, atol=0.0):
            break
        before = estimates
    return estimates


def _checked(formula: Formula, columns: dict[str, np.ndarray]) -> np.ndarray:
    matrix = formula.matrix(columns)
    least = LEAST_TO_TERMS * len(formula.terms)
    if len(matrix) < least:
        raise InputError("runs", len(matrix), f"at least {least}, twice the {len(formula.terms)} terms")
    wrong = np.flatnonzero(~np.isfinite(matrix).all(axis=0))
    if wrong.size:
        raise InputError("formula", formula.terms[wrong[0]], "terms that are finite at all runs")
    return matrix
