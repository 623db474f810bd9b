"""Tuners: they find the peak of a made-up system, keep the best setting, and give up what a checker keeps them from."""

import importlib.util
import sys
import types

import gymnasium
import numpy as np
import pytest

from pmtwin import cli
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.policies.action_rules import ActionRules
from pmtwin.policies.checked import Checked
from pmtwin.sim.control import HIGHER, Column, Measure, Settings
from pmtwin.sim.errors import MissingDependencyError

SETTINGS = Settings.of("setting", {"cache": range(1, 21), "pages": [10, 100, 1000, 10000]}, moves=((0, 0), (1, 0)))
COLUMNS = (Column("cache", 1, 20), Column("pages", 10, 10000))
PEAK = (13, 1000)


def context(**changes):
    fields = {
        "scenario": "peak",
        "action_space": gymnasium.spaces.Discrete(2),
        "columns": COLUMNS,
        "settings": SETTINGS,
        "measures": (Measure("served", "", "what is served", HIGHER),),
        "initial": (4, 10),
    }
    return PolicyContext(seed=2, **fields | changes)


def height(setting):
    return 100.0 - (setting[0] - 13) ** 2 / 4 - 5 * abs(SETTINGS.places(setting)[1] - 2)


def played(policy, windows, noise=0.0, **changes):
    """Settings of the windows."""
    random, setting, settings = np.random.default_rng(0), (4, 10), []
    policy.start(context(**changes))
    for _ in range(windows):
        observation = np.array(setting, float)
        action = policy.act(observation)
        setting = SETTINGS.after(setting, action) if action != () else setting
        settings.append(setting)
        policy.observe(observation, action, height(setting) + noise * random.normal(), np.array(setting, float), False)
    return settings


class Study:
    """What `optuna` uses of a study: asks for what was enqueued, then for random places."""

    def __init__(self, direction, sampler):
        assert direction == "maximize"
        self.random, self.queue, self.told = np.random.default_rng(sampler), [], []

    def enqueue_trial(self, places):
        self.queue.append(places)

    def ask(self):
        fixed = self.queue.pop() if self.queue else {}
        suggested = lambda name, low, high: int(fixed.get(name, self.random.integers(low, high + 1)))  # noqa: E731
        return types.SimpleNamespace(suggest_int=suggested)

    def tell(self, trial, value=None, state=None):
        self.told.append((trial, value, state))


@pytest.fixture
def optuna(monkeypatch):
    """A stand-in for the package, unless it is installed."""
    if importlib.util.find_spec("optuna") is None:
        package = types.ModuleType("optuna")
        package.samplers = types.SimpleNamespace(TPESampler=lambda seed: seed, RandomSampler=lambda seed: seed)
        package.create_study = Study
        package.logging = types.SimpleNamespace(set_verbosity=lambda level: None, WARNING=30)
        package.trial = types.SimpleNamespace(TrialState=types.SimpleNamespace(FAIL="fail"))
        monkeypatch.setitem(sys.modules, "optuna", package)


@pytest.mark.parametrize("spec", ["random-search", "hill-climbing", "optuna", "optuna:sampler=random"])
def test_it_finds_the_peak_and_keeps_the_best_setting(optuna, spec):
    policy = make_policy(f"{spec}{',' if ':' in spec else ':'}windows=2,trials=80")
    settings = played(policy, 400, noise=0.5)
    assert settings[0] == (4, 10), "the first trial is the setting that the system has"
    assert height(policy.preferred()) > 98.0
    assert set(settings[-50:]) == {policy.preferred()}
    again = make_policy(policy.spec)
    assert played(again, 400, noise=0.5) == settings


def test_a_trial_lasts_its_windows_after_those_that_settle():
    settings = played(make_policy("random-search:windows=3,settle=2,trials=4,again=0"), 24)
    changes = [k for k in range(1, 24) if settings[k] != settings[k - 1]]
    assert changes[:3] == [5, 10, 15]


def test_finalists_are_tried_again_so_that_a_lucky_one_does_not_stay():
    policy = make_policy("random-search:windows=1,settle=0,trials=60,finalists=8,again=30")
    played(policy, 400, noise=6.0)
    assert height(policy.preferred()) > 90.0
    assert len(policy._means) == 8 and min(count for _, count in policy._means.values()) >= 30


def test_hill_climbing_follows_a_peak_that_moves():
    policy, random = make_policy("hill-climbing:windows=1,settle=0,trials=0"), np.random.default_rng(1)
    policy.start(context())
    setting, tops = (4, 10), (13, 5)
    for window in range(600):
        observation = np.array(setting, float)
        action = policy.act(observation)
        setting = SETTINGS.after(setting, action) if action != () else setting
        top = tops[window >= 300]
        reward = 100.0 - (setting[0] - top) ** 2 + 0.1 * random.normal()
        policy.observe(observation, action, reward, np.array(setting, float), False)
        if window == 299:
            assert abs(policy._top[0] - 13) <= 1
    assert abs(policy._top[0] - 5) <= 1


def test_a_setting_that_a_checker_lets_nobody_reach_is_given_up():
    rules = ActionRules(SETTINGS, ((1, 10), (10, 1000)), steps=(10**9, 10**9))
    policy = Checked(make_policy("random-search:windows=1,settle=0,trials=40"), rules)
    settings = played(policy, 3000)
    assert policy.refused > 0 and max(setting[0] for setting in settings) <= 10
    assert set(settings[-20:]) == {policy.preferred()} and policy.preferred()[0] <= 10


@pytest.mark.skipif(importlib.util.find_spec("optuna") is not None, reason="Optuna is installed")
def test_without_the_package_optuna_names_it_and_the_exit_code_is_3(capsys):
    with pytest.raises(MissingDependencyError, match=r"pip install 'pmtwin\[optuna\]'"):
        make_policy("optuna").start(context())
    words = ["evaluate", "nvm-middleware", "--policies", "optuna:sampler=tpe", "--steps", "2", "--seeds", "1"]
    assert cli.main(words) == 3
    assert "pip install" in capsys.readouterr().err
