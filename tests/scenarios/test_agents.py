"""What the environment offers to agents: numbers on a common scale, and contexts that are drawn."""

import warnings
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import pmtwin
from pmtwin.scenarios import make_environment
from pmtwin.scenarios.nvm_middleware import NvmMiddleware, NvmMiddlewareEnv
from pmtwin.sim.errors import InputError
from pmtwin.sim.load.workload import Workload

ADMISSION = f"{Path(__file__).parent / 'admission.py'}:admission"
SMALL = {"requests_per_window": 50, "episode_steps": 12}
STEPS = SMALL | {"jumps": False}


def played(env, seed=3, steps=12, action_at=lambda step: step % 9):
    observation, _ = env.reset(seed=seed)
    rows = [(observation, None, None, None)]
    for step in range(steps):
        ran_in = env.context
        observation, reward, _, _, info = env.step(action_at(step))
        rows.append((observation, reward, info["p99_us"], ran_in))
    return rows


def test_normalised_numbers_are_the_others_on_another_scale():
    raw, env = NvmMiddlewareEnv(phase=2, **STEPS), NvmMiddlewareEnv(phase=2, normalize=True, **STEPS)
    for (observation, reward, *_), (scaled, scaled_reward, *_) in zip(played(raw), played(env), strict=True):
        assert env.observation_space.contains(scaled)
        np.testing.assert_array_equal(scaled, env.agent.observations(observation))
        if reward is not None:
            assert scaled_reward == np.sign(reward) * np.log1p(abs(reward))


MORE = {"measures": True, "history": 3}
NAMES = ("p99_us", "throughput_ops", "interactive_ops", "batch_ops")


def jumps(step):
    return np.array([1 + (7 * step) % 32, 1 + (5 * step) % 32])


def test_an_observation_holds_the_last_windows_with_their_measures():
    plain, env = NvmMiddlewareEnv(phase=2, **SMALL), NvmMiddlewareEnv(phase=2, **MORE, **SMALL)
    observation, info = plain.reset(seed=3)
    shown, _ = env.reset(seed=3)
    window = [*observation, *(info[name] for name in NAMES)]
    windows = [window] * 3  # the first stands in for those before it
    np.testing.assert_array_equal(shown, np.concatenate(windows))
    for step in range(6):
        row = jumps(step)
        observation, _, _, _, info = plain.step(tuple(map(int, row)))
        shown, _, _, _, shown_info = env.step(row)
        assert shown_info == info
        windows = [[*observation, *(info[name] for name in NAMES)], *windows[:2]]
        np.testing.assert_array_equal(shown, np.concatenate(windows))
        assert env.observation_space.contains(shown)
    env.reset(seed=3)
    assert np.array_equal(env.history.add(observation, info)[12:24], window)  # nothing is left of the episode before


def test_a_measure_with_a_goal_is_normalised_around_it():
    goals = {"latency_goal_us": 300.0, "throughput_goal_ops": 1e5}
    env = NvmMiddlewareEnv(normalize=True, measures=True, **goals, **SMALL)
    row = np.array([4, 4, 0, 0, 50, 50, 0, 0, 300.0, 4e5, 1e4, 1e12])
    shown = env.agent.observations(row)
    np.testing.assert_allclose(shown[8:], [0.0, 1.0, -1.0, 3.0], atol=1e-4)
    assert env.observation_space.contains(shown)


def test_contexts_are_drawn_at_reset_and_within_an_episode():
    env = NvmMiddlewareEnv(phase=(1, 2, 3, 4), phase_steps=3, **STEPS)
    phases = [phase for *_, phase in played(env)[1:]]
    assert all(len(set(phases[first : first + 3])) == 1 for first in range(0, 12, 3))
    drawn = {env.context for _ in range(40) if env.reset() is not None}
    assert drawn == {1, 2, 3, 4}
    assert [phase for *_, phase in played(env)[1:]] == phases  # the same seed


def test_conditions_are_drawn_as_in_a_training():
    env = NvmMiddlewareEnv(drawn_share=0.5, phase_steps=2, **SMALL)
    shown, workloads = [], []
    for seed in range(3):
        env.reset(seed=seed)
        for _ in range(12):
            shown.append(env.context)
            workloads.append(env.conditions.name if isinstance(env.conditions, Workload) else "phase")
            env.step((8, 8))
    assert set(shown) == {1, 2, 3, 4}  # those that are trained
    assert set(workloads) == {"practice", "phase"}
    assert all(len(set(workloads[first : first + 2])) == 1 for first in range(0, 36, 2))
    third = NvmMiddlewareEnv(phase=3, drawn_share=1.0, **SMALL)
    third.reset(seed=0)
    assert (third.context, third.conditions.name) == (3, "practice")


