"""A user's policy decides inside a simulation: as compiled functions or in plain Python; what is wrong is one line."""

from pathlib import Path

import numpy as np
import pytest

from pmtwin.policies import make_policy
from pmtwin.policies.learned import save_learned
from pmtwin.policies.replacement import make_cache, replacement_policy, replay
from pmtwin.sim.decisions import DecisionPoint, decide, observe
from pmtwin.sim.decisions.state import call_event, compiled_state
from pmtwin.sim.errors import InputError, PmtwinError

FILE = Path(__file__).with_name("users.py")
PAGES = np.random.default_rng(1).zipf(1.2, 5_000) % 300


def clock(pages: np.ndarray, lines: int) -> int:
    """Misses under a clock, written down once more."""
    held, used, hand, misses = [], {}, 0, 0
    for page in pages.tolist():
        if page in used:
            used[page] = True
            continue
        misses += 1
        if len(held) < lines:
            held.append(page)
        else:
            while used[held[hand]]:
                used[held[hand]] = False
                hand = (hand + 1) % lines
            del used[held[hand]]
            held[hand] = page
        used[page] = False
    return misses


@pytest.mark.parametrize("name", ["Clock", "PlainClock"])
def test_a_users_policy_replaces_pages(name):
    """The page that comes under the hand of `users.Clock` keeps the use of the page before it: never, here."""
    assert replay(make_cache(f"{FILE}:{name}", 40), PAGES) == clock(PAGES, 40)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("OutOfBounds", r"a compiled function failed: IndexError: index is out of bounds \(.*users.py\)"),
        ("NoAttribute", r"users.py:\d+: policy .*NoAttribute: 'admit' does not compile: Unknown attribute 'used'"),
        (
            "ReturnsNothing",
            r"users.py:\d+: .*'victim' does not compile: it returns nothing; allowed: the number of a line",
        ),
        (
            "ReturnsFloat",
            r"users.py:\d+: .*'victim' does not compile: it returns float64; allowed: the number of a line",
        ),
        ("PlainFloat", r"victim\(\) failed: TypeError: 'float' object"),
        ("DividesByZero", r"a compiled function failed: ZeroDivisionError: .* \(.*users.py\)"),
        ("FewArguments", r"a class with hit\(arrays, line\); hit of FewArguments in .*: too many positional"),
        ("FarVictim", r"victim\(\) failed: .*a line that is not of the cache"),
        ("Raises", r"admit\(\) failed: ValueError: too far \(.*users.py:\d+\)"),
        ("OneArray", r"arrays\(\)' returned ndarray; allowed: a tuple of NumPy arrays"),
        ("PlainFault", r"admit\(\) failed: AttributeError: .*users.py:\d+\)"),
        ("PlainText", r"victim\(\) failed: TypeError"),
        ("Mixed", "static methods alone .*; admit of Mixed"),
        ("NoVictim", "a class with a method victim"),
        ("Window", "decides between windows, not which page leaves a full cache; allowed: .*Replacement"),
        ("Clok", "did you mean 'Clock'"),
    ],
)
def test_what_is_wrong_is_one_line_with_its_place(name, said):
    with pytest.raises(PmtwinError, match=said) as caught:
        policy = replacement_policy(f"{FILE}:{name}")
        with policy.calls():
            replay(policy.cache(40), PAGES)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_an_index_fault_names_the_event_that_python_called():
    policy = replacement_policy(f"{FILE}:OutOfBounds")
    state = compiled_state((np.zeros(4, np.bool_), np.zeros(1, np.int64)), policy.functions())
    with pytest.raises(PmtwinError, match=r"admit\(\) failed: IndexError: index is out of bounds"), policy.calls():
        call_event(state, "admit", 0)


def test_plain_python_runs_on_the_simpy_engine_only():
    make_policy(f"{FILE}:PlainClock", kind="replacement").check_engine("simpy")
    make_policy(f"{FILE}:Clock", kind="replacement").check_engine("compiled")
    with pytest.raises(InputError, match=r"simpy for .*PlainClock, which is plain Python"):
        make_policy(f"{FILE}:PlainClock", kind="replacement").check_engine("compiled")


