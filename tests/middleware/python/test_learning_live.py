"""Algorithm 2 goes on learning on a running middleware: its limits, its way back, what it leaves."""

import numpy as np
import pytest

from pmtwin.middleware import binding, emulated
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.policies.linear_q import FeatureMap, LinearQ, ModelChoice, load_model, save_model
from pmtwin.policies.online_q import CLIPPED
from pmtwin.policies.online_q import FALL_BACK as FALLEN
from pmtwin.scenarios.comparison.rollout import Block, run_policy
from pmtwin.scenarios.nvm_middleware import NvmMiddleware, NvmMiddlewareEnv
from pmtwin.scenarios.nvm_middleware.reward import Sla
from pmtwin.sim.errors import MissingDependencyError

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
    model = LinearQ(FeatureMap.fit(states, 2, PolicyContext.of(NvmMiddleware()).log_columns), [ModelChoice()] * 9)
    model.weights[:] = 0.0
    model.intercepts[SHRINK] = 1e6  # so much that a few windows do not teach it better
    return save_model(tmp_path / "q.npz", model, {"scenario": "nvm-middleware"})


def test_it_keeps_its_limits_falls_back_comes_back_and_leaves_what_it_learnt(shrinking, tmp_path):
    policy = make_policy(f"online-q:{shrinking}@6,6,bounds=2,2:8,8,step=2")
    limits = policy.options.limits
    env = NvmMiddlewareEnv(
        engine="native", phase=3, native={"dilation": 40.0}, requests_per_window=100, initial_pools=FALL_BACK,
        episode_steps=None, reward_parameters={"sla": Sla(latency_goal_us=1e6, throughput_goal_ops=200_000.0)},
    )  # fmt: skip
    context = PolicyContext.of(env.scenario, seed=1)
    result = run_policy(policy, context, env, [Block(3, STEPS)], seed=1)

    assert ((result.setting >= 2) & (result.setting <= 8)).all()
    pools = np.vstack([FALL_BACK, result.setting])
    steps = np.abs(np.diff(pools, axis=0)).max(axis=1)
    fallen = result.note == FALLEN
    assert steps.max() == limits.step  # on its way to the pools to fall back to
    assert (steps[~fallen] <= 1).all()
    first = int(np.flatnonzero(fallen)[0])
    assert not result.met[first - limits.fall_back_after : first].any()
    back = first + int(np.flatnonzero(~fallen[first:])[0])
    assert result.met[back - limits.resume_after : back].all()
    assert (result.note[:first] == CLIPPED).any()

    learnt, origin = load_model(policy.save(tmp_path / "learnt.npz"))
    trained, _ = load_model(shrinking)
    assert (learnt.weights != trained.weights).any()
    assert 0 < origin["learnt_online_steps"] < STEPS
    make_policy(f"online-q:{tmp_path / 'learnt.npz'}@6,6").start(context)
