"""Commands as Python functions: the same results as on the command line, shown as tables of HTML and of pandas."""

import json
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import pmtwin
from pmtwin import cli
from pmtwin.sim.errors import InputError, MissingDependencyError

QUICK = {"windows": 3, "warmup_windows": 0, "requests_per_window": 200}


def printed(capsys, *words):
    assert cli.main(list(words)) == 0
    return capsys.readouterr().out


def test_a_simulation_is_that_of_the_command(capsys):
    words = ["simulate", "nvm-middleware", "--phase", "2", "--pools", "4,6", "--windows", "3", "--warmup-windows", "0"]
    words += ["--requests-per-window", "200"]
    result = pmtwin.simulate(phase=2, pools=(4, 6), **QUICK)
    assert dict(result) == json.loads(printed(capsys, *words, "--json"))
    result.print()
    assert capsys.readouterr().out == printed(capsys, *words)


def test_an_evaluation_has_the_leaderboard_as_its_table(capsys):
    options = {"steps": 4, "phase_steps": 2, "seeds": 2, "phases": [1, 3], "requests_per_window": 100, "jobs": 1}
    result = pmtwin.evaluate(policies=["threshold", "fixed:9,8"], **options)
    words = "--steps 4 --phase-steps 2 --seeds 2 --phases 1 3 --requests-per-window 100 --json"
    words += " --policies threshold fixed:9,8"
    assert dict(result) == json.loads(printed(capsys, "evaluate", "nvm-middleware", *words.split()))
    shown = result._repr_html_()
    assert "<table>" in shown and "fixed:9,8" in shown and "attainment" in shown


def test_a_point_is_predicted_as_on_the_command_line(capsys):
    result = pmtwin.predict(operation="load", pattern="random", size=4096, threads=8)
    words = "predict --operation load --pattern random --size 4096 --threads 8 --json"
    assert dict(result) == json.loads(printed(capsys, *words.split()))
    assert re.search(r"<td[^>]*>[\d.]+ \[[\d.]+, [\d.]+\] GiB/s</td>", result._repr_html_())


def test_points_of_a_file(tmp_path):
    points = tmp_path / "points.csv"
    points.write_text("operation,pattern,access_size_bytes,threads\nload,random,256,1\nload,random,256,8\n")
    bandwidths = [row["bandwidth_mib_s"] for row in pmtwin.predict(str(points))["rows"]]
    assert 0.0 < bandwidths[0] < bandwidths[1]


def test_a_command_that_a_scenario_extends():
    result = pmtwin.simulate("two-tier", example="section-v", engine="analytic")
    assert result["rho2"] == pytest.approx(20.0 / 33.0)
    assert '<td style="text-align:left">rho2</td>' in result._repr_html_()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pmtwin.simulate(phse=1), "key: 'phse'.*did you mean 'phase'"),
        (lambda: pmtwin.simulate(phase=9), "^phase: 9 "),
        (lambda: pmtwin.simulate(windows=0), "^windows: 0 "),
        (lambda: pmtwin.simulate("nvm-midleware"), "scenario: 'nvm-midleware'.*did you mean 'nvm-middleware'"),
        (lambda: pmtwin.evaluate(policies=["thresold"]), "policy: 'thresold'"),
        (lambda: pmtwin.predict(operation="load", pattern="random", size="big", threads=1), "size: 'big'"),
        (lambda: pmtwin.recommend(goal=["speed=3"]), "goal: 'speed'"),
        (lambda: pmtwin.recommend(phase=0), "^phase: 0 "),
        (
            lambda: pmtwin.evaluate(policies=["threshold"], dry_run=True),
            "^dry_run belongs to the command line; remove it",
        ),
        (lambda: pmtwin.simulate(drain=True, requests_per_window=100), "does not go with drain"),
        (lambda: pmtwin.predict(operation="load", pattern="random", size=64, threads=1, columns=["x"]), "columns: 'x'"),
    ],
)
def test_what_is_wrong_is_named_by_its_keyword(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_numbers_and_arrays_of_numpy_are_values_like_others():
    plain = pmtwin.simulate(phase=1, pools=[4, 4], **QUICK)
    options = {name: np.int64(value) for name, value in QUICK.items()}
    assert dict(pmtwin.simulate(phase=1, pools=np.array([4, 4]), **options)) == dict(plain)


def test_a_result_is_a_mapping_in_another_process_and_a_line_on_a_terminal():
    result = pmtwin.predict(operation="load", pattern="random", size="4KiB", threads=8)
    assert repr(result) == "<Result: profile, rows>"
    assert pickle.loads(pickle.dumps(result)) == dict(result)


def test_text_between_tables_is_escaped():
    result = pmtwin.evaluation.results.Result({}, lambda: print("a < b & c"), list)
    assert result._repr_html_() == "<pre>a &lt; b &amp; c</pre>"


def test_without_pandas_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match="pip install pandas"):
        pmtwin.evaluation.results.Result({}, lambda: None, list).to_pandas()


def test_the_table_as_a_data_frame():
    pytest.importorskip("pandas", reason="pandas is not installed (make test-extra)")
    frame = pmtwin.simulate(phase=1, pools=[4, 4], **QUICK).to_pandas()
    assert list(frame.columns[:3]) == ["measure", "min", "q1"] and "p99_us" in set(frame["measure"])


def test_importing_pmtwin_loads_no_command():
    code = "import pmtwin, sys; print([name for name in sys.modules if name.startswith('pmtwin.commands')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