@pytest.mark.parametrize("name", ["Habit", "PlainHabit"])
def test_a_frozen_policy_keeps_what_it_had_learned_whatever_its_events_do(name):
    policy = replacement_policy(f"{FILE}:{name}")
    learning = policy.cache(40)
    misses = replay(learning, PAGES)
    policy.learning = False
    assert replay(policy.cache(40), PAGES) == replay(make_cache(f"{FILE}:First", 40), PAGES) != misses
    policy.memory = policy.memory_of([learning])
    frozen = policy.cache(40)
    replay(frozen, PAGES)
    order = getattr(frozen, "order", None)
    after = frozen.policy.uses if order is None else order.arrays[0][0]
    assert after.tolist() == next(iter(policy.memory.values())).tolist()


def test_what_several_caches_have_learned_is_their_mean_and_of_one_the_very_bits():
    policy = replacement_policy(f"{FILE}:Large")
    caches = [policy.cache(4, seed) for seed in (1, 2)]
    caches[0].order.arrays[0][:], caches[1].order.arrays[0][:] = 2**63 + 1, 2**63 - 1
    assert policy.memory_of(caches[:1])["0"].tolist() == [2**63 + 1]
    assert policy.memory_of(caches)["0"].tolist() == [2**63]


POINT = DecisionPoint("route", "an arrival", actions=("fast", "slow", "far"))
NOTHING = np.zeros(0)


def decisions(spec: str, key: int, mask: np.ndarray | None = None, count: int = 300) -> list[int]:
    state = make_policy(spec, kind="choice").state(POINT, key)
    every = np.zeros(0, np.bool_) if mask is None else mask
    actions = []
    for _ in range(count):
        actions.append(decide(state, NOTHING, every))
        observe(state, NOTHING, actions[-1], -1.0)
    return actions


def test_a_choice_draws_by_its_key():
    for spec in ("random", f"{FILE}:Coin"):
        assert decisions(spec, 1) == decisions(spec, 1) != decisions(spec, 2)
        assert set(decisions(spec, 1)) == {0, 1, 2}


def test_the_shipped_choices_keep_to_what_is_possible():
    mask = np.array([True, False, True])
    assert set(decisions("random", 1, mask)) == {0, 2}
    assert set(decisions("fixed:slow", 1)) == {1} == set(decisions("fixed:1", 1))
    assert set(decisions("fixed:slow", 1, mask)) == {0}
    with pytest.raises(InputError, match="0 to 2, or fast, slow, far"):
        decisions("fixed:3", 1)


def test_what_a_choice_is_told_is_in_its_arrays():
    state = make_policy(f"{FILE}:Coin", kind="choice").state(POINT, 3)
    observe(state, NOTHING, 2, 0.5)
    assert state.arrays[1].tolist() == [0.0, 0.0, 0.5]


def test_weights_that_were_learned_are_begun_with_and_may_stay(tmp_path):
    options = "experts=lru+lfu+random,feedback=shadow"
    policy = make_policy(f"weight-sharing:{options}", kind="replacement")
    caches = [policy.cache(20, seed) for seed in (1, 2)]
    for cache in caches:
        replay(cache, PAGES)
    learned = policy.memory_of(caches)
    assert learned["weights"] == pytest.approx(np.mean([each.learner.weights for each in caches], axis=0))
    policy.memory = learned
    save_learned(tmp_path / "weights.npz", {"": policy}, {})
    again = make_policy(f"weight-sharing:{tmp_path / 'weights.npz'},{options}", kind="replacement")
    again.learning = False
    cache = again.cache(20, 3)
    replay(cache, PAGES)
    assert cache.learner.weights.tolist() == learned["weights"].tolist()
    with pytest.raises(InputError, match="options"):
        make_policy(f"weight-sharing:{tmp_path / 'weights.npz'}", kind="replacement")
    follower = make_policy("hedge", kind="replacement")
    follower.learning = False
    hedged = follower.cache(20, 3)
    replay(hedged, PAGES)
    assert hedged.hedge.state["changes"][0] == 0
