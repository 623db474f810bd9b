"""What a scenario declares of stations that ask: features, forbidden actions, rewards, and when these are known."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.control import Column
from pmtwin.sim.decisions import Question
from pmtwin.sim.engines import start_network
from pmtwin.sim.errors import InputError
from pmtwin.sim.stations import Arrivals, Network, Queue, Router, Servers
from tests.sim.engines.choosing import bandit, deciders, random_network

FAST, SLOW = ("fast queue", "fast"), ("slow queue", "slow")
MOST = 3.0


def show(arrays, seen, features):
    """Work at both queues, by the speed of their servers; the request's number."""
    speeds = arrays[0]
    features[0] = seen.waiting[2] * speeds[0] - seen.waiting[4] * speeds[1]
    features[1] = seen.index


def spare_the_slow(arrays, seen, action):
    """The slow server is for every second request."""
    return action == 0 or seen.index % 2 == 0


def bytes_per_s(arrays, features, action, left):
    """Bytes of the request's class, by the time since it was sent."""
    return arrays[1][left.c] / (left.now_ns - left.submitted_ns + 1.0) - left.rejected_ns


def question(**changed) -> Question:
    values = {
        "features": (Column("work", -MOST, MOST, "us"), Column("number", 0, 1e9)),
        "show": show, "allow": spare_the_slow, "reward": bytes_per_s, "reward_is": "bytes per ns",
        "arrays": (np.array([5.0, 10.0]), np.array([4096.0, 512.0])),
    }  # fmt: skip
    return Question(**{**values, **changed})


def two_servers(asked: Question | None, **values) -> Network:
    stations = (
        Arrivals("jobs", rate_ops=2.5e5),
        Router("route", branches=(FAST, SLOW), shown=((FAST[0], "waiting"),), question=asked),
        Queue(FAST[0], **values), Servers(FAST[1], servers=1, mean_ns=5_000.0),
        Queue(SLOW[0], **values), Servers(SLOW[1], servers=1, mean_ns=10_000.0),
        Queue("out queue"), Servers("out", servers=1, mean_ns=1_000.0),
    )  # fmt: skip
    return Network(stations=stations)


class Last:
    """Plain Python: the last possible action, and all that it was shown and told."""

    def __init__(self):
        self.shown, self.told = [], []

    def decide(self, features, mask):
        self.shown.append((features.tolist(), mask.tolist()))
        return int(np.flatnonzero(mask)[-1]) if mask.size else 0

    def observe(self, features, action, reward):
        self.told.append((features.tolist(), action, reward))


def run(asked, **values):
    last = Last()
    window = start_network(two_servers(asked, **values), "simpy", 1, {"route": last}).run_window(300)
    return last, window


def test_declared_features_follow_the_stations_own_within_their_bounds():
    last, _ = run(question())
    works = [features[1] for features, _ in last.shown]
    assert [features[2] for features, _ in last.shown] == list(range(len(last.shown)))
    assert min(works) == -MOST and max(works) == MOST
    names = [column.name for column in two_servers(question()).asking()[0][1].features]
    assert names == ["waiting_fast_queue", "work", "number"]


def test_a_question_forbids_actions():
    last, _ = run(question())
    assert [mask for _, mask in last.shown[:4]] == [[True, True], [True, False]] * 2


def forbid_all(arrays, seen, action):
    """Nothing is possible."""
    return False


def test_where_a_question_forbids_everything_all_is_possible():
    last, _ = run(question(allow=forbid_all))
    assert {tuple(mask) for _, mask in last.shown} == {(True, True)}


def test_the_reward_is_that_which_is_declared():
    last, window = run(question())
    rewards = np.array([reward for *_, reward in last.told])
    assert rewards == pytest.approx(4096.0 / (window.latency_ns + 1.0))
    point = two_servers(question()).asking()[0][1]
    assert point.reward == "bytes per ns, when it leaves the network"


def test_a_rejection_is_known_to_the_reward():
    last, window = run(question(), capacity=0)
    assert sum(reward < -1e8 for *_, reward in last.told) == window.rejected[0] > 0


def test_a_reward_may_be_known_before_the_departure():
    early, _ = run(Question(told="slow", allow=spare_the_slow))
    late, window = run(Question(allow=spare_the_slow))
    assert len(early.told) >= len(late.told)
    slow = {True: [], False: []}
    for told, is_early in ((early.told, True), (late.told, False)):
        slow[is_early] = [reward for _, action, reward in told if action == 1][:50]
    assert all(first >= last for first, last in zip(slow[True], slow[False], strict=False))
    assert np.mean(slow[True]) > np.mean(slow[False]) + 0.5e-6, "without the time at the last station"
    assert window.decisions["route"]["told"] == len(late.told)


