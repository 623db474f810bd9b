"""`pmtwin train` of what decides inside the windows: one policy or several at once, its file, and what is refused."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.policies import make_policy
from pmtwin.policies.points import default_policies
from pmtwin.policies.registry import policy_class, policy_names
from pmtwin.policies.training import inline
from pmtwin.policies.trainings import training_options
from pmtwin.scenarios import load_scenario
from pmtwin.sim.errors import InputError
from pmtwin.training.task import task_of

HERE = Path(__file__).parent
MACHINES, PAIR, ROUTING = (
    f"{HERE / file}:{name}"
    for file, name in (("machines.py", "machines"), ("machines.py", "Pair"), ("routing.py", "Routing"))
)
GREEDY = f"{HERE / 'bandits.py'}:Greedy"
BOTH = f"play={GREEDY}+bet={GREEDY}"
SHORT = ["--rounds", "2", "--round-windows", "3", "--jobs", "1"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where the commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def train(capsys):
    """(scenario, spec, more words) -> what the command prints, which has to succeed."""

    def trained(scenario: str, policy: str, *words: str) -> str:
        assert cli.main(["train", scenario, "--policy", policy, *SHORT, "-o", "p.npz", *words]) == 0
        return capsys.readouterr().out

    return trained


@pytest.fixture
def refused(capsys):
    """(words of a command) -> the one line that refuses it."""

    def line(*words: str) -> str:
        assert cli.main(list(words)) == 2
        printed = capsys.readouterr()
        (said,) = printed.err.splitlines()
        assert not printed.out
        return said

    return line


def evaluated(scenario: str, spec: str) -> float:
    """Mean reward of a spec whose learning is frozen."""
    words = ["evaluate", scenario, "--policies", spec, "--learning", "frozen", "--steps", "4", "--seeds", "1"]
    assert cli.main([*words, "--jobs", "1", "-o", "result.json", "--force"]) == 0
    (row,) = json.loads(Path("result.json").read_text())["leaderboard"]
    return row["reward"]


def test_any_decision_point_is_trained_and_the_next_command_reads_the_file(train, told_next):
    """Routing is no replacement; the bandit there is told a reward when the job leaves."""
    small = ["--jobs-per-window", "30", "--engine", "simpy"]
    shown = train(ROUTING, f"route={GREEDY}", *small)
    assert re.search("decides +route", shown)
    assert f"route={GREEDY}:file=p.npz" in told_next(shown)
    assert cli.main([*told_next(shown), "--steps", "2", "--seeds", "1", "--jobs", "1", "--learning", "frozen"]) == 0


def test_several_are_trained_at_once_each_with_its_own_part_of_the_file(train, told_next):
    shown = train(PAIR, BOTH)
    assert re.search("decides +play, bet", shown)
    assert cli.main([*told_next(shown), "--steps", "1", "--seeds", "1", "--jobs", "1"]) == 0
    trained = BOTH.replace("Greedy", "Greedy:file=p.npz")
    assert evaluated(PAIR, trained) == evaluated(PAIR, f"play=fixed:right+bet={GREEDY}:file=p.npz")
    arrays = {point: make_policy(trained, load_scenario(PAIR)()).inline[point].memory for point in ("play", "bet")}
    with np.load("p.npz") as file:
        assert {name for name in file.files if name != "header"} == {"play.0", "play.1", "bet.0", "bet.1"}
        np.testing.assert_array_equal(arrays["bet"]["0"], file["bet.0"])
    assert arrays["play"]["0"].argmax() == arrays["bet"]["0"].argmax() == 1


def test_one_learns_beside_others_that_do_not(train, refused):
    assert re.search("decides +bet", train(PAIR, f"play=fixed:right+bet={GREEDY}"))
    words = ["evaluate", PAIR, "--steps", "1", "--seeds", "1", "--policies"]
    said = refused(*words, f"play={GREEDY}:file=p.npz")
    assert "decision point: 'play' is not accepted; allowed: bet, which the policy was trained for" in said


TRAINED = [name for name in policy_names() if policy_class(name).is_trained()]
AT_ONCE = [name for name in TRAINED if training_options(name).whole_spec]


@pytest.mark.parametrize("name", sorted({*TRAINED} - {*AT_ONCE}))
def test_a_policy_between_windows_is_trained_beside_one_inside(name):
    task = task_of(load_scenario("two-tier").of(model="whole"), f"threads={name}+replacement=sieve", 0)
    assert task.policy == name
    assert task.make_env(episode_steps=None).inline["replacement"].spec == "sieve"


@pytest.mark.parametrize("name", AT_ONCE)
def test_what_learns_while_it_runs_is_trained_between_windows_and_inside_at_once(name):
    task = task_of(load_scenario("two-tier").of(model="whole"), f"threads={name}+replacement=weight-sharing", 0)
    training = inline.InlineTraining()
    assert training.preview(task)["plan"]["decides"] == "threads, replacement"
    after = training.spec_of(task, "p.npz").split("+", 1)
    assert after == [f"threads={name}:file=p.npz", "replacement=weight-sharing:file=p.npz"]


def test_a_dry_run_tells_windows_points_and_time(train):
    planned = json.loads(train(PAIR, BOTH, "--dry-run", "--json"))
    assert (planned["plan"]["windows"], planned["plan"]["decides"]) == (6, "play, bet")
    assert planned["about_seconds"] > 0.0


def test_training_goes_on_from_an_earlier_file(train):
    train(MACHINES, GREEDY)
    with np.load("p.npz") as file:
        count = file["1"].sum()
    shown = train(MACHINES, f"{GREEDY}:p.npz", "-o", "again.npz")
    assert f"{GREEDY}:file=again.npz" in shown and "file=p.npz" not in shown
    with np.load("again.npz") as file:
        assert file["1"].sum() == 2 * count - 2


def test_a_training_that_was_stopped_goes_on_with_the_same_result(train, folder, monkeypatch):
    train(PAIR, BOTH, "-o", "whole.npz")
    episode = inline.InlineTraining._episode

    def killed(self, *arguments):
        if arguments[-1] == 1:
            raise KeyboardInterrupt
        return episode(self, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(inline.InlineTraining, "_episode", killed)
        assert cli.main(["train", PAIR, "--policy", BOTH, *SHORT, "-o", "parts.npz"]) == 130
    assert "resumed" in train(PAIR, BOTH, "-o", "parts.npz")
    assert (folder / "parts.npz").read_bytes() == (folder / "whole.npz").read_bytes()


def test_a_checkpoint_of_another_content_of_the_file_is_refused(train, refused):
    train(MACHINES, GREEDY)
    train(MACHINES, f"{GREEDY}:p.npz", "-o", "again.npz", "--keep-checkpoint")
    train(MACHINES, GREEDY, "--seed", "1", "--force")
    words = ["train", MACHINES, "--policy", f"{GREEDY}:p.npz", *SHORT, "-o", "again.npz", "--force"]
    assert "this one differs in files.p.npz" in refused(*words)


def test_a_file_of_another_policy_or_scenario_is_refused_and_other_options_are_told(train, refused, capsys):
    train(MACHINES, GREEDY)
    with pytest.raises(InputError, match=r"has policy Greedy; allowed: a file with policy WeightSharing"):
        make_policy("weight-sharing:p.npz", kind="replacement")
    words = ["--steps", "1", "--seeds", "1", "--jobs", "1", "--policies", f"{GREEDY}:p.npz"]
    said = refused("evaluate", ROUTING, *words)
    assert "scenario: 'routing' is not accepted; allowed: machines, which the policy was trained for" in said
    pair = load_scenario(PAIR)()
    pair.points = (replace(pair.points[0], default=f"{GREEDY}:p.npz"),)
    with pytest.raises(InputError, match="machines, which the policy was trained for"):
        default_policies(pair)
    train(ROUTING, f"route={GREEDY}", "--jobs-per-window", "30", "--engine", "simpy", "--force")
    routing = ["evaluate", ROUTING, "--engine", "simpy", "--jobs-per-window", "40", *words[:-1]]
    assert cli.main([*routing, f"route={GREEDY}:p.npz"]) == 0
    assert "was trained for jobs_per_window 30, not 40" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("hedge", "a decision point that asks hit, miss, victim, evict, admit, which pair has not"),
        ("play=fixed:left", "a policy that is trained at one of the decision points"),
        (BOTH.replace("bet", "bed"), "decision point of pair: 'bed' is not accepted"),
        (f"play={HERE / 'bandits.py'}:Fileless", "a policy with an option `file`"),
        (f"play={HERE / 'bandits.py'}:Nameless", "learned: 7 is not accepted; allowed: places in arrays()"),
        (f"play={HERE / 'bandits.py'}:Untrainable", "a method run(self, task, checkpoint, workers, progress); "),
        (f"{BOTH}+window=q-learning", f"first q-learning beside fixed policies, then {BOTH}+window=q-"),
    ],
)
def test_what_cannot_be_trained_is_one_line(refused, folder, policy, said):
    assert said in refused("train", PAIR, "--policy", policy, *SHORT, "-o", "p.npz")
    assert not list(folder.iterdir())


def test_the_hedge_over_experts_is_no_file():
    with pytest.raises(InputError, match=r"names no file; allowed: hedge:experts=lru\+lfu"):
        make_policy("hedge:lru+lfu", kind="replacement")


def test_the_last_round_is_set_beside_the_first_over_the_same_contexts(train, monkeypatch):
    """Contexts differ by far more than learning gains: episode by episode it would seem to harm."""
    count = len(load_scenario(ROUTING)().trained_contexts)
    rewards = iter([0.9, *[0.1] * (count - 1), *[0.5] * (count - 1), 0.1])
    episode = inline.InlineTraining._episode
    monkeypatch.setattr(inline.InlineTraining, "_episode", lambda *told: (episode(*told), next(rewards))[1])
    shown = train(ROUTING, f"route={GREEDY}", "--jobs-per-window", "30", "--engine", "simpy")
    first, last = ((0.9 + 0.1 * (count - 1)) / count, (0.5 * (count - 1) + 0.1) / count)
    assert re.search(f"mean reward +first round {first:.4g}, last round {last:.4g}", shown)
