"""Workloads refuse what no client could ask for."""

import math
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim import ClassWorkload, InputError, Workload
from pmtwin.sim.load.workload import (
    GETS_AND_UPDATES,
    KINDS,
    MAX_CLIENTS,
    MAX_VALUE_BYTES,
    OPERATIONS,
    SIZE_BINS,
    Kind,
)  # fmt: skip

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
        ("insert_share", -0.1), ("insert_share", 1.1), ("remove_share", math.nan), ("remove_share", 1.5),
        ("read_sizes_bytes", 0.0), ("read_sizes_bytes", math.nan), ("write_sizes_bytes", MAX_VALUE_BYTES + 1.0),
    ],
)  # fmt: skip
def test_a_bad_value_is_named(field, value):
    with pytest.raises(InputError) as caught:
        ClassWorkload(**FINE | {field: value})
    assert caught.value.field == field
    assert caught.value.value == value or math.isnan(value)


def test_shares_of_writes_are_at_most_all_of_them():
    with pytest.raises(InputError, match=r"^remove_share: 0\.5 is not accepted; allowed: at most 0\.4"):
        ClassWorkload(**FINE, insert_share=0.6, remove_share=0.5)
    shares = [ClassWorkload(**FINE, insert_share=0.7, remove_share=0.3).share(each) for each in OPERATIONS]
    assert shares == pytest.approx([0.5, 0.0, 0.35, 0.15], abs=1e-12)


def test_workloads_that_insert_otherwise_differ():
    assert ClassWorkload(**FINE) == ClassWorkload(**FINE, insert_share=0.0)
    assert len({ClassWorkload(**FINE, insert_share=share) for share in (0.0, 0.1, 0.2)}) == 3


def test_kinds_are_gets_and_updates_and_what_else_occurs():
    plain = ClassWorkload(**FINE)
    both = ClassWorkload(**FINE, insert_share=0.2, remove_share=0.1)
    nobody = ClassWorkload(0, 0.5, 64, 64, insert_share=1.0)
    readers = ClassWorkload(4, 0.0, 64, 64, remove_share=1.0)
    assert Workload("four", plain, plain).kinds == GETS_AND_UPDATES == KINDS[:4]
    assert Workload("absent", readers, replace(plain, clients=4)).kinds == GETS_AND_UPDATES
    assert Workload("six", plain, both).kinds == (*GETS_AND_UPDATES, Kind(1, "put_insert"), Kind(1, "remove"))
    assert Workload("eight", both, both).kinds == KINDS
    assert Workload("off", readers, nobody).used_kinds == (Kind(0, "get"),)


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
