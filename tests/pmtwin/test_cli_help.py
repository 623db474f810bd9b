"""Help: commands, their options, and examples that are accepted."""

import importlib
import pkgutil
import re

import pytest

from pmtwin import cli, commands
from pmtwin.config import command_words
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.summaries import SUMMARIES, module_of
from pmtwin.listing.listings import listings
from pmtwin.scenarios import load_scenario, scenario_names
from pmtwin.scenarios.registry import DEFAULT
from pmtwin.sim.options import leaves


def test_every_module_of_a_command_has_its_line_in_the_help():
    modules = {module.name for module in pkgutil.iter_modules(commands.__path__) if not module.name.startswith("_")}
    assert modules == {module_of(name).rpartition(".")[2] for name in SUMMARIES}


def test_the_line_of_list_names_all_kinds():
    assert SUMMARIES["list"] == f"list names: {', '.join(listings())}"


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as leave:
        cli.main(["--help"])
    assert leave.value.code == 0
    text = capsys.readouterr().out
    assert [name for name in SUMMARIES if name not in text] == []
    assert "exit codes: 0 ok, 1 a check failed" in text


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_explains_itself_with_two_to_four_examples(name, capsys):
    with pytest.raises(SystemExit) as leave:
        cli.main([name, "--help"])
    assert leave.value.code == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: pmtwin {name}")
    assert 2 <= len(re.findall(r"^  pmtwin ", shown, re.MULTILINE)) <= 4


def test_help_shows_the_everyday_options_and_says_how_many_more_there_are(capsys):
    shown = {}
    for flag in ("--help", "--help-all"):
        with pytest.raises(SystemExit):
            cli.main(["validate", flag])
        shown[flag] = capsys.readouterr().out
    options = {flag: set(re.findall(r"^  (--[\w-]+)", text, re.MULTILINE)) for flag, text in shown.items()}
    assert {"--grid", "--policies", "--store"} <= options["--help"] < options["--help-all"]
    left_out = len(options["--help-all"] - options["--help"])
    assert f"{left_out} more options: pmtwin validate --help-all" in shown["--help"]
    assert "more options" not in shown["--help-all"]
    assert all("\n  pmtwin validate --grid 4,4" in text for text in shown.values())


@pytest.mark.parametrize(
    ("scenario", "flag"), [("nvm-middleware", "--phases"), ("numa-threads", "--workloads"), ("two-tier", "--loads")]
)
def test_help_for_comparing_shows_how_contexts_are_chosen(scenario, flag, capsys):
    with pytest.raises(SystemExit):
        cli.main(["evaluate", scenario, "--help"])
    assert re.search(rf"^  {flag} ", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize("name", SUMMARIES)
def test_everyday_options_exist_and_fit_a_screen(name):
    config = importlib.import_module(module_of(name)).Config
    configs = [config]
    if issubclass(config, ScenarioConfig):
        configs.append(config.for_scenario(load_scenario(config.scenarios()[0])))
    assert set(config.everyday) <= {leaf.name for each in configs for leaf in leaves(each)}
    assert len(config.everyday) <= 14


@pytest.mark.parametrize("name", scenario_names())
def test_everyday_options_of_a_scenario_exist(name):
    scenario = load_scenario(name)
    assert set(scenario.everyday) <= {leaf.name for leaf in leaves(scenario.Options)}
    assert set(scenario.examples) <= set(SUMMARIES)


def test_help_for_planning_shows_a_scenario_that_can_be_planned(capsys):
    with pytest.raises(SystemExit):
        cli.main(["plan", "--help-all"])
    shown = capsys.readouterr().out
    assert "--goal MEASURE=LIMIT" in shown and "--profile" not in shown
    assert cli.main(["plan", DEFAULT, "--help"]) == 2


def examples() -> list[str]:
    """The examples of all commands and scenarios."""
    commands = [importlib.import_module(module_of(name)) for name in SUMMARIES]
    scenarios = [lines for name in scenario_names() for lines in load_scenario(name).examples.values()]
    return [line for lines in (*(getattr(each, "EXAMPLES", ()) for each in commands), *scenarios) for line in lines]


@pytest.mark.parametrize("line", examples())
def test_the_examples_of_the_help_are_accepted(line):
    command, *words = line.partition(" > ")[0].split()[1:]
    args = command_words.build_parser(command, words).parse_args([command, *words])
    if not any("." in word for word in words):  # no file that only the reader has
        args.door.configuration(args)
