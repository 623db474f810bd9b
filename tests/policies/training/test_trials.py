"""Trials of the greedy policy: every change of phase once, and the share of windows that meet the goals first."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pmtwin.policies.linear_q import FeatureMap, LinearQ, ModelChoice
from pmtwin.policies.training import Problem, TrainingPlan
from pmtwin.policies.training.online import trial_points
from pmtwin.policies.training.transitions import gather
from pmtwin.policies.training.trials import Trial, best_trial, course, trial

PROBLEM = Problem((1, 2), (True,) * 6 + (False,) * 2, "phase", "pools", 2)
PLAN = TrainingPlan(problem=PROBLEM, seed=3, episodes={1: 1, 2: 1}, selection_steps=30)
GOOD = {1: (8, 4), 2: (7, 12)}
"""Pools of the toy scenario that meet both goals of a phase, and not of the other one."""


class Recorded:
    """An environment that keeps what a trial asked of it."""

    def __init__(self, env):
        self.env, self.resets, self.phases, self.rewards = env, 0, [], []

    def reset(self, seed=None, options=None):
        self.resets += 1
        self.phases = [options["context"]]
        return self.env.reset(seed=seed, options=options)

    def set_context(self, phase):
        self.phases.append(phase)
        self.env.set_context(phase)

    def step(self, action):
        result = self.env.step(action)
        self.rewards.append((self.phases[-1], result[1]))
        return result


class Walker:
    """In the place of a model: walks to the good pools of the phase, or for ever to those of the first one."""

    def __init__(self, env, follows):
        self.env, self.follows = env, follows

    def greedy(self, state):
        target = GOOD[self.env.phases[-1 if self.follows else 0]]
        return self.env.env.action_for(*(goal - round(now) for goal, now in zip(target, state[:2], strict=True)))


@pytest.mark.parametrize("phases", [(1,), (2, 4), (1, 2, 3, 4), ("read", "write", 3)])
def test_a_course_has_every_change_of_phase_once(phases):
    for seed in range(5):
        order = course(phases, np.random.default_rng(seed))
        changes = list(pairwise(order))
        assert set(changes) == {(a, b) for a in phases for b in phases if a != b}
        assert len(set(changes)) == len(changes)
        assert order[0] == order[-1]
        assert set(order) == set(phases)


def test_the_course_of_a_seed_is_the_one_of_earlier_versions():
    assert course((1, 2, 3, 4), np.random.default_rng(0)) == [3, 1, 4, 2, 1, 2, 3, 4, 3, 2, 4, 1, 3]


def test_courses_of_different_seeds_differ():
    assert len({tuple(course((1, 2, 3, 4), np.random.default_rng(seed))) for seed in range(5)}) > 1


def test_a_trial_runs_through_the_course_past_the_limit_of_an_episode(toy):
    env = Recorded(toy.ToyPools(episode_steps=5))
    result = trial(Walker(env, follows=True), env, PLAN)
    assert env.resets == 1
    assert len(env.phases) == len(PLAN.contexts) * (len(PLAN.contexts) - 1) + 1
    assert (
        len(env.rewards)
        == len(env.phases) * PLAN.selection_steps
        == PLAN.steps()["selection"] // len(trial_points(PLAN))
    )
    for phase, (share, reward) in zip(PLAN.contexts, result, strict=True):
        rewards = np.array([value for at, value in env.rewards if at == phase])
        assert share == np.mean(rewards >= 0)
        assert reward == pytest.approx(np.mean(np.sign(rewards) * np.log1p(np.abs(rewards))))


def test_a_policy_that_stays_where_a_change_left_it_is_found_out(toy):
    env = Recorded(toy.ToyPools())
    follows = trial(Walker(env, follows=True), env, PLAN)
    first = PLAN.contexts.index(env.phases[0])
    stays = trial(Walker(env, follows=False), env, PLAN)
    assert follows[:, 0].min() > 0.5
    assert stays[first, 0] > 0.5
    assert np.delete(stays[:, 0], first).max() < 0.1


def test_trials_of_one_seed_are_the_same_and_of_another_are_not(toy):
    def once(seed):
        env = Recorded(toy.ToyPools())
        return trial(Walker(env, follows=True), env, replace(PLAN, seed=seed, selection_steps=40)).tolist()

    assert once(1) == once(1) != once(2)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_trial_is_of_the_weights_when_it_began(toy, workers):
    data = gather(toy.ToyPools, replace(PLAN, dataset_episodes=1, episode_steps=20))
    model = LinearQ(FeatureMap.fit(data.state, 2, PROBLEM.log_columns), [ModelChoice(2)] * 9)
    model.weights[:] = np.random.default_rng(0).normal(size=model.weights.shape)
    before, expected = model.state(), trial(model, toy.ToyPools(), PLAN)
    running = Trial(model, toy.ToyPools, toy.ToyPools(), PLAN, workers)
    model.weights[:] = np.random.default_rng(1).normal(size=model.weights.shape)
    assert trial(model, toy.ToyPools(), PLAN).tolist() != expected.tolist()
    assert running.result().tolist() == expected.tolist()
    assert {name: array.tolist() for name, array in running.weights.items()} == {
        name: array.tolist() for name, array in before.items()
    }


def test_the_share_counts_first_then_the_reward_then_the_order():
    unknown = [[np.nan, np.nan]] * 2
    lower, higher, dearer = (
        [[share, reward], [share, reward]] for share, reward in ((0.8, 2.0), (0.9, 0.5), (0.9, 1.0))
    )
    assert best_trial(np.array([lower, higher, unknown])) == 1
    assert best_trial(np.array([lower, higher, dearer])) == 2
    assert best_trial(np.array([dearer, dearer, unknown])) == 0
