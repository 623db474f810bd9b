"""Agents of hybrid storages: inputs, rewards now and later, experiences, and that they learn."""

import numpy as np
import pytest

from pmtwin.policies import make_policy
from pmtwin.policies.sharing import with_shared
from pmtwin.policies.tiering.agents import delayed, learning
from pmtwin.policies.tiering.agents.parts import (
    ACTING,
    ACTIONS,
    AFTERS,
    AGENT,
    DECISIONS,
    INPUTS,
    ONLINE,
    PARTS,
    PROGRESS,
    REWARDS,
    STATES,
    STEPS,
)  # fmt: skip
from pmtwin.sim.decisions import call_event, decide, observe
from pmtwin.sim.hybrid.options import HybridOptions
from pmtwin.sim.hybrid.point import migrate_point, place_point
from pmtwin.sim.hybrid.stream import paged
from tests.sim.hybrid.storages import random_stream

PAGES = 100
ALL = np.ones(2, np.bool_)
STAYS, KNOBS = np.array([0, 1]), np.zeros(2, np.int64)


def made(spec, kind="write-placement", devices="perf", key=3):
    """The state of a policy at its point of a storage."""
    options = HybridOptions(devices=devices)
    point = (place_point if kind == "write-placement" else migrate_point)(options.block_devices, "")
    return make_policy(spec, kind=kind).state(point.of(options, paged(random_stream(1))), key)


def features(write=1, pages=1, interval=1e9, count=0, free=0.0, device=1, since_move=1e9, evictions=0, page=0):
    """Those of a decision in a storage of two devices."""
    return np.array([write, pages, interval, count, free, device, since_move, evictions, page], float)


def asked(state, page, device, **shown):
    """The answer of a migration policy about a page; True if it is to move."""
    device_of = np.full(PAGES, device, np.int8)
    answer = call_event(state, "move", page, features(device=device, **shown), device_of, STAYS, np.ones(2), KNOBS)
    assert answer // 2 == page
    return answer % 2 != device


@pytest.mark.parametrize(
    ("shown", "bins"),
    [
        ({}, [1, 0, 63, 0, 0, 1, 63]),
        ({"write": 0, "pages": 9, "interval": 1, "count": 1, "free": 1.0, "device": 0}, [0, 3, 4, 4, 7, 0, 63]),
        ({"pages": 4000, "interval": 0, "count": 3, "free": 0.25, "since_move": 15}, [1, 7, 0, 8, 6, 1, 16]),
        ({"free": 1e-4, "count": 2**20}, [1, 0, 63, 63, 1, 1, 63]),
    ],
)
def test_features_are_in_the_bins_of_table_1(shown, bins):
    agent = made("harmonia").arrays[:PARTS]
    learning.see(agent, features(**shown))
    most = np.array([1, 7, 63, 63, 7, 1, 63])
    np.testing.assert_allclose(agent[INPUTS], np.array(bins) / most, rtol=1e-6)
    code = delayed.packed(agent, 1)
    before = agent[INPUTS].copy()
    agent[INPUTS][:] = 0.0
    assert delayed.unpack(agent, code) == 1
    assert np.array_equal(agent[INPUTS], before)


@pytest.mark.parametrize(
    ("spec", "devices", "inputs"),
    [("harmonia", "perf", 7), ("harmonia", "quad", 9), ("sibyl", "perf", 6), ("sibyl", "tri", 7),
     ("sibyl:inputs=numbers", "perf", 8)],
)  # fmt: skip
def test_a_further_device_is_a_further_input_and_output(spec, devices, inputs):
    state, count = made(spec, devices=devices), len(HybridOptions(devices=devices).block_devices)
    assert state.arrays[INPUTS].size == inputs
    assert state.arrays[ONLINE].size == 10 * (inputs + 1) + 11 * 51 * count


