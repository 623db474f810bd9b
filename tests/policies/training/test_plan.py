"""The plan: the thesis' numbers, the reduced campaign, the order of episodes, and what is refused."""

import json
from dataclasses import dataclass, field, replace

import pytest

from pmtwin.policies.training import Problem, QTraining, TrainingPlan
from pmtwin.policies.training.online import episode_order, trial_points
from pmtwin.policies.training.selection import configurations
from pmtwin.sim.errors import InputError

EPISODES = {1: 700, 2: 700, 3: 1000, 4: 1000}
PROBLEM = Problem((1, 2, 3, 4), (True, False), "phase", "pools", 2)


def thesis(**changes):
    """The plan of Table D.3."""
    return TrainingPlan(**{"problem": PROBLEM, "episodes": EPISODES} | changes)


@dataclass(frozen=True)
class Declared:
    """What a scenario declares."""

    episodes: dict = field(default_factory=lambda: EPISODES)
    dataset_episodes: int = 150
    episode_steps: int = 200


def test_a_plan_is_the_campaign_that_a_scenario_declares():
    plan = TrainingPlan.from_training(PROBLEM, Declared())
    assert (plan.dataset_episodes, plan.episode_steps, plan.folds) == (150, 200, 5)
    assert plan.episodes == {1: 700, 2: 700, 3: 1000, 4: 1000}
    assert (plan.q.gamma, plan.q.learning_rate, plan.q.epsilon_decay) == (0.95, 0.7, 0.1)
    assert len(configurations(replace(plan, tried="grid"))) == 3 * 4 * 3 * 3 * 3
    assert len(configurations(plan)) == 3 * 4 * 3 * 3
    assert plan.steps() == {"dataset": 120_000, "online": 680_000, "selection": 13 * 40 * 21}


def test_a_reduced_campaign_scales_episodes_and_grid():
    plan = thesis().reduced(0.1)
    assert plan.episodes == {1: 70, 2: 70, 3: 100, 4: 100}
    assert plan.dataset_episodes == 15
    assert 32 <= len(configurations(replace(plan, tried="grid"))) <= 35
    assert plan.grid["max_iter"] == (100,)
    assert (thesis().sweeps, plan.sweeps, thesis().reduced(0.01).sweeps) == (20, 100, 100)
    assert thesis().reduced(1.0) == thesis()
    smallest = thesis().reduced(0.0005)
    assert (smallest.dataset_episodes, set(smallest.episodes.values())) == (2, {3})


def test_a_drawn_grid_depends_on_the_seed_and_keeps_the_defaults_of_sklearn():
    drawn = [configurations(thesis(seed=seed, grid_share=0.05)) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    for points in drawn:
        plain = [point for point in points if (point.sgd.loss, point.sgd.penalty) == ("squared_error", "l2")]
        assert {point.degree for point in plain if point.sgd.learning_rate == "invscaling"} == {1, 2, 3}


def test_interleaved_phases_advance_together():
    plan = thesis(episodes={1: 2, 2: 4})
    assert episode_order(plan) == [(2, 0), (1, 0), (2, 1), (2, 2), (1, 1), (2, 3)]
    assert episode_order(replace(plan, order="in-turn")) == [(1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (2, 3)]


def test_every_episode_comes_once_and_trials_span_the_training():
    plan = thesis(episodes={1: 7, 2: 7, 3: 10, 4: 10})
    assert sorted(episode_order(plan)) == [(phase, k) for phase, n in plan.episodes.items() for k in range(n)]
    assert {0, 34} <= trial_points(plan) <= set(range(35))
    assert trial_points(replace(plan, selections=0)) == set()


def test_the_plan_is_plain_json():
    assert json.loads(json.dumps(thesis().to_dict())) == thesis().to_dict()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"dataset_episodes": 0}, "dataset_episodes"),
        ({"episodes": {}}, "episodes"),
        ({"episodes": {1: -1}}, "episodes of phase 1"),
        ({"order": "interleave"}, "did you mean 'interleaved'"),
        ({"target": "fited-q"}, "did you mean 'fitted-q'"),
        ({"tried": "gird"}, "did you mean 'grid'"),
        ({"folds": 1}, "folds"),
        ({"eta0": float("nan")}, "eta0"),
        ({"online_learning_rates": ("adaptive",)}, "online_learning_rates"),
    ],
)
def test_what_is_out_of_bounds_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        thesis(**changes)


@pytest.mark.parametrize("campaign", [0.0, -1.0, 1.5, float("nan")])
def test_a_campaign_is_a_share(campaign):
    with pytest.raises(InputError, match="campaign"):
        thesis().reduced(campaign)


def test_contexts_without_a_declared_campaign_get_the_usual_one():
    plan = TrainingPlan.from_training(
        Problem(("read", "write"), (False,)), Declared(episodes={"read": 50}, dataset_episodes=7)
    )
    assert plan.episodes == {"read": 50, "write": 300}
    assert plan.dataset_episodes == 7


def test_options_choose_a_share_of_the_campaign_or_numbers_of_their_own():
    assert QTraining(campaign=1.0).of_campaign(PROBLEM, Declared(), 3) == thesis(seed=3)
    assert QTraining().of_campaign(PROBLEM, Declared(), 0) == thesis().reduced(0.1)
    assert QTraining(episodes=(5,)).of_campaign(PROBLEM, Declared(), 0).episodes == dict.fromkeys((1, 2, 3, 4), 5)
    assert QTraining(episodes=(0,)).of_campaign(PROBLEM, Declared(), 0).steps()["online"] == 0, "the bootstrap alone"
    assert QTraining(trials=0).of_campaign(PROBLEM, Declared(), 0).steps()["selection"] == 0, "the last weights"
    plan = QTraining(episodes=(5, 6, 7, 8), dataset_episodes=4, order="in-turn").of_campaign(PROBLEM, Declared(), 0)
    assert (plan.episodes, plan.dataset_episodes, plan.order) == ({1: 5, 2: 6, 3: 7, 4: 8}, 4, "in-turn")
    for episodes in ((1, 2), (-1,), (-1, 1, 1, 1)):
        with pytest.raises(InputError, match="4 separated by commas, one per phase"):
            QTraining(episodes=episodes).of_campaign(PROBLEM, Declared(), 0)
