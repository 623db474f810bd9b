"""Learning on a live system: bounds, falling back while the service level stays broken, and what is learnt."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.policies import make_policy
from pmtwin.policies.linear_q import FeatureMap, LinearQ, ModelChoice, save_model
from pmtwin.policies.online_q import CLIPPED, FALL_BACK
from pmtwin.sim.errors import InputError

MET = {"p99_us": 100.0, "throughput_ops": 300_000.0}
BROKEN = {"p99_us": 1000.0, "throughput_ops": 300_000.0}


def state(interactive, batch):
    return np.array([interactive, batch, 10.0, 20.0, 50.0, 8192.0, 0.2, 0.5])


@pytest.fixture
def path(tmp_path, toy):
    random = np.random.default_rng(0)
    states = np.array([state(*random.integers(1, 33, 2)) + random.uniform(0, 1, 8) for _ in range(200)])
    model = LinearQ(FeatureMap.fit(states, 2, toy.LOG_COLUMNS), [ModelChoice()] * 9)
    model.weights[:] = random.normal(size=model.weights.shape)
    return save_model(tmp_path / "q.npz", model, {})


def started(toy, path, fall_back=""):
    policy = make_policy(f"online-q:{path}{fall_back}")
    policy.start(toy.context(seed=1))
    return policy


@pytest.mark.parametrize("pools", [(2, 3), (16, 12), (2, 12), (9, 3)])
def test_no_action_leaves_the_bounds_and_those_that_would_are_noted(toy, path, pools):
    policy, clipped = started(toy, path, "@9,7,bounds=2,3:16,12"), 0
    rule = make_policy(f"q-learning:{path}")
    rule.start(toy.context(seed=1))
    for _ in range(300):
        delta = toy.DELTAS[policy.act(state(*pools), MET)]
        changed = [size + change for size, change in zip(pools, delta, strict=True)]
        assert 2 <= changed[0] <= 16 and 3 <= changed[1] <= 12
        clipped += policy.note() == CLIPPED
    target = np.add(pools, toy.DELTAS[int(policy.model.values(state(*pools)).argmax())])
    leaves = not (2 <= target[0] <= 16 and 3 <= target[1] <= 12)
    assert (clipped > 250) if leaves else (clipped == 0)


def test_the_bounds_of_the_scenario_hold(path, toy):
    narrow = replace(toy.SETTINGS, low=(3, 3), high=(8, 8))
    policy = make_policy(f"online-q:{path}@4,4")
    policy.start(toy.context(seed=1, settings=narrow))
    for pools in ((3, 3), (8, 8)):
        for _ in range(100):
            delta = toy.DELTAS[policy.act(state(*pools), MET)]
            assert all(3 <= size + change <= 8 for size, change in zip(pools, delta, strict=True))
    for limits in ("@2,4", "@4,4,bounds=2,3:8,8", "@4,4,bounds=3,3:8,9", "@4", ",bounds=3:8"):
        with pytest.raises(InputError, match="online-q"):
            make_policy(f"online-q:{path}{limits}").start(toy.context(seed=1, settings=narrow))


def test_it_falls_back_to_the_initial_setting_unless_it_is_told_another(toy, path):
    assert make_policy(f"online-q:{path}").start(toy.context()) == (15, 15)
    with pytest.raises(InputError, match="fall-back=N,N"):
        make_policy(f"online-q:{path}").start(toy.context(initial=None))


def test_it_begins_with_the_pools_to_fall_back_to_and_walks_into_bounds_it_was_taken_out_of(toy, path):
    policy = make_policy(f"online-q:{path}@9,7,bounds=6,6:12,12,step=2")
    assert policy.start(toy.context(seed=1)) == (9, 7)
    assert policy.act(state(1, 30), MET) == (3, 28)


def test_it_falls_back_in_steps_while_the_level_stays_broken_and_comes_back(toy, path):
    policy = started(toy, path, "@9,7,step=3,fall-back-after=6,resume-after=4")
    actions = [policy.act(state(4, 4), BROKEN) for _ in range(6)]
    assert all(isinstance(action, int) for action in actions[:-1])
    assert actions[-1] == (7, 7)
    assert policy.note() == FALL_BACK
    assert policy.act(state(7, 7), BROKEN) == (9, 7)
    assert policy.act(state(9, 7), BROKEN) == 0
    actions_met = [policy.act(state(9, 7), MET) for _ in range(4)]
    assert actions_met[:-1] == [0, 0, 0]
    assert policy.note() != FALL_BACK


def test_it_stays_in_the_fall_back_as_long_as_the_level_is_broken(toy, path):
    policy = started(toy, path)
    usual = policy.options.limits
    for _ in range(usual.fall_back_after):
        policy.act(state(15, 15), BROKEN)
    for _ in range(300):
        for info in [MET] * (usual.resume_after - 1) + [BROKEN]:
            assert policy.act(state(15, 15), info) == 0
            assert policy.note() == FALL_BACK
    assert [policy.act(state(15, 15), MET) and policy.note() for _ in range(usual.resume_after)][-1] != FALL_BACK


def test_it_learns_from_its_own_actions_only_and_begins_afresh(toy, path):
    policy = started(toy, path)
    before = policy.model.state()["weights"]
    policy.observe(state(4, 4), (9, 9), 1.0, state(9, 9), False)
    assert (policy.model.weights == before).all()
    for _ in range(50):
        policy.observe(state(4, 4), 3, -500.0, state(4, 5), False)
    assert (policy.model.weights[:, 3] != before[:, 3]).any()
    assert (np.delete(policy.model.weights, 3, 1) == np.delete(before, 3, 1)).all()
    policy.start(toy.context(seed=1))
    assert (policy.model.weights == before).all()


def test_what_costs_is_chosen_less_once_it_has_been_seen_to(toy, path):
    policy = started(toy, path)
    observation = state(8, 8)
    favourite = int(policy.model.values(observation).argmax())
    for _ in range(200):
        policy.observe(observation, favourite, -1e5, observation, False)
    assert int(policy.model.values(observation).argmax()) != favourite


@pytest.mark.parametrize(
    "limits",
    [
        "@9,7+9,7",
        "@9,7,fall-back=3,3",
        "@1,1,bounds=2,2:16,16",
        ",fall-back=3.5,3",
        ",fall-back=0,4,bounds=1,1:8,8",
        ",bounds=1,1",
        ",bounds=8,8:4,16",
        ",bounds=1:4,16",
        ",step=0",
        ",step=x",
        ",step=2,step=3",
        ",resume-after=0",
        ",stride=3",
    ],
)
def test_limits_that_are_none_are_refused(path, limits):
    with pytest.raises(InputError, match="online-q"):
        make_policy(f"online-q:{path}{limits}")


@pytest.mark.parametrize(
    ("before", "today"),
    [
        ("@9,8+bounds=2,2:16,16+step=2", "@9,8,bounds=2,2:16,16,step=2"),
        ("@bounds=2,2:16,16+fall-back-after=7", ",bounds=2,2:16,16,fall-back-after=7"),
    ],
)
def test_limits_as_they_were_written_before_are_refused_with_the_form_of_today(path, before, today):
    with pytest.raises(InputError) as caught:
        make_policy(f"online-q:{path}{before}")
    assert f"online-q:{path}{today} " in caught.value.allowed
    make_policy(f"online-q:{path}{today}")


@pytest.mark.parametrize(
    "limits", ["", ",fall-back=9,8", ",fall-back=9,8,bounds=2,3:16,12,step=32,fall-back-after=7,resume-after=1"]
)
def test_limits_are_written_as_they_are_read(path, limits):
    assert make_policy(f"online-q:{path}{limits}").spec == f"online-q:{path}{limits}"


def test_a_file_with_an_at_in_its_path_is_a_file(path):
    folder = path.parent / "me@home"
    folder.mkdir()
    path.rename(folder / "q.npz")
    assert make_policy(f"online-q:{folder / 'q.npz'}").options.fall_back is None
    assert make_policy(f"online-q:{folder / 'q.npz'}@9,8").options.fall_back == (9, 8)
