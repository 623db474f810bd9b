"""The policies that do not learn, each as a small story."""

import gymnasium
import numpy as np
import pytest

from pmtwin.policies import make_policy, policy_class
from pmtwin.policies.threshold import ThresholdOptions, moves_of
from pmtwin.sim.errors import InputError


def at(interactive, batch):
    return np.array([interactive, batch, 0.0, 0.0, 50.0, 8192.0, 0.2, 0.5])


def measured(p99_us, throughput_ops):
    return {"p99_us": p99_us, "throughput_ops": throughput_ops}


CONFIRM_WINDOWS, SLACK_WINDOWS = ThresholdOptions().confirm_windows, ThresholdOptions().slack_windows


def test_no_middleware_is_direct_and_does_nothing(toy):
    policy = make_policy("none")
    assert (policy.mode, policy.start(toy.context()), policy.act(at(15, 15))) == ("direct", None, 0)


def test_random_actions_are_uniform(toy):
    policy = make_policy("random")
    policy.start(toy.context(seed=1))
    counts = np.bincount([policy.act(None) for _ in range(9000)], minlength=9)
    assert counts.sum() == 9000
    assert np.sum((counts - 1000.0) ** 2 / 1000.0) < 26.1  # chi-square, 8 degrees of freedom, p = 0.001


def test_random_actions_differ_between_seeds(toy):
    first, second = make_policy("random"), make_policy("random")
    first.start(toy.context(seed=1))
    second.start(toy.context(seed=2))
    assert [first.act(None) for _ in range(50)] != [second.act(None) for _ in range(50)]


def test_best_fixed_jumps_once_per_context(toy):
    policy = make_policy("best-fixed")
    assert policy.start(toy.context(context=2, best={1: (10, 10), 2: (7, 9)})) == (7, 9)
    assert policy.act(at(7, 9)) == 0
    policy.on_context(1)
    assert policy.act(at(7, 9)) == (10, 10)
    assert policy.act(at(10, 10)) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"best": None, "context": 1}, "best"),
        ({"best": {1: (10, 10)}, "context": 2}, "one of the table: 1"),
        ({"best": {1: (10, 10)}, "context": None}, "first context"),
    ],
)
def test_best_fixed_needs_its_table(toy, changes, message):
    with pytest.raises(InputError, match=message):
        make_policy("best-fixed").start(toy.context(**changes))


@pytest.fixture
def action_for(toy):
    return toy.action_for


@pytest.fixture
def threshold(toy):
    policy = make_policy("threshold")
    policy.start(toy.context())
    return policy


def test_threshold_keeps_the_pools_while_the_goals_are_met(threshold):
    assert {threshold.act(at(15, 15), measured(150.0, 300_000.0)) for _ in range(100)} == {0}


def test_threshold_lets_one_outlier_pass(threshold):
    actions = [threshold.act(at(15, 15), measured(p99, 300_000.0)) for p99 in (150, 900, 150, 900, 150)]
    assert actions == [0, 0, 0, 0, 0]


def test_threshold_grows_the_late_class_while_that_helps(threshold, action_for):
    actions = [threshold.act(at(5, 5), measured(p99, 300_000.0)) for p99 in (1000, 900, 700, 500)]
    assert actions == [0] * (CONFIRM_WINDOWS - 1) + [action_for(1, 0)] * 3


def test_threshold_takes_from_the_batch_class_when_growing_does_not_help(threshold, action_for):
    actions = [threshold.act(at(5, 5), measured(p99, 300_000.0)) for p99 in (1000, 1000, 1100, 800, 500)]
    assert actions == [0, action_for(1, 0), action_for(0, -1), action_for(0, -1), action_for(0, -1)]


