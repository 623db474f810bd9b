"""An agent of any library as a policy: it sees what it saw in training, and its actions mean what they meant there."""

from pathlib import Path

import numpy as np
import pytest

from pmtwin.policies import Agent, PolicyContext
from pmtwin.scenarios import load_scenario, make_environment
from pmtwin.scenarios.comparison.rollout import Block, run_policy
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.sim.errors import InputError

ADMISSION = f"{Path(__file__).parent / 'admission.py'}:admission"
STEPS = 6


class Recording(Agent):
    """Plays a list of actions, and keeps what it is shown."""

    name = "recording"

    def __init__(self, actions, sees, from_zero=False):
        self.actions, self.sees, self.from_zero, self.shown = actions, sees, from_zero, []

    def decide(self, observation):
        self.shown.append(observation)
        return self.actions[len(self.shown) - 1]


def as_policy(agent, scenario, values):
    """The agent in a comparison, as `pmtwin evaluate` runs it."""
    chosen = load_scenario(scenario).of(**values)
    env = ControlEnv(chosen, episode_steps=None)
    return run_policy(agent, PolicyContext.of(chosen), env, [Block(env.context, STEPS)], seed=3)


@pytest.mark.parametrize("sees", [{}, {"normalize": True}, {"normalize": True, "measures": True, "history": 3}])
@pytest.mark.parametrize(
    ("scenario", "values", "low", "high"),
    [
        ("nvm-middleware", {"requests_per_window": 50}, (1, 1), (32, 32)),
        (ADMISSION, {"jobs_per_window": 20}, (0,), (40,)),
    ],
)
@pytest.mark.parametrize("form", [tuple, list, np.array])
def test_it_sees_and_does_what_it_saw_and_did_in_training(scenario, values, low, high, sees, form):
    rng = np.random.default_rng(1)
    actions = [form(rng.integers(low, np.add(high, 1)).tolist()) for _ in range(STEPS)]
    try:
        env = make_environment(scenario, **sees, **values)
    except InputError:
        pytest.skip("a measure without a usual range cannot be normalised")
    shown, settings = [env.reset(seed=3)[0]], []
    for action in actions:
        observation = env.step(action)[0]
        shown.append(observation)
        settings.append(env.setting)
    agent = Recording(actions, sees)
    run = as_policy(agent, scenario, values)
    np.testing.assert_array_equal(agent.shown, shown[:-1])
    assert [tuple(setting) for setting in run.setting.tolist()] == settings
    behind_a_wrapper = [form(np.subtract(action, low).tolist()) for action in actions]
    again = as_policy(Recording(behind_a_wrapper, sees, from_zero=True), scenario, values)
    np.testing.assert_array_equal(again.setting, run.setting)


def test_numbers_of_moves_stay_numbers():
    run = as_policy(Recording([0, 1, np.int64(1), 2, 0, 0], {}), "nvm-middleware", {"requests_per_window": 50})
    assert run.setting.tolist() == [[15, 15], [16, 15], [17, 15], [16, 15], [16, 15], [16, 15]]


def test_what_it_cannot_see_is_refused():
    with pytest.raises(InputError, match=r"sees \['speed'\].*normalize, measures, history"):
        as_policy(Recording([0], {"speed": 1}), "nvm-middleware", {"requests_per_window": 50})
    with pytest.raises(InputError, match="in window 1: \\[0, 3\\]"):
        as_policy(Recording([(0, 3)], {}), "nvm-middleware", {"requests_per_window": 50})
