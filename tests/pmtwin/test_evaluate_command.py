"""`pmtwin evaluate`: the JSON, the files, what is refused, and windows that cannot be trusted."""

import json

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.middleware import binding
from pmtwin.sim.errors import MissingDependencyError
from tests.pmtwin.evaluating import QUICK, evaluate


def test_the_json(capsys):
    result = evaluate(capsys, "--policies", "none", "fixed:15,15", "threshold")
    assert list(result["policies"]) == ["none", "fixed:15,15", "threshold"]
    for summary in result["policies"].values():
        assert list(summary["phases"]) == ["1", "3"]
        for part in (summary["overall"], *summary["phases"].values()):
            for measure in ("reward", "p99_us", "throughput_ops"):
                least, greatest = part[measure]["range"] or [part[measure]["mean"]] * 2
                assert least <= part[measure]["mean"] <= greatest and part[measure]["low"] is None  # two runs
                assert list(part[measure]["percentiles"]) == ["0", "5", "25", "50", "75", "99", "100"]
    assert result["policies"]["none"]["overall"]["steps"] == 8
    assert result["policies"]["none"]["overall"]["runs"] == 2
    assert [(pair["policy"], pair["against"]) for pair in result["comparisons"]] == [
        ("none", "fixed:15,15"),
        ("none", "threshold"),
        ("fixed:15,15", "threshold"),
    ]
    assert result["extrapolated"] is True
    assert result["configuration"]["seeds"] == 2
    assert result["configuration"]["load"] == "varying" and result["configuration"]["offered_ops"] == {}


def test_a_run_is_repeated_from_its_own_result(capsys, tmp_path):
    output = tmp_path / "result.json"
    words = ["--policies", "fixed:9,8", "threshold", "--seed", "3", "--set", "cores=48", "-o", str(output)]
    first = evaluate(capsys, *words)
    assert cli.main(["evaluate", "--config", str(output), "--json", "--jobs", "1"]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert cli.main(["evaluate", "--config", str(output), "--json", "--set", "seed=4", "--policies", "random"]) == 0
    other = json.loads(capsys.readouterr().out)
    assert list(other["policies"]) == ["random"] and other["configuration"]["seed"] == 4
    assert other["configuration"]["arguments"]["twin"] == first["configuration"]["arguments"]["twin"]


def test_a_failing_policy_of_a_user_is_one_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "from pmtwin.policies import Policy\n\nclass Mine(Policy):\n"
        "    def act(self, observation, info=None):\n        return 1 // 0\n"
    )
    words = ["--jobs", "1", "--policies", "mine.py:Mine", "--report", "reports/mine"]
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *words]) == 2
    assert not (tmp_path / "reports").exists()
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("pmtwin evaluate: ") and "mine.py:5" in error and "ZeroDivisionError" in error


def test_files_hold_what_was_printed(capsys, tmp_path):
    output, series = tmp_path / "result.json", tmp_path / "series.npz"
    arguments = ["--policies", "none", "random", "-o", str(output), "--series", str(series), "--json"]
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *arguments]) == 0
    captured = capsys.readouterr()
    assert output.read_text() == captured.out
    assert captured.err == ""
    result = json.loads(captured.out)
    with np.load(series, allow_pickle=False) as steps:
        assert steps["reward"].shape == (2, 2, 4)
        assert steps["reward"][0].mean() == pytest.approx(result["policies"]["none"]["overall"]["reward"]["mean"])


