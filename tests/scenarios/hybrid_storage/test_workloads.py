"""Workloads have the means of Table 4, and the parameters that it lacks change nothing else."""

import numpy as np
import pytest

from pmtwin.scenarios.hybrid_storage.published import ASSUMED, TABLE_4, TABLE_5
from pmtwin.scenarios.hybrid_storage.workloads import WORKLOADS, Shape, statistics, workload
from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.stream import PAGE_BYTES, paged

SHORT = Shape(length=5_000)
SHAPES = (
    SHORT,
    Shape(length=5_000, skew=0.0, sequential=0.5, burstiness=0.0),
    Shape(length=5_000, skew=1.4, drift=10, burstiness=4.0, footprint_pages=2_000),
)


def pages_of(stream):
    """Page accesses of each page of the footprint that is accessed, most first."""
    requests = paged(stream)
    accessed = np.repeat(requests.first, requests.pages)
    within = np.arange(len(accessed)) - np.repeat(np.cumsum(requests.pages) - requests.pages, requests.pages)
    return np.sort(np.bincount(accessed + within))[::-1]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", [*TABLE_4, *ASSUMED])
def test_each_trace_has_the_means_of_table_4(name, shape):
    row, drawn = {**TABLE_4, **ASSUMED}[name], statistics(workload(name, shape, seed=1))
    assert drawn["read_percent"] == pytest.approx(row.read_percent, rel=0.02)
    assert drawn["size_kb"] == pytest.approx(row.size_kb, rel=0.02)
    assert drawn["gap_us"] == pytest.approx(row.gap_us, rel=0.02)
    assert drawn["requests"] == 5_000 and drawn["threads"] == 1


@pytest.mark.parametrize("name", TABLE_5)
def test_a_mix_has_a_thread_with_its_own_pages_for_each_trace(name):
    stream = workload(name, Shape(length=20_000), seed=1)
    names = TABLE_5[name].workloads
    assert stream.threads == len(names) == len(WORKLOADS[name])
    assert len(stream.size) == pytest.approx(20_000, abs=8)
    used = [set(paged(stream.chosen(stream.thread == thread)).home.tolist()) for thread in range(len(names))]
    assert sum(map(len, used)) == len(set.union(*used))
    for thread, trace in enumerate(names):
        chosen = stream.chosen(stream.thread == thread)
        assert chosen.size.mean() / 1024 == pytest.approx(TABLE_4.get(trace, ASSUMED.get(trace)).size_kb, rel=0.06)


def test_threads_of_a_mix_share_all_of_its_duration():
    stream = workload("mix1", Shape(length=20_000), seed=1)
    places = np.flatnonzero(stream.thread == 1) / len(stream.thread)
    assert 100 < len(places) < 1_000  # LUN4 sends one request in 60
    assert places[0] < 0.05 and places[-1] > 0.9


@pytest.mark.parametrize("length", [100, 101, 999, 20_000, 39_999, 40_000])
def test_threads_of_a_mix_send_so_many_requests_together_as_asked(length):
    for name in TABLE_5:
        threads = np.bincount(workload(name, Shape(length=length), seed=1).thread)
        assert threads.min() >= 1 and threads.sum() == length


def test_the_same_seed_gives_the_same_bits_and_another_seed_others():
    for name in ("ssd-02", "mix6"):
        first, again, other = (workload(name, SHORT, seed) for seed in (7, 7, 8))
        assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
        assert not np.array_equal(first.offset, other.offset)


def test_one_parameter_leaves_what_it_is_not_about():
    plain, bursty = workload("ssd-00", SHORT, 3), workload("ssd-00", Shape(length=5_000, burstiness=5.0), 3)
    assert np.array_equal(plain.offset, bursty.offset) and np.array_equal(plain.size, bursty.size)
    assert bursty.gap_ns.std() / bursty.gap_ns.mean() == pytest.approx(5.0, rel=0.1)
    assert plain.gap_ns.std() / plain.gap_ns.mean() == pytest.approx(1.0, rel=0.05)
    drifting = workload("ssd-00", Shape(length=5_000, drift=50), 3)
    assert np.array_equal(plain.size, drifting.size) and np.array_equal(plain.offset[:50], drifting.offset[:50])


def test_popularity_follows_zipf_and_drift_spreads_it():
    shape = Shape(length=50_000, skew=1.0, footprint_pages=4_000)
    accesses = pages_of(workload("ssd-02", shape, 2))
    places = 2_000
    expected = 50_000 / np.sum(1.0 / np.arange(1, places + 1))  # requests that begin at the most popular place
    assert accesses[0] == pytest.approx(expected, rel=0.05)
    moving = pages_of(workload("ssd-02", Shape(length=50_000, skew=1.0, footprint_pages=4_000, drift=10), 2))
    assert moving[0] < 0.2 * accesses[0]


def test_requests_stay_in_their_footprint_and_follow_one_another_as_often_as_asked():
    shape = Shape(length=20_000, sequential=0.4, footprint_pages=1_000)
    stream = workload("YCSB-B", shape, 2)
    assert (stream.offset + stream.size).max() <= 1_000 * PAGE_BYTES and stream.offset.min() == 0
    assert statistics(stream)["sequential"] == pytest.approx(0.4, abs=0.03)


@pytest.mark.parametrize(
    ("name", "shape", "field"),
    [("LUN9", {}, "workload"), ("LUN0", {"footprint_pages": 5}, "footprint_pages")],
)
def test_an_unknown_workload_and_too_few_pages_are_refused(name, shape, field):
    with pytest.raises(InputError) as caught:
        workload(name, Shape(**shape), 0)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("field", "value"), [("skew", -0.1), ("drift", -1), ("sequential", 1.1), ("burstiness", 11.0), ("length", 0)]
)
def test_parameters_out_of_range_are_refused(field, value):
    with pytest.raises(InputError, match=field):
        Shape(**{field: value})
