"""What the environment offers to agents: numbers on a common scale, and contexts that are drawn."""

import gymnasium
import numpy as np
import pytest

import pmtwin  # noqa: F401 - registers the environments
from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv
from pmtwin.sim.errors import InputError

SMALL = {"requests_per_window": 50, "episode_steps": 12}


def played(env, seed=3, steps=12):
    observation, _ = env.reset(seed=seed)
    rows = [(observation, None, None)]
    for step in range(steps):
        observation, reward, _, _, info = env.step(step % 9)
        rows.append((observation, reward, info["phase"]))
    return rows


def test_normalised_numbers_are_the_others_on_another_scale():
    raw, env = NvmMiddlewareEnv(phase=2, **SMALL), NvmMiddlewareEnv(phase=2, normalize=True, **SMALL)
    for (observation, reward, _), (scaled, scaled_reward, _) in zip(played(raw), played(env), strict=True):
        assert env.observation_space.contains(scaled)
        np.testing.assert_array_equal(scaled, env.normalization.observation(observation))
        if reward is not None:
            assert scaled_reward == np.sign(reward) * np.log1p(abs(reward))


def test_contexts_are_drawn_at_reset_and_within_an_episode():
    env = NvmMiddlewareEnv(phase=(1, 2, 3, 4), phase_steps=3, **SMALL)
    phases = [phase for _, _, phase in played(env)[1:]]
    assert all(len(set(phases[first : first + 3])) == 1 for first in range(0, 12, 3))
    drawn = {env.context for _ in range(40) if env.reset() is not None}
    assert drawn == {1, 2, 3, 4}
    assert [phase for _, _, phase in played(env)[1:]] == phases  # the same seed


def test_many_at_once_show_what_each_shows_alone():
    options = {"phase": (1, 3), "phase_steps": 4, "normalize": True, **SMALL}
    envs = gymnasium.make_vec("pmtwin/NvmMiddleware-v0", num_envs=3, **options)
    observations, _ = envs.reset(seed=5)
    alone = [played(NvmMiddlewareEnv(**options), seed=5 + place) for place in range(3)]
    np.testing.assert_array_equal(observations, [rows[0][0] for rows in alone])
    for step in range(12):
        observations, rewards, _, _, infos = envs.step(np.full(3, step % 9))
        np.testing.assert_array_equal(observations, [rows[step + 1][0] for rows in alone])
        assert rewards.tolist() == [rows[step + 1][1] for rows in alone]
        assert infos["phase"].tolist() == [rows[step + 1][2] for rows in alone]
    envs.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"phase": (1, 9)}, "phase: 9"),
        ({"phase": 1, "phase_steps": 5}, "context_steps: 5"),
        ({"phase": (1, 2), "phase_steps": 0}, "context_steps: 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        NvmMiddlewareEnv(**options)
