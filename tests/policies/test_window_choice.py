"""A choice among numbered actions that decides between windows: what it may do, learns, keeps and refuses."""

import numpy as np
import pytest

from pmtwin.policies import make_policy
from pmtwin.sim.errors import InputError


@pytest.fixture
def started(toy):
    """A policy, started in the toy scenario."""

    def start(spec="linucb", frozen=False):
        policy = make_policy(spec)
        if frozen:
            policy.freeze()
        policy.start(toy.context())
        return policy

    return start


@pytest.fixture
def observed(toy):
    """(setting) -> an observation that shows it."""

    def observation(*setting):
        names = [column.name for column in toy.COLUMNS]
        shown = np.array([column.low for column in toy.COLUMNS], dtype=float)
        shown[[names.index(name) for name in toy.SETTINGS.names]] = setting
        return shown

    return observation


def played(policy, observation, windows=30):
    """Its actions, each of which earns the less, the greater its number is."""
    actions = []
    for _ in range(windows):
        actions.append(policy.act(observation))
        policy.observe(observation, actions[-1], -float(actions[-1]), observation, False)
    return actions


@pytest.mark.parametrize("end", ["low", "high"])
def test_moves_that_would_leave_the_bounds_are_never_played(toy, started, observed, end):
    settings = toy.SETTINGS
    setting = getattr(settings, end)
    inside = {action for action, move in enumerate(settings.moves) if settings.shifted(setting, move) is not None}
    assert 0 < len(inside) < len(settings.moves)
    assert set(played(started(), observed(*setting))) == inside


def test_it_tries_others_while_it_learns_and_none_when_frozen(started, observed):
    middle = observed(10, 10)
    assert len(set(played(started(), middle))) > 1
    assert set(played(started(frozen=True), middle)) == {0}


def test_a_run_is_saved_and_another_one_goes_on_from_it(started, observed, tmp_path):
    middle, policy = observed(10, 10), started()
    played(policy, middle, 9)
    again = started(f"linucb:{policy.save(str(tmp_path / 'run.npz'))}")
    assert again.state.arrays[2].sum() == 9
    assert played(again, middle) == played(policy, middle)


def test_a_file_of_another_scenario_is_refused(gate, started, observed, tmp_path):
    policy = started()
    with pytest.raises(InputError, match="which the policy was trained for"):
        make_policy(f"linucb:{policy.save(str(tmp_path / 'run.npz'))}").start(gate.context())


def test_nan_in_an_observation_is_one_line(started, observed):
    policy, observation = started(), observed(10, 10)
    names = [place for place in range(observation.size) if place not in policy._columns]
    observation[names[0]] = np.nan
    with pytest.raises(InputError, match="a feature of its context: 'nan' is not accepted"):
        policy.act(observation)
