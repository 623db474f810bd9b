"""A trial withholds what it says, from everything, and scores what the profile says of it."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.measurements import group, join
from pmtwin.calibrate.readers import read_sources
from pmtwin.cli import main as pmtwin
from pmtwin.sim.errors import InputError
from studies.trial import (
    BEYOND,
    CONFIGURATIONS,
    CURVES,
    THREAD_COUNTS,
    Withheld,
    main,
    pairs_of_counts,
    run_trial,
    run_with_plain,
    summary,
)


@pytest.fixture(scope="module")
def measurements(make_sweep):
    return join([make_sweep(operation="load", noise=0.01), make_sweep(operation="ntstore", noise=0.01, seed=1)])


@pytest.fixture(scope="module")
def trial(measurements):
    return run_trial(measurements, withhold=0.1, counts=[4, 24], seed=3, jobs=1)


def test_whole_counts_and_a_share_of_the_others_are_withheld(measurements, trial):
    configurations, _ = group(measurements)
    threads, kind = trial.configurations.threads, trial.kind
    assert np.all(threads[kind == THREAD_COUNTS] == 4)
    assert np.all(threads[kind == BEYOND] == 24)
    others = ~np.isin(configurations.threads, [4, 24])
    assert np.sum(kind == CONFIGURATIONS) / others.sum() == pytest.approx(0.1, abs=0.05)
    assert np.sum(np.isin(configurations.threads, [4, 24])) == np.sum(kind != CONFIGURATIONS)


def test_a_device_that_follows_the_law_is_predicted_to_its_noise(trial):
    for entry in summary([trial]):
        if entry["kind"] != BEYOND:
            assert entry["error_percent"][1] < 2.0
            assert entry["inside_90"] > 0.7


def test_scores_are_those_of_the_errors(trial):
    chosen = trial.configurations.take(np.zeros(4, dtype=int))
    kind = np.full(4, CONFIGURATIONS)
    error = np.log([1.01, 1.02, 0.97, 1.20])
    scored = Withheld(chosen, kind, error, np.full(4, 0.05))
    (entry,) = summary([scored, replace(scored, log_error=0.1 * error)])
    assert entry["points"] == 8
    assert entry["inside_90"] == 0.875
    assert entry["inside_90_by_trial"] == [0.75, 1.0]
    assert entry["score_by_trial"] == [pytest.approx(0.1 + 20 * (np.log(1.2) - 0.05) / 4, abs=1e-4), 0.1]
    (alone,) = summary([scored])
    assert alone["error_percent"] == [2.5, 6.5, 14.9]
    assert alone["half_width_over_error"] == 2.0


def test_pairs_are_of_inner_counts_that_were_measured_often(measurements):
    pairs = pairs_of_counts(measurements, seed=1)
    inner = np.unique(group(measurements)[0].threads)[1:-1]
    assert len(set(pairs)) == inner.size * (inner.size - 1) // 2
    assert set(np.ravel(pairs)) == set(inner)
    rare = join([measurements, measurements.take(measurements.threads == 4).take(np.arange(1))])
    assert pairs_of_counts(rare, seed=1) == pairs


def test_plain_intervals_have_one_width_for_each_kind(measurements):
    loads = measurements.take(measurements.operation == "load")
    today, plain, with_rivals = run_with_plain(loads, 0.1, [4], 3, 1, 0.2)
    assert plain.log_error.tolist() == today.log_error.tolist()
    assert {CONFIGURATIONS, THREAD_COUNTS, CURVES} <= set(plain.kind)
    inside = plain.kind != BEYOND
    widths = [np.unique(each.log_half_width[inside].round(4)).size for each in (plain, today)]
    assert widths[0] < 10 < widths[1]  # a few (table cells are rounded), where today's differ by point
    between = plain.kind == THREAD_COUNTS
    assert np.all(with_rivals.log_half_width[between] >= plain.log_half_width[between])
    assert np.any(with_rivals.log_half_width[between] > 1.1 * plain.log_half_width[between])


@pytest.mark.parametrize(("withhold", "counts"), [(0.0, []), (0.6, [4]), (-0.1, [4]), (0.0, [5])])
def test_a_trial_that_withholds_nothing_or_too_much_is_refused(measurements, withhold, counts):
    with pytest.raises(InputError, match="withhold"):
        run_trial(measurements, withhold, counts, seed=0)


def test_bad_counts_are_refused_by_the_command(tmp_path, capsys):
    path = tmp_path / "sweep.csv"
    path.write_text("a\n1\n")
    assert main([str(path), "--counts", "4,x"]) == 2
    assert "--counts: '4,x'" in capsys.readouterr().err
    assert main([str(path), "--operations", "load,stor"]) == 2
    assert "--operations: 'stor'" in capsys.readouterr().err
    assert main([str(path)]) == 2


def test_a_trial_is_pmtwin_calibrate_without_the_rows_and_pmtwin_predict(shared_data, tmp_path, capsys):
    sweep = shared_data / "optane" / "lattester_bandwidth.csv"
    if not sweep.is_file():
        pytest.skip("lattester_bandwidth.csv is not in ../shared/data/optane")
    with sweep.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["operation"] == "Store+Flush"]
    whole, reduced, points = (tmp_path / name for name in ("whole.csv", "reduced.csv", "points.csv"))
    _write(whole, rows)
    _write(reduced, [row for row in rows if row["threads"] != "4"])
    trial = run_trial(read_sources([whole])[0], withhold=0.0, counts=[4], seed=0, jobs=1)
    of = trial.configurations
    columns = ("operation", "pattern", "threads", "access_size_bytes", "dimms", "power_w")
    _write(points, [{name: getattr(of, name)[k] for name in columns} for k in range(len(of))])
    profile = tmp_path / "profile.json"
    assert pmtwin(["calibrate", str(reduced), "-o", str(profile), "--bootstrap", "2", "--jobs", "1"]) == 0
    capsys.readouterr()
    assert pmtwin(["predict", "--profile", str(profile), str(points)]) == 0
    predicted = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    bandwidth = np.array([float(row["bandwidth_mib_s"]) for row in predicted])
    high = np.array([float(row["bandwidth_high_mib_s"]) for row in predicted])
    assert np.log(bandwidth / of.bandwidth_mib_s) == pytest.approx(trial.log_error, abs=1e-5)
    assert np.log(high / bandwidth) == pytest.approx(trial.log_half_width, abs=1e-5)


def _write(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
