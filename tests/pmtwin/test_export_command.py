"""`pmtwin export`: the scenario's goals go into the file, and what cannot be written is refused before it is."""

import json
import re
from pathlib import Path

import pytest

from pmtwin import cli
from pmtwin.policies.steering import exportable_names

MINE = """
from pmtwin.policies.threshold import Threshold


class Mine(Threshold):
    def act(self, observation, info=None):
        return 0
"""

OTHER = """
from pmtwin.scenarios.nvm_middleware import NvmMiddleware


class Halls(NvmMiddleware):
    name = "halls"

    @property
    def goals(self):
        return super().goals[:1]
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "policy.json"


def test_the_goals_of_the_scenario_are_written(path, capsys):
    assert cli.main(["export", "threshold:confirm-windows=3", "-o", str(path), "--latency-goal-us", "150"]) == 0
    assert f"file    {path}" in capsys.readouterr().out
    written = json.loads(path.read_text())
    assert (written["latency_goal_us"], written["throughput_goal_ops"]) == (150.0, 250_000.0)
    assert (written["policy"], written["scenario"]) == ("threshold:confirm-windows=3", "nvm-middleware")
    assert written["confirm_windows"] == 3
    assert cli.main(["export", "pools=threshold:confirm-windows=3", "-o", str(path), "--force"]) == 0
    assert json.loads(path.read_text()) == written | {"latency_goal_us": 200.0}


def test_a_scenario_without_a_middleware_in_cpp_is_refused(path, capsys):
    admission = f"{Path(__file__).parents[1] / 'scenarios/admission.py'}:admission"
    assert cli.main(["export", "fixed:20", "--scenario", admission, "-o", str(path)]) == 2
    assert "scenario admission has no middleware in C++" in capsys.readouterr().err
    assert not path.exists()


def test_the_help_names_all_policies_that_can_be_exported(capsys):
    with pytest.raises(SystemExit):
        cli.main(["export", "--help"])
    assert f"policy to write: {', '.join(exportable_names())} (" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["threshold", "--latency-goal-us", "nan"], "--latency-goal-us: nan"),
        (["fixed:99,1"], "fixed:99,1.*each 1 to 32"),
        (["random"], "fixed, mlp, none, q-learning, threshold"),
        (["threshold", "--scenario", "nosuch"], "scenario: 'nosuch'"),
        (
            ["lru"],
            "'lru' decides inside .* a middleware in C.. asks none; allowed: .*, threshold, trained$",
        ),
        (["pools=threshold+replacement=lru"], "decision point of nvm-middleware: 'replacement'.*allowed: pools$"),
        (["mine.py:Mine"], "mine.py:Mine.*Mine may act differently"),
        (["threshold", "--scenario", "halls.py:halls"], "goals of p99_us and throughput_ops, which halls has not"),
    ],
)
def test_what_cannot_be_written_is_refused(words, message, path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "halls.py").write_text(OTHER)
    assert cli.main(["export", *words, "-o", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(message, line)
    assert not path.exists()


def test_a_scenario_of_a_file_is_named_by_an_option(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "halls.py").write_text(OTHER)
    assert cli.main(["export", "fixed:9,8", "--scenario", "halls.py:halls", "-o", str(path)]) == 0
    assert json.loads(path.read_text())["scenario"] == "halls"
