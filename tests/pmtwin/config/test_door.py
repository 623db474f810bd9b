"""One configuration from options, `--set` and files: who wins, what an error names, and that a record is read again."""

import json
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from pmtwin import cli
from pmtwin.config.record import arguments
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.shared import Parallel, Printed, Seeded
from pmtwin.config.summaries import SUMMARIES
from pmtwin.sim.common.threads import usable_processors
from pmtwin.sim.options import option

TOY = f"{Path(__file__).parent / 'toy.py'}:toy"


@dataclass(frozen=True, kw_only=True)
class Config(ScenarioConfig, Seeded, Parallel, Printed):
    command: ClassVar[str] = "try"
    policies: tuple[str, ...] = option(help="what decides", separator=" ", metavar="SPEC")
    steps: int = option(10, "windows of a run", low=1, high=100)
    contexts: tuple[int | str, ...] | None = option(None, "{contexts} that take part (all if omitted)")
    context_steps: int = option(5, "windows until the {context} changes", low=1, high=100)
    setting: tuple[int, ...] | None = option((5, 5), "{setting}{without}")
    limit: int = option(3, "limit", flag="--its-limit")


@pytest.fixture
def run(monkeypatch):
    """Run the command `try` with these words; gives its configuration."""
    seen = []
    module = types.ModuleType("pmtwin.commands.try")
    module.Config, module.run = Config, seen.append
    monkeypatch.setitem(sys.modules, "pmtwin.commands.try", module)
    monkeypatch.setitem(SUMMARIES, "try", "try")

    def call(*words, code=0, scenario=TOY, policies=("--policies", "a:1,2", "b")):
        try:
            result = cli.main(["try", *([scenario] if scenario else []), *policies, *map(str, words)])
        except SystemExit as leave:
            result = leave.code
        assert result == code
        return seen.pop() if code == 0 else None

    return call


def test_defaults_stand_once(run):
    config = run()
    assert (config.seed, config.steps, config.setting, config.contexts) == (0, 10, (5, 5), None)
    assert config.policies == ("a:1,2", "b")
    assert config.jobs == usable_processors()
    assert config.scenario.options == type(config.scenario).Options()


def test_options_of_the_command_and_of_the_scenario(run):
    config = run("--steps", 7, "--fast", "--places", 3, 4, "--rate", "none", "--store", "null")
    options = config.scenario.options
    assert config.steps == 7
    assert (options.model.speed, options.model.fast, options.places, options.rate) == (1.5, True, (3, 4), None)
    assert options.model.real.store == "null"


@pytest.mark.parametrize("words", [["--seasons", "wet"], ["--contexts", "wet"], ["--set", "seasons=wet"]])
def test_the_nouns_of_the_scenario_and_the_general_ones(run, words):
    assert run(*words).contexts == ("wet",)


def test_settings_are_read_by_the_declaration(run):
    assert run("--sizes", "2,3").setting == (2, 3)
    assert run("--sizes", "none").setting is None
    assert run("--season-steps", "4").context_steps == 4
    assert run("--its-limit", "7").limit == 7


def test_set_reaches_every_key(run):
    words = ["steps=3", "json=true", "model.speed=3", "fast=no", "cores=48", "places=7,8", "policies=x:1,2 y"]
    config = run(*(word for each in words for word in ("--set", each)), policies=())
    options = config.scenario.options
    assert (config.steps, config.json, config.policies) == (3, True, ("x:1,2", "y"))
    assert (options.model.speed, options.model.fast, options.places) == (3.0, False, (7, 8))
    assert options.model.parameters == {"cores": 48.0}


TOML = """
policies = ["from:file", "b"]
steps = 20
seasons = ["wet"]
sizes = [1, 2]
speed = 4
[model]
fast = true
parameters = {cores = 2, memory = 3}
"""


