"""Refits: known estimates come back, the numbers are those of R, and what cannot be fitted is refused."""

import numpy as np
import pytest

from pmtwin.calibrate.regression.fitting import cross_validated, errors, fit
from pmtwin.calibrate.regression.least_squares import not_negative, ordinary
from pmtwin.sim.errors import InputError
from pmtwin.sim.regression.file import regression_of
from pmtwin.sim.regression.formula import Formula

CARS = np.array([[4, 2], [4, 10], [7, 4], [7, 22], [8, 16], [9, 10], [10, 18], [10, 26], [10, 34], [11, 17]], float).T
"""The first ten rows of R's data set `cars`: speed, dist."""


def runs(count=60, noise=0.05, seed=1):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(1, 9, count), 10.0 ** rng.uniform(0, 4, count)
    time = (2.0 + 3.0 * a + 0.5 * b / a) * np.exp(noise * rng.standard_normal(count))
    return {"a": a, "b": b, "time_s": time}


def test_the_numbers_of_simple_regression():
    """By the textbook's formulas of a line, worked out apart."""
    speed, distance = CARS
    terms, aic = ordinary(Formula("dist ~ speed"), {"speed": speed, "dist": distance})
    spread = np.sum((speed - speed.mean()) ** 2)
    slope = np.sum((speed - speed.mean()) * (distance - distance.mean())) / spread
    intercept = distance.mean() - slope * speed.mean()
    rest = np.sum((distance - intercept - slope * speed) ** 2)
    assert terms["speed"].estimate == pytest.approx(slope)
    assert terms["(Intercept)"].estimate == pytest.approx(intercept)
    assert terms["speed"].standard_error == pytest.approx(np.sqrt(rest / 8 / spread))
    likelihood = -5.0 * (np.log(2 * np.pi * rest / 10) + 1.0)
    assert aic == pytest.approx(-2.0 * likelihood + 2 * 3)


def test_p_is_students():
    from scipy import stats

    speed, distance = CARS
    terms, _ = ordinary(Formula("dist ~ speed"), {"speed": speed, "dist": distance})
    assert terms["speed"].p == pytest.approx(stats.linregress(speed, distance).pvalue)


def test_the_law_behind_the_runs_comes_back_in_both_forms():
    formula, columns = Formula("time_s ~ a + I(b/a)"), runs()
    for terms in (ordinary(formula, runs(noise=1e-9))[0], not_negative(formula, columns)):
        estimates = [terms[name].estimate for name in formula.terms]
        assert estimates == pytest.approx([2.0, 3.0, 0.5], rel=0.4)
        assert estimates[2] == pytest.approx(0.5, rel=0.03)


def test_the_mechanistic_form_is_never_negative_and_the_file_is_read_back():
    formula, columns = Formula("time_s ~ a*b + I(b/a)"), runs()
    regression = fit("trial", "mechanistic", formula, columns, folds=20, seed=1)
    assert min(term.estimate for term in regression.terms.values()) >= 0.0
    assert all(term.standard_error >= 0.0 and term.t is None and term.p is None for term in regression.terms.values())
    again = regression_of(regression.document(), "file")
    assert np.array_equal(again.predict(columns), regression.values(columns)) and regression.aic is None


def test_each_run_is_predicted_by_fits_that_did_not_see_it():
    """A run that is a thousand times too slow moves the predictions of others, and not its own."""
    formula, columns = Formula("time_s ~ a + I(b/a)"), runs()
    before = cross_validated("regression", formula, columns, 20, 1)
    columns["time_s"][7] *= 1000.0
    after = cross_validated("regression", formula, columns, 20, 1)
    same = before == pytest.approx(after, rel=1e-9), np.flatnonzero(np.isclose(before, after, rtol=1e-9))
    assert not same[0] and 7 in same[1]
    assert (
        errors(columns["time_s"], after)["root_mean_square"] > 10 * errors(runs()["time_s"], before)["root_mean_square"]
    )


@pytest.mark.parametrize(
    ("text", "columns", "form", "named"),
    [
        ("time_s ~ a*b", {name: values[:5] for name, values in runs().items()}, "regression", "runs"),
        ("time_s ~ a + I(2*a)", runs(), "regression", r"I\(2\*a\)"),
        ("time_s ~ I(log(a-5))", runs(), "regression", "finite"),
        ("time_s ~ I(5-a)", runs(), "mechanistic", "0 or above"),
    ],
)
def test_what_cannot_be_fitted_is_refused(text, columns, form, named):
    with pytest.raises(InputError, match=named):
        fit("trial", form, Formula(text), columns, folds=5, seed=1)
