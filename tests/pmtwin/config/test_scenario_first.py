"""The scenario behind an option of several words."""

import json

import pytest

from pmtwin import cli
from pmtwin.commands.simulate import Config
from pmtwin.config.scenario_named import scenario_first, scenario_named


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--policies", "none", "nvm-middleware"], ["nvm-middleware", "--policies", "none"]),
        (
            ["--policies", "none", "threshold", "two-tier", "--json"],
            ["two-tier", "--policies", "none", "threshold", "--json"],
        ),
        (["nvm-middleware", "--policies", "none"], ["nvm-middleware", "--policies", "none"]),
        (["--scenario", "nvm-middleware"], ["--scenario", "nvm-middleware"]),
        (["scenarios", "x", "nvm-middleware"], ["scenarios", "x", "nvm-middleware"]),
        ([], []),
    ],
)
def test_a_scenario_that_an_option_would_take_goes_first(words, expected):
    assert scenario_first(words) == expected


@pytest.mark.parametrize(
    ("words", "scenario"),
    [
        (["--pools", "8,8"], "nvm-middleware"),
        (["--workload=svd"], "nvm-middleware"),
        (["--phase", "2"], "nvm-middleware"),
        (["--threads", "4"], "two-tier"),
        (["--seed", "3"], None),
        (["--load", "steady"], None),  # both have it
        (["--pools", "8,8", "--threads", "4"], None),
        (["two-tier", "--pools", "8,8"], "two-tier"),
    ],
)
def test_an_option_that_one_scenario_alone_has_names_it(words, scenario):
    assert scenario_named(words, Config) == scenario


def test_evaluate_finds_its_scenario_behind_the_policies(capsys):
    assert cli.main(["evaluate", "--json", "--dry-run", "--policies", "none", "threshold", "nvm-middleware"]) == 0
    shown = capsys.readouterr().out
    assert json.loads(shown)["scenario"] == "nvm-middleware" and "threshold" in shown
