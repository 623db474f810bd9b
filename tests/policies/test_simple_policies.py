"""The policies that do not learn, each as a small story."""

import numpy as np
import pytest

from pmtwin.policies import PolicyContext, make_policy
from pmtwin.policies.base import DIRECT
from pmtwin.policies.pools import DELTAS, action_for, moved
from pmtwin.policies.threshold import CONFIRM_WINDOWS, SLACK_WINDOWS
from pmtwin.sim.errors import InputError


def at(interactive, batch):
    return np.array([interactive, batch, 0.0, 0.0, 50.0, 8192.0, 0.2, 0.5])


def measured(p99_us, throughput_ops):
    return {"p99_us": p99_us, "throughput_ops": throughput_ops}


def test_the_action_table_is_that_of_the_thesis():
    assert DELTAS == ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
    assert [action_for(*delta) for delta in DELTAS] == list(range(9))
    assert action_for(-7, 3) == 7


def test_moves_are_clipped_at_the_bounds():
    assert moved((1, 32), 7) == (1, 32)
    assert moved((32, 32), 5) == (32, 32)
    assert moved((1, 32), 6) == (2, 31)


def test_no_middleware_is_direct_and_does_nothing():
    policy = make_policy("none")
    assert (policy.mode, policy.start(PolicyContext()), policy.act(at(15, 15))) == (DIRECT, None, 0)


def test_random_actions_are_uniform():
    policy = make_policy("random")
    policy.start(PolicyContext(seed=1))
    counts = np.bincount([policy.act(None) for _ in range(9000)], minlength=9)
    assert counts.sum() == 9000
    assert np.sum((counts - 1000.0) ** 2 / 1000.0) < 26.1  # chi-square, 8 degrees of freedom, p = 0.001


def test_random_actions_differ_between_seeds():
    first, second = make_policy("random"), make_policy("random")
    first.start(PolicyContext(seed=1))
    second.start(PolicyContext(seed=2))
    assert [first.act(None) for _ in range(50)] != [second.act(None) for _ in range(50)]


def test_best_fixed_jumps_once_per_phase():
    policy = make_policy("best-fixed")
    assert policy.start(PolicyContext(phase=2, best_pools={1: (10, 10), 2: (7, 9)})) == (7, 9)
    assert policy.act(at(7, 9)) == 0
    policy.on_phase(1)
    assert policy.act(at(7, 9)) == (10, 10)
    assert policy.act(at(10, 10)) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"best_pools": None, "phase": 1}, "best_pools"),
        ({"best_pools": {1: (10, 10)}, "phase": 2}, "a phase of the table: 1"),
        ({"best_pools": {1: (10, 10)}, "phase": None}, "first phase"),
        ({"best_pools": {1: (10, 33)}, "phase": 1}, "1 to 32"),
    ],
)
def test_best_fixed_needs_its_table(changes, message):
    with pytest.raises(InputError, match=message):
        make_policy("best-fixed").start(PolicyContext(**changes))


@pytest.fixture
def threshold():
    policy = make_policy("threshold")
    policy.start(PolicyContext())
    return policy


def test_threshold_keeps_the_pools_while_the_goals_are_met(threshold):
    assert {threshold.act(at(15, 15), measured(150.0, 300_000.0)) for _ in range(100)} == {0}


def test_threshold_lets_one_outlier_pass(threshold):
    seen = [threshold.act(at(15, 15), measured(p99, 300_000.0)) for p99 in (150, 900, 150, 900, 150)]
    assert seen == [0, 0, 0, 0, 0]


def test_threshold_grows_the_late_class_while_that_helps(threshold):
    actions = [threshold.act(at(5, 5), measured(p99, 300_000.0)) for p99 in (1000, 900, 700, 500)]
    assert actions == [0] * (CONFIRM_WINDOWS - 1) + [action_for(1, 0)] * 3


def test_threshold_takes_from_the_batch_class_when_growing_does_not_help(threshold):
    actions = [threshold.act(at(5, 5), measured(p99, 300_000.0)) for p99 in (1000, 1000, 1100, 800, 500)]
    assert actions == [0, action_for(1, 0), action_for(0, -1), action_for(0, -1), action_for(0, -1)]


def test_threshold_answers_each_kind_of_miss_with_its_own_move(threshold):
    for measures, move in (((100, 1e5), (0, 1)), ((900, 1e5), (1, 1)), ((900, 3e5), (1, 0))):
        threshold.act(at(5, 5), measured(150.0, 3e5))
        assert [threshold.act(at(5, 5), measured(*measures)) for _ in range(2)] == [0, action_for(*move)]


def test_threshold_gives_back_on_lasting_slack_and_more_slowly_after_a_miss(threshold):
    slack = measured(50.0, 300_000.0)
    assert [threshold.act(at(9, 8), slack) for _ in range(SLACK_WINDOWS)] == [0] * (SLACK_WINDOWS - 1) + [2]
    threshold.act(at(8, 8), measured(900.0, 300_000.0))
    again = [threshold.act(at(8, 9), slack) for _ in range(2 * SLACK_WINDOWS)]
    assert again == [0] * (2 * SLACK_WINDOWS - 1) + [action_for(0, -1)]
