"""The ranking of policies whose means differ by rounding alone: they are equal."""

from types import SimpleNamespace

import numpy as np

from pmtwin.scenarios.comparison.leaderboard import leaderboard


def ranking(**runs):
    """The ranking by reward of policies with the rewards of each window of each run."""
    trajectories = {
        spec: [SimpleNamespace(reward=np.array(rewards), short=np.zeros(len(rewards), bool)) for rewards in by_run]
        for spec, by_run in runs.items()
    }
    scenario = SimpleNamespace(goals=(), settings=None)
    evaluation = SimpleNamespace(plan=SimpleNamespace(scenario=scenario), runs=trajectories)
    return leaderboard(evaluation, lambda spec, values: values)


def test_the_same_rewards_in_another_order_are_no_difference():
    rewards = [0.1, 0.2, 0.3, 0.7, 0.6, 1 / 3, 1 / 7]
    orders = [rewards, rewards[::-1], sorted(rewards)]
    assert len({float(np.mean(order)) for order in orders}) > 1, "rounding tells the orders apart"
    result = ranking(a=[orders[0]] * 3, b=[orders[1]] * 3, c=[orders[2]] * 3)
    assert [row["regret"] for row in result["leaderboard"]] == [0.0, 0.0, 0.0]
    pairs = result["yardsticks"]["differences"]
    assert [(pair["mean"], pair["apart"]) for pair in pairs] == [(0.0, False)] * 3


def test_a_constant_difference_however_small_stays_one():
    result = ranking(a=[[1.0, 2.0]] * 3, b=[[1.0, 2.0 - 1e-9]] * 3)
    (pair,) = result["yardsticks"]["differences"]
    assert pair["policy"] == "a" and pair["apart"] and pair["mean"] > 0.0
