"""The host beside a validation: measured between its runs and resumed, or held against a file."""

import json

import pytest

from pmtwin import cli
from pmtwin.middleware import binding
from pmtwin.scenarios.nvm_middleware.host import experiments
from pmtwin.sim.errors import MissingDependencyError

SIZE = ["--grid", "2,2", "--phases", "1", "--windows", "2", "--seeds", "3", "--requests-per-window", "200"]
MAP = ["--store", "map", "--keys", "20", "--profile", "dram-ddr4"]
LOOSE = [
    *("--throughput-median", "1e6", "--p99-median", "1e6", "--sla-disagreement", "100"),
    *("--little-share", "100", "--warned-share", "100"),
]


@pytest.fixture
def native(monkeypatch):
    """The real middleware, and experiments that only show that they work."""
    try:
        binding.load()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(experiments, "REQUESTS", experiments.TINY)
    monkeypatch.setattr(experiments, "PACED_REQUESTS", 50)
    monkeypatch.setattr(experiments, "IDLE_S", 0.01)


def validate(capsys, *words):
    assert cli.main(["validate", *SIZE, *MAP, *LOOSE, *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


OTHER = "warning: the twin is of another memory than the one measured: profile optane-dcpmm-100"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--store", "map"], True),
        (["--store", "null"], True),
        (["--store", "map", "--profile", "optane-dcpmm-100"], True),
        (["--store", "map", "--profile", "dram-ddr4"], False),
        (["--store", "emulated"], False),
    ],
)
def test_a_twin_of_another_memory_is_told_before_anything_runs(words, told, capsys):
    assert cli.main(["validate", *SIZE, *words, "--dry-run"]) == 0
    said = capsys.readouterr().err
    assert (OTHER in said) == told and ("--profile dram-ddr4" in said) == told


def test_a_dry_run_counts_the_windows_of_the_host_and_calls_it_what_the_run_does(native, capsys):
    assert cli.main(["validate", *SIZE, *MAP, "--host-rounds", "2", "--dry-run"]) == 0
    rows = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines() if " " in line)
    assert rows["host"] == "measured in this run"
    assert rows["host_windows"] == str(2 * len(experiments.cells(20)))


def test_a_host_is_measured_between_the_runs_kept_and_held_against_its_file(native, capsys, tmp_path, monkeypatch):
    output, keep = tmp_path / "host.json", ["--keep", str(tmp_path / "keep"), "--host-rounds", "2"]
    order, sample = [], experiments.sample
    monkeypatch.setattr(experiments, "sample", lambda cell, *rest: order.append(cell.name) or sample(cell, *rest))
    assert cli.main(["validate", *SIZE, *MAP, *LOOSE, *keep, "--host-output", str(output), "--json"]) == 0
    out, err = capsys.readouterr()
    result, windows = json.loads(out), 2 * len(experiments.cells(20))
    assert f"to be measured: 1 case, 3 seeds, 6 windows, and {windows} of the host: {windows + 6} in all" in err
    used = result["configuration"]
    measured = used["host_measurement"]
    assert json.loads(output.read_text()) == measured
    assert {len(values) for values in measured["samples"].values()} == {2}
    assert len(order) == 2 * len(measured["samples"]) - 2  # all but the idle processors
    values = {name: entry["value"] for name, entry in measured["parameters"].items()}
    assert used["twin"]["parameters"] == values and "low" in measured["parameters"]["handoff_ns"]
    listed = {each["name"]: each for each in used["parameters"]}
    assert listed["handoff_ns"]["value"] == values["handoff_ns"] and str(output) in listed["handoff_ns"]["source"]
    assert not any("host parameters of its defaults" in warning for warning in result["verdict"]["warnings"])

    order.clear()
    again = validate(capsys, *keep)
    assert not order and again["comparisons"] == result["comparisons"]
    assert again["configuration"]["host_measurement"]["samples"] == measured["samples"]

    beside = validate(capsys, "--host", str(output), "--host-rounds", "3")["configuration"]
    assert beside["twin"]["parameters"] == values
    assert set(order) == set(experiments.REFERENCE) and len(order) == 3 * len(experiments.REFERENCE)
    assert beside["host_drift"]["low"] <= beside["host_drift"]["ratio"] <= beside["host_drift"]["high"]


def test_what_is_set_by_hand_goes_before_what_is_measured(native, capsys):
    used = validate(capsys, "--host", "measure", "--host-rounds", "2", "--set", "handoff_ns=123")["configuration"]
    assert used["twin"]["parameters"]["handoff_ns"] == 123.0
    assert {each["name"]: each for each in used["parameters"]}["handoff_ns"]["source"] == "set by hand (--set)"


def test_the_defaults_can_be_had_and_are_warned_of(native, capsys):
    result = validate(capsys, "--host", "none")
    assert result["configuration"]["twin"]["parameters"] == {} and "host_measurement" not in result["configuration"]
    assert "host parameters of its defaults" in result["verdict"]["warnings"][0]


@pytest.mark.parametrize(
    ("words", "host"),
    [
        ([], "inferred"),  # as `simulate` and every other command
        (["--host", "assumed"], "assumed"),
        (["--host", "none"], "assumed"),
        (["--store", "null"], "assumed"),
        ([*MAP, "--host", "inferred"], "inferred"),
    ],
)
def test_the_twin_has_the_host_of_other_commands_unless_it_is_measured_here(words, host, capsys):
    assert cli.main(["validate", *SIZE, *words, "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["twin"]["host"] == host


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["--store", "emulated", "--host", "measure"], "--host measure needs --store map or pmemkv"),
        (["--store", "null", "--host", "measure"], "--host measure needs --store map or pmemkv"),
        ([*MAP, "--host-rounds", "1"], "--host-rounds"),
        ([*MAP, "--host", "none", "--host-rounds", "5"], "--host-rounds"),
        ([*MAP, "--host", "none", "--host-output", "host.json"], "--host-output"),
        ([*MAP, "--host-output", "nowhere/host.json"], "--host-output"),
    ],
)
def test_options_without_effect_are_refused(words, field, capsys):
    assert cli.main(["validate", *SIZE, *words, "--dry-run"]) == 2
    assert f"validate: {field}" in capsys.readouterr().err


def test_a_file_that_is_no_host_is_not_replaced(tmp_path, capsys):
    path = tmp_path / "mine.txt"
    path.write_text("the user's")
    assert cli.main(["validate", *SIZE, *MAP, "--host-output", str(path), "--dry-run"]) == 2
    assert "mine.txt" in capsys.readouterr().err and path.read_text() == "the user's"


def test_a_dry_run_says_how_many_rounds_there_will_be(capsys):
    assert cli.main(["validate", *SIZE, *MAP, "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["host_rounds"] == 15


def test_the_words_of_validate_are_file_names_to_other_commands(capsys):
    assert cli.main(["simulate", "nvm-middleware", "--host", "measure"]) == 2
    assert "measure" in capsys.readouterr().err
