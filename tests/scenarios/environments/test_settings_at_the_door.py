"""A setting from outside is checked once, by the environment; no system below it meets another one."""

import pickle

import numpy as np
import pytest

from pmtwin.scenarios import make_environment
from pmtwin.sim.control import Settings
from pmtwin.sim.errors import InputError

SHORT = {
    "nvm-middleware": {"requests_per_window": 100},
    "two-tier": {"requests_per_window": 50},
    "two-tier whole": {"requests_per_window": 50, "model": "whole", "pages": 300, "cache_lines": 12},
}
FOREIGN = {
    "nvm-middleware": ((0, 5), (5, 33), (5,), (5.5, 5), (True, 5)),
    "two-tier": ((0,), (10**6,), (2, 2), (1.5,), (True,)),
}


@pytest.fixture(params=SHORT)
def environment(request):
    env = make_environment(request.param.split()[0], warmup_windows=1, **SHORT[request.param])
    yield env
    env.close()


@pytest.fixture
def checks(monkeypatch):
    """The settings that were checked, in turn."""
    checked, check = [], Settings.check
    monkeypatch.setattr(
        Settings, "check", lambda self, field, setting: checked.append(tuple(setting)) or check(self, field, setting)
    )
    return checked


@pytest.fixture
def other(environment):
    """A setting that differs from the first one."""
    settings = environment.scenario.settings
    return settings.shifted(environment.scenario.initial_setting, [1] * len(settings.names))


def test_each_entrance_checks_once(environment, other, checks):
    noun = environment.scenario.settings.noun
    environment.reset(seed=1, options={noun: other})
    environment.carry_out(other)
    environment.carry_out(np.array(other))
    assert checks == [other] * 3
    assert all(type(number) is int for number in environment.setting)


def test_moves_and_the_first_setting_are_the_scenarios_own(environment, checks):
    environment.reset(seed=1)
    environment.carry_out(environment.scenario.settings.keep)
    assert environment.setting == environment.scenario.initial_setting and checks == []


def test_what_is_no_setting_is_refused_at_every_entrance(environment):
    scenario, entrances = environment.scenario, (environment.carry_out, environment.tried)
    environment.reset(seed=1)
    for foreign in FOREIGN[scenario.name]:
        for enter in (*entrances, lambda setting: environment.reset(options={"setting": setting})):
            with pytest.raises(InputError, match=f"^{scenario.settings.noun}: .*whole number.* 1 to"):
                enter(foreign)
        with pytest.raises(InputError, match=r"^action: .*whole number.* 1 to"):
            environment.step(foreign)
        with pytest.raises(InputError, match=f"^initial_{scenario.settings.noun}: "):
            make_environment(scenario.name, setting=foreign)
    assert environment.setting == scenario.initial_setting, "nothing was carried out"


@pytest.mark.parametrize("answer", [np.arange(200), np.array([0.5, 5.0])])
def test_an_array_is_refused_in_one_line_of_plain_numbers(environment, answer):
    environment.reset(seed=1)
    with pytest.raises(InputError, match="is not accepted") as refused:
        environment.carry_out(answer)
    assert "\n" not in str(refused.value) and "array(" not in str(refused.value)


def test_an_error_about_an_answer_can_be_sent_by_a_worker_process(environment):
    environment.reset(seed=1)
    with pytest.raises(InputError, match="generator object") as refused:
        environment.carry_out(number for number in (5, 5))
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)
