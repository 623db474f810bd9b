"""The vector environment: equal to single ones bit for bit, in Gymnasium's form, and what it refuses."""

import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import pmtwin
from pmtwin.scenarios import make_environment, make_vector_environment
from pmtwin.scenarios.batch import Batch
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.environments.vector import ControlVectorEnv
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.batch import MiddlewareBatch
from pmtwin.sim.errors import InputError, ScenarioError

NVM, ADMISSION = "pmtwin/NvmMiddleware-v2", f"{Path(__file__).parents[1] / 'admission.py'}:admission"
SMALL = {"requests_per_window": 30, "episode_steps": 3, "initial_pools": "random"}
STEPS = SMALL | {"jumps": False}
NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED


def assert_same(ours, theirs, place="") -> None:
    """Equal in value, type and shape, however deep."""
    assert type(ours) is type(theirs), place
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), place
        for name in ours:
            assert_same(ours[name], theirs[name], f"{place}/{name}")
    elif isinstance(ours, tuple):
        assert len(ours) == len(theirs), place
        for each in zip(ours, theirs, strict=True):
            assert_same(*each, place)
    elif isinstance(ours, np.ndarray) and ours.dtype == object:
        assert_same(tuple(ours), tuple(theirs), place)
    elif isinstance(ours, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), place
        np.testing.assert_array_equal(ours, theirs, place)
    else:
        assert ours == theirs, place


def in_turn(scenario: str, count: int, autoreset: AutoresetMode, **values) -> SyncVectorEnv:
    """Gymnasium's own vector environment of single ones."""
    return SyncVectorEnv([lambda: make_environment(scenario, **values)] * count, autoreset_mode=autoreset)


def follow(ours, theirs, steps: int, seed=3, disabled: bool = False) -> None:
    """The same actions in both, with the same results."""
    assert_same(ours.reset(seed=seed), theirs.reset(seed=seed))
    ours.action_space.seed(0)
    for _ in range(steps):
        actions = ours.action_space.sample()
        results = ours.step(actions)
        assert_same(results, theirs.step(actions))
        assert ours.observation_space.contains(results[0])
        if disabled and results[3].any():
            masks = [{"reset_mask": results[3].copy()} for _ in range(2)]
            assert_same(ours.reset(options=masks[0]), theirs.reset(options=masks[1]))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize(
    "values",
    [
        {},
        {"warmup_windows": 0},
        {"warmup_windows": 2, "contexts": "changing", "phase": 3},
        {"load": "steady", "mode": "direct"},
        {"host_samples": 3, "device_samples": 2},
        {"engine": "simpy"},
    ],
    ids=lambda values: "-".join(map(str, values.values())) or "default",
)
def test_each_environment_is_as_if_it_ran_alone(values, mode, threads):
    values = SMALL | values
    ours = make_vector_environment("nvm-middleware", 5, mode, threads, **values)
    follow(ours, in_turn("nvm-middleware", 5, mode, **values), 9, disabled=mode == DISABLED)
    ours.close()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_episodes_that_end_at_different_steps(mode):
    """A mask resets some environments in the middle of an episode, which then ends later than the others."""
    ours = make_vector_environment("nvm-middleware", 4, mode, 2, **STEPS)
    theirs = in_turn("nvm-middleware", 4, mode, **STEPS)
    assert_same(ours.reset(seed=[5, None, 5, 9])[0][0], theirs.reset(seed=[5, None, 5, 9])[0][0])
    assert_same(ours.reset(seed=1), theirs.reset(seed=1))
    for step in range(9):
        if step == 1:
            masks = [{"reset_mask": np.array([False, True, False, True]), "pools": (3, 4)} for _ in range(2)]
            assert_same(ours.reset(options=masks[0]), theirs.reset(options=masks[1]))
            assert "reset_mask" in masks[0]
        results = ours.step([0, 1, 2, 3])
        assert_same(results, theirs.step(np.array([0, 1, 2, 3])))
        if mode == DISABLED and results[3].any():
            masks = [{"reset_mask": results[3].copy()} for _ in range(2)]
            assert_same(ours.reset(options=masks[0]), theirs.reset(options=masks[1]))


