"""The verdict of a validation: what decides, what is a warning, and what is too little to decide."""

import numpy as np
import pytest

from pmtwin.scenarios.comparison.rollout import Block
from pmtwin.scenarios.nvm_middleware.validation.tables import tables
from pmtwin.sim.errors import InputError
from pmtwin.validation import MEASURED, PREDICTED, Case, compare, grid_cases
from pmtwin.validation.verdict import verdict
from tests.pmtwin.validation.made import POOLS, compared, plan_of, tolerances, windows


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
