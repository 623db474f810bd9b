"""Decisions as steps of a Gymnasium environment: either agent's, or both."""

import threading

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import seeding
from gymnasium.utils.env_checker import check_env

import pmtwin
from pmtwin.policies import Migration, WritePlacement, make_policy
from pmtwin.scenarios.environments.conversation import Conversation
from pmtwin.scenarios.hybrid_storage import HybridStorage
from pmtwin.sim.errors import InputError, PolicyError
from tests.scenarios.hybrid_storage.my_agent import Epsilon, episode

SMALL = {"length": 300, "requests_per_window": 50, "footprint_pages": 300}


def made(**arguments):
    return pmtwin.make_environment("hybrid-storage", **{"workload": "YCSB-D", "decisions": "both"} | SMALL | arguments)


@pytest.mark.parametrize("decisions", ["place", "migrate", "both"])
@pytest.mark.parametrize("normalize", [False, True])
def test_each_is_a_gymnasium_environment(decisions, normalize):
    env = made(decisions=decisions, normalize=normalize, devices="tri")
    check_env(env, skip_render_check=True)
    env.close()


def played(env, choose, seed=5):
    """(reward, info, observation) of each step."""
    observation, info = env.reset(seed=seed)
    rows, is_over = [(0.0, info, observation)], False
    while not is_over:
        observation, reward, _, is_over, info = env.step(choose(info))
        rows.append((reward, info, observation))
    return rows


class ToldFirst(WritePlacement):
    """Writes to the first possible device, and remembers rewards."""

    def start(self, point, key):
        """Nothing to make."""

    def decide(self, features, mask):
        """As `write-lru`."""
        return int(mask.argmax())

    def observe(self, features, action, reward):
        """Remember."""
        self.told.append(reward)


def test_steps_of_placement_do_what_a_policy_does_in_the_scenario():
    rows = played(made(decisions="place"), lambda info: 0)
    scenario, first = HybridStorage.of(engine="simpy", measured=1.0, **SMALL), ToldFirst()
    first.told = []
    system = scenario.system("YCSB-D", int(seeding.np_random(5)[0].integers(2**63)))
    system.decide("place", first, 0)
    system.decide("migrate", make_policy("migrate=thresholds", scenario).inline["migrate"], 0)
    system.start(scenario.initial_setting)
    for _ in range(6):
        system.run_window()
    assert [reward for reward, *_ in rows[1:]] == pytest.approx(first.told) and len(first.told) > 100


def test_the_same_seed_gives_the_same_episode_and_another_another():
    def by_index(numbers):
        return lambda info: int(np.flatnonzero(info["mask"])[next(numbers) % info["mask"].sum()])

    first, again, other = (played(made(), by_index(iter(range(10**6))), seed) for seed in (1, 1, 2))
    assert len(first) == len(again)
    assert all(a[0] == b[0] and np.array_equal(a[2], b[2]) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a[2], b[2]) for a, b in zip(first, other, strict=False))


def test_both_agents_decide_and_pages_move():
    points = {info["point"] for _, info, _ in played(made(), lambda info: int(np.flatnonzero(info["mask"])[0]))}
    assert {"place", "migrate", ""} == points


def test_an_agent_of_a_users_own_plays_whole_episodes():
    env = gymnasium.make("pmtwin/HybridStorage-v2", decisions="both", workload="YCSB-D", **SMALL)
    agent = Epsilon(env.action_space.n, seed=0)
    decisions, total = episode(env, agent, seed=0)
    assert min(decisions.values()) > 50 and total > 0.0
    assert agent.count.sum() == sum(decisions.values()) + agent.count.size


def test_an_impossible_device_is_replaced_and_said():
    env = made(decisions="place", fast=0.4, workload="ssd-00")
    rows = played(env, lambda info: 0)
    masks = [info["mask"][0] for _, info, _ in rows[:-1]]
    said = [info["impossible"] for _, info, _ in rows[1:]]
    assert said == [not possible for possible in masks] and any(said)


def test_an_episode_left_alone_ends_its_thread():
    before = threading.active_count()
    env = made()
    env.reset(seed=0)
    assert threading.active_count() == before + 1
    env.close()
    assert threading.active_count() == before
    env.reset(seed=0)
    del env
    assert threading.active_count() == before


def test_errors_of_the_work_reach_who_asks():
    def work(ask):
        assert ask("first") == 1
        raise ValueError("said")

    talk = Conversation(work)
    assert talk.begin() == "first"
    with pytest.raises(ValueError, match="said"):
        talk.reply(1)


class FailsAt(Migration):
    """Fails at the first page that it is asked about."""

    def start(self, point, key):
        """Nothing to make."""

    def move(self, page, features, device_of, oldest, free, setting):
        """Fail."""
        raise ValueError("a fault of the policy")


def test_after_an_error_of_the_other_policy_no_decision_is_due_until_a_reset():
    env = made(decisions="place")
    env._others["migrate"] = FailsAt()
    for _ in range(2):
        env.reset(seed=0)
        with pytest.raises(PolicyError, match="a fault of the policy"):
            for _ in range(300):
                env.step(0)
        with pytest.raises(InputError, match="no decision is due"):
            env.step(0)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"decisions": "neither"}, "decisions"),
        ({"workload": "nope"}, "workload"),
        ({"episode_steps": 0}, "episode_steps"),
        ({"initial_thresholds": (1, 3)}, "initial_thresholds"),
        ({"devices": "perv"}, "devices"),
        ({"policies": "nobody"}, "policy"),
    ],
)
def test_bad_arguments_are_refused(arguments, field):
    with pytest.raises(InputError) as caught:
        made(**arguments)
    assert caught.value.field == field


def test_steps_need_a_decision_that_is_due():
    env = made(episode_steps=1)
    with pytest.raises(InputError, match="no decision is due"):
        env.step(0)
    env.reset(seed=0)
    with pytest.raises(InputError, match="the number of a device, 0 to 1"):
        env.step(2)
    assert env.step(0)[3]
    with pytest.raises(InputError, match="no decision is due"):
        env.step(0)


def test_other_scenarios_and_vectors_refuse_decisions():
    with pytest.raises(InputError, match="decides between windows alone"):
        pmtwin.make_environment("nvm-middleware", decisions="both")
    with pytest.raises(InputError, match="vectorization_mode='sync'"):
        gymnasium.make_vec("pmtwin/HybridStorage-v2", num_envs=2, decisions="both")
