"""Policies that decide inside the windows are compared, trained and kept as those between them."""

import json
from pathlib import Path

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.scenarios.evaluation import EvaluationPlan, evaluate
from pmtwin.scenarios.registry import load_scenario
from pmtwin.sim.errors import InputError

MACHINES = f"{Path(__file__).with_name('machines.py')}:machines"
GREEDY = """
import numpy as np

from pmtwin.policies import Choice
from pmtwin.policies.learned import LearnedOptions


class Greedy(Choice):
    '''Plays what has paid most.'''

    Takes = LearnedOptions
    learned = (0, 1)

    def arrays(self, point, key):
        return np.ones(len(point.actions)), np.ones(len(point.actions))

    @staticmethod
    def decide(arrays, features, mask):
        return np.argmax(arrays[0])

    @staticmethod
    def observe(arrays, features, action, reward):
        mean, count = arrays
        count[action] += 1.0
        mean[action] += (reward - mean[action]) / count[action]


class Empty(Greedy):
    '''Asks for the least of nothing.'''

    @staticmethod
    def decide(arrays, features, mask):
        return np.argmin(arrays[0][:0])


class Plain(Choice):
    '''The same in plain Python.'''

    def start(self, point, key):
        self.mean, self.count = [1.0] * len(point.actions), [1] * len(point.actions)

    def decide(self, features, mask):
        return self.mean.index(max(self.mean))

    def observe(self, features, action, reward):
        self.count[action] += 1
        self.mean[action] += (reward - self.mean[action]) / self.count[action]


class Broken(Plain):
    '''Fails.'''

    def decide(self, features, mask):
        return self.nothing
"""


@pytest.fixture
def bandits(tmp_path):
    (tmp_path / "bandits.py").write_text(GREEDY)
    return tmp_path / "bandits.py"


def rewards(*policies: str, learning: str = "on", steps: int = 5) -> dict[str, list[float]]:
    plan = EvaluationPlan(load_scenario(MACHINES)(), policies, steps=steps, seeds=2, learning=learning)
    runs = evaluate(plan, make_policy, PolicyContext).runs
    return {spec: np.concatenate([run.reward for run in runs[spec]]).tolist() for spec in policies}


def test_all_policies_meet_the_same_coins(bandits):
    """The windows are the same for all, so that what is played in them alone makes the difference."""
    paid = rewards(
        "fixed:right", "play=fixed:1", "fixed:left", "window=random", f"{bandits}:Greedy", f"{bandits}:Plain"
    )
    assert paid["fixed:right"] == paid["play=fixed:1"]
    assert paid["window=random"] == paid["fixed:left"]
    assert paid[f"{bandits}:Greedy"] == paid[f"{bandits}:Plain"]
    assert np.mean(paid["fixed:left"]) + 0.2 < np.mean(paid[f"{bandits}:Greedy"]) <= np.mean(paid["fixed:right"])


def test_learning_that_is_frozen_stays_as_it_was(bandits):
    assert rewards(f"{bandits}:Greedy", learning="frozen") == {f"{bandits}:Greedy": rewards("fixed:left")["fixed:left"]}


def test_an_error_inside_the_windows_is_one_line(bandits, capsys):
    with pytest.raises(InputError, match=r"decision point of machines: 'plai'.*did you mean 'play'"):
        rewards("plai=random")
    for name, said in (("Broken", "decide() failed: AttributeError"), ("Empty", "decide() failed: ValueError")):
        assert cli.main(["evaluate", MACHINES, "--policies", f"{bandits}:{name}", "--seeds", "1", "--steps", "2"]) == 2
        assert f"{name}: {said}" in capsys.readouterr().err


def test_plain_python_is_refused_by_name_on_the_compiled_engine(bandits, monkeypatch):
    monkeypatch.setattr(load_scenario(MACHINES), "engine", "compiled")
    with pytest.raises(InputError, match=r"engine: 'compiled' .* simpy for .*Plain, which is plain Python"):
        rewards(f"{bandits}:Plain")


def test_a_frozen_run_of_what_does_not_learn_is_refused(capsys):
    words = ["evaluate", MACHINES, "--policies", "random", "--learning", "frozen", "--dry-run"]
    assert cli.main(words) == 2
    assert "--learning frozen does not go with policies none of which learns" in capsys.readouterr().err


def test_what_is_learned_is_kept_in_a_file_and_frozen(bandits, tmp_path, capsys):
    file, spec = tmp_path / "greedy.npz", f"{bandits}:Greedy"
    train = ["train", MACHINES, "--policy", spec, "-o", str(file), "--rounds", "2", "--round-windows", "5", "--json"]
    assert cli.main(train) == 0
    assert json.loads(capsys.readouterr().out)["decides"] == "play"
    assert rewards(f"{spec}:{file}", learning="frozen") == {f"{spec}:{file}": rewards("fixed:right")["fixed:right"]}
    words = ["evaluate", MACHINES, "--policies", f"{spec}:{file}", "--learning", "frozen", "--seeds", "2", "--json"]
    assert cli.main([*words, "--steps", "5"]) == 0
    assert json.loads(capsys.readouterr().out)["configuration"]["learning"] == "frozen"


def test_a_training_that_was_stopped_goes_on_with_the_same_result(bandits, tmp_path, monkeypatch):
    from pmtwin.policies.training import inline

    train = ["train", MACHINES, "--policy", f"{bandits}:Greedy", "--rounds", "3", "--round-windows", "2"]
    assert cli.main([*train, "-o", str(tmp_path / "whole.npz")]) == 0
    episode = inline.InlineTraining._episode

    def killed(self, task, policy, point, context, number):
        if number == 2:
            raise KeyboardInterrupt
        return episode(self, task, policy, point, context, number)

    monkeypatch.setattr(inline.InlineTraining, "_episode", killed)
    assert cli.main([*train, "-o", str(tmp_path / "parts.npz")]) == 130
    monkeypatch.undo()
    assert cli.main([*train, "-o", str(tmp_path / "parts.npz")]) == 0
    assert (tmp_path / "parts.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_a_file_of_another_policy_is_refused(bandits, tmp_path, capsys):
    file = tmp_path / "greedy.npz"
    words = [
        "train",
        MACHINES,
        "--policy",
        f"{bandits}:Greedy",
        "-o",
        str(file),
        "--rounds",
        "1",
        "--round-windows",
        "1",
    ]
    assert cli.main(words) == 0
    with pytest.raises(InputError, match=r"WeightSharing, as here; this file is of Greedy"):
        make_policy(f"weight-sharing:{file}", kind="replacement")
    with pytest.raises(InputError, match=r"names no file; allowed: hedge:experts=lru\+lfu"):
        make_policy("hedge:lru+lfu", kind="replacement")


def test_a_scenario_shows_its_decision_points(capsys):
    assert cli.main(["list", "scenarios", MACHINES, "--json"]) == 0
    (point,) = json.loads(capsys.readouterr().out)["points"]
    assert (point["name"], point["decides"], point["default"]) == ("play", "left, right", "fixed:left")
    assert cli.main(["list", "scenarios", MACHINES]) == 0
    assert "decision point  when" in capsys.readouterr().out
