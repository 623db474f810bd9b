"""Trend of a series whose errors depend on one another."""

import numpy as np
import pytest

from pmtwin.sim.numerics.newey_west import trend

LENGTH, RUNS, SLOPE = 600, 400, 3.0


def series(rng: np.random.Generator, memory: float) -> tuple[np.ndarray, np.ndarray]:
    """A slow x, and y over it with errors that remember the one before."""
    x, errors = np.cumsum(rng.normal(size=LENGTH)) / 20.0, rng.normal(size=LENGTH)
    for place in range(1, LENGTH):
        errors[place] += memory * errors[place - 1]
    return x, SLOPE * x + 5.0 + errors


def test_without_lags_the_error_is_whites():
    x, y = series(np.random.default_rng(1), 0.0)
    fitted = trend(x, y, 0)
    around = x - x.mean()
    slope = (around * y).sum() / (around**2).sum()
    left = y - y.mean() - slope * around
    assert fitted.slope == pytest.approx(slope)
    assert fitted.error == pytest.approx(np.sqrt(((around * left) ** 2).sum()) / (around**2).sum())


def test_the_error_is_the_deviation_of_slopes_also_where_errors_have_a_memory():
    rng = np.random.default_rng(2)
    fits = [trend(*series(rng, 0.7), 30) for _ in range(RUNS)]
    off = np.array([fit.slope - SLOPE for fit in fits])
    errors = np.array([fit.error for fit in fits])
    assert np.mean(np.abs(off) < 2.0 * errors) > 0.85
    naive = np.array([trend(*series(rng, 0.7), 0).error for _ in range(50)])
    assert errors.mean() > 1.5 * naive.mean()
