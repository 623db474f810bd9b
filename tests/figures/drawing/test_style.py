"""Figures are the same bytes for the same values, and say nothing of when they were made."""

import re

import pytest

from pmtwin.figures.drawing.numbers import number, with_interval
from pmtwin.figures.drawing.style import (
    BLUE,
    SKY,
    png_bytes,
    policy_colour,
    policy_colours,
    policy_label,
    styled,
    svg_bytes,
)


def drawn() -> tuple[bytes, bytes]:
    with styled() as plt:
        figure, axes = plt.subplots(figsize=(2, 1))
        axes.plot([1, 2, 3], [3, 1, 2], label="a")
        axes.legend()
        return svg_bytes(figure), png_bytes(figure)


def test_two_drawings_are_equal_bytes():
    assert drawn() == drawn()


def test_no_date_is_in_them():
    svg, _ = drawn()
    assert b"<dc:date>" not in svg
    assert not re.search(rb"20\d\d-\d\d-\d\dT", svg)


def test_the_style_ends_where_its_block_ends():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    drawn()
    assert {key: value for key, value in mpl.rcParams.items() if before[key] != value} == {}


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (0.12345, "0.123"), (-3.14159, "\u22123.14"), (12345.6, "12,346"), (999.4, "999")]
)
def test_numbers_for_readers(value, text):
    assert number(value) == text


def test_an_interval_of_one_seed_is_only_its_mean():
    assert with_interval({"mean": 0.5, "low": None, "high": None}, 3, 100, " %") == "50 %"
    assert with_interval({"mean": 0.5, "low": 0.4, "high": 0.6}, 3, 100, " %") == "50 % [40, 60]"


def test_policies_keep_their_colours_and_names_whatever_the_file():
    assert policy_label("q-learning:some/file.npz") == "Q-learning"
    specs = ("none", "fixed:15,15", "threshold", "q-learning:x", "best-fixed")
    assert len({policy_colour(spec) for spec in specs}) == len(specs)


def test_policies_of_a_page_have_a_colour_each_and_their_own_where_it_is_free():
    colours = policy_colours(["predictive", "afterstate:a", "threshold", "fixed:9,8", "none"])
    assert len(set(colours.values())) == 5
    assert colours["threshold"] == policy_colour("threshold") and colours["none"] == policy_colour("none")
    assert len(set(colours.values()) & {BLUE, SKY}) == 1  # both blues only where nothing else is free
    seven = policy_colours(["q-learning:a", "fixed:9,8", "random", "none", "threshold", "predictive", "best-fixed"])
    assert len(set(seven.values())) == 7 and [spec for spec in seven if seven[spec] == SKY] == ["best-fixed"]
    assert len(policy_colours([f"fixed:{number},1" for number in range(1, 20)])) == 19
