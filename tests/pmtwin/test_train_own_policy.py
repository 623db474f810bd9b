"""A user's policy brings its training: options, checkpoint, record, the file that it reads again; what is refused."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.config import command_words
from pmtwin.policies import PolicyTraining, option, policy_class

FILE = """
from dataclasses import dataclass

import numpy as np

from pmtwin.policies import Options, Policy, PolicyTraining, Table, Trained, option
from pmtwin.policies.npz_file import read_npz, write_npz

FORM = "mean-rewards"


@dataclass(frozen=True)
class MeansTraining(PolicyTraining):
    tables = {"tries": Table("mean rewards", ("action", "reward"))}

    tries: int = option(2, "windows of each action", low=1, high=1000)
    gamma: int = option(1, "an option of another training too", low=1, high=9)

    def run(self, task, checkpoint, workers, progress):
        env, rewards = task.make_env(episode_steps=None), []
        env.reset(seed=task.seed)
        for action in progress(range(task.context.action_count), desc="actions"):
            rewards.append(np.mean([env.step(action)[1] for _ in range(self.tries)]))
        checkpoint.save_arrays("rewards", {"rewards": np.array(rewards)})

        def save(path, origin):
            write_npz(path, {"format": FORM, "schema": 1, "origin": origin}, {"rewards": np.array(rewards)})

        table = "action,reward\\n" + "".join(f"{action},{reward}\\n" for action, reward in enumerate(rewards))
        return Trained(save, {"means": [float(each) for each in rewards]}, tables={"tries": table})


@dataclass(frozen=True)
class MeansOptions(Options):
    file: str = option(help="file of its training", metavar="FILE")


class Means(Policy):
    Takes = MeansOptions
    trainable = MeansTraining

    def start(self, context):
        self.best = int(np.argmax(read_npz(self.options.file, FORM, 1, "means")[1]["rewards"]))

    def act(self, observation, info=None):
        return self.best


class Mute(Means):
    @classmethod
    def check_scenario(cls, context):
        raise cls(MeansOptions("-")).unserved(context, "a voice")


class Broken(Means):
    @dataclass(frozen=True)
    class trainable(PolicyTraining):
        def run(self, task, *running):
            return 1 // 0


class Clash(Means):
    @dataclass(frozen=True)
    class trainable(Broken.trainable):
        seed: int = option(5, "also an option of the command", low=0, high=9)


class Idle(Means):
    @dataclass(frozen=True)
    class trainable(PolicyTraining):
        pass


class Short(Means):
    @dataclass(frozen=True)
    class trainable(PolicyTraining):
        def run(self, task):
            pass


@dataclass(frozen=True)
class UpOptions(Options):
    moves: int = option(3, "moves up", low=1, high=20)


