"""Training of a deep Q-network: the same bytes on any number of workers, after any kill, from any replay."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.policies.network.deep_q import DeepQ
from pmtwin.policies.training.dqn_options import DqnTraining
from pmtwin.policies.training.dqn_parts import range_of_returns
from pmtwin.scenarios import load_scenario
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.checkpoint import Checkpoint
from pmtwin.training.task import task_of

ADMISSION = f"{Path(__file__).parents[2] / 'scenarios' / 'admission.py'}:Admission"
TINY = {
    "training_windows": 100,
    "round_windows": 10,
    "together": 2,
    "evaluations": 2,
    "evaluation_episodes": 2,
    "units": (8,),
    "minibatch": 8,
    "replay_windows": 50,
}
CATEGORICAL = {"head": "categorical", "atoms": 11, "single_q": True, "optimiser": "rmsprop", "activation": "swish"}


@pytest.fixture(scope="module")
def task():
    """Admission with windows of 20 jobs."""
    return task_of(load_scenario(ADMISSION).of(jobs_per_window=20), "dqn", 3)


@pytest.fixture
def trained(task, tmp_path):
    """(options of a training, arguments of its run) -> bytes of the trained file."""

    def train(changes, **running):
        outcome = DqnTraining(**TINY | changes).run(task, **running)
        return outcome.save(tmp_path / "p.npz", origin={"scenario": "admission"}).read_bytes()

    return train


@pytest.mark.parametrize("changes", [{}, CATEGORICAL], ids=["linear", "categorical"])
def test_two_workers_and_a_replay_file_give_the_same_bytes(trained, tmp_path, changes):
    policy_file = trained(changes)
    assert trained(changes, workers=2) == policy_file
    assert trained(changes | {"replay_file": tmp_path / "replay.sqlite"}) == policy_file
    assert trained(changes | {"discount": 0.5}) != policy_file


@pytest.mark.parametrize("step", [0, 30, 50], ids=["in the first round", "in the second", "in the third"])
@pytest.mark.parametrize("replay", [None, "replay.sqlite"], ids=["ring", "file"])
@pytest.mark.parametrize("changes", [{}, CATEGORICAL], ids=["linear", "categorical"])
def test_killed_in_the_middle_of_a_round_and_resumed_it_gives_the_same_bytes(
    trained, tmp_path, monkeypatch, changes, replay, step
):
    whole, learn = trained(changes), DeepQ.learn
    killed = changes | {"replay_file": replay and tmp_path / replay}

    def until_killed(learner):
        if learner.steps == step:
            raise KeyboardInterrupt
        return learn(learner)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(DeepQ, "learn", until_killed)
        trained(killed, checkpoint=Checkpoint(tmp_path / "c", {}))
    assert trained(killed, checkpoint=Checkpoint(tmp_path / "c", {})) == whole


def test_rows_in_memory_are_kept_once_and_deleted_when_none_can_be_drawn(trained, tmp_path):
    checkpoint = Checkpoint(tmp_path / "c", {})
    trained({}, checkpoint=checkpoint)
    stages = sorted(path.stem for path in checkpoint.folder.glob("*.npz"))
    assert stages == ["replay_2", "replay_3", "replay_4", "rounds"], "of 100 windows the last 50"
    assert len(checkpoint.load_arrays("replay_4")["rows"]) == 20
    assert "replay.rows" not in checkpoint.load_arrays("rounds")


@pytest.mark.parametrize("first", [None, "replay.sqlite"], ids=["ring, then file", "file, then ring"])
def test_a_replay_that_moves_between_two_runs_of_a_training_is_refused(trained, tmp_path, first):
    files = [first, "replay.sqlite" if first is None else None]
    before, after = ({"replay_file": name and tmp_path / name} for name in files)
    trained(before, checkpoint=Checkpoint(tmp_path / "c", {}))
    with pytest.raises(InputError, match=r"--replay-file: .* is not accepted|--replay-file is missing"):
        trained(after, checkpoint=Checkpoint(tmp_path / "c", {}))


def test_it_leaves_the_policy_its_record_and_curves_and_runs_by_its_name(tmp_path, capsys):
    file = tmp_path / "p.npz"
    words = ["--set", "jobs_per_window=20", "--jobs", "1", "--json", "--set", "round_windows=10", "--set", "together=2"]
    small = ["--training-windows", "100", "--units", "8", "4", "--evaluations", "1", "--set", "evaluation_episodes=2"]
    assert cli.main(["train", ADMISSION, "--policy", "dqn", "-o", str(file), *small, *words]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.curves.csv", "p.npz", "p.record.json"]
    record = json.loads((tmp_path / "p.record.json").read_text())
    assert record["plan"]["windows"] == 120
    assert list(record["attainment"]) == list(summary["attainment"]) == ["round_5"]
    rows = list(csv.DictReader((tmp_path / "p.curves.csv").open()))
    assert [row["windows"] for row in rows] == ["20", "40", "60", "80", "100"]
    assert [bool(row["evaluated_reward"]) for row in rows] == [False] * 4 + [True]
    for name in ("dqn", "trained"):
        run = ["evaluate", ADMISSION, "--policies", f"{name}:{file}", "--steps", "4", "--seeds", "2", "--json"]
        assert cli.main([*run, "--set", "jobs_per_window=20"]) == 0
        assert list(json.loads(capsys.readouterr().out)["policies"]) == [f"{name}:{file}"]


def test_the_file_sees_what_the_training_saw(task, tmp_path):
    """Measures beside the columns, two windows: the values are those of the network behind the normalisation."""
    outcome = DqnTraining(**TINY, **CATEGORICAL).run(task)
    policy = make_policy(f"dqn:{outcome.save(tmp_path / 'p.npz', origin={'scenario': 'admission'})}")
    policy.start(PolicyContext.of(task.scenario))
    assert policy.interface.measures == ("response_ms", "served_per_s")
    assert policy.network.columns == 2 * 5
    assert policy.network.actions == task.context.action_count == 2
    env = task.make_env(normalize=True, measures=True, history=2)
    plain = task.make_env()
    (seen, _), (shown, info) = env.reset(seed=1), plain.reset(seed=1)
    policy.act(shown, info)
    values = policy.network.values(policy._history.add(shown, info))
    scaled = make_policy(f"dqn:{tmp_path / 'p.npz'}").network
    scaled.scaling[...] = [[0.0], [0.0], [1.0]]
    np.testing.assert_allclose(scaled.values(seen), values, rtol=1e-9)


def test_what_cannot_be_trained_is_refused(task, trained, tmp_path):
    for changes, message in (
        ({"units": (8, 0)}, "units.*0"),
        ({"head": "quantile"}, "head.*quantile"),
        ({"replay_file": tmp_path / "absent" / "r.sqlite"}, "--replay-file.*existing folder"),
    ):
        with pytest.raises(InputError, match=message):
            DqnTraining(**TINY | changes).check(task)
    trained({"replay_file": tmp_path / "r.sqlite"})
    with pytest.raises(InputError, match=r"--replay-file.*a path without a file"):
        trained({"replay_file": tmp_path / "r.sqlite"})


def test_a_file_of_another_policy_is_refused(task, tmp_path):
    file = DqnTraining(**TINY).run(task).save(tmp_path / "p.npz", origin={})
    with pytest.raises(InputError, match=r"pmtwin-dqn.*pmtwin export --sb3"):
        make_policy(f"mlp:{file}")


def test_random_actions_become_fewer_and_evaluations_lie_evenly():
    training = DqnTraining(training_windows=8000, exploration_share=0.5, last_exploration=0.1, evaluations=3)
    assert training.rounds == 10
    assert [round(training.exploration(number), 2) for number in range(7)] == [1.0, 0.82, 0.64, 0.46, 0.28, 0.1, 0.1]
    assert [number for number in range(10) if training.is_evaluated(number)] == [3, 6, 9]
    assert not any(DqnTraining(evaluations=0).is_evaluated(number) for number in range(50))


def test_the_range_of_returns_holds_what_was_seen_and_the_best_for_ever():
    low, high = range_of_returns([np.array([-1.0, 0.0, 0.0]), np.array([0.0, 2.0])], 0.5)
    assert (low, high) == (-1.0, 4.0)
    assert range_of_returns([np.zeros(3)], 0.9) == (0.0, 1.0)
