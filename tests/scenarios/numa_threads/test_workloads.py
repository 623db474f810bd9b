"""Workloads by name: the paper's patterns, any mixture, and the changing one."""

import numpy as np
import pytest

from pmtwin.scenarios.numa_threads.workloads import WORKLOADS, Workload, drawn, workload_of
from pmtwin.sim.errors import InputError


@pytest.mark.parametrize(
    ("name", "read_share", "pattern"),
    [
        ("readseq", 1.0, "sequential"),
        ("fillrandom", 0.0, "random"),
        ("mixed-0", 0.0, "random"),
        ("mixed-37", 0.37, "random"),
        ("mixed-100", 1.0, "random"),
    ],
)
def test_a_name_says_what_the_threads_do(name, read_share, pattern):
    assert workload_of(WORKLOADS.check(name)) == Workload(read_share, pattern)


def test_the_same_mixture_has_one_name_and_each_one_a_number_of_its_own():
    assert WORKLOADS.check("mixed-07") == "mixed-7"
    names = [*WORKLOADS.names, *WORKLOADS.families, *(f"mixed-{percent}" for percent in range(101))]
    assert len({WORKLOADS.number(name) for name in names}) == len(set(names))


@pytest.mark.parametrize("name", ["mixed-101", "mixed-", "mixed-5.5", "mixed--1", "fillrandon", 50, None])
def test_another_name_is_refused(name):
    with pytest.raises(InputError, match=r"readrandom, .*changing, or mixed-N"):
        WORKLOADS.check(name)


def test_the_changing_one_draws_its_stated_ranges():
    rng = np.random.default_rng(1)
    draws = [drawn(rng) for _ in range(2_000)]
    values, threads, shares = (
        {getattr(each, name) for each in draws} for name in ("value_bytes", "threads", "read_share")
    )
    assert 200 <= min(values) < 250 and 300_000 < max(values) <= 400_000
    assert (min(threads), max(threads), min(shares), max(shares)) == (24, 72, 0.0, 1.0)
