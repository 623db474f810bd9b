"""`pmtwin calibrate --form`: a table of runs in, estimates and their file out."""

import json

import numpy as np
import pytest

from pmtwin.cli import main

FORMULA = "time_s ~ a + I(b/a)"


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(1)
    a, b = rng.uniform(1, 9, 80), rng.uniform(1, 1e4, 80)
    time = (2.0 + 3.0 * a + 0.5 * b / a) * np.exp(0.05 * rng.standard_normal(80))
    path = tmp_path / "runs.csv"
    path.write_text("a,b,time_s,host\n" + "".join(f"{x},{y},{z},n1\n" for x, y, z in zip(a, b, time, strict=True)))
    return path


@pytest.mark.parametrize("form", ["regression", "mechanistic"])
def test_a_fit_is_written_and_predicts(table, form, tmp_path, capsys):
    words = ["calibrate", str(table), "--form", form, "--formula", FORMULA, "-o", str(tmp_path / "r.json"), "--json"]
    assert main(words) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report["terms"]) == {"(Intercept)", "a", "I(b/a)"} and report["runs"] == 80
    assert (report["aic"] is None) == (form == "mechanistic")
    assert report["record"]["errors"]["cross_validation"]["median_percent"] < 10.0
    points = tmp_path / "points.csv"
    points.write_text("a,b\n5,5000\n50,5000\n")
    assert main(["predict", str(points), "--regression", str(tmp_path / "r.json")]) == 0
    rows = [line.split(",") for line in capsys.readouterr().out.splitlines()[1:]]
    assert float(rows[0][2]) == pytest.approx(517.0, rel=0.1) and [row[3] for row in rows] == ["false", "true"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--form", "regression"], "--formula"),
        (["--form", "regression", "--formula", "time_s ~ c"], "column c is missing"),
        (["--form", "regression", "--formula", "host ~ a"], "host"),
        (["--form", "regression", "--formula", "a"], "RESPONSE ~ TERM"),
        (["--form", "cubic", "--formula", FORMULA], "cubic"),
        (["--formula", FORMULA], "--form"),
        (["--folds", "5"], "--folds"),
        (["--form", "regression", "--formula", FORMULA, "--folds", "81"], "--folds"),
        (["--form", "regression", "--formula", FORMULA, "--bootstrap", "7"], "--bootstrap"),
        (["--form", "regression", "--like", "nvme-raed"], "nvme-read"),
    ],
)
def test_bad_input_is_one_line(table, words, said, capsys):
    assert main(["calibrate", str(table), *words]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and said in shown.err and len(shown.err.strip().splitlines()) == 1


def test_a_time_of_zero_is_refused_with_its_line(table, capsys):
    with table.open("a") as file:
        file.write("1,2,0,n1\n")
    assert main(["calibrate", str(table), "--form", "regression", "--formula", FORMULA]) == 2
    assert f"{table}:82: time_s: 0.0 is not accepted; allowed: a time above 0" in capsys.readouterr().err
