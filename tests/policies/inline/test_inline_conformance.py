"""What every registered policy that decides inside a simulation must do; a new one is tested by being registered."""

import cloudpickle
import numpy as np
import pytest

from pmtwin.bench.two_tier import USERS
from pmtwin.policies import InlinePolicy, describe, make_policy, policy_class, policy_names
from pmtwin.policies.data_placement import DATA_PLACEMENT
from pmtwin.policies.placement import PLACEMENT
from pmtwin.policies.registry import policy_kinds
from pmtwin.policies.replacement import make_cache, next_uses, replay
from pmtwin.policies.tiering.events import MIGRATION
from pmtwin.policies.write_placement import WRITE_PLACEMENT
from pmtwin.sim.decisions import REPLACEMENT, DecisionPoint, call_event, decide, observe
from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.options import HybridOptions
from pmtwin.sim.hybrid.point import migrate_point, place_point
from pmtwin.sim.hybrid.stream import paged
from pmtwin.sim.options import Options, leaves
from tests.sim.hybrid.storages import random_stream

KINDS = [kind for kind in policy_kinds() if kind != "window"]
NAMES = [(kind, name) for kind in KINDS for name in policy_names(kind) if name != "libcachesim"]
PAGES = np.random.default_rng(3).zipf(1.3, 2_000) % 120
USED = np.random.default_rng(4).integers(0, 12, PAGES.size)
THREADS = DecisionPoint("threads", "a window", PLACEMENT)
DATA = DecisionPoint("data", "a window", DATA_PLACEMENT)
NODES, ACCESSES = np.arange(200) % 3, np.random.default_rng(2).integers(0, 9, (200, 3)).astype(float)
STORAGE = HybridOptions(devices="tri")
WRITES, MOVES = (
    make(STORAGE.block_devices, "").of(STORAGE, paged(random_stream(1))) for make in (place_point, migrate_point)
)
POINT = DecisionPoint("route", "an arrival", actions=("fast", "slow", "far"), masked=True)


@pytest.fixture(params=NAMES, ids="-".join)
def named(request):
    """Kind of a policy, and a spec of it."""
    kind, name = request.param
    required = any(row["default"] == "required" for row in describe(name, kind))
    return kind, f"{name}:1" if required else name


def played(policy: InlinePolicy, seed: int) -> list[int]:
    """What it decides on a small problem of its kind: actions, or the misses of each of twenty blocks."""
    if policy.decides == REPLACEMENT:
        cache, future = policy.cache(20, seed), next_uses(PAGES)
        blocks = np.split(np.arange(PAGES.size), 20)
        return [replay(cache, PAGES[block], future[block] if policy.clairvoyant else None) for block in blocks]
    if policy.decides == PLACEMENT:
        state = policy.state(THREADS, seed)
        return [call_event(state, "place", node, row) for node, row in zip(NODES, ACCESSES, strict=True)]
    if policy.decides == DATA_PLACEMENT:
        state = policy.state(DATA, seed)
        return [call_event(state, "copy_to", row, row[::-1] / 10.0) for row in ACCESSES]
    if policy.decides == MIGRATION:
        return moved(policy.state(MOVES, seed), plans=getattr(policy, "every", 0) > 0)
    point = WRITES if policy.decides == WRITE_PLACEMENT else POINT
    state, actions, features = policy.state(point, seed), [], np.ones(len(point.features))
    for mask in np.random.default_rng(1).random((200, 3)) < 0.7:
        mask[0] |= not mask.any()
        action = decide(state, features, mask)
        assert mask[action]
        observe(state, features, action, -1.0)
        actions.append(action)
    return actions


def moved(state, plans: bool) -> list[int]:
    """Pages that it moves while requests use pages of a storage, a third of which is on each device."""
    pages, answers = MOVES.storage.pages, []
    device_of, free, setting = (np.arange(pages) % 3).astype(np.int8), np.array([0, 1, 99]), np.array([10, 2])
    for request in range(2 * pages):
        if plans and request % 50 == 0:
            plan = np.full(pages, -1)
            call_event(state, "plan", device_of, free, setting, plan)
            assert (plan < 3 * pages).all()
            answers += plan.tolist()
        call_event(state, "used", int(USED[request]) if plans else request % pages, 1, False, device_of)
        call_event(state, "answered", 1e5, False)
        features = np.ones(len(MOVES.features))
        for _ in range(2):  # after the answer, and in idle time
            answer = call_event(state, "move", request % pages, features, device_of, np.array([0, 1, 2]), free, setting)
            assert -1 <= answer < 3 * pages
            answers.append(answer)
    return answers


def test_it_has_a_name_a_docstring_and_options_with_a_line_of_help_each(named):
    kind, spec = named
    cls = policy_class(spec, kind)
    assert issubclass(cls, InlinePolicy) and cls.__doc__
    assert cls.name == spec.partition(":")[0] and cls.decides.name == kind
    assert issubclass(cls.Takes, Options) and cls.Takes.__dataclass_params__.frozen
    assert [leaf.name for leaf in leaves(cls.Takes) if not leaf.about.help] == []


def test_it_serves_the_points_of_its_kind(named):
    points = {
        "choice": POINT,
        "replacement": DecisionPoint("pages", "a miss", REPLACEMENT),
        "placement": THREADS,
        "data-placement": DATA,
        "migration": MOVES,
        "write-placement": WRITES,
    }
    cls = policy_class(named[1], named[0])
    served = {"choice": ["choice", "write-placement"]}
    assert [kind for kind, point in points.items() if cls.serves(point)] == served.get(named[0], [named[0]])


def test_its_spec_makes_it_again_with_the_same_decisions(named):
    kind, spec = named
    policy = make_policy(spec, kind=kind)
    again = make_policy(policy.spec, kind=kind)
    assert again.spec == policy.spec
    assert played(again, 3) == played(policy, 3) == played(policy, 3)


def test_seeds_matter_to_what_draws_alone(named):
    kind, spec = named
    policy = make_policy(spec, kind=kind)
    differs = len({tuple(played(policy, seed)) for seed in range(4)}) > 1
    assert differs == policy.draws


def test_an_unknown_option_is_refused(named):
    with pytest.raises(InputError, match=named[1].partition(":")[0]):
        make_policy(f"{named[1].partition(':')[0]}:nosuch=1", kind=named[0])


def test_it_survives_being_sent_to_another_process(named):
    kind, spec = named
    policy = make_policy(spec, kind=kind)
    assert played(cloudpickle.loads(cloudpickle.dumps(policy)), 2) == played(policy, 2)


def test_lru_as_a_user_writes_it_has_the_misses_of_the_shipped_one():
    misses = [replay(make_cache(spec, 20), PAGES) for spec in ("lru", USERS)]
    assert misses[0] == misses[1]
