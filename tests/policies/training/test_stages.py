"""Data set, model selection and bootstrap, each on the toy scenario."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.policies.linear_q import FeatureMap, LinearQ, ModelChoice, SgdSettings
from pmtwin.policies.training import Problem, TrainingPlan
from pmtwin.policies.training import selection as selection_module
from pmtwin.policies.training.bootstrap import bootstrap
from pmtwin.policies.training.selection import ActionSelection, Configuration, r2, select_models
from pmtwin.policies.training.transitions import Transitions, gather
from pmtwin.sim.errors import CheckFailedError, InputError
from pmtwin.sim.files.checkpoint import Checkpoint

PLAN = TrainingPlan(
    problem=Problem((1, 3), (True,) * 6 + (False,) * 2, "phase", "pools", 2),
    seed=4,
    dataset_episodes=3,
    episodes={1: 3, 3: 4},
    episode_steps=60,
    grid={
        "degree": (1, 2),
        "alpha": (0.01, 0.0001),
        "penalty": ("l2",),
        "loss": ("squared_error",),
        "learning_rate": ("invscaling", "constant"),
        "max_iter": (100, 1000),
    },
)


@pytest.fixture(scope="module")
def data(toy):
    return gather(toy.ToyPools, PLAN)


def feature_map(data, degree=2):
    return FeatureMap.fit(data.state, degree, PLAN.problem.log_columns)


def test_the_data_set_has_every_step_of_every_episode(data):
    assert len(data) == 2 * 3 * 60
    keys = list(zip(data.context.tolist(), data.episode.tolist(), strict=True))
    assert list(dict.fromkeys(keys)) == [(1, 0), (1, 1), (1, 2), (3, 0), (3, 1), (3, 2)]
    assert set(data.action.tolist()) == set(range(9))
    assert not data.terminated.any()


def test_rows_follow_one_another_and_actions_do_what_they_say(toy, data):
    for first in range(0, len(data), 60):
        rows = slice(first, first + 60)
        assert np.array_equal(data.state[rows][1:], data.next_state[rows][:-1])
    before, after = data.state[:, :2].astype(int), data.next_state[:, :2].astype(int)
    expected = [
        toy.moved(tuple(pools), action) for pools, action in zip(before.tolist(), data.action.tolist(), strict=True)
    ]
    assert after.tolist() == [list(pools) for pools in expected]


def test_the_data_set_is_the_same_on_two_processes(toy, data):
    parallel = gather(toy.ToyPools, PLAN, workers=2)
    for name, column in data.to_dict().items():
        assert np.array_equal(column, parallel.to_dict()[name]), name


def test_more_episodes_keep_the_first_ones(toy, data):
    more = gather(toy.ToyPools, replace(PLAN, dataset_episodes=4))
    first = more.episode < 3
    assert np.array_equal(more.state[first], data.state)


def test_selection_gives_a_row_per_action_and_does_not_depend_on_the_processes(data):
    rows = select_models(data, feature_map(data), PLAN, 9)
    assert rows == select_models(data, feature_map(data), PLAN, 9, workers=2)
    assert [row.action for row in rows] == list(range(9))
    assert sum(row.samples for row in rows) == len(data)
    for row in rows:
        assert row.choice.sgd.learning_rate == "invscaling"
        assert row.tried == 4
        assert row.cv_score <= row.best_score
        assert ActionSelection.from_dict(row.to_dict()) == row


def test_the_score_of_a_model_that_overflowed_comes_back_from_the_checkpoint(data, tmp_path):
    row = replace(select_models(data, feature_map(data), PLAN, 9)[0], test_score=-np.inf)
    checkpoint = Checkpoint(tmp_path / "run", {})
    checkpoint.save_json("selection", [row.to_dict()])
    (entry,) = checkpoint.load_json("selection")
    assert entry["test_r2"] is None
    assert ActionSelection.from_dict(entry) == row


def test_a_model_that_fits_by_construction_is_found(data):
    x = feature_map(data).transform(data.state)
    linear = x[:, :8] @ np.arange(1.0, 9.0)
    reward = np.sign(linear) * np.expm1(np.abs(linear))  # so that the scaled reward is linear in the features
    rows = select_models(replace(data, reward=reward), feature_map(data), PLAN, 9)
    assert [row.choice.degree for row in rows].count(1) >= 6
    assert np.median([row.test_score for row in rows]) > 0.95


def test_within_a_standard_error_the_lower_degree_wins():
    def row(degree, score, error=0.02):
        return Configuration(degree, SgdSettings()), score, error, 100

    choose = selection_module._within_one_standard_error
    assert choose([row(1, 0.5), row(2, 0.89), row(3, 0.90)])[0].degree == 2
    assert choose([row(1, 0.5), row(2, 0.87), row(3, 0.90)])[0].degree == 3


def test_the_eligible_configurations_alone_give_the_choice_of_the_whole_grid(data):
    grid = dict(PLAN.grid, learning_rate=("invscaling", "constant", "optimal"), penalty=("l1", "l2", "elasticnet"))
    eligible, whole_grid = (
        select_models(data, feature_map(data), replace(PLAN, grid=grid, tried=tried), 9)
        for tried in ("eligible", "grid")
    )
    assert [3 * row.tried for row in eligible] == [row.tried for row in whole_grid]
    for selected, from_grid in zip(eligible, whole_grid, strict=True):
        assert selected.best_score <= from_grid.best_score
        same = replace(from_grid, tried=selected.tried, diverged=selected.diverged, best_score=selected.best_score)
        assert selected == same


def test_fits_that_diverge_are_no_candidates(data):
    grid = dict(PLAN.grid, learning_rate=("invscaling", "optimal"))
    rows = select_models(data, feature_map(data), replace(PLAN, grid=grid, tried="grid"), 9)
    assert min(row.diverged for row in rows) > 0  # the first steps of `optimal` are of size 10 at alpha = 0.0001
    assert {row.choice.sgd.learning_rate for row in rows} == {"invscaling"}
    with pytest.raises(CheckFailedError, match="action 0"):
        select_models(data, feature_map(data), replace(PLAN, eta0=10.0), 9)


def test_a_data_set_too_small_for_the_folds_is_refused(data):
    few = Transitions(**{name: column[:40] for name, column in data.to_dict().items()})
    with pytest.raises(InputError, match="dataset_episodes"):
        select_models(few, feature_map(data), PLAN, 9)


def test_r2():
    y = np.array([1.0, 2.0, 3.0])
    assert r2(y, y) == 1.0
    assert r2(y, np.full(3, 2.0)) == 0.0
    assert r2(y, np.full(3, np.inf)) == float("-inf")


def values_after(data, **changes):
    plan = replace(PLAN, sweeps=100, **changes)
    model = LinearQ(feature_map(data), [ModelChoice(2, SgdSettings(eta0=0.03))] * 9)
    bootstrap(model, data, plan)
    values = model.feature_map.transform(data.state) @ model.weights + model.intercepts
    return values[np.arange(len(data)), data.action]


def test_the_reward_target_is_the_scaled_reward(data):
    scaled = np.sign(data.reward) * np.log1p(np.abs(data.reward))
    assert r2(scaled, values_after(data, target="reward")) > 0.8


def test_other_targets_look_ahead(data):
    scaled = np.sign(data.reward) * np.log1p(np.abs(data.reward))
    immediate = r2(scaled, values_after(data, target="reward"))
    for target in ("return", "fitted-q"):
        assert r2(scaled, values_after(data, target=target)) < immediate - 0.05


def test_returns_are_discounted_within_an_episode_only(data):
    from pmtwin.policies.training.bootstrap import _fixed_targets

    reward = np.linspace(-1.0, 1.0, len(data))
    returns = _fixed_targets(data, reward, replace(PLAN, target="return"))
    gamma = PLAN.q.gamma
    np.testing.assert_allclose(returns[:59], reward[:59] + gamma * returns[1:60])
    assert returns[59] == pytest.approx(reward[59] + gamma * reward[59] / (1 - gamma))
    ended = replace(data, terminated=np.arange(len(data)) == 59)
    assert _fixed_targets(ended, reward, replace(PLAN, target="return"))[59] == reward[59]


def test_bootstrapping_that_diverges_is_an_error(data):
    model = LinearQ(feature_map(data), [ModelChoice(2, SgdSettings(eta0=5.0, learning_rate="constant"))] * 9)
    with pytest.raises(CheckFailedError, match="diverged in sweep"):
        bootstrap(model, data, PLAN)
