"""Simulated designs: repeatable, and on runs that it did not see the mechanistic form errs less than the regression."""

import numpy as np
import pytest

from pmtwin.calibrate.regression.fitting import FORMS, cross_validated
from pmtwin.scenarios.two_tier.figures.designs import design
from pmtwin.scenarios.two_tier.figures.regressions import compared, formula_of, implied, render
from pmtwin.sim.regression.file import load_regression


def made(name, runs=80, seed=5):
    return design(name, runs, np.random.SeedSequence(seed), most=3000)


@pytest.fixture(scope="module")
def results():
    result = {}
    for name in ("nvme-write", "nvme-read", "hdd-write", "hdd-read"):
        columns = made(name)
        predicted = {form: cross_validated(form, formula_of(name, form), columns, 20, 1) for form in FORMS}
        table = compared(columns["time_s"], predicted, np.random.default_rng(1))
        result[name] = {
            "runs": {column: values.tolist() for column, values in columns.items()},
            "predicted": {form: values.tolist() for form, values in predicted.items()},
            "compared": table,
        }
    return result


def test_the_same_seed_gives_the_same_runs():
    once, again, other = made("hdd-read", 5), made("hdd-read", 5), made("hdd-read", 5, seed=6)
    assert all(np.array_equal(once[name], again[name]) for name in once)
    assert not np.array_equal(once["time_s"], other["time_s"])


@pytest.mark.parametrize("name", ["nvme-write", "nvme-read", "hdd-write", "hdd-read"])
def test_the_mechanistic_form_errs_less_and_is_never_negative(results, name):
    result = results[name]
    assert result["compared"]["median_percent"]["high"] < 1.0
    assert min(result["predicted"]["mechanistic"]) > 0.0


def test_everything_is_drawn(results):
    rendered = render({"regressions": results})
    assert [each.name for each in rendered.drawings] == [f"fit-{name}" for name in results]
    assert len(rendered.tables) == 6 and all(each.holds for each in rendered.statements)


@pytest.mark.parametrize(
    ("name", "runs", "deviation"),
    [("nvme-write", 420, 124), ("nvme-read", 420, 70), ("hdd-write", 182, 261), ("hdd-read", 145, 249)],
)
def test_runs_and_deviations_that_the_tables_imply(name, runs, deviation):
    result = implied(load_regression(name))
    assert result[0] == pytest.approx(runs, abs=4) and result[1] == pytest.approx(deviation, rel=0.12)
