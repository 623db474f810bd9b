"""Fit of a regression to runs, and its error on runs that the fit did not see."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pmtwin.calibrate.regression.least_squares import not_negative, ordinary
from pmtwin.calibrate.regression.runs import rows_of
from pmtwin.sim.errors import check_range
from pmtwin.sim.regression.file import Estimate, Regression, Variable
from pmtwin.sim.regression.formula import Formula

REGRESSION, MECHANISTIC = FORMS = ("regression", "mechanistic")


def fit(
    name: str,
    form: str,
    formula: Formula,
    columns: dict[str, np.ndarray],
    folds: int,
    seed: int,
    units: Mapping[str, str] | None = None,
    source: str = "",
) -> Regression:
    """Fit a regression to runs.

    Args:
        form: "regression" (ordinary least squares) or "mechanistic" (no estimate below 0, noise a share of the time).
        columns: of the formula, name -> shape (runs,).
        folds: number of parts of the runs; each part is predicted by a fit to the others.
        seed: of the folds and of the bootstrap.
        units: units of the variables and the response, where they are known.
        source: origin of the runs, kept in the result.

    Raises:
        InputError: the terms cannot be fitted to the runs, or there are fewer runs than `folds`.
    """
    runs = len(columns[formula.response])
    check_range("folds", folds, 2, runs)
    bootstrap = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
    terms, aic = ordinary(formula, columns) if form == REGRESSION else (not_negative(formula, columns, bootstrap), None)
    unseen = cross_validated(form, formula, columns, folds, seed)
    units = units or {}
    ranges = {
        variable: Variable(units.get(variable, ""), float(columns[variable].min()), float(columns[variable].max()))
        for variable in formula.variables
    }
    response = columns[formula.response]
    fitted = predicted(formula, terms, columns)
    return Regression(
        name=name,
        formula=formula.text,
        unit=units.get(formula.response, "s"),
        variables=ranges,
        terms=terms,
        form=form,
        source=source,
        aic=aic,
        runs=runs,
        record={
            "folds": folds,
            "seed": seed,
            "errors": {"fitted": errors(response, fitted), "cross_validation": errors(response, unseen)},
        },
    )


def predicted(formula: Formula, terms: Mapping[str, Estimate], columns: dict[str, np.ndarray]) -> np.ndarray:
    """Values of the formula at the runs, shape (runs,); they can be negative."""
    return formula.matrix(columns) @ [terms[name].estimate for name in formula.terms]


def cross_validated(form: str, formula: Formula, columns: dict[str, np.ndarray], folds: int, seed: int) -> np.ndarray:
    """Prediction of each run by a fit to the parts that do not contain it, shape (runs,)."""
    runs = len(columns[formula.response])
    order = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,))).permutation(runs)
    fitted: Callable = (lambda rows: ordinary(formula, rows)[0]) if form == REGRESSION else (
        lambda rows: not_negative(formula, rows)
    )  # fmt: skip
    values = np.empty(runs)
    for part in np.array_split(order, folds):
        training = np.ones(runs, dtype=bool)
        training[part] = False
        values[part] = predicted(formula, fitted(rows_of(columns, training)), rows_of(columns, part))
    return values


def errors(response: np.ndarray, values: np.ndarray) -> dict[str, float]:
    """Errors of predictions, by name.

    Returns:
        `root_mean_square` in the response's unit; `median_percent` and `p90_percent`: median and 90th percentile of the
        absolute relative error; `not_positive`: number of predictions that are zero or negative.
    """
    relative = 100.0 * np.abs(values / response - 1.0)
    return {
        "root_mean_square": float(np.sqrt(np.mean((values - response) ** 2))),
        "median_percent": float(np.median(relative)),
        "p90_percent": float(np.percentile(relative, 90)),
        "not_positive": int((values <= 0.0).sum()),
    }
