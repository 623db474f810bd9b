"""Intervals cover what they promise, and are narrow where errors are small."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pmtwin.calibrate.calibration import _with_counts_between
from pmtwin.calibrate.conformal import OCTAVE_HALF_WIDTH, RIVAL_SHARE, LocalInterval, OutsideInterval
from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.residual import coordinates_of
from pmtwin.calibrate.validation import Unseen

EXPECTED = 0.02


def unseen_of(configurations, errors) -> Unseen:
    n = len(configurations)
    return Unseen(np.arange(n), errors, errors, np.full(n, EXPECTED), np.zeros(n), np.zeros(n))


@pytest.fixture
def heteroscedastic(make_sweep):
    """Errors of 1 % at random, of 5 % at sequential accesses; the process expects 2 % of both."""
    configurations, _ = group(make_sweep())
    rng = np.random.default_rng(1)
    errors = np.where(configurations.random, 0.01, 0.05) * rng.standard_normal(len(configurations))
    return configurations, unseen_of(configurations, errors)


def test_nine_in_ten_lie_inside_out_of_fold(heteroscedastic):
    configurations, unseen = heteroscedastic
    interval = LocalInterval(configurations, {"configurations": unseen})
    assert 0.85 <= interval.coverage_["configurations"] <= 0.95
    (half,) = interval.half_widths_.values()
    assert np.median(half[~configurations.random]) > 2 * np.median(half[configurations.random])


def test_errors_larger_than_seen_are_not_covered(heteroscedastic):
    configurations, unseen = heteroscedastic
    (half,) = LocalInterval(configurations, {"configurations": unseen}).half_widths_.values()
    assert (np.abs(3 * unseen.full) <= half).mean() < 0.7


def test_where_the_process_expects_more_the_interval_is_wider(heteroscedastic):
    configurations, unseen = heteroscedastic
    interval = LocalInterval(configurations, {"configurations": unseen})
    points = coordinates_of(configurations)
    near, far = (interval.half_widths(points, np.full(len(points), EXPECTED * by)) for by in (1.0, 3.0))
    assert np.median(far / near) > 1.5


def test_both_kinds_of_unseen_data_are_judged_apart(heteroscedastic):
    configurations, unseen = heteroscedastic
    worse = replace(unseen, full=2 * unseen.full, deviation=2 * unseen.deviation)
    interval = LocalInterval(configurations, {"configurations": unseen, "thread_counts": worse})
    assert len(interval.coverage_) == 2
    assert all(0.8 <= share <= 0.97 for share in interval.coverage_.values())
    known, new = map(np.median, interval.half_widths_.values())
    assert new > 1.5 * known


def test_a_single_miss_does_not_widen_the_intervals_of_others(heteroscedastic):
    configurations, unseen = heteroscedastic
    errors = unseen.full.copy()
    errors[0] = 3.0
    points = coordinates_of(configurations)[1:]
    expected = np.full(len(points), EXPECTED)
    before = LocalInterval(configurations, {"configurations": unseen}).half_widths(points, expected)
    after = LocalInterval(configurations, {"configurations": unseen_of(configurations, errors)}).half_widths(
        points, expected
    )
    assert np.median(after / before) < 1.1


def test_a_thread_count_never_measured_has_the_quantile_of_kept_aside_counts(heteroscedastic):
    configurations, unseen = heteroscedastic
    worse = replace(unseen, full=3 * unseen.full)
    interval = LocalInterval(configurations, {"configurations": unseen, "thread_counts": worse})
    points = coordinates_of(configurations)
    known, new = (interval.half_widths(points, np.full(len(points), EXPECTED), of) for of in (0, 1))
    rank = int(np.ceil(0.9 * (len(worse) + 1)))
    assert np.unique(new).tolist() == [np.sort(np.abs(worse.full))[rank - 1]]
    assert np.unique(known).size > 10


def test_where_explanations_differ_the_interval_spans_them(heteroscedastic):
    configurations, unseen = heteroscedastic
    interval = LocalInterval(configurations, {"configurations": unseen})
    points = coordinates_of(configurations)
    expected = np.full(len(points), EXPECTED)
    agreed, apart = (interval.half_widths(points, expected, 1, spread) for spread in (0.0, 0.2))
    assert apart == pytest.approx(np.hypot(agreed, RIVAL_SHARE * 0.2))


def test_outside_the_data_the_half_width_grows_as_far_misses_ask(heteroscedastic):
    _, unseen = heteroscedastic
    n = len(unseen)
    alone = OutsideInterval(unseen, None)
    assert alone.log_half_width(np.array([2.0])) == pytest.approx(alone.half_width + 2 * OCTAVE_HALF_WIDTH)
    far = replace(unseen, mechanism=np.full(n, 1.0), outside=np.full(n, 2.0))
    told = OutsideInterval(unseen, far)
    assert np.all(told.log_half_width(far.outside) >= 1.0 - 1e-12)
    near = OutsideInterval(unseen, replace(far, mechanism=np.full(n, 0.01)))
    assert near.half_width_per_octave == OCTAVE_HALF_WIDTH


def test_an_interval_is_tabulated_throughout_a_gap_between_counts():
    assert set(range(4, 12)) <= set(_with_counts_between([1.0, 4.0, 23.0]))
    knots = _with_counts_between([1.0, 4.0, 256.0])
    assert knots == sorted(set(knots)) and (knots[0], knots[-1]) == (1.0, 256.0)
    assert max(high / low for low, high in pairwise(knots[3:])) < 2 ** (1 / 2)