def test_an_experience_has_the_state_of_the_next_decision():
    state = made("harmonia:warm_up=0,epsilon=0")
    states, afters, record = state.arrays[STATES], state.arrays[AFTERS], state.arrays[AGENT]
    for number, count in enumerate((1, 2, 3)):
        decide(state, features(count=count), ALL)
        assert record["closed"][0] == number
        observe(state, features(count=count), number % 2, 100.1)
    bins = np.array([4, 6, 8]) / 63
    np.testing.assert_allclose(states[:4, 3], [*bins, 0], rtol=1e-6)
    np.testing.assert_allclose(afters[:3, 3], [*bins[1:], 0], rtol=1e-6)
    assert state.arrays[ACTIONS][:3].tolist() == [0, 1, 0]
    assert state.arrays[REWARDS][:3].tolist() == [np.float16(100.1)] * 3


@pytest.mark.parametrize("spec", ["harmonia", "sibyl", "harmonia:optimiser=rmsprop,precision=single"])
@pytest.mark.parametrize("better", [0, 1])
def test_a_placement_agent_learns_which_device_answers_sooner(spec, better):
    """By the count of requests for the page: for used pages one device, for others the other one."""
    state = made(f"{spec}{',' if ':' in spec else ':'}rate=0.01,every=100,copy=100,warm_up=200")
    random, right = np.random.default_rng(0), 0
    for number in range(4000):
        shown = features(count=int(random.integers(2)) * 40)
        action = decide(state, shown, ALL)
        is_right = (action == better) == (shown[3] > 0)
        observe(state, shown, action, 80.0 if is_right else 15.0)
        right += is_right * (number >= 3000)
    assert right > 900
    assert state.arrays[PROGRESS][DECISIONS] == 4000
    assert state.arrays[PROGRESS][STEPS] > 0


def test_weights_are_copied_when_they_are_due_in_half_precision():
    state = made("harmonia:every=100,copy=300,warm_up=0")
    online, acting, copies = state.arrays[ONLINE], state.arrays[ACTING], []
    for _ in range(600):
        decide(state, features(), ALL)
        observe(state, features(), 0, 50.0)
        copies.append(np.array_equal(acting, online.astype(np.float16)))
    assert [number for number, same in enumerate(copies, 1) if same] == [*range(1, 200), *range(300, 400), 600]


def test_rewards_of_sibyl():
    """An eviction takes 11.7 us to read from H and 60 us to write to M; `code`: of 0.2 ms without it, in steps."""
    eviction_us = 10 + 4096 / 2400 + 52 + 4096 / 510
    for spec, evictions, action, latency_ms, expected in (
        ("sibyl", 0, 0, 0.2, 5.0),
        ("sibyl:penalty=0.00001", 2, 0, 0.2, 5.0 - 1e-2 * 2 * eviction_us),
        ("sibyl:penalty=0.00001", 2, 1, 0.2, 5.0),
        ("sibyl", 2, 0, 0.2, 0.0),
        ("sibyl:reward=code", 0, 1, 0.2, 0.6),
        ("sibyl:reward=code", 3, 0, 0.1 + 3e-3 * eviction_us, 0.0),
        ("sibyl:reward=code", 3, 0, 1.0, -0.9),
    ):
        state = made(spec)
        observe(state, features(evictions=evictions), action, 1.0 / latency_ms)
        assert state.arrays[REWARDS][0] == pytest.approx(expected, rel=1e-3, abs=1e-3)


def moving(spec):
    """A migration agent that has named pages until two were to move, and their features in bins."""
    state = made(spec, "migration")
    named = []
    for page in range(PAGES):
        if asked(state, page, 1, interval=15, since_move=255, count=page):
            named.append(page)
        if len(named) == 2:
            return state, named
    raise AssertionError


@pytest.mark.parametrize("credit", ["moved", "last", "all"])
def test_moves_get_their_reward_after_some_answers(credit):
    state, named = moving(f"harmonia:moves=2,answers=3,penalty=27,credit={credit},precision=single")
    record, rewards = state.arrays[AGENT], state.arrays[REWARDS]
    call_event(state, "answered", 5e6, True)
    for page in named:
        call_event(state, "moved", page, 1, 0)
    before = int(record["added"][0])
    for latency_ns in (1e5, 2e5, 3e5):
        assert not rewards.any()
        call_event(state, "answered", latency_ns, False)
    # three answers in 0.6 ms; both pages: 15 requests since their use, 255 since their move
    reward = 3 / 0.6 - 27 / 270
    earned = rewards[: record["added"][0]]
    if credit == "all":
        assert earned.tolist() == [np.float32(reward)] * before
    else:
        expected = [0.0, reward] if credit == "last" else [reward, reward]
        np.testing.assert_allclose(earned, [0.0] * before + expected, rtol=1e-6)
        assert state.arrays[ACTIONS][before : before + 2].tolist() == [0, 0]
    call_event(state, "answered", 1e5, False)
    assert record["added"][0] == len(earned)


