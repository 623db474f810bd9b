"""The probe measures what is farthest from all before it, and its plan holds what the native probe takes."""

import numpy as np

from pmtwin.calibrate.probing.cases import configurations_of
from pmtwin.calibrate.probing.order import spread_order
from pmtwin.calibrate.probing.plan import (
    PRESETS,
    access_sizes,
    bandwidth_cases,
    latency_cases,
    mix_cases,
    thread_counts,
)
from pmtwin.calibrate.residual import coordinates_of

CANDIDATES = configurations_of(bandwidth_cases(("load", "ntstore"), 8), 6.0)


def test_the_first_are_spread_over_all_operations_and_patterns():
    first = CANDIDATES.take(spread_order(CANDIDATES, seed=3)[:24])
    for operation in ("load", "ntstore"):
        members = first.take(first.operation == operation)
        assert len(members) == 12
        assert set(members.pattern) == {"random", "sequential"}
        assert {1.0, 8.0} <= set(members.threads) and {64.0, float(1 << 20)} <= set(members.access_size_bytes)


def test_an_operation_of_few_candidates_has_its_turns_until_they_are_measured():
    few = CANDIDATES.take(np.r_[0:300, len(CANDIDATES) - 10 : len(CANDIDATES)])
    operation = few.operation[spread_order(few, seed=0)]
    assert [np.sum(operation[:20] == name) for name in ("load", "ntstore")] == [10, 10]
    assert set(operation[20:]) == {"load"}


def test_no_candidate_is_far_from_those_that_are_measured():
    """Half as far as random order leaves one."""
    loads = CANDIDATES.take(CANDIDATES.operation == "load")
    points = coordinates_of(loads) / np.ptp(coordinates_of(loads), axis=0).clip(1e-9)

    def farthest(order):
        return np.linalg.norm(points[:, None] - points[order[:40]], axis=2).min(axis=1).max()

    by_chance = [farthest(np.random.default_rng(seed).permutation(len(loads))) for seed in range(9)]
    assert farthest(spread_order(loads, seed=0)) < 0.6 * np.median(by_chance)


def test_every_candidate_has_one_place_and_the_seed_decides_which():
    order = spread_order(CANDIDATES, seed=1)
    assert sorted(order) == list(range(len(CANDIDATES)))
    assert np.array_equal(order, spread_order(CANDIDATES, seed=1))
    assert not np.array_equal(order, spread_order(CANDIDATES, seed=2))


def test_sizes_and_threads_of_the_plan():
    sizes = access_sizes()
    assert sizes[:5] == [64, 128, 192, 256, 384] and sizes[-1] == 1 << 20
    assert all(size % 64 == 0 for size in sizes)
    assert thread_counts(1) == [1]
    assert thread_counts(6) == [1, 2, 3, 4, 5, 6]
    counts = thread_counts(96)
    assert counts[:8] == list(range(1, 9)) and counts[-1] == 96 and len(counts) < 30


def test_the_plan_has_latencies_and_mixes_that_the_native_probe_takes():
    assert [case.kind for case in latency_cases(("load", "ntstore"))][:2] == ["chase", "chase"]
    for case in mix_cases(("load", "ntstore", "store_clwb"), 2, PRESETS["default"]):
        whole = (case.write_ratio * case.threads).is_integer()
        assert case.mix_by == ("threads" if whole else "accesses")
    assert mix_cases(("ntstore",), 2, PRESETS["default"]) == []
