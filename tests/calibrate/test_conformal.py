"""Intervals cover what they promise, and are narrow where errors are small."""

import numpy as np
import pytest

from calibrate.conformal import LocalInterval, local_scale
from calibrate.measurements import group
from calibrate.validation import Unseen


@pytest.fixture
def heteroscedastic(make_sweep):
    """Errors of 1 % at random, of 5 % at sequential accesses."""
    configurations, _ = group(make_sweep())
    n = len(configurations)
    rng = np.random.default_rng(1)
    errors = np.where(configurations.random, 0.01, 0.05) * rng.standard_normal(n)
    return configurations, Unseen(np.arange(n), np.arange(n) % 8, errors, errors)


def test_nine_in_ten_lie_inside_out_of_fold(heteroscedastic):
    configurations, unseen = heteroscedastic
    interval = LocalInterval(configurations, unseen)
    assert 0.85 <= interval.coverage_ <= 0.95
    random = configurations.random
    assert np.median(interval.half_widths_[~random]) > 2 * np.median(interval.half_widths_[random])


def test_errors_larger_than_seen_are_not_covered(heteroscedastic):
    configurations, unseen = heteroscedastic
    interval = LocalInterval(configurations, unseen)
    tripled = np.abs(3 * unseen.full) <= interval.half_widths_
    assert tripled.mean() < 0.7


def test_excluded_neighbours_do_not_count():
    points = np.zeros((1, 5))
    at = np.zeros((6, 5))
    errors = np.array([0.09, 0.01, 0.01, 0.01, 0.01, 0.01])
    with_all = local_scale(points, at, errors)
    without_first = local_scale(points, at, errors, np.array([[True, False, False, False, False, False]]))
    assert with_all[0] == pytest.approx(0.004 + 0.026)
    assert without_first[0] == pytest.approx(0.014)