@pytest.fixture
def toml(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(TOML)
    return path


def test_a_file_of_toml(run, toml):
    config = run("--config", toml, policies=())
    assert (config.policies, config.steps, config.contexts) == (("from:file", "b"), 20, ("wet",))
    assert config.setting == (1, 2)
    model = config.scenario.options.model
    assert (model.speed, model.fast, model.parameters) == (4.0, True, {"cores": 2, "memory": 3})


def test_a_whole_float_is_an_integer(run, tmp_path):
    (tmp_path / "a.toml").write_text("steps = 2.0\nseed = 1.0\nplaces = [3.0]\nsizes = [1.0, 2]\n")
    config = run("--config", tmp_path / "a.toml")
    numbers = [config.steps, config.seed, *config.scenario.options.places, *config.setting]
    assert [repr(number) for number in numbers] == ["2", "1", "3", "1", "2"]


def test_options_go_before_set_and_set_before_the_file(run, toml):
    words = ["--config", toml, "--set", "steps=30", "--set", "speed=5", "--set", "cores=9", "--steps", "40"]
    config = run(*words)
    assert (config.steps, config.scenario.options.model.speed) == (40, 5.0)
    assert config.scenario.options.model.parameters == {"cores": 9.0, "memory": 3}


def test_a_record_is_read_again(run, tmp_path):
    words = ["--steps", 7, "--sizes", "none", "--seasons", "wet", "--rate", "none", "--speed", "0.1", "--jobs", 1]
    config = run(*words, "--set", "cores=3", "--store", "null", "--json")
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"configuration": {"arguments": arguments(config), "other": 1}}))
    again = run("--config", path, scenario=None, policies=())
    assert arguments(again) == arguments(config)
    assert again.scenario.options == config.scenario.options
    assert (again.setting, again.contexts, again.json) == (None, ("wet",), False)


def test_the_default_of_jobs_obeys_the_control_group(tmp_path):
    limit = tmp_path / "sys/fs/cgroup/cpu.max"
    limit.parent.mkdir(parents=True)
    for quota, processors in (("50000 100000", 1), ("100000 100000", 1), ("max 100000", usable_processors(tmp_path))):
        limit.write_text(quota)
        assert usable_processors(tmp_path) == processors


def test_a_scenario_may_not_name_an_option_as_the_command_does(run, tmp_path, capsys):
    text = Path(TOY.removesuffix(":toy")).read_text().replace("places: tuple", "steps: tuple")
    (tmp_path / "mine.py").write_text(text)
    run(code=2, scenario=f"{tmp_path / 'mine.py'}:toy")
    assert "options than those of try: --steps" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("noun", "other", "clash"),
    [
        ('Contexts("season"', 'Contexts("step"', "--steps"),
        ('Contexts("season"', 'Contexts("job"', "--jobs"),
        ('Settings("sizes"', 'Settings("set"', "--set"),
        ('Settings("sizes"', 'Settings("scenario"', "--scenario"),
    ],
)
def test_the_nouns_of_a_scenario_may_not_be_options_of_the_command(noun, other, clash, run, tmp_path, capsys):
    (tmp_path / "mine.py").write_text(Path(TOY.removesuffix(":toy")).read_text().replace(noun, other))
    run(code=2, scenario=f"{tmp_path / 'mine.py'}:toy")
    said = capsys.readouterr().err
    assert f"mine.py:toy' is not accepted; allowed: other names of nouns and options than those of try: {clash}" in said


