"""An option has one name: on the command line, in --set, in a file, in Python, and in a plan of a sweep."""

import importlib
import json
import re

import pytest

import pmtwin
from pmtwin import cli
from pmtwin.config.keys import Keys
from pmtwin.config.nouns import noun_of
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.summaries import SUMMARIES, module_of
from pmtwin.scenarios import load_scenario, make_environment
from pmtwin.sim.errors import InputError


def every_keys():
    for command in SUMMARIES:
        config = importlib.import_module(module_of(command)).Config
        if not issubclass(config, ScenarioConfig):
            yield command, Keys(config)
            continue
        for name in config.scenarios():
            scenario = load_scenario(name)
            yield f"{command}-{name}", Keys(config.for_scenario(scenario), scenario)


@pytest.mark.parametrize("keys", [pytest.param(keys, id=name) for name, keys in every_keys()])
def test_the_flag_is_the_key(keys):
    for key in keys:
        if key.leaf.about.positional:
            continue
        name = re.sub("^--(no-)?", "", key.flags[-1] if key.alone else key.flag).replace("-", "_")
        assert keys.find(name, "--set").id == key.id, key.flags
        field = key.leaf.name if key.of_scenario else noun_of(key.leaf.name, keys.scenario)
        assert name == field, f"{key.flag} is {field} in a file"


FORMER = {"context_set": "contexts", "reward_file": "reward", "max_latency": "max_latency_us"}


@pytest.mark.parametrize(("former", "today"), FORMER.items())
def test_a_former_name_is_refused_with_the_name_of_today(former, today, tmp_path, capsys):
    (tmp_path / "file.toml").write_text(f'scenario = "nvm-middleware"\n{former} = "1"\n')
    command = ["simulate", "nvm-middleware", "--windows", "1"]
    for words in ([*command, "--set", f"{former}=1"], ["simulate", "--config", str(tmp_path / "file.toml")]):
        assert cli.main(words) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert former in line and f"allowed: {today}" in line
    for call in (pmtwin.simulate, lambda **given: make_environment("nvm-middleware", **given)):
        with pytest.raises(InputError, match=f"{former}.*allowed: {today}"):
            call(**{former: "1"})


def test_contexts_and_a_reward_of_a_file_at_every_door(tmp_path, capsys):
    (tmp_path / "goals.toml").write_text("[goals]\np99_us = 150\n")
    goals = str(tmp_path / "goals.toml")
    (tmp_path / "file.toml").write_text(f'contexts = "contended"\nreward = "{goals}"\n')
    command = ["simulate", "nvm-middleware", "--windows", "1", "--set", "requests_per_window=50", "--json"]
    given = [
        ["--contexts", "contended", "--reward", goals],
        ["--set", "contexts=contended", "--set", f"reward={goals}"],
        ["--config", str(tmp_path / "file.toml")],
    ]
    shown = []
    for words in given:
        assert cli.main([*command, *words]) == 0
        shown.append(json.loads(capsys.readouterr().out))
    called = pmtwin.simulate(windows=1, requests_per_window=50, contexts="contended", reward=goals)
    assert shown == [json.loads(json.dumps(called, default=str))] * 3
    assert shown[0]["configuration"]["arguments"]["contexts"] == "contended"
    options = make_environment("nvm-middleware", contexts="contended", reward=goals).scenario.options
    assert (options.contexts, options.reward_parameters.sla.latency_goal_us) == ("contended", 150.0)


def test_a_record_tells_the_phases_from_their_set(tmp_path, capsys):
    words = ["evaluate", "nvm-middleware", "--policies", "none", "--steps", "2", "--phase-steps", "1", "--seeds", "1"]
    words += [
        "--phases",
        "2",
        "1",
        "--contexts",
        "contended",
        "--set",
        "requests_per_window=50",
        "--jobs",
        "1",
        "--json",
    ]
    assert cli.main(words) == 0
    result = capsys.readouterr().out
    arguments = json.loads(result)["configuration"]["arguments"]
    assert (arguments["contexts"], arguments["phases"]) == ("contended", [2, 1])
    (tmp_path / "result.json").write_text(result)
    assert cli.main(["evaluate", "--config", str(tmp_path / "result.json"), "--json"]) == 0
    assert capsys.readouterr().out == result
