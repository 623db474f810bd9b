"""Priors: ranges, scores and designs."""

import numpy as np
import pytest

from pmtwin.calibrate.inference.priors import CHOICE, LOG_UNIFORM, Prior, Priors, check_known
from pmtwin.sim.errors import InputError


def test_values_and_scores_are_inverse():
    priors = Priors((Prior("a", 2.0, 6.0), Prior("b", 1.0, 100.0, LOG_UNIFORM)))
    values = np.array([[3.0, 10.0], [5.9, 1.5]])
    assert priors.values(priors.scores(values)) == pytest.approx(values)
    assert priors.values(np.zeros((1, 2)))[0] == pytest.approx([4.0, 10.0])


def test_a_choice_has_as_many_equal_steps_as_values():
    prior = Prior("tied", 0, 2, CHOICE)
    values = prior.value((np.arange(30) + 0.5) / 30)
    assert [int((values == k).sum()) for k in (0, 1, 2)] == [10, 10, 10]
    assert prior.value(prior.share(np.array([0.0, 1.0, 2.0]))).tolist() == [0.0, 1.0, 2.0]


def test_a_design_covers_every_sixteenth_of_every_parameter():
    priors = Priors(tuple(Prior(name, 0.0, 1.0) for name in "abc"))
    values = priors.values(priors.design(16, seed=3))
    for column in values.T:
        assert sorted((column * 16).astype(int)) == list(range(16))
    assert np.array_equal(priors.design(16, 3), priors.design(16, 3))
    assert not np.array_equal(priors.design(16, 3), priors.design(16, 4))


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("a", 1.0, 1.0), "a: high"),
        (("a", 0.0, 1.0, LOG_UNIFORM), "a: low"),
        (("a", 0.0, 1.0, "normal"), "a: distribution"),
    ],
)
def test_a_prior_that_is_none_is_refused(arguments, field):
    with pytest.raises(InputError) as error:
        Prior(*arguments)
    assert error.value.field == field


def test_a_parameter_twice_and_one_without_a_prior_are_refused():
    with pytest.raises(InputError, match="each once"):
        Priors((Prior("a", 0, 1), Prior("a", 0, 2)))
    with pytest.raises(InputError, match="--only: 'c'"):
        check_known("--only", ["a", "c"], ["a", "b"])