PAIR = r"2 whole numbers of threads \(interactive_threads, batch_threads\), each 1 to 32"
FORMS = ((8, 8), [8, 8], np.array([8, 8]), np.array([8, 8], dtype=np.int8), (np.int64(8), 8))
OUTSIDE = (
    4,
    (0, 8),
    [8, 33],
    np.array([0, 8]),
    np.array([8.0, 8.0]),
    [True, 8],
    (8,),
    [8, [8]],
    (10**30, 1),
    None,
    True,
)


@pytest.mark.parametrize(
    "wrap", [None, gymnasium.wrappers.FlattenObservation, gymnasium.wrappers.RecordEpisodeStatistics]
)
def test_an_action_means_the_same_in_every_form(wrap):
    env = gymnasium.make("pmtwin/NvmMiddleware-v2", phase=2, initial_pools=(10, 10), **SMALL)
    env = wrap(env) if wrap else env
    assert env.action_space == gymnasium.spaces.MultiDiscrete([32, 32], start=[1, 1])
    env.reset(seed=1)
    for action in FORMS:
        assert env.action_space.contains(action)
        assert env.step(action)[4]["pools"] == (8, 8)
    for action in OUTSIDE:
        with pytest.raises(InputError, match=f"action.*{PAIR}"):
            env.step(action)
    with pytest.raises(InputError, match=r"action: \[0, 8\] .*pmtwin.ActionsFromZero\(env\)"):
        env.step(np.array([0, 8]))
    assert env.unwrapped.setting == (8, 8)


