"""Help tells the default that a command takes: also where it hangs on the system that is run."""

from operator import attrgetter

import pytest

from pmtwin.config.arguments import help_text
from pmtwin.config.command_words import parsed_configuration
from pmtwin.config.keys import Keys
from pmtwin.scenarios.capabilities.required import SETTINGS
from pmtwin.scenarios.registry import load_scenario
from pmtwin.sim.options import MISSING
from pmtwin.sim.options.text import written_value

COMMANDS = ("simulate", "evaluate --policies random", "train -o policy.npz", "recommend")
SCENARIOS = ("nvm-middleware", "two-tier", "two-tier --model whole", "tests/scenarios/routing.py:Routing")


def told_otherwise(words: list[str]) -> list[str]:
    """Options whose help does not have the value that they come to."""
    config = parsed_configuration(words)
    wrong = []
    for key in Keys(type(config), type(config.scenario)):
        if key.leaf.default is MISSING or key.flag in words:
            continue
        try:
            value = attrgetter(key.path)(config.scenario.options if key.of_scenario else config)
        except AttributeError:  # below a group that is not there
            continue
        if value != key.leaf.default and written_value(key.leaf, value) not in help_text(key.leaf):
            wrong.append(key.flag)
    return wrong


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_help_has_the_default_that_a_command_takes(command, scenario):
    name, *words = command.split()
    if name == "recommend" and not SETTINGS.is_declared(load_scenario(scenario.split()[0])):
        return
    wrong = told_otherwise([name, *scenario.split(), *words])
    assert wrong in ([], ["--policy"])  # help of --policy says in words which one


@pytest.mark.parametrize("trace", [True, False])
def test_help_has_the_windows_of_a_trace(tmp_path, trace):
    (tmp_path / "trace.csv").write_text("offset,size\n0,4096\n4096,4096\n")
    words = ["--trace", str(tmp_path / "trace.csv")] if trace else []
    assert told_otherwise(["evaluate", "two-tier", "--policies", "lru", *words]) == []


def test_help_has_the_setting_that_a_run_begins_with():
    config = parsed_configuration(["simulate", "two-tier"])
    (key,) = (key for key in Keys(type(config), type(config.scenario)) if key.leaf.name == "setting")
    begins = [config.scenario.of(model=model).initial_setting for model in ("process", "whole")]
    assert begins == [(16,), (4,)] and "(default: 16; 4 with --model whole)" in help_text(key.leaf)


def test_help_of_a_flag_that_switches_off_says_so():
    config = parsed_configuration(["simulate", "numa-threads"])
    keys = [key for key in Keys(type(config), type(config.scenario)) if key.leaf.default is True]
    assert {"--no-balance", "--no-directory-writes"} <= {flag for key in keys for flag in key.flags}
    for key in keys:
        assert help_text(key.leaf).startswith("no ") and "(default" not in help_text(key.leaf)
        assert key.leaf.about.help.split()[0] not in ("whether", "the", "a", "no")