def test_the_difference_is_to_the_requests_before_the_first_move():
    state, named = moving("harmonia:moves=2,answers=3,penalty=0,reward=difference,counted=writes,precision=single")
    for latency_ns, write in ((9e9, True), (1e5, True), (1e5, True), (9e9, False), (4e5, True)):
        call_event(state, "answered", latency_ns, write)
    call_event(state, "moved", named[0], 1, 0)
    call_event(state, "answered", 7e9, True)
    call_event(state, "moved", named[1], 1, 0)
    for latency_ns in (1e5, 1e5, 1e5):
        call_event(state, "answered", latency_ns, True)
    last = int(state.arrays[AGENT]["added"][0]) - 1
    assert state.arrays[REWARDS][last] == pytest.approx(10.0 - 5.0)


def test_moves_that_were_not_named_so_earn_nothing():
    state, named = moving("harmonia:moves=1,answers=1")
    before = int(state.arrays[AGENT]["added"][0])
    call_event(state, "moved", named[0], 0, 1)
    call_event(state, "moved", PAGES - 1, 1, 0)
    call_event(state, "answered", 1e5, False)
    assert state.arrays[AGENT]["added"][0] == before


def test_many_groups_of_moves_wait_and_further_ones_earn_nothing():
    state = made("harmonia:moves=1,answers=5,warm_up=1000000", "migration")
    moves = 0
    for page in range(PAGES):
        if asked(state, page, 1):
            call_event(state, "moved", page, 1, 0)
            moves += 1
    assert moves > delayed.GROUPS
    stays = int(state.arrays[AGENT]["added"][0])
    for _ in range(20):
        call_event(state, "answered", 1e5, False)
    assert state.arrays[AGENT]["added"][0] - stays == delayed.GROUPS - 1


def test_a_migration_agent_learns_which_pages_earn():
    """Moves are followed by fast answers if the page had many requests, else by slow ones."""
    state = made("harmonia:moves=1,answers=1,every=200,copy=200,warm_up=300,penalty=0,reward=difference", "migration")
    random, right = np.random.default_rng(0), []
    for number in range(6000):
        call_event(state, "answered", 5e4, True)
        count, page = int(random.integers(2)) * 40, number % PAGES
        if asked(state, page, 1, count=count):
            call_event(state, "moved", page, 1, 0)
            call_event(state, "answered", 2e4 if count else 8e5, True)
            right.append(count > 0)
    assert np.mean(right[-500:]) > 0.9 and np.mean(right[:100]) < 0.7


def test_one_agent_for_both_decisions_learns_from_both_in_idle_time_alone():
    options = HybridOptions()
    pages = paged(random_stream(1))
    points = {"place": place_point(options.block_devices, ""), "migrate": migrate_point(options.block_devices, "")}
    kinds = {"place": "write-placement", "migrate": "migration"}
    policies = {name: make_policy("sapm", kind=kind) for name, kind in kinds.items()}
    made_alone = {name: policy.state(points[name].of(options, pages), 5) for name, policy in policies.items()}
    states = with_shared(policies, made_alone)
    first, second = (state.arrays[:PARTS] for state in states.values())
    assert all(mine is theirs for mine, theirs in zip(first, second, strict=True))
    observe(states["place"], features(), 0, 80.0)
    call_event(states["migrate"], "used", 0, 1, True, np.zeros(5, np.int8))
    call_event(states["migrate"], "answered", 1e4, True)
    shown = 3, features(), np.ones(PAGES, np.int8), STAYS, np.ones(2), KNOBS
    assert call_event(states["migrate"], "move", *shown) == -1
    assert call_event(states["migrate"], "move", *shown) in (6, 7)
    record = states["place"].arrays[AGENT][0]
    assert record["requests"] == 1
    assert record["closed"] == 1
