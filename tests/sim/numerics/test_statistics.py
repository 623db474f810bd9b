"""Summaries against tables, published formulas, and how often their intervals hold the truth."""

import random
import statistics

import numpy as np
import pytest

from pmtwin.sim.numerics.statistics import NORMAL_90, mean_interval, median_interval, t_half, wilson_interval


def test_half_of_a_t_interval_is_that_of_the_tables():
    samples = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    assert t_half(samples) == pytest.approx(4.302653 / 3**0.5 * np.array([1.0, 10.0]))
    assert t_half(samples[:, 0], 0.90) == pytest.approx(2.919986 / 3**0.5)
    assert mean_interval(samples[:, 0])["high"] == 2.0 + t_half(samples[:, 0])


def test_the_normal_quantile_has_the_four_decimals_that_profiles_were_made_with():
    assert round(statistics.NormalDist().inv_cdf(0.95), 4) == NORMAL_90


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"), [(9, 10, 0.65, 0.98), (10, 10, 0.78, 1.0), (0, 3, 0.0, 0.48), (0, 0, 0, 1)]
)
def test_a_share_of_few_has_a_wide_interval(successes, trials, low, high):
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=0.01)


def test_the_interval_holds_the_median_as_often_as_it_says():
    source = random.Random(3)
    for count in (5, 10, 21):
        promised = median_interval([0.0] * count)["confidence"]
        assert promised >= 0.95 or count < 6
        intervals = [median_interval([source.lognormvariate(0.0, 1.0) for _ in range(count)]) for _ in range(2000)]
        held = statistics.mean(each["low"] <= 1.0 <= each["high"] for each in intervals)
        assert held == pytest.approx(promised, abs=0.02)  # four standard errors


def test_one_value_promises_nothing():
    assert median_interval([2.0]) == {"median": 2.0, "low": 2.0, "high": 2.0, "confidence": 0.0}
