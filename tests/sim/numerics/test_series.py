"""Series whose neighbours are alike: their intervals hold the mean, and leave out warm-up and cool-down."""

import numpy as np
import pytest

from pmtwin.sim.numerics.series import (
    CRITICAL,
    autocorrelation,
    change_statistic,
    changepoint,
    gain_of_series,
    independent,
    merge,
    series_interval,
    steady_part,
)
from pmtwin.sim.numerics.statistics import mean_interval, ratio_interval, t_half
from studies.merged_neighbours import LAGS, LOGGED, autocorrelations, fitted, judged, made


def test_neighbours_are_merged_to_their_mean():
    assert merge(np.array([9.0, 1.0, 3.0, 5.0, 7.0]), 2).tolist() == [2.0, 6.0]


def test_autocorrelation_is_that_of_the_formula():
    assert autocorrelation(np.array([1.0, -1.0] * 50)) == pytest.approx(-1.0)
    values = np.array([1.0, 2.0, 4.0, 3.0, 0.0])
    distances = values - 2.0
    assert autocorrelation(values) == pytest.approx((distances[1:] @ distances[:-1] / 4) / (distances @ distances / 5))
    assert autocorrelation(np.full(30, 0.1)) == 0.0


def test_merging_ends_with_the_first_number_that_leaves_no_more_than_a_tenth():
    values = np.repeat(np.random.default_rng(2).normal(size=300), 8)
    samples, count = independent(values)
    assert 8 <= count <= 80 and abs(autocorrelation(values, count)) <= 0.1
    assert all(abs(autocorrelation(values, fewer)) > 0.1 for fewer in range(1, 8))
    assert len(samples) == len(values) // count


def test_a_series_that_never_becomes_independent_has_no_interval():
    interval = series_interval(np.repeat([0.0, 1.0], 4))
    assert interval == {"mean": 0.5, "low": None, "high": None, "samples": 1, "merged": 8}


def test_a_series_without_noise_is_known_exactly():
    interval = series_interval(np.full(50, 0.1))
    assert interval["low"] == pytest.approx(0.1) == interval["high"] and interval["merged"] == 1
    assert steady_part(np.full(50, 0.1)) == (0, 50)


def test_the_made_up_series_have_the_autocorrelation_of_the_log():
    assert autocorrelations(*fitted()) == pytest.approx(LOGGED, abs=0.02)
    values = made(200_000, 1, fitted())
    for lag, expected in zip(LAGS, autocorrelations(*fitted()), strict=True):
        assert values[lag:] @ values[:-lag] / (values @ values) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("length", [1800, 7200])
def test_the_interval_holds_the_mean_of_autocorrelated_series(length):
    count = 200
    result = judged(length, range(count), lambda seeds, **_: seeds)
    low, high = (share + sign * 3.0 * (share * (1 - share) / count) ** 0.5 for share, sign in ((0.90, -1), (0.97, 1)))
    assert low <= result["merged"] <= high, "90 to 97 %, give or take three standard errors of a count"
    assert result["without"] == 0 and result["kept"] > 0.95
    assert result["plain"] < 0.5, "as if independent they are far too narrow"


@pytest.mark.parametrize(
    ("first", "last"), [((0, 0.0), (0, 0.0)), ((60, -3.0), (0, 0.0)), ((0, 0.0), (50, 2.0)), ((80, -4.0), (60, -4.0))]
)
def test_warm_up_and_cool_down_are_left_out(first, last):
    places = []
    for seed in range(10):
        values = np.random.default_rng(seed).normal(size=600)
        values[: first[0]] += first[1]
        values[len(values) - last[0] :] += last[1]
        places.append(steady_part(values))
    begins, ends = np.median(places, axis=0)
    assert begins == pytest.approx(first[0], abs=3) and ends == pytest.approx(600 - last[0], abs=3)


def test_a_change_in_the_middle_is_no_warm_up():
    values = np.random.default_rng(4).normal(size=400)
    values[200:] += 3.0
    assert changepoint(values)[0] == pytest.approx(200, abs=6)
    assert steady_part(values) == (0, 400)


def test_the_critical_value_is_passed_by_one_steady_series_in_a_hundred():
    random, count = np.random.default_rng(0), 1000
    passed = sum(change_statistic(random.normal(size=300)).max() > CRITICAL for _ in range(count))
    assert passed / count == pytest.approx(0.01, abs=3.0 * (0.01 * 0.99 / count) ** 0.5)


def test_a_step_without_noise_is_found_at_its_place():
    assert changepoint(np.repeat([0.0, 5.0], [10, 70])) == (10, np.inf)
    assert steady_part(np.repeat([0.0, 5.0], [10, 70])) == (10, 80)


def test_independent_samples_have_nearly_the_usual_interval():
    values = np.random.default_rng(7).normal(size=500)
    ours, usual = series_interval(values), mean_interval(values)
    assert ours["merged"] == 1 and ours["mean"] == usual["mean"]
    assert (ours["high"] - ours["mean"]) / (usual["high"] - usual["mean"]) == pytest.approx((1.1 / 0.9) ** 0.5)


def test_the_gain_of_independent_series_has_the_interval_of_the_linearised_ratio():
    random = np.random.default_rng(3)
    ours, theirs = random.normal(3.0, 0.5, 400), random.normal(2.0, 0.5, 400)
    gain, usual = gain_of_series(ours, theirs, [100] * 4), ratio_interval(ours, theirs)
    assert gain["merged"] == 1 and gain["samples"] == 400
    assert gain["mean"] + 1.0 == pytest.approx(usual["mean"])
    assert gain["high"] - gain["mean"] == pytest.approx((1.1 / 0.9) ** 0.5 * (usual["high"] - usual["mean"]))


def test_a_gain_over_what_is_below_zero_is_one_where_ours_is_higher():
    random = np.random.default_rng(3)
    gain = gain_of_series(random.normal(-1.0, 0.1, 400), random.normal(-2.0, 0.1, 400), [100] * 4)
    assert gain["mean"] == pytest.approx(0.5, abs=0.02) and 0.4 < gain["low"] < gain["high"] < 0.6


def test_no_more_than_a_block_is_merged():
    levels = np.random.default_rng(8).normal(size=6)
    ours = 10.0 + np.repeat(levels, 5)
    gain = gain_of_series(ours, np.full(30, 5.0), [5] * 6)
    assert (gain["samples"], gain["merged"]) == (6, 5)
    assert gain["high"] - gain["mean"] == pytest.approx(float(t_half((10.0 + levels) / 5.0)))


def test_there_is_no_gain_over_nothing():
    gain = gain_of_series(np.ones(4), np.zeros(4), [2, 2])
    assert np.isnan(gain["mean"]) and gain["low"] is None and gain["high"] is None
