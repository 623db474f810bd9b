"""Kendall's tau of the order of policies on both sides."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from pmtwin.scenarios.hybrid_storage.validation.order import order_of
from pmtwin.scenarios.hybrid_storage.validation.repeats import floor
from pmtwin.validation.comparison import PATHS


def compared(predicted, measured, workload="w", group=PATHS):
    return [
        {"workload": workload, "group": group, "mean_us": {"predicted": {"mean": p}, "measured": {"mean": m}}}
        for p, m in zip(predicted, measured, strict=True)
    ]


def test_it_is_that_of_scipy_in_each_workload_and_over_all_pairs():
    random = np.random.default_rng(0)
    sides = {name: random.random((2, 6)) for name in ("a", "b")}
    entries = [entry for name, both in sides.items() for entry in compared(*both, name)]
    order = order_of({"comparisons": entries}, "mean_us")
    expected = {name: kendalltau(*both).statistic for name, both in sides.items()}
    assert order.by_workload == pytest.approx(expected)
    assert order.pairs == 30 and order.tau == pytest.approx(np.mean(list(expected.values())))


def test_the_other_way_round_it_is_minus_one_and_of_one_policy_there_is_none():
    assert order_of({"comparisons": compared([1, 2, 3], [3, 2, 1])}, "mean_us").tau == -1.0
    one = order_of({"comparisons": compared([1.0], [2.0])}, "mean_us")
    assert one.pairs == 0 and one.by_workload == {}


def test_swapped_pairs_within_the_noise_of_the_real_side_are_counted():
    entries = {"comparisons": compared([1.0, 2.0, 3.0], [10.4, 10.0, 9.0])}
    assert [order_of(entries, "mean_us", floor).near for floor in (0.0, 3.0, 5.0, 13.0, 20.0)] == [0, 0, 1, 2, 3]
    assert order_of(entries, "mean_us", 5.0).swapped == 3
    assert order_of(entries, "mean_us", 5.0).words().endswith("3 swapped, 1 of them within the noise floor")
    assert order_of(entries, "mean_us", 0.0).words().endswith("3 swapped, 0 of them within the noise floor")


def test_without_a_run_that_was_repeated_nothing_is_said_of_the_noise():
    order = order_of({"comparisons": compared([1.0, 2.0], [10.4, 10.0])}, "mean_us", floor({"w": []}))
    assert order.near is None and order.words().endswith("1 swapped")


def test_policies_without_a_measurement_and_fixed_settings_have_no_part():
    entries = [*compared([1, 2], [1, 2]), *compared([3], [None]), *compared([9], [0], group="fixed thresholds")]
    assert order_of({"comparisons": entries}, "mean_us").pairs == 1
