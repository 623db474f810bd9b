"""The table of speeds: rows of populations, filled when needed, the same whoever fills them."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware.model.engines import make_engine
from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.scenarios.nvm_middleware.model.service.occupancy import empty_rows, packed, speeds_of
from pmtwin.sim import ClassWorkload, Workload
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.load.workload import KINDS
from pmtwin.sim.parameters.values import resolve


@pytest.fixture(scope="module")
def small_host():
    """A model in which at most 6 operations are in the device at once."""
    load = ClassWorkload(10, 0.5, 200, 900)
    values = resolve({"cores": 3, "threads_per_core": 2})
    return build_model(load_profile(), Workload("small", load, load), values, direct=False)


def populations(most: int) -> list[np.ndarray]:
    return [np.array(counts) for counts in product(range(most + 1), repeat=4) if sum(counts) <= most]


def known(rows: np.ndarray) -> int:
    return int(np.sum(rows["population"] > 0))


def test_every_population_has_a_row_of_its_own(small_host):
    rows = empty_rows(4)
    for count, population in enumerate(populations(6), start=1):
        speeds_of(small_host.records, rows, population)
        assert known(rows) == count
    assert np.all(np.isfinite(rows["speeds"]))


def test_a_row_is_filled_once(small_host):
    rows = empty_rows(4)
    speeds_of(small_host.records, rows, np.array([1, 2, 0, 1]))
    assert known(rows) == 1
    rows["speeds"][rows["population"] > 0] = 0.5  # what a second computation would set right again
    again = speeds_of(small_host.records, rows, np.array([1, 2, 0, 1]))
    assert again[0] == 0.5


def test_the_order_of_filling_changes_no_bit(small_host):
    forward, backward = empty_rows(4), empty_rows(4)
    expected = [speeds_of(small_host.records, forward, population) for population in populations(6)]
    actual = [speeds_of(small_host.records, backward, population) for population in reversed(populations(6))]
    np.testing.assert_array_equal(actual[::-1], expected)


@pytest.mark.parametrize("rows", [1, 4, 32])
def test_populations_that_push_each_other_out_change_no_bit(small_host, rows):
    """A table with less room than there are populations computes some of them again and again."""
    tiny, roomy = empty_rows(4, rows), empty_rows(4)
    rng = np.random.default_rng(3)
    every = populations(6)
    for place in rng.integers(0, len(every), 2_000):
        expected = speeds_of(small_host.records, roomy, every[place])
        np.testing.assert_array_equal(speeds_of(small_host.records, tiny, every[place]), expected)
    assert known(tiny) == rows


def test_an_engine_with_a_tiny_table_gives_the_same_latencies(closed):
    model, keys = build_model(load_profile(), closed, resolve(), direct=False), np.array([1, 2], dtype=np.uint64)
    engines = [make_engine("compiled", each, keys, (8, 8)) for each in (model, replace(model, rows=empty_rows(4, 2)))]
    roomy, tiny = [engine.run_window(2_000, (0, 0)).latency_ns for engine in engines]
    assert known(model.rows) > 10
    np.testing.assert_array_equal(tiny, roomy)


@pytest.mark.parametrize("most", [0, 1, 96])
def test_no_two_populations_are_packed_alike(most):
    numbers = {int(packed(np.full(8, most) - np.eye(8, dtype=int)[k])) for k in range(8)} if most else set()
    assert len({*numbers, int(packed(np.full(8, most)))}) == len(numbers) + 1


def test_second_half_of_a_row_is_the_inverse_of_the_first(small_host):
    row = speeds_of(small_host.records, empty_rows(4), np.array([2, 1, 1, 2]))
    assert row[4:].tolist() == (1.0 / row[:4]).tolist()


def test_kinds_that_a_workload_lacks_change_no_bit(small_host):
    load = ClassWorkload(10, 0.5, 200, 900)
    values = resolve({"cores": 3, "threads_per_core": 2})
    more = build_model(load_profile(), Workload("small", load, load), values, direct=False, kinds=KINDS)
    for population in populations(3)[1:]:
        expected = speeds_of(small_host.records, small_host.rows, population)
        assert speeds_of(more.records, more.rows, np.append(population, [0] * 4))[:4].tolist() == expected[:4].tolist()
