"""The action checker in the environment: whoever acts, a system keeps to the rules of its operator."""

from itertools import pairwise

import numpy as np
import pytest

from pmtwin.policies.action_rules import ActionRules
from pmtwin.scenarios.environments.checked_environment import CheckedEnv
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.lustre_tuning import LustreTuning

SMALL = {"data_gb": 1.0, "fill_s": 0.2, "dirty_mb": 1.0, "window_s": 0.1}
RANGE = "[range]\nwindow = [4, 16]\n[[forbidden]]\nwindow = 12\ntau_us = [0, 32000]\n"


@pytest.fixture
def checked(tmp_path):
    """Rules -> environment behind them."""

    def make(text, **named):
        scenario, file = LustreTuning.of(**SMALL), tmp_path / "rules.toml"
        file.write_text(text)
        return CheckedEnv(ActionRules.read(file, scenario.settings), scenario, "random-1-9", warmup_windows=0, **named)

    return make


def settings_of(env, actions, seed=0, **options):
    env.reset(seed=seed, options=options)
    return [env.setting, *(env.step(action)[4]["limits"] for action in actions)]


def test_a_random_agent_breaks_no_rule(checked):
    env = checked(RANGE)
    actions = np.random.default_rng(0).integers(5, size=120)
    free = settings_of(ControlEnv(env.scenario, "random-1-9", warmup_windows=0), actions)
    kept = settings_of(env, actions)
    assert max(window for window, _ in free) > 16 and any(tau <= 32_000 and window == 12 for window, tau in free)
    assert {window for window, _ in kept} == {4, 8, 12, 16}
    assert not any(window == 12 and tau <= 32_000 for window, tau in kept)


def test_an_agent_that_jumps_goes_as_far_as_a_minute_allows(checked):
    env = checked("[steps_per_minute]\nwindow = 2\n", jumps=True)
    low = env.scenario.settings.levels[1].index(32_840)
    settings = settings_of(env, [(60, low)] * 1300)
    moved = [k for k, (before, after) in enumerate(pairwise(settings)) if before != after]
    assert [settings[k + 1][0] - settings[k][0] for k in moved] == [8, 8, 8]
    assert moved == [0, 600, 1200], "windows of 0.1 s"


def test_steps_of_an_episode_do_not_count_in_the_next(checked):
    env = checked("[steps_per_minute]\nwindow = 1\n")
    assert [settings_of(env, [1, 1], seed)[-1][0] for seed in (0, 1)] == [12, 12]


def test_an_episode_begins_within_the_rules(checked):
    env = checked(RANGE)
    assert settings_of(env, [], limits=(64, 0)) == [(16, 0)], "the end of the range"
    assert settings_of(env, [], limits=(12, 0)) == [(8, 32_840)], "forbidden: the setting that the system has"
    assert settings_of(env, [], limits=(12, 398_840)) == [(12, 398_840)]