class Up(Policy):
    Takes = UpOptions
    trainable = "pmtwin.policies.training.search_options:SearchTraining"
    searched = {"moves": (1, 20)}

    def start(self, context):
        self.left = self.options.moves

    def act(self, observation, info=None):
        self.left -= 1
        return 2 if self.left >= 0 else 1
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of a user, in which the commands run."""
    (tmp_path / "own.py").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


FEW = ["--steps", "4", "--load-steps", "2", "--seeds", "1", "--jobs", "1"]
"""Few windows of an evaluation."""


def train(policy, *words):
    return cli.main(["train", "two-tier", "--engine", "analytic", "--policy", f"own.py:{policy}", *words])


def test_it_is_trained_evaluated_and_trained_again_from_its_record(folder, capsys, told_next):
    assert train("Means", "--tries", "3", "--set", "gamma=4", "-o", "m.npz") == 0
    shown = capsys.readouterr().out
    assert "mean rewards       m.tries.csv" in shown
    assert "own.py:Means:m.npz" in told_next(shown)
    assert cli.main([*told_next(shown), *FEW]) == 0
    record = json.loads((folder / "m.record.json").read_text())
    assert record["plan"] == {"tries": 3, "gamma": 4}
    with np.load("m.npz") as file:
        assert record["means"] == file["rewards"].tolist()
    whole = (folder / "m.npz").read_bytes()
    assert cli.main(["train", "--config", "m.record.json", "-o", "m.npz"]) == 0
    assert (folder / "m.npz").read_bytes() == whole


def test_a_sweep_varies_its_options(folder):
    """Its record has no shares of windows that keep goals, and so no learning curve."""
    (folder / "plan.toml").write_text(
        'scenario = "two-tier"\nengine = "analytic"\npolicy = "own.py:Means"\n[vary]\ntries = [1, 2]\n'
    )
    assert cli.main(["sweep", "plan.toml", "-o", "runs", "--jobs", "1"]) == 0
    rows = json.loads((folder / "runs" / "summary.json").read_text())["runs"]
    assert [row["tries"] for row in rows] == [1, 2] and not (folder / "runs" / "curves.csv").exists()


def test_a_search_tries_the_options_of_a_users_policy_and_says_what_it_found(folder, capsys):
    short = ["--generations", "1", "--population", "4", "--generation-episodes", "2", "--candidate-windows", "8"]
    specs = []
    for jobs in ("1", "2"):
        assert train("Up", *short, "--jobs", jobs, "--json", "-o", f"{jobs}.npz") == 0
        specs.append(json.loads(capsys.readouterr().out)["spec"])
    assert specs[0] == specs[1] and specs[0].startswith("own.py:Up")


@pytest.mark.parametrize(
    ("policy", "words", "message"),
    [
        ("Means", ["--tries", "0"], "--tries: 0 is not accepted; allowed: 1 to 1000"),
        ("Means", ["--rounds", "2"], "--rounds 2 belongs to --policy afterstate; remove one of the two"),
        ("Means:file=x.npz", [], "allowed: own.py:Means alone"),
        ("Mute", [], "in a scenario with a voice, which two-tier has not"),
        ("Mute", ["--dry-run"], "in a scenario with a voice, which two-tier has not"),
        ("Broken", [], "policy own.py:Broken: training() failed: ZeroDivisionError"),
        ("Clash", [], "a training whose options have other names than seed"),
        ("Idle", [], "run(self, task, checkpoint, workers, progress); Idle.trainable of Idle in "),
        ("Short", [], " has another: too many positional arguments"),
        ("UpOptions", [], "--policy: 'own.py:UpOptions' names no policy in own.py"),
        ("Absent", [], "--policy: 'own.py:Absent' names no policy in own.py"),
    ],
)
def test_what_is_refused_is_one_line_and_leaves_nothing(folder, capsys, policy, words, message):
    assert train(policy, "-o", "x.npz", *words) == 2
    printed = capsys.readouterr()
    assert message in printed.err and len(printed.err.splitlines()) == 1 and printed.out == ""
    assert [path.name for path in folder.iterdir()] == ["own.py"]


def test_a_checkpoint_of_an_earlier_file_is_refused(folder, capsys):
    assert train("Means", "-o", "m.npz", "--keep-checkpoint") == 0
    (folder / "own.py").write_text(FILE + "\n# changed\n")
    assert train("Means", "-o", "m.npz") == 2
    assert "this one differs in source" in capsys.readouterr().err


def test_a_checkpoint_of_another_training_is_refused(folder, capsys):
    """Which may be in another file than the policy."""
    (folder / "theirs.py").write_text(FILE)
    (folder / "mine.py").write_text(
        "from pmtwin.policies.registry import policy_class\n"
        "class Mine(policy_class('theirs.py:Means', None)):\n    pass\n"
    )
    assert train("Means", "-o", "m.npz", "--keep-checkpoint", "--policy", "mine.py:Mine") == 0
    (folder / "theirs.py").write_text(FILE + "\n# changed\n")
    assert train("Means", "-o", "m.npz", "--policy", "mine.py:Mine") == 2
    assert "this one differs in source" in capsys.readouterr().err


INLINE = """
from dataclasses import dataclass