def test_a_scenario_is_named_by_the_file_of_a_record_too(run, tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(f'scenario = "{TOY}"\npolicies = ["a"]\n')
    for words in (["--config", path], [f"--config={path}"], ["--steps", "3", "--config", path]):
        assert run(*words, scenario=None, policies=()).scenario.name == "toy"
    assert run("--steps", "3", TOY, scenario=None, policies=("--policies=a",)).scenario.name == "toy"


def test_a_word_of_another_option_is_no_scenario(run, tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(f'scenario = "{TOY}"\n')
    for words in (
        ["--config", path, "--policies", "a", "mine.py:Later"],
        ["--policies", "a", "b.py:C", "--config", path],
    ):
        assert run(*words, scenario=None, policies=()).scenario.name == "toy"


BAD = [
    (["--speed", "0", "--fast"], ["--speed", "does not go with --fast"]),
    (["--set", "fast=true", "--set", "level=0"], ["--set fast", "does not go with --set level"]),
    (["--set", "parameters.corez=3"], ["--set", "'parameters.corez'", "did you mean 'parameters.cores'"]),
    (["--set", "model.parameters.x=3"], ["--set", "'model.parameters.x'", "of parameters"]),
    (["--speed", "3", "--fast"], ["--speed", "does not go with --fast"]),
    (["--set", "speed=3", "--fast"], ["--set speed", "does not go with --fast"]),
    (["--steps", "x"], ["--steps", "'x'", "a whole number"]),
    (["--steps", "0"], ["--steps", "0", "1 to 100"]),
    (["--set", "steps=0"], ["--set steps", "0", "1 to 100"]),
    (["--set", "steps=x"], ["--set", "'steps=x'", "a whole number"]),
    (["--set", "stepz=3"], ["--set", "'stepz'", "did you mean 'steps'"]),
    (["--set", "corez=3"], ["--set", "'corez'", "did you mean 'cores'", "of parameters"]),
    (["--set", "cores"], ["--set", "'cores'", "KEY=VALUE"]),
    (["--set", "cores=many"], ["--set", "'cores=many'", "a number"]),
    (["--set", "cores=2", "--set", "cores=3"], ["--set", "each name once", "cores is 2"]),
    (["--speed", "11"], ["--speed", "11", "0 to 10 m/s"]),
    (["--store", "mapp"], ["--store", "'mapp'", "did you mean 'map'"]),
    (["--sizes", "0,3"], ["--sizes", "'0,3'", "each 1 to 9"]),
    (["--sizes", "-1,3"], ["--sizes", "'-1,3'", "each 1 to 9"]),
    (["--seasons", "cold"], ["--seasons", "'cold'", "dry, wet"]),
    (["--places", "a"], ["--places", "'a'", "a whole number"]),
    (["--config", "absent.toml"], ["--config", "absent.toml' cannot be read"]),
    (["--jobs", "0"], ["--jobs", "0", "1 to"]),
    (["--nope"], ["--nope", "pmtwin try --help-all"]),
    (["--set", "model=3"], ["--set", "'model'"]),
    (["--set", "parameters=3"], ["--set", "parameters.NAME=VALUE"]),
]


@pytest.mark.parametrize(("words", "parts"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_an_error_names_what_the_user_wrote(run, words, parts, capsys):
    run(*words, code=2)
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert [part for part in parts if part not in error] == [], error


FILES = [
    ("a.toml", "steps = 0", ["a.toml: steps: 0", "1 to 100"]),
    ("a.toml", "steps = 'x'", ["a.toml: steps: 'x'", "a whole number"]),
    ("a.toml", "stepz = 1", ["a.toml", "'stepz'", "did you mean 'steps'"]),
    ("a.toml", "stepz = 1\nsped = 2", ["a.toml", "'stepz, sped' are no options of try"]),
    ("a.toml", "steps = ", ["a.toml", "TOML"]),
    ("a.toml", "fast = 3", ["a.toml: fast: 3", "true or false"]),
    ("a.toml", "speed = 1\n[model]\nspeed = 2", ["a.toml: model.speed", "each option once"]),
    ("a.toml", "model = 3", ["a.toml", "'model'"]),
    ("a.toml", "steps = inf", ["a.toml: steps: inf", "a whole number"]),
    ("a.toml", "speed = nan", ["a.toml: speed: nan", "0 to 10"]),
    ("a.toml", "policies = 5", ["a.toml: policies: 5", "a list, each a text"]),
    ("a.toml", "seasons = 1", ["a.toml: seasons: 1", "a list"]),
    ("a.toml", "places = 3", ["a.toml: places: 3", "a list, each a whole number"]),
    ("a.toml", "parameters = 3", ["a.toml: parameters: 3", "a table"]),
    ("a.toml", "parameters.corez = 1", ["a.toml: key: 'parameters.corez'", "did you mean 'parameters.cores'"]),
    ("a.toml", "cores = true", ["a.toml: cores: true", "a number"]),
    ("a.toml", "sizes = 9", ["a.toml: sizes: 9", "a list, each a whole number"]),
    ("a.toml", "sizes = [0, 1]", ["a.toml: sizes", "each 1 to 9"]),
    ("a.toml", "scenario = 3", ["a.toml: scenario: 3", "a text"]),
    ("a.toml", "command = 'train'", ["a.toml: command: 'train'", "try"]),
    ("a.json", "[1]", ["a.json' holds no table of keys", "the JSON"]),
    ("a.json", "{", ["a.json", "JSON"]),
    ("a.json", '{"configuration": {"steps": 3}}', ["a.json", "configuration.arguments"]),
    ("a.json", '{"schema": 1}', ["a.json", "'schema'"]),
]


@pytest.mark.parametrize(("name", "text", "parts"), FILES, ids=[text for _, text, _ in FILES])
def test_a_file_with_an_error_is_named_with_the_key(run, name, text, parts, tmp_path, capsys):
    path = tmp_path / name
    path.write_text(text)
    run("--config", path, code=2, **({"policies": ()} if "policies" in text else {}))
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert [part for part in parts if part not in error] == [], error


def test_what_must_be_given_is_asked_for_at_once(run, monkeypatch, capsys):
    monkeypatch.setattr("pmtwin.config.scenario_config.scenario_names", lambda: (TOY,))
    run(code=2, scenario="--json", policies=())
    assert "SCENARIO, --policies are missing" in capsys.readouterr().err


def test_help_shows_each_option_with_its_default_under_the_scenarios_nouns(run, capsys):
    with pytest.raises(SystemExit):
        cli.main(["try", TOY, "--help"])
    text = " ".join(capsys.readouterr().out.split())
    for part in ("--seasons", "windows until the season changes (default: 5)", "speed of the model (default: 1.5)"):
        assert part in text
    assert "(default: 5,5)" in text and "--set KEY=VALUE" in text and "--config FILE" in text
