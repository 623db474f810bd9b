"""The scenario behind an option of several words."""

import json

import pytest

from pmtwin import cli
from pmtwin.config.scenario_named import scenario_first, scenario_named
from pmtwin.simulation.config import Config


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
        (["--workload=svd"], None),
        (["--phase", "2"], "nvm-middleware"),
        (["--threads", "4"], None),
        (["--seed", "3"], None),
        (["--load", "steady"], None),  # both have it
        (["--pools", "8,8", "--processes", "4"], None),
        (["two-tier", "--pools", "8,8"], "two-tier"),
        (["--example", "section-v"], "two-tier"),  # the scenario's command adds it
    ],
)
def test_an_option_that_one_scenario_alone_has_names_it(words, scenario):
    assert scenario_named(words, Config) == scenario


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("simulate two-tier --phases 1", ""),  # evaluate has it
        ("evaluate two-tier --phase 1", ""),  # simulate has it
        ("evaluate two-tier --phases 1", "--phases is an option of scenario nvm-middleware, not of two-tier"),
        ("simulate --phases 1", "(did you mean '--phase'?)"),
    ],
)
def test_no_option_that_the_command_lacks_is_named_as_a_scenarios(words, hint, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(words.split())
    shown = capsys.readouterr().err
    assert hint in shown and ("is an option of" in shown) is ("is an option of" in hint)


@pytest.mark.parametrize(
    ("command", "hint"), [("simulate", "; not needed with an option only it has, such as --pools "), ("train", "")]
)
def test_help_names_an_option_of_the_command_in_the_place_of_a_scenario(command, hint, capsys):
    with pytest.raises(SystemExit, match="0"):
        cli.main([command, "--help"])
    assert f"or FILE.py:NAME{hint}" in " ".join(capsys.readouterr().out.split())


def test_evaluate_finds_its_scenario_behind_the_policies(capsys):
    assert cli.main(["evaluate", "--json", "--dry-run", "--policies", "none", "threshold", "nvm-middleware"]) == 0
    shown = capsys.readouterr().out
    assert json.loads(shown)["scenario"] == "nvm-middleware" and "threshold" in shown


@pytest.mark.parametrize(("content", "said"), [("", True), ("# steps = 3\n", True), ("seed = 3\n", False)])
def test_a_file_of_settings_that_holds_none_says_so(content, said, tmp_path, capsys):
    (tmp_path / "settings.toml").write_text(content)
    assert cli.main(["evaluate", "--policies", "none", "--dry-run", "--config", str(tmp_path / "settings.toml")]) == 0
    assert ("settings.toml holds no settings" in capsys.readouterr().err) is said
