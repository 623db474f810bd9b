"""Plain intervals beside the shipped ones: scores, and the share inside at knees."""

import numpy as np
import pytest

from studies.plain_intervals import OutOfFold, quantile


def test_a_narrower_interval_that_holds_as_much_scores_better_by_the_difference_of_widths():
    half = np.full(4, 0.05)
    judged = OutOfFold(np.full(4, 0.01), half, {"plain": half - 0.01}, np.zeros(4), np.array([0, 0, 1, 1]))
    assert judged.excess("plain") == pytest.approx((-0.02, 0.0))


def test_errors_that_have_much_in_common_count_as_one():
    errors, half = np.repeat([0.01, 0.07], 50), np.full(100, 0.05)
    by_count = OutOfFold(errors, half, {"plain": half + 0.02}, np.zeros(100), np.repeat([0, 1], 50))
    alone = OutOfFold(errors, half, {"plain": half + 0.02}, np.zeros(100), np.arange(100))
    assert by_count.excess("plain")[0] == alone.excess("plain")[0]
    assert by_count.excess("plain")[1] > 5 * alone.excess("plain")[1]


def test_knees_are_the_quarter_where_rivals_lie_furthest_apart():
    spread = np.arange(8.0)
    errors = np.where(spread >= 6, 0.2, 0.01)
    judged = OutOfFold(errors, np.full(8, 0.1), {}, spread, np.arange(8))
    assert judged.at_knees(judged.shipped) == 0.0
    assert judged.at_knees(np.full(8, 0.3)) == 1.0


def test_the_half_width_is_the_quantile_of_the_errors_and_one_more():
    assert quantile(np.arange(1.0, 20.0)) == 18.0  # the ceil(20 * 0.9)-th of 19
    assert quantile(np.array([1.0, 2.0])) == 2.0
