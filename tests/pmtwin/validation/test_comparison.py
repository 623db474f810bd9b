"""The twin beside something that differs from it in known ways: the comparison finds it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.host.options import HostOptions
from pmtwin.scenarios.nvm_middleware.validation.measured import MeasuredMiddleware
from pmtwin.validation import MEASURED, PREDICTED, compare, grid_cases
from pmtwin.validation.little import little
from pmtwin.validation.saturation import saturating_case
from pmtwin.validation.verdict import verdict
from tests.pmtwin.validation.made import POOLS, compared, plan_of, tolerances, windows


def test_equal_sides_have_no_error_and_pass():
    result = compared()
    names = ("median_percent", "worst_percent", "bias_percent")
    assert result["errors"]["fixed pools"]["throughput_ops"] == dict.fromkeys(names, 0.0) | {
        "intervals": {name: [0.0, 0.0] for name in names}, "entries": 4, "absent": 0, "missing": 0
    }  # fmt: skip
    assert verdict(result, tolerances())["name"] == "verified (emulated)"


def test_throughput_counts_where_more_is_offered_than_a_side_does():
    cases = grid_cases(((2, 2), (6, 6)), 10, (1,))
    full = [[windows(pools=(2, 2), throughput_ops=rate)] * 3 for rate in (3e5, 1e5)]  # 300,000 are offered
    slow = [[windows(pools=(2, 2), throughput_ops=rate)] * 3 for rate in (3e5, 0.8e5)]
    result = compare(plan_of(cases), {PREDICTED: slow, MEASURED: full})
    assert [entry["saturated"] for entry in result["comparisons"]] == [False, True]
    (check,) = (each for each in verdict(result, tolerances("dram"))["checks"] if "throughput at" in each["what"])
    assert (check["what"], check["outcome"]) == ("median error of throughput at saturation", "fails")
    result = compare(plan_of(cases[:1]), {PREDICTED: slow[:1], MEASURED: full[:1]})
    decided = verdict(result, tolerances("dram"))
    assert not decided["passed"] and "below saturation" in decided["headline"]
    assert verdict(result, tolerances("emulated"))["passed"]


@pytest.mark.parametrize(("rate", "added"), [(2_000.0, True), (500_000.0, False), (None, False)])
def test_a_case_at_saturation_is_added_where_no_named_one_saturates(rate, added):
    values = {"offered.interactive_rate_ops": rate, "offered.batch_rate_ops": rate, "twin.native.store": "map"}
    side = MeasuredMiddleware.of(NvmMiddleware, values, HostOptions(host="none"))
    plan = plan_of(grid_cases(((2, 2), (4, 4)), 3, (1,)), predicted=side.predicted, measured=side.measured)
    runs = [[windows(3, throughput_ops=4e3)] * 3] * 2
    more = saturating_case(plan, side, runs)
    assert (None if more is None else (more.policy, more.added)) == (("fixed:4,4", True) if added else None)
    if more is None:
        return
    assert saturating_case(plan, side, runs, transfer=plan.cases) is None
    whole, runs = replace(plan, cases=(*plan.cases, more)), [*runs, [windows(3, throughput_ops=1e5, p99_us=9e2)] * 3]
    result = compare(whole, {PREDICTED: runs, MEASURED: runs})
    assert result["saturation"]["added"] == "phase-1, clients without pauses"
    assert result["errors"]["fixed pools"]["p99_us"]["entries"] == result["sla"]["comparisons"] == 2
    assert len({each["workload"] for each in result["best"]}) == 1
    what = "median error of throughput at saturation (phase-1, clients without pauses)"
    assert what in [check["what"] for check in verdict(result, tolerances("dram"))["checks"]]
    alone = compare(plan, {PREDICTED: runs[:2], MEASURED: runs[:2]}, transfer=plan.cases)
    assert not any("saturation" in check["what"] for check in verdict(alone, tolerances("dram"))["checks"])


@pytest.mark.parametrize(
    "factors", [(0.15, 0.09, 0.08), (0.3, 0.6, 0.3), (0.5, 0.9, 1.4), (1.6, 1.1, 0.9), (3.0, 1.2, 2.0), (1.0, 1.0, 1.0)]
)
def test_the_error_of_a_single_case_has_one_interval_wherever_it_stands(factors):
    (errors, error) = errors_of([factors])
    low, high = error["low"], error["high"]
    ends = [0.0 if low < 0 < high else min(abs(low), abs(high)), max(abs(low), abs(high))]
    for name in ("median_percent", "worst_percent"):
        assert errors["intervals"][name] == pytest.approx(ends, abs=1e-9)
    assert errors["intervals"]["bias_percent"] == pytest.approx([low, high], abs=1e-9)


def test_no_interval_of_errors_leaves_what_is_possible():
    """Of cases that all promise too little, no error is beyond 100 %; one beyond it would mean less than nothing."""
    for factors in (
        [(0.5, 0.01, 0.2)],
        [(0.5, 0.01, 0.2), (0.1, 0.7, 0.3)],
        [(0.3, 0.02, 0.1), *[(0.6, 0.5, 0.01)] * 2],
    ):
        errors, _ = errors_of(factors)
        for name in ("median_percent", "worst_percent"):
            low, high = errors["intervals"][name]
            assert 0.0 <= low <= errors[name] <= high
            assert high <= 100.0 or low == 0.0, "beyond 100 % only where the sign is not sure"
        assert errors["intervals"]["bias_percent"][0] > -100.0
    errors, _ = errors_of([(0.1, 0.15, 0.12), (3.0, 2.6, 1.7)])
    assert errors["intervals"]["median_percent"][1] > 100.0, "the second case may be as far off as it likes"


def errors_of(factors):
    """Of p99, by factors of the seeds of each case: over all cases, and of the first."""
    case = grid_cases(POOLS[: len(factors)], 2, (1,))
    predicted = [[windows(2, pools=pools, p99_us=100.0 * factor) for factor in by_seed]
                 for pools, by_seed in zip(POOLS, factors, strict=False)]  # fmt: skip
    measured = [[windows(2, pools=pools)] * 3 for pools in POOLS[: len(factors)]]
    result = compare(plan_of(case), {PREDICTED: predicted, MEASURED: measured})
    return result["errors"]["fixed pools"]["p99_us"], result["comparisons"][0]["p99_us"]["error_percent"]


def test_cases_without_an_error_do_not_enter_the_median_and_those_not_measured_fail():
    cases = grid_cases(POOLS, 10, (1,))
    batch = (1.0, 1.2, 0.0, 0.0)  # the last two have no clients of the class
    predicted = [[windows(pools=pools, batch_ops=5e4 * of)] * 3 for pools, of in zip(POOLS, batch, strict=True)]
    measured = [[windows(pools=pools, batch_ops=5e4 * bool(of))] * 3 for pools, of in zip(POOLS, batch, strict=True)]
    result = compare(plan_of(cases), {PREDICTED: predicted, MEASURED: measured})
    errors = result["errors"]["fixed pools"]["batch_ops"]
    assert (errors["entries"], errors["absent"], errors["missing"]) == (2, 2, 0)
    assert errors["median_percent"] == pytest.approx(10.0)
    told = verdict(result, tolerances())["warnings"]
    assert "2 comparisons of batch_ops (fixed pools) have no error: no measurement" in told
    assert result["comparisons"][-1]["batch_ops"]["error_percent"] == dict.fromkeys(("mean", "low", "high", "range"))

    measured[0] = [windows(pools=POOLS[0], throughput_ops=0.0), *[windows(pools=POOLS[0])] * 2]
    result = compare(plan_of(cases), {PREDICTED: predicted, MEASURED: measured})
    errors = result["errors"]["fixed pools"]["throughput_ops"]
    assert (errors["entries"], errors["missing"], errors["worst_percent"]) == (3, 1, 0.0)
    failing = [check for check in verdict(result, tolerances())["checks"] if check["outcome"] == "fails"]
    told = [(check["what"], check["found"]) for check in failing]
    assert ("cases in which throughput has no value on one side", 25.0) in told


@pytest.mark.parametrize("side", [PREDICTED, MEASURED])
def test_a_measure_without_a_value_has_no_error_and_others_do(side):
    nothing, half = windows(pools=POOLS[0], p99_us=np.nan), windows(2, pools=POOLS[1], p99_us=[np.nan, 120.0])
    usual = [[windows(pools=pools, p99_us=100.0)] * 3 for pools in POOLS[:3]]
    runs = {PREDICTED: usual, MEASURED: usual} | {side: [[nothing] * 3, [half] * 3, usual[2]]}
    result = json.loads(json.dumps(compare(plan_of(grid_cases(POOLS[:3], 10, (1,))), runs), allow_nan=False))
    none, some, _ = (entry["p99_us"] for entry in result["comparisons"])
    assert none[side] == none["error_percent"] == dict.fromkeys(("mean", "low", "high", "range"))
    assert none["by_seed"][side] == [None] * 3
    assert (some[side]["mean"], some["error_percent"]["mean"] > 0) == (120.0, side == PREDICTED)
    errors = result["errors"]["fixed pools"]["p99_us"]
    assert (errors["entries"], errors["missing"]) == (2, 1)
    assert [choice["predicted"] for choice in result["best"] if choice["measure"] == "p99_us"] != [list(POOLS[0])]


def test_intervals_of_what_cannot_be_negative_are_not():
    case = grid_cases(((4, 4),), 2, (1,))
    measured = [[windows(2, p99_us=p99, throughput_ops=1e3 * p99) for p99 in (1.0, 1.0, 300.0)]]
    (entry,) = compare(plan_of(case), {PREDICTED: [[windows(2)] * 3], MEASURED: measured})["comparisons"]
    for name in ("throughput_ops", "p99_us"):
        result = entry[name][MEASURED]
        assert 0 < result["low"] < result["mean"] < result["high"]
        assert entry[name]["error_percent"]["low"] > -100


def test_warnings_that_differ_in_their_value_only_are_told_once():
    case = grid_cases(((4, 4),), 2, (1,))
    measured = [
        [windows(2, validity_warning=f"share of the processors used: {value}; allowed: at most 0.6")]
        for value in (0.7, 0.8)
    ]
    both = [measured[0][0], measured[1][0], windows(2)]
    result = compare(plan_of(case), {PREDICTED: [[windows(2)] * 3], MEASURED: [both]})
    assert result["validity_warnings"] == {"share of the processors used: 0.7 to 0.8; allowed: at most 0.6": 4}


def test_windows_in_which_nobody_counted_are_left_out_of_littles_law():
    first = windows(4, counted=[50.0, np.nan, 51.0, 49.0])
    assert little([first])["windows"] == 3
    assert little([first])["worst_percent"] == pytest.approx(2.0)
    assert little([windows(counted=np.nan)])["windows"] == 0


def test_what_workers_have_not_taken_off_yet_is_no_departure_from_littles_law():
    idle = windows(3, pools=(2, 2), counted=[0.3, 4.1, 4.3], stamped=0.2)
    assert little([idle])["departing"] == 1


def test_intervals_are_over_pairs_of_the_same_seed():
    case = grid_cases(((4, 4),), 10, (1,))
    predicted = [[windows(throughput_ops=rate) for rate in (1e5, 2e5, 3e5)]]
    measured = [[windows(throughput_ops=1.1 * rate) for rate in (1e5, 2e5, 3e5)]]
    (entry,) = compare(plan_of(case), {PREDICTED: predicted, MEASURED: measured})["comparisons"]
    error = entry["throughput_ops"]["error_percent"]
    assert error["low"] == pytest.approx(error["high"]) == pytest.approx(100 * (1 / 1.1 - 1))
    assert entry["throughput_ops"]["predicted"]["high"] > 3e5
