"""Both sides of a validation, run on simulators: what is compared, by phases and for a transfer."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.policies import make_policy
from pmtwin.scenarios.comparison.rollout import Block
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.sim.errors import InputError
from pmtwin.validation import MEASURED, PREDICTED, Case, Windows, compare, grid_cases, policy_cases, run_case
from pmtwin.validation.cases import case_schedule
from pmtwin.validation.verdict import verdict
from tests.pmtwin.validation.made import DEFAULT, POOLS, plan_of, tolerances, windows

SMALL = NvmMiddleware.of(requests_per_window=300)


def run_both(plan):
    return {
        side: [
            [run_case(plan, side, case, k, make_policy(case.policy)) for k in range(plan.seeds)] for case in plan.cases
        ]
        for side in (PREDICTED, MEASURED)
    }


def test_another_engine_of_the_same_twin_agrees_to_the_last_bit():
    cases = tuple(
        grid_cases(((4, 4),), 3, (1, 4)) + policy_cases(["threshold"], case_schedule(DEFAULT, "order", 4, 2, 0, (1, 2)))
    )
    other = NvmMiddleware.of(requests_per_window=300, engine="simpy")
    plan = plan_of(cases, seeds=2, predicted=SMALL, measured=other)
    result = compare(plan, run_both(plan))
    assert result["errors"]["fixed pools"]["p99_us"]["worst_percent"] == 0.0
    assert [entry["workload"] for entry in result["comparisons"]] == ["phase-1", "phase-4", "phase-1", "phase-2"]
    assert list(result["errors"]) == ["fixed pools", "policies' own paths"]
    # eight threads are inside the data, the thirty that threshold begins with are not
    assert result["extrapolated"] == {"comparisons": 2, "measured_windows": 4 * 2}


def test_a_machine_with_a_slower_hand_off_is_found_out():
    cases = grid_cases(((2, 2), (4, 4)), 6, changes=(("workload", "section-4.2"),))
    slower = NvmMiddleware.of(requests_per_window=300, parameters={"handoff_ns": 44_000})
    plan = plan_of(cases, seeds=2, predicted=SMALL, measured=slower)
    result = compare(plan, run_both(plan))
    assert result["errors"]["fixed pools"]["throughput_ops"]["bias_percent"] > 30
    assert {entry["workload"] for entry in result["comparisons"]} == {"section-4.2"}
    assert not verdict(result, tolerances())["passed"]


def test_runs_survive_being_written_down():
    plan = plan_of([Case("none", (Block(1, 2),))], predicted=SMALL)
    first = run_case(plan, PREDICTED, plan.cases[0], 0, make_policy("none"))
    first.measures["p99_us"][0] = np.nan
    again = Windows.from_dict(json.loads(json.dumps(first.to_dict(), allow_nan=False)))
    for name in first.to_dict():
        np.testing.assert_equal(getattr(again, name), getattr(first, name))


def test_the_same_case_twice_is_refused():
    with pytest.raises(InputError, match="fixed:4,4"):
        plan_of(grid_cases(((4, 4), (4, 4)), 2, (1,)))


def changing(by_phase, **changes):
    """Two windows in phase 1, then two in phase 2; `by_phase` is their throughput."""
    first = windows(4, throughput_ops=np.repeat(by_phase, 2), **changes)
    return replace(first, context=np.array([1, 1, 2, 2]))


def test_pools_in_a_phase_by_itself_and_in_a_changing_one_are_no_rivals_and_those_of_a_transfer_none_at_all():
    alone = grid_cases(((2, 2), (6, 6)), 10, (1,))
    turns = (Block(1, 2), Block(2, 2))
    among, other = Case("fixed:6,6", turns), Case("fixed:2,2", turns)
    cases = [*alone, among, other]
    both = [[windows(pools=(2, 2), throughput_ops=1e5)], [windows(pools=(6, 6), throughput_ops=2e5)]]
    both += [[changing((9e5, 1e5), pools=(6, 6))], [changing((8e5, 2e5), pools=(2, 2))]]
    runs = {PREDICTED: both, MEASURED: both}
    best = [each for each in compare(plan_of(cases), runs)["best"] if each["measure"] == "throughput_ops"]
    assert [(each["workload"], each["changing"], each["measured"]) for each in best] == [
        ("phase-1", False, [6, 6]), ("phase-1", True, [6, 6]), ("phase-2", True, [2, 2])
    ]  # fmt: skip
    left = compare(plan_of(cases), runs, transfer=[among, other])["best"]
    assert {(each["workload"], each["changing"]) for each in left} == {("phase-1", False)}


def test_errors_along_a_policys_own_path_are_judged_apart_and_those_of_a_transfer_not():
    cases = [*grid_cases(POOLS, 10, (1,)), Case("threshold", (Block(1, 10),))]
    predicted = [[windows(pools=pools)] * 3 for pools in POOLS] + [[windows(throughput_ops=1.5e5)] * 3]
    runs = {PREDICTED: predicted, MEASURED: [[windows(pools=pools)] * 3 for pools in POOLS] + [[windows()] * 3]}
    result = compare(plan_of(cases), runs)
    assert result["errors"]["fixed pools"]["throughput_ops"]["worst_percent"] == 0.0
    failing = [check["what"] for check in verdict(result, tolerances())["checks"] if not check["passed"]]
    assert failing == [f"{kind} error of throughput along policies' own paths" for kind in ("median", "worst")]
    result = compare(plan_of(cases), runs, transfer=cases[-1:])
    assert result["errors"]["policy of the transfer"]["throughput_ops"]["worst_percent"] == pytest.approx(50.0)
    decided = verdict(result, tolerances())
    assert decided["passed"]
    assert any("(policy of the transfer) is 50 %" in warning for warning in decided["warnings"])


def test_only_the_phase_that_leaves_the_profiles_range_is_marked_and_measured_windows_are_told():
    cases = [Case("fixed:4,4", (Block(1, 2), Block(2, 2)))]
    inside = changing((1e5, 1e5))
    outside = replace(inside, extrapolated=np.array([False, False, False, True]))
    result = compare(plan_of(cases), {PREDICTED: [[inside]], MEASURED: [[outside]]})
    assert [entry["extrapolated"] for entry in result["comparisons"]] == [
        {PREDICTED: False, MEASURED: False}, {PREDICTED: False, MEASURED: True}
    ]  # fmt: skip
    warnings = verdict(result, tolerances())["warnings"]
    assert [of.partition(" lie ")[0] for of in warnings if " lie " in of] == ["1 of 4 measured windows"]


def test_agreement_on_goals_that_nobody_keeps_is_said_in_the_headline():
    cases = grid_cases(POOLS, 10, (1,))
    missed = [[windows(pools=pools, met=False)] * 3 for pools in POOLS]
    decided = verdict(compare(plan_of(cases), {PREDICTED: missed, MEASURED: missed}), tolerances())
    assert decided["passed"]
    assert decided["headline"].endswith(
        "checks pass; both sides miss the service level in all 4 cases "
        "(a side keeps it with an attainment of 50 % or more)"
    )
    assert "(--goal)" in decided["warnings"][0] and str(DEFAULT.goals[0]) in decided["warnings"][0]
    kept_once = [[windows(pools=POOLS[0])] * 3, *missed[1:]]
    assert "both sides miss" not in str(
        verdict(compare(plan_of(cases), {PREDICTED: kept_once, MEASURED: kept_once}), tolerances())
    )
