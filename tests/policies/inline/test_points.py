"""Specs for several decision points, and which point a policy is for that stands alone."""

from types import SimpleNamespace

import pytest

from pmtwin.policies import make_policy
from pmtwin.policies.points import by_point, inline_policy
from pmtwin.sim.control import NO_SETTINGS, Settings
from pmtwin.sim.decisions import CHOICE, REPLACEMENT, DecisionPoint, PointKind
from pmtwin.sim.errors import InputError

ROUTE = DecisionPoint("route", "an arrival", actions=("fast", "slow"))
THREADS = Settings("threads", ("threads",), (1,), (9,), moves=((-1,), (0,), (1,)))


POINTS = DecisionPoint("replacement", "a miss", REPLACEMENT, default="lru"), ROUTE


def scenario(settings=THREADS, points=POINTS):
    context = {"action_space": None, "goals": (), "measures": (), "forecaster": None, "observed": ()}
    return SimpleNamespace(
        name="toy",
        settings=settings,
        initial_setting=settings.low,
        points=points,
        others_asking=lambda kind: [],
        all_points=lambda: points,
        **context,
    )


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ("fixed:16", {"threads": "fixed:16"}),
        ("random", {"threads": "random"}),
        ("lru", {"replacement": "lru"}),
        ("ws:experts=lru+lfu,beta=0.5", {"replacement": "ws:experts=lru+lfu,beta=0.5"}),
        ("threads=fixed:16+replacement=lru", {"threads": "fixed:16", "replacement": "lru"}),
        (
            "replacement=ws:experts=lru+lfu,beta=0.5+route=fixed:action=0",
            {"replacement": "ws:experts=lru+lfu,beta=0.5", "route": "fixed:action=0"},
        ),
    ],
)
def test_a_spec_says_what_decides_at_which_point(spec, parts):
    assert by_point(spec, scenario()) == parts


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("thread=fixed:3", "decision point of toy: 'thread' is not accepted; .*did you mean 'threads'"),
        ("route=fixed:0+replacment=lru", "did you mean 'replacement'"),
        ("route=random+route=random", "each decision point once"),
        ("lru+threads=fixed:3", "each policy after its point"),
        ("replacement=fixed:3", "decides between windows, not which page leaves a full cache"),
        ("threads=lru", "decides which page leaves a full cache, not between windows"),
        ("route=lru", "decides which page leaves a full cache, not among numbered actions"),
        ("lruu", "did you mean 'lru'"),
        ("thresholds", "allowed: best-constant"),  # not afterstate, which needs goals
    ],
)
def test_a_spec_that_fits_no_point_is_one_line(spec, said):
    with pytest.raises(InputError, match=said):
        make_policy(spec, scenario())


def test_points_that_are_not_named_keep_their_defaults():
    policy = make_policy("route=fixed:slow", scenario())
    assert {point: each.spec for point, each in policy.inline.items()} == {"replacement": "lru", "route": "fixed:slow"}
    assert {point: each.spec for point, each in make_policy("fixed:3", scenario()).inline.items()} == {
        "replacement": "lru"
    }
    assert make_policy("fixed:3", scenario(points=())).inline == {}


def test_without_settings_a_name_means_what_decides_inside():
    within = scenario(NO_SETTINGS, (ROUTE,))
    assert by_point("fixed:0", within) == {"route": "fixed:0"}
    assert by_point("random", within) == {"route": "random"}
    assert by_point("window=random", within) == {"window": "random"}


def test_a_policy_for_two_points_of_a_kind_says_which():
    two = scenario(NO_SETTINGS, (ROUTE, DecisionPoint("steal", "an idle moment", actions=("yes", "no"))))
    with pytest.raises(InputError, match="serves several decision points; allowed: route=random or steal=random"):
        make_policy("random", two)


def test_without_moves_a_choice_among_numbered_actions_is_one_inside():
    """What jumps to a setting decides between windows all the same."""
    fixed_values = Settings("threads", ("threads",), (1,), (9,))
    toy = scenario(fixed_values)
    vars(toy).update(action_space=None, goals=(), measures=(), forecaster=None, observed=(), initial_setting=(1,))
    assert by_point("linucb", toy) == {"route": "linucb"}
    assert by_point("fixed:3", toy) == {"threads": "fixed:3"}
    assert by_point("random", toy) == {"threads": "random"}
    assert by_point("linucb", scenario()) == {"threads": "linucb"}


def test_policies_of_a_wider_kind_serve_the_points_of_a_narrow_one():
    narrow = PointKind("narrow", "which way", "narrow.py:Narrow", CHOICE.events, extends=CHOICE)
    point = DecisionPoint("way", "a turn", narrow, actions=("left", "right"))
    assert narrow.served_by == (narrow, CHOICE)
    assert inline_policy("fixed:right", point).spec == "fixed:right"
    with pytest.raises(InputError, match="lru"):
        inline_policy("lru", point)
