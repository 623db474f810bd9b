"""Options as dataclass fields: what a type accepts, and in which form a value is kept."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, make_dataclass
from pathlib import Path

import pytest

from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, build, leaves, option


@dataclass(frozen=True)
class Every(Options):
    count: int = option(1, "count", low=0, high=100)
    any: int = option(1, "any whole number")
    rate: float | None = option(2.0, "rate")
    name: str = option("a", "name")
    path: Path = option(Path("a"), "path")
    texts: tuple[str, ...] = option((), "texts")
    mixed: tuple[int | str, ...] = option((), "numbers or names")
    pairs: tuple[tuple[int, ...], tuple[int, ...]] = option(((1,), (2,)), "two settings")
    table: Mapping[str, float] = option(default_factory=dict, help="table", open=True)
    one: int | str = option(1, "number or name")


WRONG = [
    ("count", math.inf, "a whole number"),
    ("count", math.nan, "a whole number"),
    ("count", 1.5, "a whole number"),
    ("count", True, "a whole number"),
    ("any", -math.inf, "a whole number"),
    ("rate", math.inf, "finite"),
    ("rate", 10**400, "finite"),
    ("rate", True, "a number"),
    ("rate", [1], "a number, or none"),
    ("name", 3, "a text"),
    ("path", 3, "a path"),
    ("texts", 3, "a list, each a text"),
    ("texts", "abc", "a list, each a text"),
    ("texts", [3], "a list, each a text"),
    ("mixed", [1.5], "a list, each a whole number or a text"),
    ("pairs", [[1], [2], [3]], "a list, each a list"),
    ("pairs", [[1], ["x"]], "a list, each a list"),
    ("table", 3, "a table"),
    ("one", True, "a whole number or a text"),
]


@pytest.mark.parametrize(("name", "value", "allowed"), WRONG, ids=[f"{name}={value!r:.20}" for name, value, _ in WRONG])
def test_a_value_of_another_type_is_refused(name, value, allowed):
    with pytest.raises(InputError, match=allowed) as error:
        build(Every, {name: value})
    assert error.value.field == name


def test_an_entry_of_a_table_is_named():
    with pytest.raises(InputError, match="cores: true is not accepted; allowed: a number"):
        build(Every, {"table": {"cores": True}})


def test_values_are_kept_in_the_form_of_their_type():
    given = {"count": 2.0, "path": "x", "texts": ["a"], "mixed": [1.0, "b"], "pairs": [[1, 2.0], [3]], "one": 2.0}
    made = build(Every, given)
    assert (made.count, made.path, made.texts, made.mixed) == (2, Path("x"), ("a",), (1, "b"))
    assert (made.pairs, made.one) == (((1, 2), (3,)), 2)
    assert [type(each) for each in (made.count, made.mixed[0], made.pairs[0][1], made.one)] == [int] * 4


@dataclass(frozen=True)
class Walk(Options):
    title = "on foot"
    alternative = True
    speed: int = option(5, "kilometres an hour", low=0, high=9)


@dataclass(frozen=True)
class Ride(Options):
    alternative = True
    speed: float = option(20.0, "kilometres an hour", group="by bicycle")


def test_alternative_groups_may_have_options_of_one_name_beside_each_other_alone():
    trip = make_dataclass("Trip", [("walk", Walk | None, None), ("ride", Ride | None, None)], bases=(Options,))
    assert [(leaf.path, leaf.about.group) for leaf in leaves(trip)] == [
        (("walk", "speed"), "on foot"),
        (("ride", "speed"), "by bicycle"),
    ]
    slow = make_dataclass("Slow", [("speed", int, option(1, "speed")), ("walk", Walk | None, None)], bases=(Options,))
    with pytest.raises(TypeError, match="several options named speed"):
        leaves(slow)
