"""Cross-validation keeps aside what it says, and a residual that does not help is not used."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.mechanism import fit_mechanism
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.calibrate.residual import ResidualProcess, cells_of, coordinates_of
from pmtwin.calibrate.validation import (
    Unseen,
    configuration_folds,
    curve_folds,
    curve_numbers,
    earned_cells,
    keep_aside,
    thread_folds,
    with_cells,
)


def test_configuration_folds_are_a_partition():
    folds = list(configuration_folds(103, np.random.default_rng(0)))
    assert len(folds) == 12
    assert sorted(np.concatenate(folds).tolist()) == list(range(103))


def test_thread_folds_leave_whole_inner_counts_out_and_the_outer_ones_in():
    threads = np.array([1, 2, 2, 4, 8, 8, 8])
    assert [fold.tolist() for fold in thread_folds(threads)] == [[1, 2], [3]]
    assert list(thread_folds(np.array([1, 1, 4]))) == []


def test_curve_folds_are_a_partition_that_keeps_each_curve_whole(make_sweep):
    configurations, _ = group(make_sweep())
    curve = curve_numbers(configurations)
    assert curve.max() + 1 == 8 * 2 * 2  # sizes, patterns, DIMMs
    folds = list(curve_folds(configurations, np.random.default_rng(0)))
    assert sorted(np.concatenate(folds).tolist()) == list(range(len(configurations)))
    assert sum(np.unique(curve[fold]).size for fold in folds) == 8 * 2 * 2


def unseen(mechanism, full) -> Unseen:
    n = len(mechanism)
    errors, nothing = (np.array(mechanism), np.array(full)), np.zeros(n)
    return Unseen(np.arange(n), *errors, np.full(n, 0.01), nothing, nothing)


def test_a_residual_is_used_only_where_it_helps_with_unseen_thread_counts(make_sweep):
    configurations, _ = group(make_sweep())
    random = configurations.random
    worse_at_random = unseen(np.full(random.size, 0.02), np.where(random, 0.03, 0.01))
    earned = earned_cells(configurations, worse_at_random, unseen(np.full(random.size, 0.02), np.zeros(random.size)))
    assert earned == {
        ("random", 1.0): False,
        ("random", 6.0): False,
        ("sequential", 1.0): True,
        ("sequential", 6.0): True,
    }
    used = with_cells(worse_at_random, configurations, earned)
    assert np.array_equal(used.full, np.where(random, 0.02, 0.01))


def test_outside_the_rest_of_the_data_the_mechanism_answers_alone(make_sweep):
    configurations, _ = group(make_sweep())
    errors = unseen(np.full(len(configurations), 0.02), np.full(len(configurations), 0.01))
    beyond = replace(errors, outside=np.where(configurations.threads == 24, 0.6, 0.0))
    everywhere = dict.fromkeys(zip(configurations.pattern.tolist(), configurations.dimms.tolist(), strict=True), True)
    full = with_cells(beyond, configurations, everywhere).full
    assert np.array_equal(full, np.where(configurations.threads == 24, 0.02, 0.01))


def test_a_kept_aside_count_that_was_the_largest_of_its_cell_is_outside(make_sweep):
    configurations, _ = group(make_sweep())
    short = (configurations.dimms == 6) | (configurations.threads <= 8)
    configurations = configurations.take(short)
    fit = fit_mechanism("load", configurations, max_evaluations=20)
    aside = np.flatnonzero(configurations.threads == 8)
    errors = keep_aside("load", configurations, fit, iter([aside]))
    one_dimm = configurations.take(errors.index).dimms == 1
    assert errors.outside[one_dimm] == pytest.approx(1.0)
    assert np.all(errors.outside[~one_dimm] == 0)


def test_the_residual_learns_a_smooth_deviation_and_fades_away_from_the_data(make_sweep):
    configurations, _ = group(make_sweep())
    deviation = np.where(configurations.dimms == 6, 0.05, 0.0)
    kept = np.arange(len(configurations)) % 5 != 0
    process = ResidualProcess(configurations.take(kept), deviation[kept])
    error = process.predict(coordinates_of(configurations.take(~kept)))[0] - deviation[~kept]
    assert np.abs(error).max() < 0.02
    far = {"power_w": [15.0], "access_size_bytes": [64.0], "threads": [1e6], "dimms": 6, "pattern": "random"}
    assert abs(process.table(far).item()) < 0.005


def test_a_cell_has_the_measured_values_as_knots(make_sweep):
    cells = cells_of(group(make_sweep())[0])
    assert [(cell["pattern"], cell["dimms"]) for cell in cells] == [
        ("random", 1),
        ("random", 6),
        ("sequential", 1),
        ("sequential", 6),
    ]
    assert cells[0]["threads"] == [1, 2, 4, 8, 12, 16, 24]


def test_errors_are_percentages_of_the_measured_value():
    assert ape(np.log(np.array([1.01, 0.98, 1.0]))) == [1.0, 1.0, 1.8]