def test_far_percentiles_are_stated_where_enough_requests_lie_beyond_them(capsys):
    result = evaluate(capsys, "--policies", "fixed:9,9", "--requests-per-window", "1000")
    tail = result["policies"]["fixed:9,9"]["overall"]["latency"]
    assert tail["requests"] > 3_000
    assert tail["p50"]["us"] < tail["p99"]["us"]
    assert tail["p99.999"]["us"] is None and tail["p99.999"]["requests_beyond"] < 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policies", "fixd:1,1"], "did you mean 'fixed'"),
        (["--policies", "none", "none"], "each policy once"),
        (["--policies", "fixed:0,5"], "fixed"),
        (["--policies", "q-learning:no-such-file"], "policy file: 'no-such-file'"),
        (["--policies", "none", "--schedule", "rnd"], "schedule: 'rnd'"),
        (["--policies", "none", "--phases", "9"], "--phases: '9'"),
        (["--policies", "none", "--steps", "0"], "steps: 0"),
        (["--policies", "none", "--seeds", "0"], "seeds: 0"),
        (["--policies", "none", "--seed", "-4"], "seed: -4"),
        (
            ["--policies", "none", "--store", "map"],
            "--store map belongs to engine native; add --engine native",
        ),
        (["--policies", "none", "--dilation", "9"], "--dilation"),
        (["--policies", "none", "--path", "x"], "--path"),
        (["--policies", "none", "--keys", "9"], "--keys"),
        (["--policies", "none", "--queue", "tbb"], "--queue"),
        (["--policies", "none", "--batch-cpus", "0"], "--batch-cpus"),
        (["--policies", "none", "--jobs", "0", "--dry-run"], "--jobs: 0"),
        (["--policies", "none", "--profile", "optane"], "profile: 'optane'"),
        (["--policies", "none", "-o", "no/such/folder/x.json"], "--output"),
        (["--policies", "none", "--series", "."], "--series"),
    ],
)
def test_bad_input_is_one_line_that_names_it(capsys, arguments, message):
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_an_unknown_scenario(capsys):
    assert cli.main(["evaluate", "nvm", "--policies", "none"]) == 2
    assert "nvm-middleware" in capsys.readouterr().err


@pytest.mark.parametrize(("store", "extrapolated"), [("map", False), ("emulated", True)])
def test_only_what_rests_on_the_profile_can_lie_outside_its_data(store, extrapolated, capsys):
    try:
        binding.load()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    arguments = ["--policies", "fixed:20,20", "--engine", "native", "--store", store, "--steps", "1", "--seeds", "1"]
    assert evaluate(capsys, *arguments, "--phase-steps", "1", "--warned-share", "100")["extrapolated"] is extrapolated


@pytest.mark.parametrize(("doubtful", "code"), [(1, 0), (2, 1)])
def test_windows_with_a_validity_warning_are_told_and_too_many_are_an_error(capsys, monkeypatch, doubtful, code):
    windows = []

    def validity_warning(middleware):
        stats = middleware.get_stats()
        if not any(stats is other for other in windows):
            windows.append(stats)
        number = next(number for number, other in enumerate(windows) if other is stats)
        return "requests failed" if 1 <= number <= doubtful else ""  # number 0 is the warm-up

    monkeypatch.setattr(
        "pmtwin.scenarios.nvm_middleware.model.middleware.Middleware.validity_warning", validity_warning
    )
    size = ["--steps", "20", "--phase-steps", "10", "--requests-per-window", "50", "--seeds", "1", "--jobs", "1"]
    assert cli.main(["evaluate", "nvm-middleware", "--policies", "fixed:4,4", *size, "--json"]) == code
    shown = capsys.readouterr()
    result = json.loads(shown.out)
    assert (
        result["validity_warnings"]["reasons"]
        == result["policies"]["fixed:4,4"]["validity_warnings"]
        == {"requests failed": doubtful}
    )
    assert (result["validity_warnings"]["percent"], result["validity_warnings"]["passed"]) == (5 * doubtful, code == 0)
    assert "a validity warning of the system: requests failed" in shown.err


def test_a_twin_has_no_validity_warnings_and_is_given_no_share(capsys):
    assert cli.main(["evaluate", "nvm-middleware", "--policies", "fixed:4,4", "--warned-share", "3"]) == 2
    assert "--warned-share" in capsys.readouterr().err
