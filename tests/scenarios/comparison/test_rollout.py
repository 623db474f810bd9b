"""Schedules of phases, and what a policy is told and asked while it runs through one."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pmtwin.policies import Policy, PolicyContext
from pmtwin.scenarios import Contexts
from pmtwin.scenarios.comparison.rollout import Block, make_schedule, run_policy
from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv
from pmtwin.sim.errors import InputError, PolicyError

PHASES = Contexts("phase", (1, 2, 3, 4))


def rng(seed=0):
    return np.random.default_rng(seed)


class Scripted(Policy):
    """Plays actions from a list and writes down everything it is told."""

    name = "scripted"

    def __init__(self, actions, pools=None, needs_context=False):
        self.actions, self.pools, self.needs_context = list(actions), pools, needs_context
        self.told = []

    def start(self, context):
        self.told.append(("start", context.context))
        return self.pools

    def act(self, observation, info=None):
        self.told.append(("act", tuple(observation[:2]), info.get("p99_us")))
        return self.actions.pop(0)

    def observe(self, observation, action, reward, next_observation, done):
        self.told.append(("observe", tuple(observation[:2]), action, tuple(next_observation[:2]), done))

    def on_context(self, context):
        self.told.append(("phase", context))


def run(policy, schedule, **settings):
    env = NvmMiddlewareEnv(episode_steps=None, **settings)
    context = PolicyContext("nvm-middleware", context=schedule[0].context)
    return run_policy(policy, context, env, schedule, seed=3)


def test_the_first_action_knows_the_warm_up_window_as_the_page_says():
    told, untold = Scripted([0]), Scripted([0])
    run(told, [Block(1, 1)], requests_per_window=100)
    run(untold, [Block(1, 1)], requests_per_window=100, warmup_windows=0)
    (*_, warmed), (*_, cold) = (each.told[1] for each in (told, untold))
    assert warmed > 0.0 and cold is None
    page = " ".join((Path(__file__).parents[3] / "docs/extending.md").read_text().split())
    assert "empty before the first window" not in page and "the warm-up window before the run" in page


def test_in_order():
    assert make_schedule("order", 1100, 200, rng(), PHASES) == [
        Block(1, 200), Block(2, 200), Block(3, 200), Block(4, 200), Block(1, 200), Block(2, 100),
    ]  # fmt: skip


def test_at_random_every_phase_gets_its_share_and_none_follows_itself():
    orders = set()
    for seed in range(50):
        phases = [block.context for block in make_schedule("random", 4000, 200, rng(seed), PHASES)]
        assert Counter(phases) == {1: 5, 2: 5, 3: 5, 4: 5}
        assert all(first != second for first, second in pairwise(phases))
        orders.add(tuple(phases))
    assert len(orders) == 50


def test_fewer_phases_and_short_runs():
    assert make_schedule("random", 3, 200, rng(), PHASES, [2]) == [Block(2, 3)]
    assert [block.context for block in make_schedule("random", 30, 10, rng(), PHASES, [3])] == [3, 3, 3]
    assert sum(block.steps for block in make_schedule("random", 777, 50, rng(), PHASES)) == 777


def test_a_policy_sees_the_end_of_the_last_window_and_learns_what_came(toy):
    policy = Scripted([1, (3, 30), 0], pools=(10, 12))
    result = run(policy, [Block(1, 3)])
    assert policy.told == [
        ("start", 1),
        ("act", (10, 12), 100.0),
        ("observe", (10, 12), 1, (11, 12), False),
        ("act", (11, 12), 110.0),
        ("observe", (11, 12), (3, 30), (3, 30), False),
        ("act", (3, 30), 350.0),
        ("observe", (3, 30), 0, (3, 30), False),
    ]
    assert result.measures["p99_us"].tolist() == [110.0, 350.0, 350.0]
    assert result.met.tolist() == [True, False, False]
    assert result.setting.tolist() == [[11, 12], [3, 30], [3, 30]]
    assert result.extrapolated


def test_only_oracles_are_told_the_phase_and_the_middleware_runs_on(toy):
    schedule = [Block(2, 1), Block(3, 1), Block(3, 1)]
    oracle, fair = Scripted([0] * 3, needs_context=True), Scripted([0] * 3)
    assert run(oracle, schedule).context.tolist() == [2, 3, 3]
    run(fair, schedule)
    assert [event for event in oracle.told if event[0] == "phase"] == [("phase", 3)]
    assert [event for event in fair.told if event[0] == "phase"] == []
    assert len(toy.made) == 2
    assert [event.value for event in toy.made[0].events if event.name == "workload"] == ["phase-3"]


def test_pools_the_policy_leaves_alone_are_those_of_the_scenario(toy):
    assert run(Scripted([0]), [Block(1, 1)], initial_pools=(7, 8)).setting.tolist() == [[7, 8]]


def test_without_middleware_there_are_no_pools(toy):
    result = run(Scripted([0]), [Block(1, 1)], mode="direct")
    assert result.setting.tolist() == [[0, 0]]
    assert result.measures["p99_us"].tolist() == [1000.0]


def test_two_policies_meet_the_same_requests(toy):
    run(Scripted([0]), [Block(1, 1)])
    run(Scripted([5], pools=(1, 1)), [Block(1, 1)])
    assert toy.made[0].seed == toy.made[1].seed


class Failing(Scripted):
    def act(self, observation, info=None):
        if len(self.told) > 4:
            raise KeyError("colour")
        return super().act(observation, info)


def test_an_error_of_a_policy_names_policy_window_and_line_and_closes_the_environment(toy):
    with pytest.raises(
        PolicyError, match=r"policy .*:Failing: act\(\) failed in window 3: KeyError: 'colour'"
    ) as error:
        run(Failing([0] * 9), [Block(1, 5)])
    assert "test_rollout.py:" in error.value.place
    assert error.value.exit_code == 2
    assert toy.made[0].events[-1].name == "stop"


def test_an_action_that_is_none_is_refused_by_name(toy):
    with pytest.raises(PolicyError, match=r"^policy scripted: act\(\) failed in window 1: TypeError: it returned None"):
        run(Scripted([None]), [Block(1, 1)])


@pytest.mark.parametrize("answer", [True, False, (True, 4)])
def test_a_truth_value_is_no_action(answer):
    """It would pass for number 1 or 0, an answer that a policy hardly means."""
    subject = r"^policy scripted: (action|pools) in window 2: \[?(true|false)"
    with pytest.raises(InputError, match=subject + r".*; allowed: .*2 whole numbers of threads"):
        run(Scripted([0, answer]), [Block(1, 3)], requests_per_window=100)