def test_without_a_question_nothing_changes():
    windows = [start_network(two_servers(asked), "simpy", 2).run_window(200) for asked in (None, Question())]
    assert np.array_equal(windows[0].latency_ns, windows[1].latency_ns)


def see_all(arrays, seen, features):
    """All that a question sees, in one number, and what it has seen before."""
    numbers = seen.waiting.sum() + 3 * seen.busy.sum() + 5 * seen.class_waiting.sum() + 7 * seen.present.sum()
    arrays[0][0] += 0.1 * numbers
    features[0] = numbers + 1e-3 * seen.c + 1e-6 * seen.index + 1e-9 * (seen.now_ns - seen.submitted_ns)
    features[1] = arrays[0][0]


def allow_by_class(arrays, seen, action):
    """By the number of requests present."""
    return (seen.present[0] + action) % 3 > 0


def mixed(arrays, features, action, left):
    """Of all that is known."""
    lost = 1e-6 * left.rejected_ns + left.c + 1e-3 * left.index
    return features[0] * 1e-3 - 1e-3 * (left.now_ns - left.decided_ns) / (1.0 + left.now_ns - left.submitted_ns) - lost


def asking_network(number: int) -> Network:
    """A random network; every second point has a question of its own, and rewards at different moments."""
    network = random_network(np.random.default_rng([9, number]))
    stations, places = list(network.stations), [s for s, _ in network.asking()]
    for place, s in enumerate(places):
        if place % 2 == 0:  # the same kernel for all numbers
            told = ("", "last", "last queue")[number % 3]
            asked = question(
                features=(Column("all", 0, 1e9), Column("sum", 0, 1e9)), show=see_all, allow=allow_by_class,
                reward=mixed, told=told, arrays=(np.zeros(1),),
            )  # fmt: skip
            stations[s] = replace(stations[s], question=asked)
    return replace(network, stations=tuple(stations))


@pytest.mark.parametrize("number", range(6))
def test_both_engines_see_allow_and_reward_alike_to_the_last_bit(number):
    network = asking_network(number)
    given = [deciders(network, number) for _ in range(2)]
    runs = [
        start_network(network, engine, number, each) for engine, each in zip(("simpy", "compiled"), given, strict=True)
    ]
    for count in (1, 150, 60):
        specified, compiled = (each.run_window(count) for each in runs)
        assert np.array_equal(specified.latency_ns, compiled.latency_ns)
        assert specified.decisions == compiled.decisions
    assert any(counts["told"] for counts in compiled.decisions.values())
    for name, state in given[0].items():
        for learned, others in zip(state.arrays, given[1][name].arrays, strict=True):
            assert np.array_equal(learned, others), name


def test_two_agents_with_unlike_arms_and_rewards_decide_in_one_network():
    network = two_servers(question())
    branches = tuple((name, f"{name} server") for name in "xyz")
    second = Router("again", branches=branches, question=Question(told="out"))
    workers = [
        station
        for queue, servers in branches
        for station in (Queue(queue), Servers(servers, servers=1, mean_ns=4_000.0))
    ]
    network = replace(network, stations=(*network.stations[:6], second, *workers, *network.stations[6:]))
    given = [{"route": bandit(2, 1), "again": bandit(3, 2)} for _ in range(2)]
    windows = [
        start_network(network, engine, 4, each).run_window(500)
        for engine, each in zip(("simpy", "compiled"), given, strict=True)
    ]
    assert np.array_equal(windows[0].latency_ns, windows[1].latency_ns) and windows[0].decisions == windows[1].decisions
    means = {name: given[1][name].arrays[0] for name in given[1]}
    assert [mean.size for mean in means.values()] == [2, 3]
    assert (means["again"] < 0.0).all() and means["route"][0] > 0.0, "minus a time, and bytes by time"
    for name in means:
        assert np.array_equal(means[name], given[0][name].arrays[0])


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (lambda: Question(features=(Column("work", 0, 1),)), "a function `show`"),
        (lambda: Question(reward=bytes_per_s), "in words"),
        (lambda: two_servers(Question(told="jobs")), "a station from it on"),
        (lambda: two_servers(Question(told="nowhere")), "nowhere"),
        (lambda: two_servers(Question(actions=("one",))), "2: one for each branch"),
        (lambda: Queue("queue", question=Question()), "asks=True"),
    ],
)
def test_a_question_that_cannot_be_is_refused(make, wrong):
    with pytest.raises(InputError, match=wrong):
        make()
