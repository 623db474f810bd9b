"""Statements: how far simulated quantities are from what a source states."""

import numpy as np
import pytest

from pmtwin.calibrate.inference.statements import (
    LOG,
    LOGIT,
    SIGNED_LOG,
    SURPRISE,
    Between,
    Note,
    Ranking,
    Value,
    log_likelihood,
)
from pmtwin.sim.errors import InputError


def column(*values):
    return {"q": np.array(values, dtype=float)}


def test_a_value_is_most_likely_where_it_is_and_never_less_than_a_surprise():
    value = Value(name="v", quantity="q", value=100.0, discrepancy=0.1, scale=LOG)
    result = value.log_likelihood(column(100.0, 110.0, 1e6))
    assert result[0] == pytest.approx(0.0)
    assert result[1] == pytest.approx(np.log(SURPRISE + (1 - SURPRISE) * np.exp(-0.5 * (np.log(1.1) / 0.1) ** 2)))
    assert result[2] == pytest.approx(np.log(SURPRISE))
    assert value.met(column(100.0, 120.0, 130.0)).tolist() == [True, True, False]


def test_what_was_not_simulated_counts_as_met_in_the_likelihood_and_not_in_the_report():
    value = Value(name="v", quantity="q", value=1.0)
    assert value.log_likelihood(column(np.nan)).tolist() == [0.0]
    assert value.met(column(np.nan)).tolist() == [False]


def test_bounds_are_soft_by_their_discrepancy():
    share = Between(name="s", quantity="q", low=0.75, high=1.0, discrepancy=1.0, scale=LOGIT)
    likelihood = np.exp(share.log_likelihood(column(0.75, 0.98, 0.05)))
    assert likelihood[0] == pytest.approx(SURPRISE + (1 - SURPRISE) * 0.5)
    assert likelihood[1] > 0.95 and likelihood[2] < 0.03
    assert share.met(column(0.75, 0.7)).tolist() == [True, False]


def test_an_interval_is_scaled_to_at_most_one():
    narrow = Between(name="n", quantity="q", low=0.9, high=1.1, discrepancy=1.0)
    assert np.exp(narrow.log_likelihood(column(1.0)))[0] == pytest.approx(1.0)


def test_an_order_of_two_is_logistic_in_their_difference():
    order = Ranking(name="o", order=("a", "b"), discrepancy=2.0)
    result = order.log_likelihood({"a": np.array([3.0, 1.0]), "b": np.array([1.0, 3.0])})
    assert np.exp(result) == pytest.approx([1 / (1 + np.exp(-1.0)), 1 / (1 + np.exp(1.0))])


def test_orders_of_rewards_are_compared_by_logarithm_on_either_side_of_zero():
    order = Ranking(name="o", order=("a", "b", "c"), scale=SIGNED_LOG)
    right, wrong = {"a": [5.0], "b": [-2.0], "c": [-900.0]}, {"a": [-900.0], "b": [-2.0], "c": [5.0]}
    right, wrong = ({name: np.array(v) for name, v in each.items()} for each in (right, wrong))
    assert order.log_likelihood(right)[0] > order.log_likelihood(wrong)[0] + 5.0
    assert order.met(right).tolist() == [True] and order.met(wrong).tolist() == [False]
    assert order.pairs(right)["a", "c"].tolist() == [1.0] and order.pairs(wrong)["a", "b"].tolist() == [0.0]


def test_only_what_is_used_weighs():
    value = Value(name="v", quantity="q", value=1.0)
    both = (value.checked(), Note(name="n", use="not used"))
    assert float(np.sum(log_likelihood(both, column(9.0)))) == 0.0
    assert log_likelihood((value,), column(9.0))[0] < -4.0


@pytest.mark.parametrize("about", [{"use": "sometimes"}, {"scale": "cubic"}, {"discrepancy": 0.0}])
def test_a_statement_that_cannot_be_used_is_refused(about):
    with pytest.raises(InputError, match=r"^v: "):
        Value(name="v", quantity="q", value=1.0, **about)
