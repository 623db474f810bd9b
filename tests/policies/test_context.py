"""What a policy is told: taken from a scenario's declaration, or refused in its words."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from pmtwin.policies import PolicyContext
from pmtwin.policies.training import Problem
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.sim.errors import InputError


def test_the_context_of_a_scenario_is_what_it_declares():
    scenario = NvmMiddleware.of(latency_goal_us=150.0)
    context = PolicyContext.of(scenario, seed=3, context=2, best={2: (7, 9)})
    assert (context.scenario, context.action_count, context.observation_size) == ("nvm-middleware", 9, 8)
    assert (context.context, context.best, context.initial) == (2, {2: (7, 9)}, (15, 15))
    assert context.goal("p99_us").limit == 150.0
    assert context.settings is scenario.settings
    assert context.setting_columns == (0, 1)


def test_the_thread_pools_enter_features_as_in_earlier_versions():
    logarithms = (True, True, True, True, True, True, False, False)
    assert PolicyContext.of(NvmMiddleware()).log_columns == logarithms
    assert Problem.from_scenario(NvmMiddleware) == Problem((1, 2, 3, 4), logarithms, "phase", "pools", 2)


def test_the_same_seed_gives_the_same_numbers_on_every_call(toy):
    context = toy.context(seed=7)
    assert context.generator().random() == context.generator().random()
    assert context.generator().random() == toy.context(seed=np.random.SeedSequence(7)).generator().random()


def test_goals_are_met_together_and_unknown_before_anything_is_measured(toy):
    context = toy.context()
    assert context.goals_met({"p99_us": 200.0, "throughput_ops": 250_000.0}) is True
    assert context.goals_met({"p99_us": 200.1, "throughput_ops": 250_000.0}) is False
    assert context.goals_met({"p99_us": 100.0, "throughput_ops": 249_999.0}) is False
    assert context.goals_met({}) is None
    assert context.goals_met(None) is None


def test_staying_is_an_action_where_there_is_one_and_else_the_setting(toy, gate):
    assert toy.context().stay() == toy.context().stay((3, 4)) == 0
    assert gate.context().stay((3,)) == (3,)
    with pytest.raises(InputError, match="an action that changes nothing; gate has none"):
        gate.context().stay()


@pytest.mark.parametrize("space", [gymnasium.spaces.Box(0.0, 1.0), gymnasium.spaces.Discrete(3, start=1), None])
def test_actions_that_are_not_numbered_from_0_are_not_counted(toy, space):
    with pytest.raises(InputError, match="one with a Discrete action space, as the policy requires; this one has"):
        _ = toy.context(action_space=space).action_count


def test_what_a_scenario_does_not_have_is_refused_with_what_it_has(toy, gate):
    with pytest.raises(InputError, match=r"goal of p99_us.*gate has: served_per_s"):
        gate.context().goal("p99_us")
    hidden = replace(toy.SETTINGS, names=("readers", "writers"))
    with pytest.raises(InputError, match="whose observations show it; nvm-middleware shows: interactive_threads"):
        _ = toy.context(settings=hidden).setting_columns