import numpy as np

from pmtwin.policies import Options, PolicyTraining, Trained, make_policy, option
from pmtwin.policies.inline import Choice
from pmtwin.policies.npz_file import read_npz, write_npz


@dataclass(frozen=True)
class BranchTraining(PolicyTraining):
    windows: int = option(2, "windows of each branch", low=1, high=1000)

    def run(self, task, checkpoint, workers, progress):
        (point,) = task.scenario.points
        responses = [self._response(task, point, branch) for branch in point.actions]
        best = np.array(int(np.argmin(responses)))

        def save(path, origin):
            write_npz(path, {"format": "branch", "schema": 1, "origin": origin}, {"best": best})

        return Trained(save, summary={"best": point.actions[int(best)]})

    def _response(self, task, point, branch):
        system = task.scenario.system("busy", task.seed)
        system.decide(point.name, make_policy(f"fixed:{branch}", kind="choice"), task.seed)
        system.start(())
        for _ in range(self.windows):
            system.run_window()
        return system.measures()["response_ms"]


@dataclass(frozen=True)
class BranchOptions(Options):
    kept: str = option(help="file of its training", metavar="FILE")


class Branch(Choice):
    Takes = BranchOptions
    trainable = BranchTraining

    def start(self, point, key):
        self.best = int(read_npz(self.options.kept, "branch", 1, "a branch")[1]["best"])

    def decide(self, features, mask):
        return self.best
"""

ROUTING = ["--engine", "simpy", "--jobs-per-window", "50", "--jobs", "1"]


def test_a_policy_inside_the_simulation_is_trained_without_an_environment(folder, capsys, told_next):
    """Its training runs the scenario's own system; there are no settings, and no windows are decided on."""
    (folder / "inline.py").write_text(INLINE)
    scenario = f"{Path(__file__).parents[1] / 'scenarios' / 'routing.py'}:routing"
    assert cli.main(["train", scenario, *ROUTING, "--policy", "inline.py:Branch", "-o", "b.npz"]) == 0
    shown = capsys.readouterr().out
    assert re.search("best +fast-queue", shown)
    assert "inline.py:Branch:b.npz" in told_next(shown)
    assert cli.main([*told_next(shown), *FEW]) == 0
    assert cli.main(["train", "two-tier", "--policy", "inline.py:Branch", "-o", "x.npz", "--dry-run"]) == 2
    assert "a decision point that asks decide, observe, which two-tier has not" in capsys.readouterr().err


@dataclass(frozen=True)
class Namesake(PolicyTraining):
    key = "namesake"
    rounds: float = option(0.5, "called as an option of afterstate values")
    turns: int = option(1, "called as no other", low=0, high=9)

    def run(self, task, *running):
        raise AssertionError("only planned")


@pytest.mark.parametrize(
    ("words", "policy", "rounds"),
    [
        (["--rounds", "3"], "afterstate", 3),
        (["--policy", "random", "--rounds", "0.25"], "random", 0.25),
        (["--turns", "2", "--rounds", "0.25"], "random", 0.25),
        (["--policy", "afterstate", "--set", "rounds=4"], "afterstate", 4),
    ],
)
def test_an_option_that_two_trainings_have_is_that_of_the_policy_that_is_trained(monkeypatch, words, policy, rounds):
    monkeypatch.setattr(policy_class("random"), "trainable", Namesake)
    config = command_words.parsed_configuration(["train", "nvm-middleware", "-o", "p.npz", *words])
    assert (config.policy, config.training_of_policy.rounds) == (policy, rounds)


def test_options_that_leave_several_policies_open_ask_for_its_name(capsys):
    assert cli.main(["train", "nvm-middleware", "-o", "p.npz", "--set", "round_windows=5"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "--policy is missing" in line
    assert "dqn or linucb, to which --round-windows belongs" in line