def test_contexts_and_settings_change_in_each_environment_by_itself():
    values = STEPS | {"episode_steps": None}
    ours = make_vector_environment("nvm-middleware", 4, threads=2, **values)
    alone = [make_environment("nvm-middleware", **values) for _ in range(4)]
    ours.reset(seed=7)
    for place, env in enumerate(alone):
        env.reset(seed=7 + place)
    rng = np.random.default_rng(1)
    for _ in range(12):
        place, phase, pools = int(rng.integers(4)), int(rng.integers(1, 5)), tuple(rng.integers(1, 33, 2).tolist())
        for env in (ours.envs[place], alone[place]):
            env.set_context(phase)
            env.carry_out(pools)
        actions = rng.integers(0, 9, 4)
        observations, rewards, _, _, infos = ours.step(actions)
        for each, (env, action) in enumerate(zip(alone, actions, strict=True)):
            observation, reward, _, _, info = env.step(action)
            assert (observations[each].tolist(), rewards[each]) == (observation.tolist(), reward)
            assert {name: infos[name][each] for name in info} == info


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("load", ["busy", "drawn"])
def test_any_scenario_has_one(mode, load):
    values = {"load": load, "jobs_per_window": 20, "episode_steps": 3, "initial_limit": "random"}
    ours = make_vector_environment(ADMISSION, 3, mode, **values)
    assert type(ours.scenario.batch(1)) is Batch
    follow(ours, in_turn(ADMISSION, 3, mode, **values), 8, disabled=mode == DISABLED)


@pytest.mark.parametrize("values", [{"engine": "simpy"}, {"engine": "analytic", "workload": "changing"}])
def test_threads_on_a_numa_machine_have_one(values):
    values = {"cores": 2, "records": 100, "window_s": 0.01, "episode_steps": 3} | values
    follow(*(make("numa-threads", 3, SAME_STEP, **values) for make in (make_vector_environment, in_turn)), 6)


def test_options_of_a_scenario_may_be_named_as_an_argument():
    """`numa-threads` has threads of its own, which are not those that run the windows."""
    small = {"engine": "analytic", "records": 100, "jumps": False}
    env = make_vector_environment("numa-threads", 3, workers=2, options={"threads": 6, "cores": 2}, **small)
    assert env.scenario.options == make_environment("numa-threads", threads=6, cores=2, **small).scenario.options
    with pytest.raises(InputError, match=r"threads: 6 may mean either in numa-threads; allowed: options=.*workers=6"):
        make_vector_environment("numa-threads", 3, threads=6, **small)
    for make in (make_environment, make_vector_environment):
        with pytest.raises(InputError, match="records: 100 is given twice; allowed: a value there or in options"):
            make("numa-threads", options={"records": 200}, **small)
        with pytest.raises(InputError, match="options: 'records' is not accepted; allowed: a mapping"):
            make("numa-threads", options="records", **small)


class Derived(NvmMiddleware):
    """Another reward, from the same systems."""

    def reward(self, measures):
        return -measures["batch_ops"]


def test_a_derived_scenario_keeps_its_own_reward_and_systems():
    ours = ControlVectorEnv([ControlEnv(scenario) for scenario in [Derived.of(requests_per_window=30)] * 2])
    ours.reset(seed=1)
    _, rewards, _, _, infos = ours.step([0, 0])
    assert rewards.tolist() == (-infos["batch_ops"]).tolist()
    other = type("Other", (NvmMiddleware,), {"system": lambda self, *values: NvmMiddleware.system(self, *values)})
    assert type(NvmMiddleware().batch(1)) is type(Derived().batch(1)) is MiddlewareBatch
    assert type(other().batch(1)) is Batch


def test_gymnasium_makes_it_by_name():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make_vec(NVM, num_envs=3, phase=2, autoreset_mode="SameStep", threads=1, **SMALL)
        wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    assert isinstance(env, ControlVectorEnv)
    assert (env.num_envs, env.metadata["autoreset_mode"], env.spec.id) == (3, SAME_STEP, NVM)
    assert env.single_action_space == gymnasium.spaces.MultiDiscrete([32, 32], start=[1, 1])
    assert (env.action_space.shape, env.single_observation_space.shape) == ((3, 2), (8,))
    wrapped.reset(seed=1)
    rewards = sum(wrapped.step(env.action_space.sample())[1] for _ in range(2))
    infos = wrapped.step(env.action_space.sample())[4]
    assert "phase" not in infos["final_info"] and [each.context for each in env.envs] == [2, 2, 2]
    assert infos["episode"]["l"].tolist() == [3, 3, 3]
    assert np.isfinite(rewards).all()
    wrapped.close()
    assert pmtwin.make_vector_environment is make_vector_environment


