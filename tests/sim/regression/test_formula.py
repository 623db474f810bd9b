"""Formulas in R's notation: which terms, what they are worth, and what is refused."""

import numpy as np
import pytest

from pmtwin.sim.errors import InputError
from pmtwin.sim.regression.formula import Formula


def test_crossing_gives_all_products_once():
    assert Formula("y ~ a*b*c + d*c*b").terms == (
        "(Intercept)", "a", "b", "c", "d", "a:b", "a:c", "b:c", "b:d", "c:d", "a:b:c", "b:c:d",
    )  # fmt: skip


def test_values_of_terms():
    columns = {"a": np.array([1.0, 2.0]), "b": np.array([4.0, 8.0])}
    formula = Formula("y ~ a:b + I(pmax(b/a - 4, 0)^2 + 1) + 0")
    assert formula.terms == ("a:b", "I(pmax(b/a - 4, 0)^2 + 1)") and formula.variables == ("a", "b")
    assert formula.matrix(columns).tolist() == [[4.0, 1.0], [16.0, 1.0]]


@pytest.mark.parametrize(
    "text",
    [
        "", "y", "y ~", "~ a", "y ~ a +", "y ~ a**b", "y ~ a*b:c", "y ~ y*a", "y ~ a*a", "y ~ 2*a", "y ~ 0",
        "y ~ I(__import__('os'))", "y ~ I(a.b)", "y ~ I(a[0])", "y ~ I(open(a))", "y ~ I(a if b else c)", "y ~ I(a",
        "y ~ I(pmax(a))", "y ~ I(lambda: a)", "y ~ I('a')", "y ~ I(a, b)",
    ],
)  # fmt: skip
def test_other_notations_are_refused(text):
    with pytest.raises(InputError, match="formula"):
        Formula(text)
