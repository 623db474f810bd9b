"""The environment: Gymnasium's contract, what a step is, and what is refused."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from pmtwin import scenarios
from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv
from pmtwin.scenarios.nvm_middleware.phases import phase_workload
from pmtwin.scenarios.nvm_middleware.reward import RewardParameters, reward
from pmtwin.scenarios.nvm_middleware.workloads import make_workload
from pmtwin.sim.errors import InputError


def events(middleware, *names):
    return [(event.name, event.value) for event in middleware.events if event.name in names]


@pytest.mark.parametrize("settings", [{}, {"initial_pools": "random"}, {"mode": "direct"}, {"warmup_windows": 0}])
def test_gymnasium_accepts_it(settings):
    env = gymnasium.make("pmtwin/NvmMiddleware-v2", phase=3, requests_per_window=200, episode_steps=5, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)


def test_the_same_seed_gives_the_same_episode_and_another_one_another():
    def episode(seed):
        env = scenarios.make_environment("nvm-middleware", initial_pools="random", requests_per_window=300)
        result = [env.reset(seed=seed)[0].tolist()]
        for action in (0, 1, 5, 8, 3):
            observation, value, _, _, info = env.carry_out(action)
            result.append((observation.tolist(), value, info))
        return result

    assert episode(7) == episode(7)
    assert episode(7) != episode(8)


def test_a_second_reset_continues_the_random_numbers(toy):
    env = NvmMiddlewareEnv()
    env.reset(seed=1)
    env.reset()
    env.reset(seed=1)
    first, second, third = (made.seed for made in toy.made)
    assert first == third != second


def test_a_step_acts_runs_a_window_and_rewards_it(toy):
    env = NvmMiddlewareEnv(phase=1, initial_pools=(12, 12))
    observation, info = env.reset(seed=0)
    assert observation.tolist() == [12, 12, 1e5, 0, 50, 8192, 0.2, 0.5]  # the queue of the toy is clipped
    assert info["pools"] == (12, 12)
    observation, value, terminated, truncated, info = env.carry_out(2)
    assert observation[:2].tolist() == [11, 12]
    assert (info["p99_us"], info["throughput_ops"]) == (110.0, 299_000.0)
    assert (info["met_latency"], info["met_throughput"], env.context, info["extrapolated"]) == (True, True, 1, True)
    assert value == reward(110.0, 299_000.0)
    assert (terminated, truncated) == (False, False)
    assert events(toy.made[-1], "start", "window") == [("start", (12, 12)), ("window", (12, 12)), ("window", (11, 12))]


def test_observations_are_fresh_arrays_inside_the_space(toy):
    env = NvmMiddlewareEnv()
    first, _ = env.reset(seed=0)
    copy = first.copy()
    second = env.carry_out(1)[0]
    assert (first == copy).all()
    assert second is not first
    assert env.observation_space.contains(second)


def test_an_episode_is_truncated_and_never_terminated(toy):
    env = NvmMiddlewareEnv(episode_steps=3)
    env.reset(seed=0)
    assert [env.carry_out(0)[2:4] for _ in range(3)] == [(False, False), (False, False), (False, True)]
    endless = NvmMiddlewareEnv(episode_steps=None)
    endless.reset(seed=0)
    assert not any(endless.carry_out(0)[3] for _ in range(300))


def test_the_phase_changes_without_a_restart(toy):
    env = NvmMiddlewareEnv(phase=1)
    env.reset(seed=0)
    env.carry_out(0)
    env.set_context(4)
    observation, _, _, _, info = env.carry_out(0)
    assert env.context == 4 and "phase" not in info
    assert observation[4:].tolist() == [500, 4096, 0.9, 0.0]
    assert len(toy.made) == 1
    assert events(toy.made[0], "workload") == [("workload", "phase-4")]


def test_reset_takes_phase_and_pools(toy):
    env = NvmMiddlewareEnv(phase=1, initial_pools=(15, 15))
    env.reset(seed=0, options={"phase": 2, "pools": (3, 30)})
    assert env.setting == (3, 30)
    assert env.carry_out(0)[4]["p99_us"] == 100.0
    env.reset()
    assert (env.context, env.setting) == (2, (15, 15))  # the phase stays, the pools were for that episode


def test_random_pools_come_from_the_seed_and_cover_the_range(toy):
    env = NvmMiddlewareEnv(initial_pools="random", warmup_windows=0)
    env.reset(seed=0)
    drawn = np.array([env.reset()[0][:2] for _ in range(400)])
    assert (drawn.min(), drawn.max()) == (1, 32)


def test_pools_can_be_set_at_once(toy):
    env = NvmMiddlewareEnv()
    env.reset(seed=0)
    assert env.step((1, 32))[4]["pools"] == (1, 32)


def test_starving_the_interactive_class_is_no_zero_latency(toy, monkeypatch):
    original = toy.get_stats
    monkeypatch.setattr(toy, "get_stats", lambda self: original(self)._replace(p99_us=0.0, interactive_ops=0.0))
    env = NvmMiddlewareEnv(initial_pools=(10, 12))
    env.reset(seed=0)
    info = env.carry_out(0)[4]
    assert info["p99_us"] == pytest.approx(1e6 * 5000 / 300_000)
    assert not info["met_latency"]


def test_a_workload_instead_of_a_phase():
    env = NvmMiddlewareEnv(workload=make_workload("section-4.2"), requests_per_window=500)
    observation, _ = env.reset(seed=0)
    assert observation[4] == 128
    env.carry_out(0)
    assert env.context == 0
    with pytest.raises(InputError, match="does not go with --workload, which replaces the phases"):
        env.set_context(1)


def test_rates_windows_and_reward_parameters_reach_the_twin():
    env = NvmMiddlewareEnv(
        interactive_rate_ops=1000.0, batch_rate_ops=3000.0, drain=True, reward_parameters={"max_latency_us": 1e5}
    )
    assert env.scenario.workload(1).interactive.rate_ops == 1000.0
    assert env.scenario.options.reward_parameters == RewardParameters(max_latency_us=1e5)
    env.reset(seed=0)
    info = env.carry_out(0)[4]
    assert info["duration_s"] == pytest.approx(1.0, rel=0.1)  # one second of the trace, drained
    assert info["throughput_ops"] == pytest.approx(4000, rel=0.1)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"phase": 0}, "phase"),
        ({"phase": 5}, "phase"),
        ({"initial_pools": (0, 5)}, "initial_pools"),
        ({"initial_pools": (5, 33)}, "initial_pools"),
        ({"initial_pools": (5.5, 3)}, "initial_pools"),
        ({"initial_pools": "any"}, "initial_pools"),
        ({"initial_pools": (1, 2, 3)}, "initial_pools"),
        ({"episode_steps": 0}, "episode_steps"),
        ({"warmup_windows": -1}, "warmup_windows"),
        ({"requests_per_window": 0}, "requests_per_window"),
        ({"window_seconds": float("nan")}, "window_seconds"),
        ({"interactive_rate_ops": -1.0}, "interactive_rate_ops"),
        ({"reward_parameters": {"max_latency_us": -1.0}}, "max_latency_us"),
        ({"reward_parameters": {"sla": {"latency_goal_us": 1.0}}}, "sla"),
        ({"workload": "section-4.2", "phase": 1}, "phase"),
        ({"windows": 3}, "options"),
        ({"engine": "compile"}, "engine"),
        ({"mode": "both"}, "mode"),
        ({"profile": "optane"}, "profile"),
        ({"parameters": {"colour": 1.0}}, "parameters"),
    ],
)
def test_bad_settings_are_refused_by_name(settings, field):
    with pytest.raises(InputError) as error:
        NvmMiddlewareEnv(**settings)
    assert error.value.field == field


@pytest.mark.parametrize(
    "options", [{"phase": 9}, {"pools": (0, 1)}, {"pools": None, "colour": 1}, {"pools": (True, 1, 2)}]
)
def test_bad_options_are_refused_and_leave_the_episode_running(toy, options):
    env = NvmMiddlewareEnv(phase=2)
    env.reset(seed=0)
    with pytest.raises(InputError):
        env.reset(options=options)
    env.carry_out(0)
    assert env.context == 2


def test_nothing_works_before_reset():
    env = NvmMiddlewareEnv()
    for call in (lambda: env.carry_out(0), lambda: env.set_context(1), lambda: env.setting):
        with pytest.raises(InputError, match="reset"):
            call()


def test_scenarios_by_name():
    shipped = ("nvm-middleware", "hybrid-storage", "lustre-tuning", "numa-threads", "two-tier")
    assert scenarios.scenario_names() == shipped
    with pytest.raises(InputError, match="did you mean 'nvm-middleware'"):
        scenarios.make_environment("nvm-middlewere")


def test_a_varying_load_offers_by_client_and_each_class_follows_its_own_trace():
    env = gymnasium.make(
        "pmtwin/NvmMiddleware-v2", host="assumed", load="varying", parameters={"batch_client_rate_ops": 100.0}
    )
    workload = env.unwrapped.scenario.workload(2)
    assert [load.rate_ops for load in workload.classes] == [150 * 750.0, 320 * 100.0]
    assert not workload.tied and len(workload.parts) == 1


def test_a_rate_that_is_given_stands_under_a_varying_load_too():
    env = gymnasium.make("pmtwin/NvmMiddleware-v2", host="assumed", load="varying", batch_rate_ops=5e4)
    scenario = env.unwrapped.scenario
    assert [load.rate_ops for load in scenario.workload(1).classes] == [150_000.0, 5e4]
    assert scenario.record()["load"] == "varying" and scenario.record()["offered_ops"] == {"batch": 5e4}


def test_a_steady_load_is_that_of_the_phases():
    scenario = gymnasium.make("pmtwin/NvmMiddleware-v2", load="steady").unwrapped.scenario
    assert scenario.workload(3) == phase_workload(3)


@pytest.mark.parametrize("name", ["changing", "device-bound"])
def test_a_real_middleware_refuses_contexts_that_change_more_than_rates(name):
    with pytest.raises(InputError, match=rf"contexts: '{name}'.*phases, random, contended with engine native"):
        gymnasium.make("pmtwin/NvmMiddleware-v2", contexts=name, engine="native", native={"store": "map"})
