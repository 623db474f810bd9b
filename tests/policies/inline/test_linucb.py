"""LinUCB: ridge regression of each arm, an optimistic choice among the possible ones, and what it keeps."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from pmtwin.policies import make_policy
from pmtwin.policies.learned import save_learned
from pmtwin.sim.control import Column
from pmtwin.sim.decisions import DecisionPoint, decide, observe
from pmtwin.sim.errors import InputError

ALL = np.zeros(0, np.bool_)


def point(actions=5, numbers=12):
    """Numbers from -1 to 1, which are shown as they are."""
    features = tuple(Column(f"number_{place}", -1.0, 1.0) for place in range(numbers))
    return DecisionPoint("route", "an arrival", features=features, actions=tuple(map(str, range(actions))), masked=True)


def made(spec="linucb", at=None):
    """(policy, its state) at a point."""
    policy = make_policy(spec, kind="choice")
    return policy, policy.at(at or point()).state(at or point(), 0)


def first(count, of=5):
    """A mask of the first actions."""
    return np.arange(of) < count


@pytest.fixture
def random():
    return np.random.default_rng(0)


def test_theta_is_ridge_regression_of_each_arm_on_its_own_rows(random):
    _, state = made()
    rows, rewards = random.uniform(-1.0, 1.0, (10_000, 12)), random.normal(size=10_000)
    arms = random.integers(5, size=10_000)
    for row, arm, reward in zip(rows, arms, rewards, strict=True):
        observe(state, row, arm, reward)
    inverse, sums, updates, *_ = state.arrays
    assert updates.tolist() == np.bincount(arms).tolist()
    for arm in range(5):
        shown = np.hstack([rows[arms == arm], np.ones((updates[arm], 1))])
        ridge = Ridge(alpha=1.0, fit_intercept=False).fit(shown, rewards[arms == arm])
        assert np.abs(inverse[arm] @ sums[arm] - ridge.coef_).max() < 1e-9
        assert np.array_equal(inverse[arm], inverse[arm].T)


def test_it_plays_the_highest_bound(random):
    _, state = made("linucb:alpha=0.7")
    for row in random.uniform(-1.0, 1.0, (300, 12)):
        x = np.append(row, 1.0)
        bounds = [
            b @ inverse @ x + 0.7 * np.sqrt(x @ inverse @ x) for inverse, b in zip(*state.arrays[:2], strict=True)
        ]
        arm = decide(state, row, ALL)
        assert bounds[arm] == pytest.approx(max(bounds), abs=1e-12)
        observe(state, row, arm, random.normal())


def test_of_equals_the_first_possible_one_is_played(random):
    _, state = made()
    row = random.uniform(-1.0, 1.0, 12)
    assert decide(state, row, ALL) == 0
    assert decide(state, row, np.array([False, False, True, False, True])) == 2
    observe(state, row, 0, -1.0)
    assert decide(state, row, ALL) == 1
    observe(state, row, 4, 5.0)
    assert [decide(state, row, mask) for mask in (ALL, first(4))] == [4, 1]


def test_alpha_of_zero_is_greedy(random):
    _, state = made("linucb:alpha=0")
    row = random.uniform(-1.0, 1.0, 12)
    for arm, reward in ((0, 0.1), (1, 0.2)):
        observe(state, row, arm, reward)
    assert {decide(state, row, ALL) for _ in range(20)} == {1}


@pytest.mark.parametrize(("untried", "played"), [(0.0, 0), (0.5, 0), (2.0, 1)])
def test_actions_that_are_believed_to_earn_more_are_tried_first(untried, played):
    _, state = made(f"linucb:alpha=0,untried={untried}")
    row = np.zeros(12)
    for _ in range(30):
        observe(state, row, 0, 1.0)
    assert decide(state, row, ALL) == played


@pytest.mark.parametrize(("new_arms", "alike"), [("prior", False), ("neighbour", True)])
def test_arms_grow_to_the_most_that_were_possible_and_those_beyond_are_kept(random, new_arms, alike):
    _, state = made(f"linucb:new_arms={new_arms}")
    inverse, sums, updates, seen, *_ = state.arrays
    row = random.uniform(-1.0, 1.0, 12)
    assert decide(state, row, first(2)) == 0
    observe(state, row, 1, 1.0)
    assert (decide(state, row, first(2)), seen[0]) == (1, 2)
    decide(state, row, first(4))
    assert (seen[0], updates.tolist()) == (4, [0, 1, 0, 0, 0])
    assert [np.array_equal(sums[1], sums[arm]) for arm in (2, 3, 4)] == [alike, alike, False]
    assert [np.array_equal(inverse[1], inverse[arm]) for arm in (2, 3, 4)] == [alike, alike, False]
    before = inverse[3].copy()
    for _ in range(10):
        observe(state, row, decide(state, row, first(2)), 1.0)
    assert (seen[0], np.array_equal(inverse[3], before)) == (4, True)


def test_what_it_has_learned_goes_on_also_with_more_or_fewer_actions(random, tmp_path):
    policy, state = made()
    rows = random.uniform(-1.0, 1.0, (60, 12))
    for row in rows[:50]:
        observe(state, row, decide(state, row, ALL), random.normal())
    policy.memory = policy.memory_of([state])
    spec = f"linucb:{save_learned(tmp_path / 'learned.npz', {'': policy}, {})}"
    mask = first(3)
    decisions = [[decide(each, row, mask) for row in rows] for each in (state, made(spec)[1])]
    assert decisions[0] == decisions[1]
    more, fewer = made(spec, point(9))[1].arrays, made(spec, point(3))[1].arrays
    assert (more[2].tolist(), fewer[2].tolist()) == ([*state.arrays[2], 0, 0, 0, 0], state.arrays[2].tolist())
    assert np.array_equal(more[0][8], np.eye(13))
    assert {decide(made(spec, point(3))[1], row, ALL) for row in rows} <= {0, 1, 2}
    with pytest.raises(InputError, match=r"numbers of a context: 4 is not accepted; allowed: 13, which the policy was"):
        made(spec, point(numbers=3))
    with pytest.raises(InputError, match=r"has options .*; allowed: a file with options .*'alpha': 0.5"):
        made(f"{spec},alpha=0.5")


@pytest.mark.parametrize("value", ["-0.1", "nan", "inf"])
def test_alpha_has_to_be_a_number_from_zero(value):
    with pytest.raises(InputError, match=f"alpha: {float(value)} is not accepted; allowed: 0 to 1,000,000"):
        make_policy(f"linucb:alpha={value}", kind="choice")


@pytest.mark.parametrize("place", [0, 11])
def test_numbers_that_are_none_are_refused_and_nothing_is_learned(place):
    _, state = made()
    row = np.zeros(12)
    with pytest.raises(InputError, match="a reward: 'nan or infinite' is not accepted; allowed: a finite number"):
        observe(state, row, 1, np.inf)
    row[place] = np.nan
    for asked in (lambda: decide(state, row, ALL), lambda: observe(state, row, 1, 1.0)):
        with pytest.raises(InputError, match="a feature of its context: 'nan' is not accepted; allowed: a number"):
            asked()
    assert not state.arrays[2].any()


def test_columns_without_bounds_are_refused():
    wide = DecisionPoint("route", "an arrival", features=(Column("load", 0.0, np.inf),), actions=("fast", "slow"))
    with pytest.raises(InputError, match=r"column load, from 0.0 to inf.*finite bounds"):
        made(at=wide)


def test_regret_flattens_where_rewards_are_linear(random):
    """Ten thousand decisions, each arm's reward a linear function of the context, with noise."""
    _, state = made("linucb:alpha=1")
    theta, regret = random.normal(size=(5, 13)), []
    for row in random.uniform(-1.0, 1.0, (10_000, 12)):
        means = theta @ np.append(row, 1.0)
        arm = decide(state, row, ALL)
        observe(state, row, arm, means[arm] + 0.5 * random.normal())
        regret.append(means.max() - means[arm])
    begin, *_, end = np.reshape(regret, (20, -1)).sum(axis=1)
    assert end < 0.05 * begin


def test_frozen_it_learns_nothing(random):
    policy = make_policy("linucb", kind="choice")
    policy.freeze()
    state = policy.at(point()).state(point(), 0)
    row = random.uniform(-1.0, 1.0, 12)
    observe(state, row, decide(state, row, ALL), -1.0)
    (declared, _) = state.arrays
    assert (decide(state, row, ALL), declared[2].tolist(), declared[3].tolist()) == (0, [0] * 5, [0])
