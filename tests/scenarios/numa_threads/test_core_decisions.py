"""Decisions for unbalanced cores: which are asked about, who moves where, and the reward by the paper's formulas."""

from types import SimpleNamespace

import numpy as np
import pytest

from pmtwin.scenarios.numa_threads.core_decisions import CoreDecisions, Pending
from pmtwin.scenarios.numa_threads.counting import unbalanced_cores
from pmtwin.scenarios.numa_threads.moves import Destinations, first_to_move
from pmtwin.scenarios.numa_threads.options import DecisionOptions
from pmtwin.scenarios.numa_threads.points import core_point
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.machine import Machine

CEILINGS = SimpleNamespace(bandwidth_mb_s=9_000.0)


class Scripted:
    """Always the same action; keeps what it is told."""

    def __init__(self, action):
        self.action, self.masks, self.rewards = action, [], []

    def decide(self, features, mask):
        self.masks.append(mask.copy())
        return self.action

    def observe(self, features, action, reward):
        self.rewards.append((action, reward))


def counts(local, remote, read, written, use):
    """A window of threads whose accesses are those of their cores."""
    local, remote, use = (np.array(each, float) for each in (local, remote, use))
    return SimpleNamespace(
        local=local, remote=remote, core_local=local, core_remote=remote, use=use,
        bandwidth_mb_s=lambda threads=None: (read, written),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("local", "remote", "asked"),
    [([1, 2, 3, 0], [4, 8, 11, 0], [0, 1]), ([0, 0, 0, 0], [0, 0, 0, 1], [3])],
)
def test_a_core_is_unbalanced_from_the_threshold_on_and_never_without_accesses(local, remote, asked):
    assert unbalanced_cores(counts(local, remote, 0, 0, [0] * 4), 0.8) == asked


def test_those_with_most_faults_go_first_and_equals_by_number():
    major, minor = np.array([0, 1, 0, 0, 1]), np.array([5, 0, 7, 5, 0])
    assert first_to_move([0, 1, 2, 3, 4], major, minor) == [1, 4, 2, 0, 3]


def test_each_goes_to_the_least_used_core_as_the_moves_before_it_leave_them():
    to = Destinations(Machine(cores=2), np.array([0.5, 0.2, 0.9, 0.2, 0.0, 0.0, 0.0, 0.0]))
    assert [to.take(0, 0.4) for _ in range(4)] == [1, 3, 0, 1]


@pytest.mark.parametrize(
    ("options", "rewards"),
    [
        ({}, [0.45 * (0.75 - 0.2) + 0.45 * 2_000 / 9_000 + 0.1 * 0.25]),
        ({"reward_form": "printed"}, [0.45 * 20 + 0.45 * 5_000 + 0.1 * 0.75]),
        ({"reward_form": "printed-changes"}, [0.45 * 20 + 0.45 * 2_000 + 0.1 * 0.25]),
        ({"reward_form": "normalised-levels"}, [0.45 * 0.55 + 0.45 * 5_000 / 9_000 + 0.1 * 0.75]),
        ({"credit": "threads"}, [0.45 * 0.55 + 0.45 * 2_000 / 4_500 + 0.1 * 0.25]),
        (
            {"reward_form": "printed", "local_unit": "thousands", "use_weight": 0.0, "local_weight": 0.55},
            [0.55 * 0.02 + 0.45 * 5_000],
        ),
    ],
    ids=["normalised", "printed", "changes", "levels", "own-bandwidth", "other-unit-and-weights"],
)
def test_the_reward_is_that_of_the_formula_a_window_later(options, rewards):
    policy, point = Scripted(1), core_point(4)
    decisions = CoreDecisions(policy, point, DecisionOptions(**options), CEILINGS)
    before = counts([10, 0], [40, 0], 0.0, 1_000.0, [0.5, 0.5])
    after = counts([30, 0], [10, 0], 2_000.0, 1_000.0, [1.0, 0.5])
    decisions._pending.append(Pending(np.zeros(12), 1, [0], decisions._shown(before, [0])))
    assert policy.rewards == []
    decisions.tell(after)
    decisions.tell(after)
    assert policy.rewards == [(1, pytest.approx(reward)) for reward in rewards]


@pytest.mark.parametrize("weights", [{"local_weight": 0.5}, {"bandwidth_weight": 0.0}, {"use_weight": 0.100001}])
def test_weights_sum_to_one(weights):
    with pytest.raises(InputError, match=r"sum of the weights: .* allowed: 1: "):
        DecisionOptions(**weights)
