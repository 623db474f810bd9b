"""Rounds of the host's experiments that disagree are said: on a busy machine the values may be far off."""

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware.host.steadiness import steadiness_note, unsteady

STEADY = [100.0, 101.0, 103.0, 99.0, 250.0]
"""A single disturbed round is what the median is for."""

TWO_SPEEDS = [1_660.0, 22_231.0, 1_700.0, 21_900.0, 1_650.0, 22_000.0]


def test_an_experiment_with_two_speeds_is_unsteady():
    assert unsteady({"steady": STEADY, "paced": TWO_SPEEDS}) == ["paced"]


@pytest.mark.parametrize(("disturbed", "said"), [(1, False), (2, True)])
def test_more_than_a_tenth_of_them_are_said(disturbed, said):
    samples = {str(number): TWO_SPEEDS if number < disturbed else STEADY for number in range(10)}
    note = steadiness_note(samples)
    assert ("2 of 10 experiments disagree" in note) is said and bool(note) is said


def test_rounds_that_take_no_time_agree():
    assert unsteady({"none": np.zeros(5)}) == []