def test_what_it_returns_stays_as_it_is():
    env = make_vector_environment("nvm-middleware", 2, **STEPS)
    first, _ = env.reset(seed=1)
    copy = first.copy()
    second = env.step([1, 1])[0]
    np.testing.assert_array_equal(first, copy)
    second[:] = -1.0
    assert (env.step([0, 0])[0] >= 0.0).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"num_envs": 0}, "num_envs: 0"),
        ({"threads": 0}, "threads: 0"),
        ({"workers": 0}, "workers: 0"),
        ({"workers": 2, "threads": 2}, "threads: 2 is given beside another name of it; allowed: workers=2 alone"),
        ({"autoreset_mode": "Never"}, "autoreset_mode: 'Never' is not accepted; allowed: NextStep, SameStep, Disabled"),
        ({"phase": 7}, "phase: 7"),
        ({"requests_per_windw": 7}, "requests_per_windw"),
    ],
)
def test_arguments_that_are_not_accepted(arguments, words):
    with pytest.raises(InputError, match=words):
        make_vector_environment("nvm-middleware", **arguments)


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        (
            [0, 0],
            r"actions: shape: \[2\] is not accepted; allowed: \[3\]: for each environment an action number, 0 to 8",
        ),
        ([0, 9, 0], r"actions\[1\]: 9 is not accepted; allowed: an action number, 0 to 8"),
        ([0.5, 0, 0], r"actions\[0\]"),
        (np.zeros((3, 1), dtype=int), r"actions: shape: \[3, 1\]"),
    ],
)
def test_actions_that_are_not_accepted_change_nothing(actions, words):
    env, other = (make_vector_environment("nvm-middleware", 3, **STEPS) for _ in range(2))
    env.reset(seed=1)
    other.reset(seed=1)
    with pytest.raises(InputError, match=words):
        env.step(actions)
    assert_same(env.step([1, 2, 3]), other.step([1, 2, 3]))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seed": [1, 2]}, "seed: .* 3 of them"),
        ({"seed": "one"}, "seed: 'one'"),
        ({"options": {"colour": 1}}, "options: "),
        ({"options": {"phase": 9}}, "phase: 9"),
        ({"options": {"reset_mask": [True, False, False]}}, "reset_mask: "),
        ({"options": {"reset_mask": np.zeros(3, dtype=bool)}}, "reset_mask: .* one of them true"),
        ({"options": {"reset_mask": np.ones(2, dtype=bool)}}, "reset_mask: "),
    ],
)
def test_resets_that_are_not_accepted(given, words):
    env = make_vector_environment("nvm-middleware", 3, **SMALL)
    with pytest.raises(InputError, match=words):
        env.reset(**given)


def test_a_step_before_reset_or_after_the_end_is_refused():
    env = make_vector_environment("nvm-middleware", 2, DISABLED, **STEPS)
    with pytest.raises(InputError, match="reset"):
        env.step([0, 0])
    env.reset(seed=1)
    for _ in range(3):
        env.step([0, 0])
    with pytest.raises(InputError, match="environment 0, whose episode is over"):
        env.step([0, 0])


def test_an_error_of_a_users_scenario_names_scenario_and_line(tmp_path):
    text = Path(ADMISSION.removesuffix(":admission")).read_text(encoding="utf-8")
    file = tmp_path / "mine.py"
    file.write_text(
        text.replace("-> float:\n        late =", "-> float:\n        1 / 0\n        late ="), encoding="utf-8"
    )
    env = make_vector_environment(f"{file}:admission", 2, jobs_per_window=10, warmup_windows=0, jumps=False)
    env.reset(seed=1)
    with pytest.raises(ScenarioError, match="ZeroDivisionError"):
        env.step([0, 0])
