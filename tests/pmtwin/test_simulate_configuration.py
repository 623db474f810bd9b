"""`pmtwin simulate`: what it is told, by options, a file or an earlier result, and what it refuses."""

import json

import pytest

from pmtwin import cli
from tests.pmtwin.simulating import ADMISSION, QUARTILES, QUICK, simulate


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--phase", "0"], "--phase: '0' is not accepted; allowed: 1, 2, 3, 4"),
        (["--phase", "five"], "--phase"),
        (["--phase", "1", "--workload", "svd"], "--phase"),
        (["--workload", "ycsb"], "workload: 'ycsb'"),
        (["--pools", "0,5"], "--pools: '0,5'"),
        (["--pools", "5,33"], "--pools: '5,33'"),
        (["--pools", "-1,5"], "--pools"),
        (["--pools", "nan,5"], "--pools: 'nan,5'"),
        (["--pools", "5"], "--pools: '5'"),
        (["--pools", "ten,ten"], "--pools: 'ten,ten'"),
        (["--windows", "0"], "--windows"),
        (["--warmup-windows", "-1"], "--warmup-windows"),
        (["--seed", "-1"], "--seed"),
        (["--engine", "fast"], "engine: 'fast'"),
        (["--profile", "optane"], "profile: 'optane'"),
        (["--requests-per-window", "0"], "--requests-per-window"),
        (["--window-seconds", "nan"], "--requests-per-window"),
        (["--interactive-rate-ops", "nan"], "--interactive-rate-ops: nan"),
        (["--batch-rate-ops", "-5"], "--batch-rate-ops: -5"),
        (["--batch-rate-ops", "fast"], "--batch-rate-ops: 'fast'"),
        (["--set", "cores"], "--set: 'cores'"),
        (["--set", "cores=many"], "--set: 'cores=many'"),
        (["--set", "coars=2"], "did you mean 'cores'"),
        (["--set", "cores=nan"], "cores"),
        (["--set", "cores=2", "--set", "cores=3"], "each name once"),
        (["--latency-goal-us", "nan"], "--latency-goal-us"),
        (["--max-latency-us", "0"], "--max-latency-us: 0.0"),
        (["--dump-latencies", "no/such/folder/file.npz"], "--dump-latencies"),
        (["--blob-trace", "file.csv"], "--blob-trace"),
        (["--workload", "svd", "--blob-trace", "file.csv"], "--blob-trace"),
        (["--workload", "section-4.2", "--drain"], "--requests-per-window"),
    ],
)
def test_bad_input_is_one_line_that_names_it(capsys, arguments, message):
    try:
        code = cli.main(["simulate", "nvm-middleware", *QUICK, *arguments])
    except SystemExit as leave:  # argparse's own errors
        code = leave.code
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_a_run_is_repeated_from_its_own_result(capsys, tmp_path):
    arguments = ["--phase", "3", "--pools", "4,7", "--seed", "5", "--batch-rate-ops", "none", "--set", "cores=48"]
    first, path = simulate(capsys, *arguments, "--latency-goal-us", "90"), tmp_path / "result.json"
    path.write_text(json.dumps(first))
    assert cli.main(["simulate", "--config", str(path), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again == first
    assert first["configuration"]["arguments"]["twin"]["parameters"] == {"cores": 48}
    assert cli.main(["simulate", "--config", str(path), "--json", "--seed", "6"]) == 0
    assert json.loads(capsys.readouterr().out)["reward"] != first["reward"]


@pytest.mark.parametrize("given", [[], ["--latency-goal-us", "200"]])
def test_the_goals_of_a_set_of_phases_are_repeated_too(given, capsys, tmp_path):
    first, path = simulate(capsys, "--contexts", "device-bound", *given), tmp_path / "result.json"
    sla = first["configuration"]["arguments"]["reward_parameters"]["sla"]
    assert sla == {"latency_goal_us": 200.0 if given else 2_000.0, "throughput_goal_ops": 50_000.0}
    path.write_text(json.dumps(first))
    assert cli.main(["simulate", "--config", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == first


def test_a_workload_is_repeated_from_its_own_result_too(capsys, tmp_path):
    first, path = simulate(capsys, "--workload", "section-4.2", "--pools", "none"), tmp_path / "result.json"
    path.write_text(json.dumps(first))
    assert cli.main(["simulate", "--config", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == first


def test_a_configuration_in_toml(capsys, tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(
        'scenario = "nvm-middleware"\nphase = 2\npools = [3, 4]\nwindows = 4\nwarmup_windows = 1\n'
        "requests_per_window = 200\n[twin.parameters]\nhandoff_ns = 9000\n"
    )
    assert cli.main(["simulate", "--config", str(path), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    same = simulate(capsys, "--phase", "2", "--pools", "3,4", "--set", "handoff_ns=9000")
    assert result == same


def test_a_scenario_of_a_file_from_outside_the_checkout(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(ADMISSION.read_text())
    arguments = ["--load", "busy", "--limit", "3", "--servers", "2", "--windows", "3", "--jobs-per-window", "50"]
    assert cli.main(["simulate", "mine.py:admission", *arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["configuration"]["limit"] == [3] and result["configuration"]["servers"] == 2
    assert list(result["response_ms"]) == QUARTILES
    (tmp_path / "result.json").write_text(json.dumps(result))
    assert cli.main(["simulate", "--config", "result.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == result
    assert cli.main(["simulate", "mine.py:admission", *arguments]) == 0
    assert "response_ms" in capsys.readouterr().out


def test_an_unknown_scenario(capsys):
    assert cli.main(["simulate", "nvm-midleware"]) == 2
    assert "did you mean 'nvm-middleware'" in capsys.readouterr().err
