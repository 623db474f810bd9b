"""The scenario behind an option of several words."""

import json

import pytest

from pmtwin import cli
from pmtwin.config.scenario_named import scenario_first


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


def test_evaluate_finds_its_scenario_behind_the_policies(capsys):
    assert cli.main(["evaluate", "--json", "--dry-run", "--policies", "none", "threshold", "nvm-middleware"]) == 0
    shown = capsys.readouterr().out
    assert json.loads(shown)["scenario"] == "nvm-middleware" and "threshold" in shown
