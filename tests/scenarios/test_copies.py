"""Copies of an environment in the middle of an episode, as a tree search makes them: the same results, or a refusal."""

import copy
import pickle
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import pmtwin
from pmtwin.scenarios import make_environment, make_vector_environment
from pmtwin.sim.errors import InputError

ADMISSION = f"{Path(__file__).parent / 'admission.py'}:admission"
SMALL = {"requests_per_window": 100, "episode_steps": 40}
THREADS = {"cores": 2, "threads": 6, "records": 100, "window_s": 0.01}
WAYS = (copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)))
NVM = [
    {"phase": 1, "initial_pools": (6, 6)},
    {"contexts": "changing", "phase": 3},
    {"phase": (1, 2, 3, 4), "phase_steps": 2, "drawn_share": 0.5, "initial_pools": "random"},
    {"engine": "analytic", "load": "steady", "requests_per_window": 2000},
    {"normalize": True, "measures": True, "history": 3, "device_samples": 2},
    {"load": "steady", "mode": "direct"},
]


def results(env, actions):
    """All that the steps show, with a reset at the end."""
    shown = [env.step(action) for action in actions]
    return [*shown, env.reset(), env.step(actions[0])]


def plain(value):
    """Arrays as lists, however deep."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value.tolist() if hasattr(value, "tolist") else value


def check_copies(env, space, ways=WAYS):
    """Copies go on as the original does, whichever of them runs first, and leave each other alone."""
    space.seed(0)
    actions = [space.sample() for _ in range(8)]
    env.reset(seed=3)
    for action in actions[:3]:
        env.step(action)
    copies = [way(env) for way in ways]
    first = plain(results(copies[0], actions[3:]))
    for other in (env, *copies[1:]):
        assert plain(results(other, actions[3:])) == first


@pytest.mark.parametrize("values", NVM, ids=lambda values: "-".join(map(str, values)))
def test_a_copy_goes_on_as_the_environment_does(values):
    env = gymnasium.make("pmtwin/NvmMiddleware-v2", **SMALL | values)
    check_copies(env, env.action_space)


@pytest.mark.parametrize(
    ("scenario", "values"),
    [
        ("two-tier", {}),
        ("two-tier", {"engine": "analytic"}),
        ("numa-threads", THREADS | {"engine": "compiled", "workload": "changing"}),
        ("numa-threads", THREADS | {"engine": "analytic", "workload": "mixed-50"}),
        (ADMISSION, {"load": "drawn", "jobs_per_window": 50}),
    ],
)
def test_so_in_other_scenarios(scenario, values):
    env = make_environment(scenario, episode_steps=40, **values)
    check_copies(env, env.action_space)


@pytest.mark.parametrize("threads", [1, 2])
def test_so_with_many_environments_at_once(threads):
    env = make_vector_environment("nvm-middleware", 3, threads=threads, **SMALL | {"phase": (1, 2), "phase_steps": 2})
    check_copies(env, env.action_space)
    env.close()


def test_so_behind_wrappers():
    env = pmtwin.ActionsFromZero(gymnasium.make("pmtwin/NvmMiddleware-v2", phase=2, **SMALL))
    check_copies(gymnasium.wrappers.RecordEpisodeStatistics(env), env.action_space)
    wrapped = gymnasium.wrappers.FlattenObservation(env)  # holds a function that pickle does not take
    check_copies(wrapped, env.action_space, [copy.deepcopy])


def test_so_before_the_first_reset():
    env = make_environment("nvm-middleware", engine="simpy", **SMALL)
    ours, theirs = (each.reset(seed=3) for each in (env, copy.deepcopy(env)))
    assert plain(ours) == plain(theirs)


@pytest.mark.parametrize("way", WAYS, ids=["deepcopy", "pickle"])
@pytest.mark.parametrize(
    ("scenario", "values"),
    [("nvm-middleware", SMALL), ("numa-threads", THREADS), (ADMISSION, {"jobs_per_window": 50})],
)
def test_an_engine_of_generators_is_refused_by_name(scenario, values, way):
    env = make_environment(scenario, engine="simpy", **values)
    env.reset(seed=3)
    with pytest.raises(InputError, match=r"engine: 'simpy' cannot be copied or pickled while it runs.*compiled"):
        way(env)
    env.action_space.seed(0)
    assert np.isfinite(env.step(env.action_space.sample())[1])  # the environment itself is as it was
