"""The twin beside something that differs from it in known ways: the comparison finds it, region and verdict name it."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.scenarios.comparison.rollout import Block
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.host.options import HostOptions
from pmtwin.scenarios.nvm_middleware.validation.measured import MeasuredMiddleware
from pmtwin.scenarios.nvm_middleware.validation.tables import tables
from pmtwin.sim.errors import InputError
from pmtwin.validation import MEASURED, PREDICTED, Case, compare, grid_cases
from pmtwin.validation.choices import best_choices
from pmtwin.validation.little import little
from pmtwin.validation.saturation import saturating_case
from pmtwin.validation.verdict import verdict
from tests.pmtwin.validation.made import POOLS, plan_of, tolerances, windows


def compared(factor=1.0, **changes):
    """A grid in phase 1 whose throughput is predicted too high by `factor`; measured windows with `changes`."""
    cases = grid_cases(POOLS, 10, (1,))
    rate = {pools: 1e5 + 1e3 * sum(pools) for pools in POOLS}
    measured = [[windows(pools=pools, throughput_ops=rate[pools], **changes)] * 3 for pools in POOLS]
    predicted = [[windows(pools=pools, throughput_ops=factor * rate[pools])] * 3 for pools in POOLS]
    return compare(plan_of(cases), {PREDICTED: predicted, MEASURED: measured})


def test_equal_sides_have_no_error_and_pass():
    result = compared()
    names = ("median_percent", "worst_percent", "bias_percent")
    assert result["errors"]["fixed pools"]["throughput_ops"] == dict.fromkeys(names, 0.0) | {
        "intervals": {name: [0.0, 0.0] for name in names}, "entries": 4, "absent": 0, "missing": 0
    }  # fmt: skip
    assert verdict(result, tolerances())["name"] == "verified (emulated)"


@pytest.mark.parametrize(("factor", "passed"), [(1.029, True), (1.031, False), (0.969, False)])
def test_the_median_error_of_throughput_decides(factor, passed):
    result = compared(factor)
    assert result["errors"]["fixed pools"]["throughput_ops"]["bias_percent"] == pytest.approx(100 * (factor - 1))
    decided = verdict(result, tolerances())
    assert decided["passed"] is passed
    failing = [check["what"] for check in decided["checks"] if not check["passed"]]
    assert failing == ([] if passed else ["median error of throughput"])


def test_one_case_far_off_is_beyond_the_worst_but_not_the_median():
    result = compared()
    cases = grid_cases(POOLS, 10, (1,))
    measured = [[windows(pools=pools)] * 3 for pools in POOLS]
    predicted = [[windows(pools=pools, p99_us=130.0 if pools == (30, 30) else 100.0)] * 3 for pools in POOLS]
    result = compare(plan_of(cases), {PREDICTED: predicted, MEASURED: measured})
    failing = [check for check in verdict(result, tolerances())["checks"] if not check["passed"]]
    assert [check["what"] for check in failing] == ["worst error of p99"]
    by_threads = {each["region"]: each["errors"]["p99_us"]["worst_percent"] for each in result["regions"]}
    assert by_threads["33 to 64"] == pytest.approx(30.0)
    assert by_threads["2 to 8"] == by_threads["9 to 16"] == by_threads["17 to 32"] == 0.0


def test_only_persistent_memory_is_called_so_and_real_memory_has_wider_limits():
    result = compared(1.09, p99_us=115.0)
    assert verdict(result, tolerances("emulated"))["name"] == "not verified (emulated)"
    assert verdict(result, tolerances("dram"))["name"] == "validated (DRAM)"
    assert verdict(result, tolerances("pmem", p99_median=5.0))["name"] == "not validated (pmem)"
    for medium in ("emulated", "dram"):
        assert "optane" not in str(verdict(result, tolerances(medium))).lower()
    with pytest.raises(InputError, match="pmem"):
        tolerances("pmen")


def test_what_the_verdict_does_not_ask_for_is_a_warning_where_it_is_far_off():
    clean = verdict(compared(), tolerances("dram"))
    assert clean["passed"] and not clean["warnings"]
    result = compared(p99_us=300.0, met=False)
    decided = verdict(result, tolerances("dram", p99_median=None, sla_disagreement=None))
    assert decided["passed"]
    told = " | ".join(decided["warnings"])
    assert "median error of p99 is 66.7 %" in told and "worst error of p99" in told
    assert "disagree on whether the service level holds in 4 of 4" in told
    asked = verdict(result, tolerances("dram", p99_median=5.0))
    assert not asked["passed"] and "median error of p99" not in " | ".join(asked["warnings"])


def test_a_choice_that_loses_more_than_the_limit_is_a_warning_unless_the_verdict_asks_for_it():
    best = [
        {"workload": "w", "measure": name, "loss_percent": 35.0, "loss_interval": [34.0, 36.0]}
        for name in ("throughput_ops", "reward")
    ]
    result = compared() | {"best": best}
    told = verdict(result, tolerances("dram", best_loss=None, reward_loss=None))["warnings"]
    assert [word for word in ("throughput", "reward") if f"best in {word} lose 35 %" in " ".join(told)] == [
        "throughput",
        "reward",
    ]
    told = verdict(result, tolerances())["warnings"]
    assert len(told) == 1 and "reward" in told[0]
    decided = verdict(result, tolerances("dram"))
    assert [check["what"] for check in decided["checks"] if not check["passed"]] == [
        "loss of throughput by the twin's best pools",
        "loss of reward by the twin's best pools",
    ]
    assert decided["best_loss_percent"] == 35.0 and not decided["warnings"]


def test_the_loss_of_a_verdict_is_that_of_the_workload_with_the_worst_outcome():
    losses = {"quiet": (7.0, [-200.0, 200.0]), "loud": (81.9, [37.6, 126.0]), "steady": (1.0, [0.5, 1.5])}
    best = [
        {"workload": name, "changing": False, "measure": "reward", "loss_percent": loss, "loss_interval": ends}
        for name, (loss, ends) in losses.items()
    ]
    decided = verdict(compared() | {"best": best}, tolerances("dram"))
    (check,) = (check for check in decided["checks"] if "loss of reward" in check["what"])
    assert check["what"] == "loss of reward by the twin's best pools in loud"
    assert (check["found"], check["low"], check["outcome"]) == (81.9, 37.6, "fails")


def test_no_word_of_a_verdict_is_better_than_its_worst_part():
    """Throughput that both sides reach because no more was offered says nothing beside a p99 that is far off."""
    decided = verdict(compared(p99_us=300.0, met=False), tolerances("dram"))
    assert decided["headline"] == (
        "not validated (DRAM): median error of p99 66.7 % (at most 20 %); "
        "cases in which the sides disagree on the service level (a side keeps it with an attainment of 50 % or more) "
        "100 % (at most 10 %)"
    )
    assert (decided["passed"], decided["sla_agreement"]) == (False, 0.0)
    assert decided["p99_median_percent"] == pytest.approx(200 / 3)
    assert verdict(compared(), tolerances("dram"))["headline"] == "validated (DRAM): all 7 checks pass"


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


@pytest.mark.parametrize("seeds", [1, 2])
def test_fewer_than_three_seeds_have_no_interval_and_decide_nothing(seeds):
    case = grid_cases(((4, 4),), 2, (1,))
    predicted = [windows(2, p99_us=p99) for p99 in (110.0, 100.0)[:seeds]]
    result = compare(plan_of(case), {PREDICTED: [predicted], MEASURED: [[windows(2)] * seeds]})
    decided = verdict(result, tolerances())
    assert (decided["name"], decided["outcome"]) == ("not verified (emulated)", "undecided")
    assert any("fewer than 3 seeds" in warning for warning in decided["warnings"])
    assert any("more seeds" in reason for reason in decided["reasons"])
    error = result["comparisons"][0]["p99_us"]["error_percent"]
    assert (error["low"], error["range"]) == (None, None if seeds == 1 else pytest.approx([0.0, 10.0]))
    (row,) = next(table.rows for table in tables(result | {"configuration": {}}) if table.name == "validation")
    assert ("5 (0.00, 10)" if seeds == 2 else "10") in row


@pytest.mark.parametrize(
    ("factors", "outcome"),
    [((1.02, 1.021, 1.019), "passes"), ((1.00, 1.02, 1.04), "undecided"), ((1.05, 1.051, 1.052), "fails")],
)
def test_the_far_end_of_the_interval_decides(factors, outcome):
    case = grid_cases(((4, 4),), 2, (1,))
    predicted = [[windows(2, throughput_ops=1e5 * factor) for factor in factors]]
    result = compare(plan_of(case), {PREDICTED: predicted, MEASURED: [[windows(2)] * 3]})
    decided = verdict(result, tolerances(throughput_worst=None))
    check = next(each for each in decided["checks"] if each["what"] == "median error of throughput")
    assert check["outcome"] == decided["outcome"] == outcome
    ratio = np.mean(factors)
    half = 4.302653 * np.std(factors, ddof=1) / np.sqrt(3)  # Student t, two degrees of freedom
    assert check["high"] == pytest.approx(100 * (ratio * np.exp(half / ratio) - 1), rel=1e-6)


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
    assert ("cases without any measured throughput", 25.0) in [(check["what"], check["found"]) for check in failing]


def test_intervals_of_what_cannot_be_negative_are_not():
    case = grid_cases(((4, 4),), 2, (1,))
    measured = [[windows(2, p99_us=p99, throughput_ops=1e3 * p99) for p99 in (1.0, 1.0, 300.0)]]
    (entry,) = compare(plan_of(case), {PREDICTED: [[windows(2)] * 3], MEASURED: measured})["comparisons"]
    for name in ("throughput_ops", "p99_us"):
        result = entry[name][MEASURED]
        assert 0 < result["low"] < result["mean"] < result["high"]
        assert entry[name]["error_percent"]["low"] > -100


def test_the_last_digit_of_a_float_does_not_decide():
    result = compared()
    rounded = 100.0 * (1.05 - 1.0)
    result["errors"]["fixed pools"]["throughput_ops"]["intervals"]["median_percent"] = [rounded, rounded]
    assert 100.0 * (1.05 - 1.0) > 5.0
    assert verdict(result, tolerances(throughput_median=5.0))["passed"]


def test_departures_from_littles_law_and_doubted_windows_fail_and_say_why():
    decided = verdict(compared(counted=[50.0] * 9 + [120.0]), tolerances())
    assert [check["what"] for check in decided["checks"] if not check["passed"]] == [
        "windows that depart from Little's law"
    ]
    decided = verdict(compared(validity_warning="over 60 % of the processors used"), tolerances())
    assert not decided["passed"]
    assert any("over 60 %" in warning for warning in decided["warnings"])


def test_what_a_policy_noted_is_counted_and_a_fall_back_that_does_not_help_is_told():
    case = [Case("online", (Block(1, 6),))]
    fallen = ["", "fall-back", "fall-back", "", "fall-back", "fall-back"]
    measured = windows(6, note=fallen, met=[True, False, False, True, False, True])
    result = compare(plan_of(case), {PREDICTED: [[windows(6)]], MEASURED: [[measured]]})
    assert result["notes"] == [
        {"policy": "online", "side": MEASURED, "run": 0, "note": "fall-back", "windows": 4, "times": 2}
        | {"kept_percent": 25.0, "at_the_end": True}
    ]
    told = verdict(result, tolerances())["warnings"]
    assert any("fall-back to the end, and only 25 % of its 4 windows" in warning for warning in told)


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


def choice_of(pools, predicted, measured, spread=1.0):
    """One setting of a comparison, with the same values in all measures."""
    both = {PREDICTED: {"mean": predicted}, MEASURED: {"mean": measured}}
    both["by_seed"] = {MEASURED: [measured - spread, measured, measured + spread]}
    return {
        "pools": list(pools),
        "workload": "w",
        "changing": False,
        "throughput_ops": both,
        "p99_us": both,
        "reward": both,
    }


def test_what_the_twins_choice_costs_is_measured_on_the_other_side():
    entries = [choice_of((4, 4), 110.0, 90.0), choice_of((8, 8), 105.0, 100.0), choice_of((9, 9), 50.0, 60.0)]
    throughput, p99, _ = best_choices(NvmMiddleware, [("alone", entry) for entry in entries])
    assert (throughput["predicted"], throughput["measured"]) == ([4, 4], [8, 8])
    assert throughput["loss_percent"] == pytest.approx(10.0)
    low, high = throughput["loss_interval"]
    assert low < 10.0 < high
    assert (p99["predicted"], p99["measured"], p99["loss_percent"]) == ([9, 9], [9, 9], 0.0)


def test_no_interval_of_a_loss_leaves_what_is_possible():
    entries = [choice_of((4, 4), 110.0, 10.0, 9.0), choice_of((8, 8), 105.0, 100.0)]
    throughput, _, reward = best_choices(NvmMiddleware, [("alone", entry) for entry in entries])
    for choice, most in ((throughput, 100.0), (reward, 200.0)):
        assert choice["loss_interval"][0] < choice["loss_percent"] < choice["loss_interval"][1] <= most
    entries = [choice_of((4, 4), 110.0, -10.0, 200.0), choice_of((8, 8), 105.0, 1.0, 1.0)]
    *_, reward = best_choices(NvmMiddleware, [("alone", entry) for entry in entries])
    assert reward["loss_interval"][1] <= 200.0


@pytest.mark.parametrize(
    ("chosen", "reached", "percent"), [(4.0, 5.0, 20.0), (-98.0, 5.0, 105.102), (-100.0, -10.0, 90.0)]
)
def test_a_loss_of_reward_is_a_share_of_the_larger_one_whatever_the_signs(chosen, reached, percent):
    entries = [choice_of((1, 1), 9.0, chosen), choice_of((2, 2), 8.0, reached)]
    *_, reward = best_choices(NvmMiddleware, [("alone", entry) for entry in entries])
    assert (reward["measure"], reward["loss_percent"]) == ("reward", pytest.approx(percent, abs=0.001))


def test_intervals_are_over_pairs_of_the_same_seed():
    case = grid_cases(((4, 4),), 10, (1,))
    predicted = [[windows(throughput_ops=rate) for rate in (1e5, 2e5, 3e5)]]
    measured = [[windows(throughput_ops=1.1 * rate) for rate in (1e5, 2e5, 3e5)]]
    (entry,) = compare(plan_of(case), {PREDICTED: predicted, MEASURED: measured})["comparisons"]
    error = entry["throughput_ops"]["error_percent"]
    assert error["low"] == pytest.approx(error["high"]) == pytest.approx(100 * (1 / 1.1 - 1))
    assert entry["throughput_ops"]["predicted"]["high"] > 3e5
