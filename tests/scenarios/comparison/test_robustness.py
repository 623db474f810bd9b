"""The middle half and the worst tenth of runs, with paired intervals."""

import numpy as np
import pytest

from pmtwin.scenarios.comparison.robustness import interquartile_mean, robustness, worst_tenth


def test_the_statistics_of_known_values():
    values = np.arange(20.0)[::-1]
    assert worst_tenth(values) == 0.5
    assert interquartile_mean(values) == 9.5
    assert interquartile_mean(np.array([0.0, 1.0, 2.0, 100.0])) == 1.5


def test_a_policy_that_is_better_by_the_same_amount_everywhere_is_so_for_certain():
    base = np.random.default_rng(1).random(30)
    spread = robustness({"a": base + 0.1, "b": base})
    (difference,) = spread["differences"]
    for name in ("interquartile_mean", "worst_tenth"):
        assert difference[name] == {key: pytest.approx(0.1) for key in ("mean", "low", "high")}
        interval = spread["policies"]["b"][name]
        assert interval["low"] < interval["mean"] < interval["high"]


def test_two_policies_that_differ_by_chance_are_not_told_apart():
    random = np.random.default_rng(2)
    spread = robustness({"a": random.random(40), "b": random.random(40)})
    assert spread["differences"][0]["worst_tenth"]["low"] < 0.0 < spread["differences"][0]["worst_tenth"]["high"]


def test_a_tenth_of_fewer_than_ten_runs_is_not_told():
    assert robustness({"a": [0.1] * 9}) is None


def test_runs_that_are_alike_have_no_spread():
    assert robustness({"a": [1.0] * 10, "b": [2.0] * 10}) is None
    assert robustness({"a": [1.0] * 10, "b": [2.0] * 9 + [3.0]}) is not None


@pytest.mark.parametrize("count", [10, 13, 19])
def test_the_worst_of_few_runs_has_no_interval_that_would_end_at_it(count):
    random = np.random.default_rng(3)
    spread = robustness({"a": random.random(count), "b": random.random(count)})
    for row in (*spread["policies"].values(), *spread["differences"]):
        assert (row["worst_tenth"]["low"], row["worst_tenth"]["high"]) == (None, None)
        assert row["interquartile_mean"]["low"] < row["interquartile_mean"]["high"]
