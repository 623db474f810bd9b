"""Workloads refuse what no client could ask for."""

import math

import numpy as np
import pytest

from pmtwin.sim import ClassWorkload, InputError, Workload
from pmtwin.sim.workload import MAX_CLIENTS, MAX_VALUE_BYTES, SIZE_BINS

FINE = {"clients": 4, "write_ratio": 0.5, "read_sizes_bytes": 100.0, "write_sizes_bytes": 300.0}


def test_one_size_stands_for_all_bins():
    load = ClassWorkload(**FINE)
    assert load.sizes(False).tolist() == [100.0] * SIZE_BINS
    assert load.sizes(True).tolist() == [300.0] * SIZE_BINS


def test_mean_size_weighs_reads_and_writes():
    sizes = np.arange(1.0, SIZE_BINS + 1)
    assert ClassWorkload(4, 0.25, 100.0, 300.0).mean_size_bytes() == 150.0
    assert ClassWorkload(4, 0.0, sizes, 300.0).mean_size_bytes() == (SIZE_BINS + 1) / 2


def test_sizes_are_a_copy():
    given = np.full(SIZE_BINS, 7.0)
    load = ClassWorkload(4, 0.0, given, 1.0)
    load.sizes(False)[:] = 1.0
    assert load.sizes(False).tolist() == [7.0] * SIZE_BINS


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("clients", -1), ("clients", MAX_CLIENTS + 1), ("clients", 1.5), ("clients", math.nan),
        ("write_ratio", -0.1), ("write_ratio", 1.1), ("write_ratio", math.nan),
        ("rate_ops", 0.0), ("rate_ops", -5.0), ("rate_ops", math.nan), ("rate_ops", math.inf),
        ("interarrival_cov", -1.0), ("interarrival_cov", math.nan),
        ("gets_per_read", 0.0), ("gets_per_write", -1.0),
        ("read_sizes_bytes", 0.0), ("read_sizes_bytes", math.nan), ("write_sizes_bytes", MAX_VALUE_BYTES + 1.0),
    ],
)  # fmt: skip
def test_a_bad_value_is_named(field, value):
    with pytest.raises(InputError) as caught:
        ClassWorkload(**FINE | {field: value})
    assert caught.value.field == field
    assert caught.value.value == value or math.isnan(value)


def test_the_bad_size_among_good_ones_is_named():
    sizes = np.full(SIZE_BINS, 64.0)
    sizes[17] = 1e9
    with pytest.raises(InputError, match=r"^read_sizes_bytes: 1000000000\.0 is not accepted"):
        ClassWorkload(4, 0.5, sizes, 64.0)


@pytest.mark.parametrize("shape", [(3,), (SIZE_BINS, 2)])
def test_sizes_are_one_or_as_many_as_the_bins(shape):
    with pytest.raises(InputError, match=f"{SIZE_BINS} equally likely sizes"):
        ClassWorkload(4, 0.5, np.full(shape, 64.0), 64.0)


def test_somebody_has_to_ask():
    nobody = ClassWorkload(0, 0.5, 64, 64)
    with pytest.raises(InputError, match="at least one client"):
        Workload("empty", nobody, nobody)


def test_classes_come_interactive_first():
    interactive, batch = ClassWorkload(1, 0.0, 64, 64), ClassWorkload(2, 0.0, 64, 64)
    assert Workload("two", interactive, batch).classes == (interactive, batch)
