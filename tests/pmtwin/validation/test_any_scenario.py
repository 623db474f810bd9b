"""A validation of a scenario that knows no pools: keys, options and words come from what it declares."""

import json
import re
from pathlib import Path

import pytest

from pmtwin import cli

TESTS = Path(__file__).resolve().parents[2]
BESIDE = f"{Path(__file__).with_name('beside.py')}:Beside"
SIZE = ["--loads", "calm", "--windows", "2", "--seeds", "3", "--jobs-per-window", "100"]


def validate(capsys, *words, code=0):
    assert cli.main(["validate", BESIDE, *SIZE, *words]) == code
    return capsys.readouterr().out


def test_two_engines_agree_in_every_bit_under_the_scenarios_own_names(capsys):
    result = json.loads(validate(capsys, "--grid", "2", "8", "--policies", "random", "--steps", "2", "--json"))
    assert (result["verdict"]["name"], result["verdict"]["scope"]) == (
        "verified (simpy)", "both engines run the same model"
    )  # fmt: skip
    assert [(entry["policy"], entry["load"], entry["limit"]) for entry in result["comparisons"]] == [
        ("fixed:2", "calm", [2]), ("fixed:8", "calm", [8]), ("random", "calm", None)
    ]  # fmt: skip
    assert list(result["errors"]) == ["fixed limit", "policies' own paths"]
    assert list(result["errors"]["fixed limit"]) == ["served_per_s", "response_ms"]
    assert all(of["worst_percent"] == 0.0 for errors in result["errors"].values() for of in errors.values())
    assert result["verdict"]["tolerances"]["response_median"] == 5.0
    assert result["verdict"]["tolerances"]["response_worst"] is None
    assert result["little"] == {"windows": 18, "departing": 0} | dict.fromkeys(
        ("median_percent", "worst_percent"), pytest.approx(100 / 21)
    )
    assert {each["kind"] for each in result["regions"]} == {"workload", "places", "service level"}


def test_a_policy_is_held_against_the_best_limit_that_a_search_on_the_other_side_finds(capsys):
    words = ["--transfer", "fixed:8", "--lead-windows", "1", "--transfer-loss", "1e6"]
    result = json.loads(validate(capsys, *words, "--json"))
    (first,) = result["transfer"]
    assert first["workload"] == "load calm" and 0 <= first["limit"][0] <= 40


def test_a_validation_is_repeated_from_its_own_record(capsys, tmp_path):
    first = validate(capsys, "--grid", "three", "--served-median", "3", "--json")
    (tmp_path / "first.json").write_text(first)
    assert cli.main(["validate", "--config", str(tmp_path / "first.json"), "--json"]) == 0
    again, first = json.loads(capsys.readouterr().out), json.loads(first)
    assert again["comparisons"] == first["comparisons"] and len(first["comparisons"]) == 3
    assert again["verdict"]["tolerances"]["served_median"] == 3.0


def test_a_reader_gets_tables_of_the_scenarios_own_measures(capsys):
    said = validate(capsys, "--grid", "2")
    assert "served_per_s" in said and "verdict: verified (simpy)" in said
    assert re.search(r"^goals  \w+ at (least|most) ", said, re.MULTILINE)


def test_a_page_needs_one_of_the_scenarios_own(capsys, tmp_path):
    assert cli.main(["validate", BESIDE, *SIZE, "--grid", "2", "--report", str(tmp_path / "page")]) == 2
    captured = capsys.readouterr()
    assert "--report" in captured.err and "measured:" not in captured.err


def test_a_scenario_without_a_real_system_is_refused(capsys):
    assert cli.main(["validate", f"{TESTS / 'scenarios' / 'admission.py'}:Admission"]) == 2
    assert "scenario admission has no real system, which validate measures" in capsys.readouterr().err
