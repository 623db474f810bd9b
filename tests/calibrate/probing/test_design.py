"""The design asks where the model is least certain, and its variances and errors are those of the model."""

import numpy as np
import pytest

from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.mechanism import fit_mechanism
from pmtwin.calibrate.probing.cases import configurations_of
from pmtwin.calibrate.probing.design import FIRST_OF_EACH, Design
from pmtwin.calibrate.probing.plan import (
    PRESETS,
    access_sizes,
    bandwidth_cases,
    latency_cases,
    mix_cases,
    thread_counts,
)
from pmtwin.calibrate.probing.surrogate import Surrogate


@pytest.fixture(scope="module")
def loads(make_sweep):
    return group(make_sweep(operation="load", noise=0.01))[0]


def test_the_first_are_spread_over_all_operations_and_patterns(make_sweep):
    candidates = configurations_of(bandwidth_cases(("load", "ntstore"), 8), 6.0)
    design = Design(candidates, "pmem", seed=3)
    first = []
    for _ in range(2 * FIRST_OF_EACH):
        first.append(design.next())
        design.tell(first[-1], 1000.0)
    of = candidates.take(np.array(first))
    assert len(set(first)) == 2 * FIRST_OF_EACH
    assert np.sum(of.operation == "load") == np.sum(of.operation == "ntstore") == FIRST_OF_EACH
    for operation in ("load", "ntstore"):
        here = of.take(of.operation == operation)
        assert set(here.pattern) == {"random", "sequential"}
        assert {1.0, 8.0} <= set(here.threads) and {64.0, float(1 << 20)} <= set(here.access_size_bytes)


def test_every_candidate_is_asked_once(loads):
    design = Design(loads.take(np.arange(40)), "pmem", seed=0)
    asked = []
    while (candidate := design.next()) is not None:
        asked.append(candidate)
        design.tell(candidate, loads.bandwidth_mib_s[candidate])
    assert sorted(asked) == list(range(40))


def test_the_same_seed_asks_the_same(loads):
    def asked(seed):
        design, order = Design(loads, "pmem", seed), []
        for _ in range(20):
            order.append(design.next())
            design.tell(order[-1], loads.bandwidth_mib_s[order[-1]])
        return order

    assert asked(1) == asked(1) != asked(2)


def test_what_takes_longer_has_to_tell_more(loads):
    seconds = np.where(loads.pattern == "random", 1.0, 1e6)
    design = Design(loads, "pmem", seed=0)
    later = []
    for number in range(FIRST_OF_EACH + 10):
        candidate = design.next(seconds)
        design.tell(candidate, loads.bandwidth_mib_s[candidate])
        if number >= FIRST_OF_EACH:
            later.append(loads.pattern[candidate])
    assert set(later) == {"random"}


@pytest.fixture(scope="module")
def surrogate(loads):
    measured = np.random.default_rng(0).permutation(len(loads))[:60]
    return Surrogate(loads, measured, np.log(loads.bandwidth_mib_s[measured]), "pmem"), measured


def test_a_measurement_lowers_the_variance_by_what_was_promised(loads, surrogate):
    known, measured = surrogate
    gains, before = known.gains(), known.deviations() ** 2
    best = int(np.argmax(np.where(np.isin(np.arange(len(loads)), measured), -1.0, gains)))
    known.expect(best)
    after = known.deviations() ** 2
    assert np.all(after <= before + 1e-12)
    assert after[best] < before[best]
    assert np.sum(before - after) == pytest.approx(gains[best])


def test_left_out_errors_are_those_of_a_model_without_the_measurement(loads, surrogate):
    """In closed form, against fitting the mechanism again without each measurement."""
    known, measured = surrogate
    seen = loads.take(measured)
    slow = np.empty(8)
    for number in range(8):
        rest = np.setdiff1d(np.arange(measured.size), number)
        fit = fit_mechanism("load", seen.take(rest), known.fit, max_evaluations=30)
        slow[number] = (fit.log_bandwidth(seen) - np.log(seen.bandwidth_mib_s))[number]
    assert np.abs(known.left_out_errors[:8] - slow).max() < 0.03
    assert np.median(np.abs(known.left_out_errors)) < 0.03


def test_errors_stay_within_what_the_model_expects(loads, surrogate):
    known, measured = surrogate
    aside = np.setdiff1d(np.arange(len(loads)), measured)
    errors = known.log_bandwidth()[aside] - np.log(loads.bandwidth_mib_s[aside])
    assert 0.8 <= np.mean(np.abs(errors) <= 1.645 * known.deviations()[aside]) <= 1.0


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
