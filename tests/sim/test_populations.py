"""The table of speeds: one row for each population, filled when needed, the same whoever fills it."""

from itertools import product
from math import comb

import numpy as np
import pytest

from pmtwin.sim import ClassWorkload, Workload
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.model import build_model
from pmtwin.sim.parameters import resolve
from pmtwin.sim.populations import empty_rows, speeds_of


@pytest.fixture(scope="module")
def small_host():
    """A model in which at most 6 operations are in the device at once."""
    load = ClassWorkload(10, 0.5, 200, 900)
    values = resolve({"cores": 3, "threads_per_core": 2})
    return build_model(load_profile(), Workload("small", load, load), values, direct=False)


def populations(most: int) -> list[np.ndarray]:
    return [np.array(counts) for counts in product(range(most + 1), repeat=4) if sum(counts) <= most]


def known(rows: np.ndarray) -> int:
    return int(np.sum(rows[:, 0] > 0.0))


def test_every_population_has_a_row_of_its_own_and_every_row_a_population(small_host):
    rows = empty_rows(6)
    every = populations(6)
    assert len(rows) == len(every) == comb(10, 4)
    for count, population in enumerate(every, start=1):
        speeds_of(small_host.records, rows, population)
        assert known(rows) == count
    assert np.all(np.isfinite(rows))


def test_a_row_is_filled_once(small_host):
    rows = empty_rows(6)
    first = speeds_of(small_host.records, rows, np.array([1, 2, 0, 1])).copy()
    assert known(rows) == 1
    rows[rows == first[0]] = 0.5  # what a second computation would set right again
    again = speeds_of(small_host.records, rows, np.array([1, 2, 0, 1]))
    assert again[0] == 0.5


def test_the_order_of_filling_changes_no_bit(small_host):
    forward, backward = empty_rows(6), empty_rows(6)
    for population in populations(6):
        speeds_of(small_host.records, forward, population)
    for population in reversed(populations(6)):
        speeds_of(small_host.records, backward, population)
    np.testing.assert_array_equal(forward, backward)


def test_second_half_of_a_row_is_the_inverse_of_the_first(small_host):
    row = speeds_of(small_host.records, empty_rows(6), np.array([2, 1, 1, 2]))
    assert row[4:].tolist() == (1.0 / row[:4]).tolist()


def test_the_table_of_the_thesis_machine_has_a_row_for_each_of_270725_populations():
    assert len(empty_rows(48)) == 270_725
