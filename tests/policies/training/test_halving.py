"""Successive halving: who goes on, on how many rows, and that a small data set loses nothing."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from pmtwin.policies.linear_q import FeatureMap
from pmtwin.policies.training import Problem, TrainingPlan, halving, train
from pmtwin.policies.training.halving import shares_of_rows, survivors
from pmtwin.policies.training.selection import select_models
from pmtwin.policies.training.transitions import gather
from pmtwin.sim.files.checkpoint import Checkpoint

PLAN = TrainingPlan(
    problem=Problem((1, 3), (True,) * 6 + (False,) * 2, "phase", "pools", 2),
    seed=4,
    dataset_episodes=3,
    episodes={1: 3, 3: 4},
    episode_steps=60,
    grid={
        "degree": (1, 2),
        "alpha": (0.1, 0.01, 0.0001),
        "penalty": ("l2", "l1"),
        "loss": ("squared_error",),
        "learning_rate": ("invscaling",),
        "max_iter": (20,),
    },
    tried="halving",
    selections=0,
)


class Point(NamedTuple):
    degree: int
    score: float | None


@pytest.mark.parametrize(
    ("rows", "shares"), [(900, []), (1_999, []), (2_000, [0.5]), (4_500, [1 / 4.5, 1 / 3]), (90_000, [1 / 9, 1 / 3])]
)
def test_a_round_has_a_thousand_rows_and_at_most_half_of_them(rows, shares):
    assert shares_of_rows(rows) == pytest.approx(shares)


def test_of_every_degree_the_best_third_goes_on_in_its_order():
    points = [Point(1, 0.1 * k) for k in range(9)] + [Point(2, 10.0 + k) for k in range(4)] + [Point(3, None)]
    folds, rows = [np.arange(20_000)] * 5, []

    def score(point, part):
        rows.append(sum(map(len, part)))
        return None if point.score is None else (point.score,)

    assert survivors(points, folds, score) == [points[8], points[12]]
    assert rows == [5 * 2_223] * 14 + [5 * 6_667] * 5


def test_equals_go_on_in_the_order_of_the_grid():
    points = [Point(1, 0.5), Point(1, 0.5), Point(1, 0.5)]
    assert survivors(points, [np.arange(90_000)], lambda point, part: (point.score,)) == points[:1]


@pytest.fixture(scope="module")
def data(toy):
    return gather(toy.ToyPools, PLAN)


def selected(data, plan):
    features = FeatureMap.fit(data.state, 2, plan.problem.log_columns)
    return select_models(data, features, plan, 2)


def test_a_small_data_set_is_scored_whole(data):
    assert selected(data, PLAN) == selected(data, replace(PLAN, tried="eligible"))


def test_halving_scores_few_on_all_rows_and_never_more_than_the_best(data, monkeypatch):
    monkeypatch.setattr(halving, "LEAST_ROWS", 10)
    halved, whole = selected(data, PLAN), selected(data, replace(PLAN, tried="eligible"))
    assert halved == selected(data, PLAN)
    assert [row.tried for row in halved] == [12] * 2
    assert all(row.best_score <= other.best_score for row, other in zip(halved, whole, strict=True))
    assert halved != whole


class Killed(BaseException):
    """Stands for a kill: nothing catches it."""


def test_a_selection_killed_between_actions_goes_on_with_the_next(toy, tmp_path):
    class Dying(Checkpoint):
        saved = 0

        def save_json(self, stage, value):
            super().save_json(stage, value)
            self.saved = len(value)
            if self.saved == 4:
                raise Killed

    plan = replace(PLAN, grid=dict(PLAN.grid, degree=(1,), alpha=(0.0001,)), sweeps=1)
    with pytest.raises(Killed):
        train(toy.ToyPools, plan, Dying(tmp_path / "run", {}))
    kept = Checkpoint(tmp_path / "run", {})
    assert len(kept.load_json("selection")) == 4
    result = train(toy.ToyPools, plan, kept)
    assert result.resumed == ["dataset", "selection"]
    assert result.selection == train(toy.ToyPools, plan).selection