def test_threshold_answers_each_kind_of_miss_with_its_own_move(threshold, action_for):
    for measures, move in (((100, 1e5), (0, 1)), ((900, 1e5), (1, 1)), ((900, 3e5), (1, 0))):
        threshold.act(at(5, 5), measured(150.0, 3e5))
        assert [threshold.act(at(5, 5), measured(*measures)) for _ in range(2)] == [0, action_for(*move)]


def test_threshold_gives_back_on_lasting_slack_and_more_slowly_after_a_miss(threshold, action_for):
    slack = measured(50.0, 300_000.0)
    assert [threshold.act(at(9, 8), slack) for _ in range(SLACK_WINDOWS)] == [0] * (SLACK_WINDOWS - 1) + [2]
    threshold.act(at(8, 8), measured(900.0, 300_000.0))
    again = [threshold.act(at(8, 9), slack) for _ in range(2 * SLACK_WINDOWS)]
    assert again == [0] * (2 * SLACK_WINDOWS - 1) + [action_for(0, -1)]


def test_threshold_waits_as_long_as_its_options_say(toy):
    policy = make_policy("threshold:confirm-windows=3")
    policy.start(toy.context())
    missed = [policy.act(at(5, 5), measured(1000, 300_000.0)) for _ in range(4)]
    assert missed == [0, 0, toy.action_for(1, 0), toy.action_for(0, -1)]


def test_threshold_moves_the_one_number_of_a_scenario_and_jumps_where_no_action_stays(gate):
    policy = make_policy("threshold:confirm-windows=1,slack-windows=2")
    policy.start(gate.context())
    close, open_one = (gate.SETTINGS.moves.index((change,)) for change in (-1, 1))
    missed = [policy.act(np.array([0.0, doors, 0.5]), {"served_per_s": 1.0}) for doors in (4, 5, 4)]
    assert missed == [open_one, close, open_one]
    slack = [policy.act(np.array([0.0, 6.0, 0.5]), {"served_per_s": 5.0}) for _ in range(2)]
    assert slack == [(6,), close]
    assert policy.act(np.array([0.0, 6.0, 0.5]), None) == (6,)


@pytest.mark.parametrize(
    ("missed", "size", "moves"),
    [
        ((0,), 1, ((1,), (-1,))),
        ((0, 1), 1, ((1,), (-1,))),
        ((0,), 2, ((1, 0), (0, -1), (-1, 0), (0, 1))),
        ((1,), 2, ((0, 1), (1, 0), (0, -1), (-1, 0))),
        ((0, 1), 2, ((1, 1), (-1, -1), (1, -1), (-1, 1))),
        ((1,), 3, ((0, 1, 0), (1, 0, 1), (0, -1, 0), (-1, 0, -1))),
    ],
)
def test_threshold_helps_the_number_that_serves_the_missed_goal_first(toy, missed, size, moves):
    assert moves_of(missed, toy.context().goals, size) == moves


@pytest.mark.parametrize(("changes", "message"), [({"goals": ()}, "goals"), ({"settings": None}, "settings")])
def test_threshold_asks_for_goals_and_settings_before_any_work(toy, changes, message):
    with pytest.raises(InputError, match=message):
        policy_class("threshold").check_scenario(toy.context(**changes))


def test_a_fixed_setting_stays_by_naming_itself_where_no_action_changes_nothing(gate):
    policy = make_policy("fixed:5")
    assert (policy.start(gate.context()), policy.act(None)) == ((5,), (5,))
    with pytest.raises(InputError, match=r"1 whole number of doors \(open\), 0 to 8"):
        make_policy("fixed:9,8").start(gate.context())


def test_random_actions_serve_other_spaces(gate):
    space = gymnasium.spaces.Box(-1.0, 1.0, (3,))
    first, second = make_policy("random"), make_policy("random")
    for policy in (first, second):
        policy.start(gate.context(action_space=space, seed=4))
    actions = [first.act(None) for _ in range(20)]
    assert all(space.contains(action) for action in actions)
    assert np.array_equal(actions, [second.act(None) for _ in range(20)])
