"""How far measurements differ among themselves."""

import numpy as np
import pytest

from pmtwin.validation.noise import REPEAT, SEEDS, WINDOWS, noise, summary


def test_differences_between_seeds_and_within_a_run_are_told_apart():
    result = noise([np.array([100.0, 100.0]), np.array([110.0, 110.0])])
    assert result[SEEDS] == pytest.approx([100 * np.sqrt(50) / 105]) and result[WINDOWS] == [0.0, 0.0]
    assert result[REPEAT] == pytest.approx([100 * 10 / 110, 10.0])
    result = noise([np.array([90.0, 110.0])] * 2)
    assert result[SEEDS] == [0.0] and result[WINDOWS] == pytest.approx([100 * np.sqrt(200) / 100] * 2)


def test_one_seed_of_one_window_says_nothing_and_neither_does_a_class_without_requests():
    assert summary([noise([np.array([5.0])])]) == dict.fromkeys((SEEDS, WINDOWS, REPEAT))
    assert summary([noise([np.zeros(3)] * 2)]) == dict.fromkeys((SEEDS, WINDOWS, REPEAT))


def test_the_summary_is_a_median_over_cases():
    cases = [noise([np.array([100.0]), np.array([100.0 + by])]) for by in (0.0, 2.0, 40.0)]
    assert summary(cases)[SEEDS] == pytest.approx(cases[1][SEEDS][0])
