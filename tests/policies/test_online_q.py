"""Learning on a live system: bounds, falling back while the service level stays broken, and what is learnt."""

import numpy as np
import pytest

from policies import PolicyContext, make_policy
from policies.linear_q import FeatureMap, LinearQ, ModelChoice, save_model
from policies.linear_q.features import POOL_STATE_LOG_COLUMNS
from policies.online_q import BROKEN_WINDOWS, FALL_BACK, KEPT_WINDOWS, REST_WINDOWS
from policies.pools import DELTAS
from sim.errors import InputError

MET = {"p99_us": 100.0, "throughput_ops": 300_000.0}
BROKEN = {"p99_us": 1000.0, "throughput_ops": 300_000.0}


def state(interactive, batch):
    return np.array([interactive, batch, 10.0, 20.0, 50.0, 8192.0, 0.2, 0.5])


@pytest.fixture
def path(tmp_path):
    random = np.random.default_rng(0)
    states = np.array([state(*random.integers(1, 33, 2)) + random.uniform(0, 1, 8) for _ in range(200)])
    model = LinearQ(FeatureMap.fit(states, 2, POOL_STATE_LOG_COLUMNS), [ModelChoice()] * 9)
    model.weights[:] = random.normal(size=model.weights.shape)
    return save_model(tmp_path / "q.npz", model, {})


def started(path, fall_back=""):
    policy = make_policy(f"online-q:{path}{fall_back}")
    policy.start(PolicyContext(seed=1))
    return policy


@pytest.mark.parametrize("pools", [(1, 1), (32, 32), (1, 32), (16, 1)])
def test_no_action_leaves_the_bounds(path, pools):
    policy = started(path)
    for _ in range(300):
        delta = DELTAS[policy.act(state(*pools), MET)]
        assert all(1 <= size + change <= 32 for size, change in zip(pools, delta, strict=True))


def test_it_falls_back_while_the_level_stays_broken_and_comes_back(path):
    policy = started(path, "@9,7")
    actions = [policy.act(state(4, 4), BROKEN) for _ in range(BROKEN_WINDOWS)]
    assert all(isinstance(action, int) for action in actions[:-1])
    assert actions[-1] == (9, 7)
    assert policy.act(state(9, 7), BROKEN) == 0
    kept = [policy.act(state(4, 4), MET) for _ in range(KEPT_WINDOWS)]
    assert kept[:-1] == [(9, 7)] * (KEPT_WINDOWS - 1)
    assert isinstance(kept[-1], int)


def test_it_does_not_stay_with_fixed_pools_that_keep_the_level_no_better(path):
    policy = started(path)
    actions = [policy.act(state(4, 4), BROKEN) for _ in range(BROKEN_WINDOWS + REST_WINDOWS)]
    assert actions.count(FALL_BACK) == REST_WINDOWS
    assert isinstance(actions[-1], int)


def test_it_learns_from_its_own_actions_only_and_begins_afresh(path):
    policy = started(path)
    before = policy.model.state()["weights"]
    policy.observe(state(4, 4), (9, 9), 1.0, state(9, 9), False)
    assert (policy.model.weights == before).all()
    for _ in range(50):
        policy.observe(state(4, 4), 3, -500.0, state(4, 5), False)
    assert (policy.model.weights[:, 3] != before[:, 3]).any()
    assert (np.delete(policy.model.weights, 3, 1) == np.delete(before, 3, 1)).all()
    policy.start(PolicyContext(seed=1))
    assert (policy.model.weights == before).all()


def test_what_costs_is_chosen_less_once_it_has_been_seen_to(path):
    policy = started(path)
    here = state(8, 8)
    favourite = int(policy.model.values(here).argmax())
    for _ in range(200):
        policy.observe(here, favourite, -1e5, here, False)
    assert int(policy.model.values(here).argmax()) != favourite


@pytest.mark.parametrize("fall_back", ["@0,4", "@4", "@40,4"])
def test_pools_to_fall_back_to_that_are_none_are_refused(path, fall_back):
    with pytest.raises(InputError, match="online-q"):
        make_policy(f"online-q:{path}{fall_back}")
