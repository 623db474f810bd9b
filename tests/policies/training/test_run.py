"""Whole runs on the toy scenario: they learn, repeat, resume after every kind of stop, and leave a record."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.policies.training import Problem, TrainingPlan, train, training_record
from pmtwin.policies.training.record import final_setting, learning_curves
from pmtwin.policies.training.trials import best_trial
from pmtwin.sim.errors import CheckFailedError, InputError
from pmtwin.sim.files.checkpoint import Checkpoint

GRID = {
    "degree": (2, 3),
    "alpha": (0.0001,),
    "penalty": ("l2",),
    "loss": ("squared_error",),
    "learning_rate": ("invscaling",),
    "max_iter": (100,),
}
SMALL = TrainingPlan(
    problem=Problem((1, 2), (True,) * 6 + (False,) * 2, "phase", "pools", 2),
    seed=1,
    dataset_episodes=2,
    episodes={1: 4, 2: 6},
    episode_steps=70,
    grid=GRID,
    sweeps=20,
    checkpoint_every=3,
    selections=4,
    selection_steps=10,
)


class Killed(BaseException):
    """Stands for a kill: nothing catches it."""


def killed_after(make_env, steps):
    """Environments that die at the `steps`-th step taken in all of them together."""
    steps_taken = 0

    def make():
        env = make_env()
        plain_step = env.step

        def step(action):
            nonlocal steps_taken
            steps_taken += 1
            if steps_taken > steps:
                raise Killed
            return plain_step(action)

        env.step = step
        return env

    return make


def bits(result):
    """Everything that a run leaves, for comparison."""
    online = result.online
    history = online.rewards.tobytes(), online.settings.tobytes(), online.trials.tobytes(), online.selected
    return tuple(array.tobytes() for array in result.model.state().values()), history, result.selection


@pytest.fixture(scope="module")
def uninterrupted(toy):
    return train(toy.ToyPools, SMALL)


def test_the_same_plan_gives_the_same_bits(toy, uninterrupted):
    assert bits(train(toy.ToyPools, SMALL)) == bits(uninterrupted)
    assert bits(train(toy.ToyPools, SMALL, workers=2)) == bits(uninterrupted)
    assert bits(train(toy.ToyPools, replace(SMALL, seed=2))) != bits(uninterrupted)


@pytest.mark.parametrize("steps", [100, 279, 281, 330, 500, 800, 1000, 1079])
def test_a_killed_run_goes_on_to_the_same_bits(toy, uninterrupted, tmp_path, steps):
    folder, identity = tmp_path / "run", SMALL.to_dict()
    with pytest.raises(Killed):
        train(killed_after(toy.ToyPools, steps), SMALL, Checkpoint(folder, identity))
    result = train(toy.ToyPools, SMALL, Checkpoint(folder, identity))
    assert bits(result) == bits(uninterrupted)
    assert result.resumed == (["dataset", "selection", "online"] if steps > 280 else [])


class KeptStates(Checkpoint):
    """A checkpoint that remembers every state of the online part, and dies with one of them on its medium."""

    def __init__(self, folder, last=None):
        super().__init__(folder, {})
        self.states, self.last = [], last

    def save_arrays(self, stage, arrays):
        super().save_arrays(stage, arrays)
        if stage == "online":
            self.states.append({name: array.tobytes() for name, array in arrays.items()})
            if len(self.states) == self.last:
                raise Killed


def test_trials_on_another_process_leave_every_checkpoint_as_it_was(toy, tmp_path):
    alone, beside = KeptStates(tmp_path / "1"), KeptStates(tmp_path / "2")
    train(toy.ToyPools, SMALL, alone)
    train(toy.ToyPools, SMALL, beside, workers=2)
    assert beside.states == alone.states
    assert len(alone.states) == 5  # at the start, after 3, 6 and 9 episodes, at the end


@pytest.mark.parametrize("saves", [1, 2, 4])
def test_a_run_killed_with_its_trial_elsewhere_goes_on_to_the_same_bits(toy, uninterrupted, tmp_path, saves):
    with pytest.raises(Killed):
        train(toy.ToyPools, SMALL, KeptStates(tmp_path / "run", saves), workers=2)
    assert bits(train(toy.ToyPools, SMALL, KeptStates(tmp_path / "run"), workers=2)) == bits(uninterrupted)


def test_a_run_killed_again_and_again_still_ends_the_same(toy, uninterrupted, tmp_path):
    kills = 0
    while True:
        try:
            result = train(killed_after(toy.ToyPools, 300), SMALL, Checkpoint(tmp_path / "run", SMALL.to_dict()))
            break
        except Killed:
            kills += 1
    assert kills >= 3
    assert bits(result) == bits(uninterrupted)


def test_a_finished_run_is_not_repeated(toy, uninterrupted, tmp_path):
    train(toy.ToyPools, SMALL, Checkpoint(tmp_path / "run", {}))
    assert bits(train(killed_after(toy.ToyPools, 0), SMALL, Checkpoint(tmp_path / "run", {}))) == bits(uninterrupted)


def test_another_run_in_the_folder_is_refused(tmp_path):
    Checkpoint(tmp_path / "run", SMALL.to_dict())
    with pytest.raises(InputError, match=r"differs in q\.gamma, seed"):
        Checkpoint(tmp_path / "run", replace(SMALL, seed=2, q=replace(SMALL.q, gamma=0.9)).to_dict())
    with pytest.raises(InputError, match="checkpoint"):
        Checkpoint(tmp_path / "absent" / "run", {})


@pytest.mark.parametrize("name", ["run.json", "dataset.npz", "selection.json", "online.npz"])
def test_a_damaged_checkpoint_is_refused(toy, tmp_path, name):
    train(toy.ToyPools, SMALL, Checkpoint(tmp_path / "run", {}))
    path = tmp_path / "run" / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2] + b"x")
    with pytest.raises(InputError, match="delete it"):
        train(toy.ToyPools, SMALL, Checkpoint(tmp_path / "run", {}))


def test_a_removed_checkpoint_leaves_nothing(tmp_path):
    Checkpoint(tmp_path / "run", {}).remove()
    assert list(tmp_path.iterdir()) == []


def test_the_best_trial_is_the_result(uninterrupted):
    online = uninterrupted.online
    assert online.points == [0, 2, 5, 8, 10]
    assert online.selected == online.points[best_trial(online.trials)]
    assert not np.isnan(online.trials).any()


def test_without_trials_the_last_weights_are_the_result(toy):
    result = train(toy.ToyPools, replace(SMALL, selections=0))
    assert result.online.selected is None
    assert result.online.trials.shape == (0, 2, 2)


def test_the_record_is_plain_json_and_complete(uninterrupted):
    record = json.loads(json.dumps(training_record(uninterrupted), allow_nan=False))
    assert record["plan"] == SMALL.to_dict()
    assert record["episodes"]["phase"] == [phase for phase, _ in uninterrupted.online.order]
    assert {len(column) for column in record["episodes"].values()} == {10}
    assert record["episodes"]["epsilon"][:2] == [1.0, 1.0]
    assert [row["action"] for row in record["tables"]["D.2"]] == list(range(9))
    assert record["tables"]["D.3"]["gamma"] == 0.95
    assert {phase: np.shape(pools) for phase, pools in record["learned_pools"].items()} == {
        "1": (3, 70, 2),
        "2": (3, 70, 2),
    }
    assert np.min(record["learned_pools"]["1"]) >= 1
    shares = [trial["share_meeting_goals"] for trial in record["trials"]]
    assert [list(share.values()) for share in shares] == uninterrupted.online.trials[:, :, 0].tolist()
    assert record["selected_after_episode"] in [trial["after_episode"] for trial in record["trials"]]


def test_learning_curves_have_a_row_for_each_episode_and_the_trials_beside(uninterrupted):
    record = training_record(uninterrupted)
    rows = list(csv.DictReader(io.StringIO(learning_curves(record))))
    assert [int(row["after_episode"]) for row in rows] == list(range(11))
    assert [float(row["reward_sum"]) for row in rows[1:]] == uninterrupted.online.rewards.tolist()
    assert rows[0]["phase"] == rows[0]["reward_sum"] == ""
    tried = [int(row["after_episode"]) for row in rows if row["trial_share_meeting_goals"]]
    assert tried == uninterrupted.online.points
    assert float(rows[-1]["trial_share_meeting_goals"]) == pytest.approx(uninterrupted.online.trials[-1, :, 0].mean())
    assert all(0.0 <= share <= 1.0 for share in record["episodes"]["share_meeting_goals"])
    assert min(record["episodes"]["mean_absolute_td_error"]) > 0.0


def test_the_final_setting_is_where_the_last_halves_were():
    settings = np.ones((3, 10, 2), dtype=int) * 15
    settings[:, 4:] = (9, 11)
    settings[0, 9] = (30, 30)
    assert final_setting(settings) == [9, 11]
    assert final_setting(np.full((3, 10, 2), -1)) == []
    assert final_setting(np.zeros((3, 10, 1), dtype=int)) == [0]


def test_training_that_diverges_is_an_error_not_a_result(toy):
    plan = replace(SMALL, q=replace(SMALL.q, reward_transform="linear", reward_unit=1e-9))
    with pytest.raises(CheckFailedError, match="diverged"):
        train(toy.ToyPools, plan)


def greedy_share(toy, model, phase, seed, steps=60, settle=20):
    """Share of the windows after `settle` in which the greedy policy meets both goals."""
    env = toy.ToyPools()
    state, _ = env.reset(seed=seed, options={"context": phase})
    rewards = []
    for _ in range(steps):
        state, reward, *_ = env.step(model.greedy(state))
        rewards.append(reward)
    return np.mean(np.array(rewards[settle:]) > 0)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_quick_campaign_learns_to_meet_the_goals_in_every_phase(toy, seed):
    plan = TrainingPlan(problem=toy.problem(), episodes=toy.EPISODES, seed=seed).reduced(0.05)
    plan = replace(plan, grid=dict(GRID, degree=(3,)), grid_share=1.0, sweeps=100)
    model = train(toy.ToyPools, plan).model
    for phase in plan.contexts:
        assert greedy_share(toy, model, phase, seed=99) > 0.9
        p99, throughput, _ = toy.measures(phase, 15, 15)
        assert toy.reward_of(p99, throughput) < 0  # the fixed pools of the thesis miss them


class BrokenError(Exception):
    """What an environment raises in the middle of a run."""


@pytest.mark.parametrize(("workers", "failing"), [(1, 2), (1, 3), (2, 4), (2, 8)])
def test_environments_are_closed_also_after_an_error(gate, monkeypatch, workers, failing):
    plan = replace(GATE_PLAN, problem=gate.problem("rush"), episodes={"rush": 4}, dataset_episodes=6)
    made = []

    def fail(action):
        raise BrokenError

    def make():
        env = gate.Gate()
        made.append(env)
        if len(made) == failing:
            env.step = fail
        return env

    if workers == 2:  # in this process, so that closed environments can be counted
        monkeypatch.setattr(
            "joblib.Parallel", lambda **_: lambda jobs: (call(*given, **more) for call, given, more in jobs)
        )
    closed = gate.Gate.closed
    with pytest.raises(BrokenError):
        train(make, plan, workers=workers)
    assert gate.Gate.closed - closed == len(made) == failing


GATE_PLAN = TrainingPlan(
    problem=Problem(("quiet", "rush"), (True, False, False), "hour", "gate", 1),
    seed=2,
    dataset_episodes=6,
    episodes={"quiet": 20, "rush": 20},
    episode_steps=20,
    grid=dict(GRID, degree=(2,)),
    selections=4,
    selection_steps=10,
)


def test_another_scenario_is_learnt_and_recorded_in_its_own_words(gate):
    result = train(gate.Gate, GATE_PLAN)
    record = json.loads(json.dumps(training_record(result), allow_nan=False))
    assert set(record["episodes"]["hour"]) == {"quiet", "rush"}
    assert {hour: np.shape(settings) for hour, settings in record["learned_gate"].items()} == {
        "quiet": (3, 20, 1),
        "rush": (3, 20, 1),
    }
    env = gate.Gate()
    for hour, room in gate.ROOM.items():
        state, _ = env.reset(seed=5, options={"context": hour})
        for _ in range(15):
            state, *_, info = env.step(result.model.greedy(state))
        assert abs(info["gate"][0] - room) <= 1


def test_one_context_alone_is_trained_and_tried_in_one_block(gate):
    plan = replace(GATE_PLAN, problem=gate.problem("rush"), episodes={"rush": 6})
    result = train(gate.Gate, plan)
    assert plan.steps()["selection"] == 5 * 10
    assert result.online.trials.shape == (5, 1, 2)
    assert not np.isnan(result.online.trials).any()