@pytest.mark.parametrize("mode", [None, "sync", "async"])
def test_an_action_means_the_same_in_many_environments(mode):
    chosen = {} if mode is None else {"vectorization_mode": mode}
    envs = gymnasium.make_vec("pmtwin/NvmMiddleware-v2", num_envs=2, **chosen, **SMALL)
    envs.reset(seed=1)
    for actions in (((8, 8), (3, 9)), [[8, 8], [3, 9]], np.array([[8, 8], [3, 9]]), [np.array([8, 8]), (3, 9)]):
        assert envs.step(actions)[4]["pools"].tolist() == [(8, 8), (3, 9)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium logs what a worker process raises
        with pytest.raises(InputError, match=rf"\[0, 8\] is not accepted; allowed: {PAIR}"):
            envs.step([(8, 8), (0, 8)])
    envs.close()


@pytest.mark.parametrize(("name", "low", "high"), [("two-tier", 1, 64), (ADMISSION, 0, 40)])
def test_in_every_scenario_a_setting_is_its_own_numbers(name, low, high):
    env = make_environment(name, episode_steps=12)
    assert env.action_space == gymnasium.spaces.MultiDiscrete([high - low + 1], start=[low])
    env.reset(seed=1)
    for number in (low, 5, high):
        for action in ((number,), [number], np.array([number])):
            env.step(action)
            assert env.setting == (number,)
    for action in ([low - 1], (high + 1,), 1, np.array(1)):
        with pytest.raises(InputError, match=f"action: .*{low} to {high}"):
            env.step(action)


def test_moves_are_their_numbers_and_nothing_else():
    env = NvmMiddlewareEnv(phase=2, initial_pools=(10, 10), **STEPS)
    assert env.action_space == gymnasium.spaces.Discrete(9)
    env.reset(seed=1)
    assert env.step(1)[4]["pools"] == env.step(np.int64(0))[4]["pools"] == (11, 10)
    for action in (9, -1, (3, 3), np.array([3, 3]), True, 1.0):
        with pytest.raises(InputError, match="an action number, 0 to 8"):
            env.step(action)


@pytest.mark.parametrize("choice", [(7, 9), [7, 9], np.array([7, 9])])
def test_a_policy_may_choose_a_setting_in_any_environment(choice):
    for jumps in (True, False):
        env = NvmMiddlewareEnv(phase=2, initial_pools=(10, 10), jumps=jumps, **SMALL)
        env.reset(seed=1)
        assert env.carry_out(1)[4]["pools"] == (11, 10)
        assert env.carry_out(choice)[4]["pools"] == (7, 9)
        for wrong in (9, True, (0, 9), [7], "many"):
            with pytest.raises(InputError):
                env.carry_out(wrong)


def test_an_agent_that_counts_from_0_stands_behind_a_wrapper():
    env = pmtwin.ActionsFromZero(gymnasium.make("pmtwin/NvmMiddleware-v2", **SMALL))
    assert env.action_space == gymnasium.spaces.MultiDiscrete([32, 32])
    env.reset(seed=1)
    for action in ((0, 31), [0, 31], np.array([0, 31])):
        assert env.step(action)[4]["pools"] == (1, 32)
    with pytest.raises(InputError, match=r"action: \[32, 1\] .*counted from 0"):
        env.step((32, 1))
    many = gymnasium.make_vec(
        "pmtwin/NvmMiddleware-v2", num_envs=2, vectorization_mode="sync", wrappers=[pmtwin.ActionsFromZero], **SMALL
    )
    many.reset(seed=1)
    assert many.step([(0, 31), (7, 7)])[4]["pools"].tolist() == [(1, 32), (8, 8)]
    moves = pmtwin.ActionsFromZero(NvmMiddlewareEnv(jumps=False, **SMALL))
    moves.reset(seed=1)
    with pytest.raises(InputError, match=r"action: true .*counted from 0"):
        moves.step(True)
    with pytest.raises(InputError, match="Discrete or MultiDiscrete"):
        pmtwin.ActionsFromZero(gymnasium.make("Pendulum-v1"))


@pytest.mark.filterwarnings("ignore:.*out of date")
def test_version_1_counts_lists_and_arrays_from_0_as_its_agents_learned_and_refuses_tuples():
    env, now = (gymnasium.make(f"pmtwin/NvmMiddleware-v{version}", **SMALL) for version in (1, 2))
    env.reset(seed=1), now.reset(seed=1)
    for former, action in (([8, 8], (9, 9)), (np.array([0, 31]), (1, 32))):
        then, today = env.step(former), now.step(action)
        assert then[4]["pools"] == today[4]["pools"] == action and then[1] == today[1]
    with pytest.raises(InputError, match=r"action: .* is a tuple, which version 1 counted from 1"):
        env.step((8, 8))
    with pytest.raises(InputError, match=r"version 1 of two-tier.*ActionsFromZero"):
        gymnasium.make_vec("pmtwin/TwoTier-v1", num_envs=2)


def test_a_scenario_whose_actions_are_no_moves_keeps_them():
    class Halves(NvmMiddleware):
        settings = replace(NvmMiddleware.settings, moves=())
        action_space = gymnasium.spaces.Discrete(2)

    assert make_environment(Halves).action_space == gymnasium.spaces.Discrete(2)
    assert make_environment(Halves, jumps=True).action_space == gymnasium.spaces.MultiDiscrete([32, 32], start=[1, 1])


def test_many_at_once_show_what_each_shows_alone():
    options = {"phase": (1, 3), "phase_steps": 4, "normalize": True, "jumps": False, **SMALL}
    check_together(options, lambda step: step % 9)
    check_together({"drawn_share": 0.5, "phase_steps": 4, **SMALL}, jumps)


def test_many_at_once_see_measures_and_history_and_jump():
    check_together({"phase": (1, 3), "phase_steps": 4, "normalize": True, **MORE, **SMALL}, jumps)


def check_together(options, action_at):
    envs = gymnasium.make_vec("pmtwin/NvmMiddleware-v2", num_envs=3, **options)
    observations, _ = envs.reset(seed=5)
    alone = [played(NvmMiddlewareEnv(**options), seed=5 + place, action_at=action_at) for place in range(3)]
    np.testing.assert_array_equal(observations, [rows[0][0] for rows in alone])
    for step in range(12):
        observations, rewards, _, _, infos = envs.step(np.array([action_at(step)] * 3))
        np.testing.assert_array_equal(observations, [rows[step + 1][0] for rows in alone])
        assert rewards.tolist() == [rows[step + 1][1] for rows in alone]
        assert infos["p99_us"].tolist() == [rows[step + 1][2] for rows in alone]
    envs.close()


def test_each_thread_started_or_stopped_costs_reward():
    free, costly = NvmMiddlewareEnv(phase=2, **SMALL), NvmMiddlewareEnv(phase=2, resize_cost=0.5, **SMALL)
    for env in (free, costly):
        env.reset(seed=3)
    for pools, threads in (((15, 15), 0), ((10, 18), 8), ((10, 18), 0), ((32, 1), 39)):
        reward, cost = (env.step(pools)[1] for env in (free, costly))
        assert cost == reward - 0.5 * threads
    assert "resize_cost" not in free.scenario.options.reward_parameters.to_dict()
    assert costly.scenario.options.reward_parameters.to_dict()["resize_cost"] == 0.5
    check_together({"phase": (1, 3), "phase_steps": 4, "resize_cost": 0.5, **MORE, **SMALL}, jumps)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"phase": (1, 9)}, "phase: 9"),
        ({"phase": 1, "phase_steps": 5}, "context_steps: 5"),
        ({"drawn_share": 1.5}, "drawn_share: 1.5"),
        ({"drawn_share": 0.5, "workload": "section-4.2"}, "drawn_share: 0.5 .* has no ranges"),
        ({"drawn_share": 0.5, "contexts": "device-bound"}, "drawn_share: 0.5 .* has no ranges"),
        ({"phase": (1, 2), "phase_steps": 0}, "context_steps: 0"),
        ({"measures": True, "warmup_windows": 0}, "warmup_windows: 0"),
        ({"history": 0}, "history: 0"),
        ({"resize_cost": -1.0}, "resize_cost: -1.0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        NvmMiddlewareEnv(**options)
