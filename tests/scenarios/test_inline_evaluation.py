"""Policies that decide inside the windows are compared, trained and kept as those between them."""

import json
from pathlib import Path

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.scenarios.comparison.evaluation import EvaluationPlan, evaluate
from pmtwin.scenarios.registry import load_scenario
from pmtwin.sim.errors import InputError

MACHINES = f"{Path(__file__).with_name('machines.py')}:machines"
BANDITS = Path(__file__).with_name("bandits.py")


def rewards(*policies: str, learning: str = "on", steps: int = 5) -> dict[str, list[float]]:
    plan = EvaluationPlan(load_scenario(MACHINES)(), policies, steps=steps, seeds=2, learning=learning)
    runs = evaluate(plan).runs
    return {spec: np.concatenate([run.reward for run in runs[spec]]).tolist() for spec in policies}


def test_all_policies_meet_the_same_coins():
    """The windows are the same for all, so that what is played in them alone makes the difference."""
    paid = rewards(
        "fixed:right", "play=fixed:1", "fixed:left", "window=random", f"{BANDITS}:Greedy", f"{BANDITS}:Plain"
    )
    assert paid["fixed:right"] == paid["play=fixed:1"]
    assert paid["window=random"] == paid["fixed:left"]
    assert paid[f"{BANDITS}:Greedy"] == paid[f"{BANDITS}:Plain"]
    assert np.mean(paid["fixed:left"]) + 0.2 < np.mean(paid[f"{BANDITS}:Greedy"]) <= np.mean(paid["fixed:right"])


def test_learning_that_is_frozen_stays_as_it_was():
    assert rewards(f"{BANDITS}:Greedy", learning="frozen") == {f"{BANDITS}:Greedy": rewards("fixed:left")["fixed:left"]}


@pytest.mark.parametrize("name", ["Restless", "PlainRestless"])
def test_freezing_holds_for_what_learns_outside_of_rewards_too(name):
    """It would like its first play less each time, and change to the other."""
    spec = f"{BANDITS}:{name}"
    assert rewards(spec, learning="frozen") == {spec: rewards("fixed:left")["fixed:left"]}
    assert rewards(spec) != rewards(spec, learning="frozen")


def test_what_makes_its_state_by_itself_is_not_frozen_but_refused():
    with pytest.raises(InputError, match=r"learning: 'frozen' .*on: .*Own overrides state"):
        rewards(f"{BANDITS}:Own", learning="frozen")


def test_what_learns_between_windows_is_not_frozen_but_refused(tmp_path):
    file = tmp_path / "watching.py"
    file.write_text(
        "from pmtwin.policies import Policy\n\nclass Watching(Policy):\n"
        "    def act(self, observation, info=None):\n        return 0\n\n"
        "    def observe(self, *outcome):\n        return\n"
    )
    with pytest.raises(InputError, match=r"learning: 'frozen' .*on: .*Watching learns by its method observe"):
        rewards(f"window={file}:Watching+play={BANDITS}:Greedy", learning="frozen")


def test_an_error_inside_the_windows_is_one_line(capsys):
    with pytest.raises(InputError, match=r"decision point of machines: 'plai'.*did you mean 'play'"):
        rewards("plai=random")
    for name, said in (("Broken", "decide() failed: AttributeError"), ("Empty", "decide() failed: ValueError")):
        assert cli.main(["evaluate", MACHINES, "--policies", f"{BANDITS}:{name}", "--seeds", "1", "--steps", "2"]) == 2
        assert f"{name}: {said}" in capsys.readouterr().err


def test_plain_python_is_refused_by_name_on_the_compiled_engine(monkeypatch):
    monkeypatch.setattr(load_scenario(MACHINES), "engine", "compiled")
    with pytest.raises(InputError, match=r"engine: 'compiled' .* simpy for .*Plain, which is plain Python"):
        rewards(f"{BANDITS}:Plain")


def test_a_frozen_run_of_what_does_not_learn_is_refused(capsys):
    words = ["evaluate", MACHINES, "--policies", "random", "--learning", "frozen", "--dry-run"]
    assert cli.main(words) == 2
    assert "--learning frozen does not go with policies none of which learns" in capsys.readouterr().err


def test_what_is_learned_is_kept_in_a_file_and_frozen(tmp_path, capsys):
    file, spec = tmp_path / "greedy.npz", f"{BANDITS}:Greedy"
    train = ["train", MACHINES, "--policy", spec, "-o", str(file), "--rounds", "2", "--round-windows", "5", "--json"]
    assert cli.main(train) == 0
    assert json.loads(capsys.readouterr().out)["decides"] == "play"
    assert rewards(f"{spec}:{file}", learning="frozen") == {f"{spec}:{file}": rewards("fixed:right")["fixed:right"]}
    words = ["evaluate", MACHINES, "--policies", f"{spec}:{file}", "--learning", "frozen", "--seeds", "2", "--json"]
    assert cli.main([*words, "--steps", "5"]) == 0
    assert json.loads(capsys.readouterr().out)["configuration"]["learning"] == "frozen"


def test_a_scenario_shows_its_decision_points(capsys):
    assert cli.main(["list", "scenarios", MACHINES, "--json"]) == 0
    (point,) = json.loads(capsys.readouterr().out)["points"]
    assert (point["name"], point["decides"], point["default"]) == ("play", "left, right", "fixed:left")
    assert cli.main(["list", "scenarios", MACHINES]) == 0
    assert "decision point  when" in capsys.readouterr().out
