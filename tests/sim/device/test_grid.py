"""Tables over power, size and threads: exact on the knots, linear in the logarithms between, constant outside."""

import numpy as np
import pytest

from pmtwin.sim.device.grid import Grid
from pmtwin.sim.errors import InputError


@pytest.fixture
def cell() -> dict:
    return {
        "power_w": [15.0],
        "access_size_bytes": [64.0, 256.0],
        "threads": [1.0, 4.0, 16.0],
        "values": [[[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]],
    }


def a(*values):
    return np.array(values, dtype=float)


def test_the_knots_give_the_table(cell):
    grid = Grid.from_json(cell, "values", "test")
    assert grid.at(a(15, 15, 15), a(64, 64, 256), a(1, 16, 4)).tolist() == [0.0, 2.0, 11.0]


def test_between_knots_it_is_linear_in_the_logarithms(cell):
    grid = Grid.from_json(cell, "values", "test")
    assert grid.at(a(15, 15), a(128, 128), a(4, 8)) == pytest.approx([6.0, 6.5])
    assert grid.nearest(a(15, 15), a(130, 120), a(1.9, 2.1)).tolist() == [10.0, 1.0]


def test_beyond_the_knots_the_outer_value_stays(cell):
    grid = Grid.from_json(cell, "values", "test")
    assert grid.at(a(12, 18), a(1, 1e6), a(0.1, 100)).tolist() == [0.0, 12.0]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"values": [[[0.0, 1.0]]]}, "values"),
        ({"values": [[[0.0, 1.0, float("nan")], [1.0, 1.0, 1.0]]]}, "values"),
        ({"threads": [4.0, 1.0, 16.0]}, "rising"),
        ({"threads": "x"}, "values"),
    ],
)
def test_a_table_that_does_not_fit_its_axes_is_refused(cell, change, named):
    with pytest.raises(InputError, match=named):
        Grid.from_json(cell | change, "values", "test")


def test_a_table_without_an_axis_is_refused(cell):
    del cell["power_w"]
    with pytest.raises(InputError, match="power_w"):
        Grid.from_json(cell, "values", "test")
