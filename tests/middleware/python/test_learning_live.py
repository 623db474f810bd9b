"""Algorithm 2 goes on learning on a running middleware: its limits, its way back, what it leaves."""

import numpy as np
import pytest

from middleware import binding, emulated
from policies import PolicyContext, make_policy
from policies.linear_q import FeatureMap, LinearQ, ModelChoice, load_model, save_model
from policies.linear_q.features import POOL_STATE_LOG_COLUMNS
from policies.online_q import BROKEN_WINDOWS, KEPT_WINDOWS
from scenarios.nvm_middleware import NvmMiddlewareEnv
from scenarios.reward import Sla
from scenarios.rollout import Block, run_policy
from sim.errors import MissingDependencyError

FALL_BACK = (6, 6)
STEPS = 60
SHRINK = 8
"""The action that takes a thread from each pool."""


@pytest.fixture(autouse=True)
def _small_device(monkeypatch):
    try:
        emulated.load()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(emulated, "MOST_POOLS", (8, 8))  # a table for 32 threads takes seconds
    monkeypatch.setattr(emulated, "_TABLES", [])
    assert binding.load()


@pytest.fixture
def shrinking(tmp_path):
    """A policy that was trained to keep as few threads as it may: the service level breaks."""
    random = np.random.default_rng(0)
    states = random.uniform(1, 8, (200, 8))
    model = LinearQ(FeatureMap.fit(states, 2, POOL_STATE_LOG_COLUMNS), [ModelChoice()] * 9)
    model.weights[:] = 0.0
    model.intercepts[SHRINK] = 1e6  # so much that a few windows do not teach it better
    return save_model(tmp_path / "q.npz", model, {"scenario": "nvm-middleware"})


def test_it_keeps_its_limits_falls_back_comes_back_and_leaves_what_it_learnt(shrinking, tmp_path):
    policy = make_policy(f"online-q:{shrinking}@{FALL_BACK[0]},{FALL_BACK[1]}")
    env = NvmMiddlewareEnv(
        engine="native", phase=3, native={"dilation": 40.0}, requests_per_window=100, initial_pools=FALL_BACK,
        episode_steps=None, reward_parameters={"sla": Sla(latency_goal_us=1e6, throughput_goal_ops=200_000.0)},
    )  # fmt: skip
    goals = {"latency_us": 1e6, "throughput_ops": 200_000.0}
    bounds = PolicyContext(seed=1, goals=goals, pool_min=2, pool_max=8)
    found = run_policy(policy, bounds, env, [Block(3, STEPS)], seed=1)

    assert ((found.pools >= 2) & (found.pools <= 8)).all()
    pools = np.vstack([FALL_BACK, found.pools])
    steps = np.abs(np.diff(pools, axis=0)).max(axis=1)
    jumped = (found.pools == FALL_BACK).all(axis=1) & (steps > 1)
    assert (steps[~jumped] <= 1).all()
    assert jumped.sum() >= 1  # it fell back
    first = int(np.flatnonzero(jumped)[0])
    assert not found.met[first - BROKEN_WINDOWS : first].any()
    assert found.met[first : first + KEPT_WINDOWS].all()
    stay = (found.pools[first:] == FALL_BACK).all(axis=1)
    assert stay[:KEPT_WINDOWS].all()
    assert not stay[: KEPT_WINDOWS + 10].all()  # it has come back to its own actions

    learnt, origin = load_model(policy.save(tmp_path / "learnt.npz"))
    trained, _ = load_model(shrinking)
    assert (learnt.weights != trained.weights).any()
    assert 0 < origin["learnt_online_steps"] < STEPS
    make_policy(f"online-q:{tmp_path / 'learnt.npz'}@6,6").start(bounds)
