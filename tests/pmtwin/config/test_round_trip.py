"""Every option of every command and of the shipped scenario: its value in a record is read back as it was."""

import importlib
import json
import math
import typing
from pathlib import Path

import pytest

from pmtwin.config.files import from_plain
from pmtwin.config.keys import Keys
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.summaries import SUMMARIES, module_of
from pmtwin.machine.checks import CHECKS
from pmtwin.scenarios import load_scenario
from pmtwin.sim.options import MISSING, check_value
from pmtwin.sim.options.types import as_kind

SAMPLES = {
    "setting": (9, 8),
    "learn_bounds": ((2, 2), (20, 20)),
    "context": 1,
    "contexts": (1, 2),
    "size": "256",
    "require": tuple(sorted(CHECKS)[:2]),
}


def keys_of(command):
    config = importlib.import_module(module_of(command)).Config
    if issubclass(config, ScenarioConfig):
        scenario = load_scenario(config.scenarios()[0])
        return Keys(config.for_scenario(scenario), scenario)
    return Keys(config)


def sample(leaf):
    """A value that the option accepts, another one than its default where its type tells one."""
    if leaf.name in SAMPLES and (leaf.kind is not str or leaf.name == "size"):
        return SAMPLES[leaf.name]
    return _sample(leaf.kind, leaf.about)


def _sample(kind, about):
    origin, parameters = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin is tuple:
        return (_sample(parameters[0], about),) * 2
    if parameters:
        return _sample(parameters[0], about)
    if kind in (int, float):
        low = 3 if about.low == -math.inf else about.low
        return kind(min(low + 1, about.high))
    if kind is bool:
        return True
    return Path("a, b") if kind is Path else (about.names() or ("a text",))[-1]


LEAVES = {
    f"{command}-{key.path}": key.leaf
    for command in SUMMARIES
    for key in keys_of(command)
    if not key.leaf.about.open and key.leaf.name != "workload"
}


@pytest.mark.parametrize("leaf", LEAVES.values(), ids=LEAVES)
def test_a_recorded_value_is_read_back(leaf):
    values = [sample(leaf)] + ([] if leaf.default is MISSING else [leaf.default])
    for value in values:
        check_value(leaf, value)
        written = json.loads(json.dumps(plain_value(value)))
        assert as_kind(leaf.kind, from_plain(leaf, written, leaf.name, "a.json")) == value


def plain_value(value):
    if isinstance(value, tuple):
        return [plain_value(each) for each in value]
    return str(value) if isinstance(value, Path) else value


@pytest.mark.parametrize("command", ["simulate", "train", "evaluate", "validate", "figures"])
def test_whole_numbers_of_a_command_state_their_bounds(command):
    numbers = [key.leaf for key in keys_of(command) if key.leaf.kind is int and not key.of_scenario]
    assert [leaf.name for leaf in numbers if leaf.about.low == -math.inf] == []
