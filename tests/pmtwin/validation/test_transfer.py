"""The search for the best fixed pools, and a policy beside them."""

import numpy as np
import pytest

from pmtwin.policies import make_policy
from pmtwin.scenarios.comparison.rollout import Block
from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv
from pmtwin.scenarios.nvm_middleware.published import FIGURE_B1_POOLS
from pmtwin.scenarios.nvm_middleware.system import POOLS
from pmtwin.sim.errors import InputError
from pmtwin.sim.numerics.statistics import ratio_interval
from pmtwin.validation import MEASURED, PREDICTED, SettingSearch, Transfer, transferred
from pmtwin.validation.best_fixed import measure_round
from pmtwin.validation.errors import over_cases
from pmtwin.validation.search import Round, Score, search
from pmtwin.validation.verdict import verdict
from tests.pmtwin.validation.made import plan_of, tolerances, windows

PLAN = SettingSearch(POOLS, FIGURE_B1_POOLS)


def hill(best):
    """Scores that fall off with the distance from the best pools of each phase."""

    def measure(first):
        measure.rounds.append(first)
        far = [abs(i - best[first.context][0]) + abs(b - best[first.context][1]) for i, b in first.settings]
        return [Score(0.0, -float(distance)) for distance in far]

    measure.rounds = []
    return measure


@pytest.mark.parametrize("best", [(9, 7), (1, 32), (29, 3), (13, 13)])
def test_the_best_between_the_settings_of_the_grid_is_found(best):
    assert search(PLAN, [1], hill({1: best})) == {(1,): best}


def test_each_phase_has_its_best_and_the_schedule_one_that_is_good_in_all():
    measure = hill({1: (6, 6), 3: (10, 10)})
    result = search(PLAN, [1, 3], measure)
    assert (result[1,], result[3,]) == ((6, 6), (10, 10))
    assert all(6 <= size <= 10 for size in result[1, 3])
    assert sum(each.run for each in measure.rounds if each.short) / 5 + sum(
        each.run for each in measure.rounds if not each.short
    ) <= PLAN.most_windows([1, 3])
    assert all(1 <= size <= 32 for each in measure.rounds for pools in each.settings for size in pools)


def test_what_keeps_the_level_more_often_comes_before_what_earns_more():
    def measure(first):
        return [Score(1.0, 0.0) if pools == (4, 8) else Score(0.5, 1e6) for pools in first.settings]

    assert search(PLAN, [2], measure) == {(2,): (4, 8)}


def test_the_final_alone_decides():
    def measure(first):
        luck = first.name != "final"
        return [Score(1.0, 2.0 if pools == (8, 8) else 1.0) if luck == (pools == (8, 8)) else Score(0.5, 1.0)
                for pools in first.settings]  # fmt: skip

    assert search(PLAN, [2], measure)[2,] != (8, 8)


def test_a_round_runs_its_settings_in_one_system_and_counts_the_windows_after_the_first():
    env = NvmMiddlewareEnv(episode_steps=None, requests_per_window=200)
    seen = []
    good, bad = measure_round(env, Round("final", 3, ((9, 8), (1, 1)), 3, False), 5, lambda: seen.append(env.setting))
    assert seen == [(9, 8)] * 4 + [(1, 1)] * 4
    assert good > bad


def run(met, reward=1.0):
    """A run of windows that keep the level or not."""
    return windows(len(met), met=met, reward=reward)


def held(policy, fixed):
    """The comparison in phase 1 with two windows of lead, the twin keeping all."""
    transfer = Transfer("threshold", (1,), (Block(1, 4),), windows=4, lead_windows=2)
    best = {(1,): (8, 8)}
    cases = [*transfer.policy_cases(), *transfer.fixed_cases(best)]
    both = {MEASURED: [policy, fixed], PREDICTED: [[run([1] * 6)] * len(policy), fixed]}
    (first,) = transferred(transfer, best, plan_of(cases), both)
    return first


def decided(one, **changes):
    """The failing checks of a verdict in which all else is right."""
    same = [{PREDICTED: [1.0] * 3, MEASURED: [1.0] * 3}]
    nothing = over_cases(same, (PREDICTED, MEASURED))
    compared = {
        "errors": {"fixed pools": {"throughput_ops": nothing, "p99_us": nothing}}, "windows": 1,
        "best": [], "validity_warnings": {}, "notes": [], "sla": {"comparisons": 0, "agree": 0, "both_miss": 0},
        "little": {"windows": 0}, "extrapolated": {"comparisons": 0, "measured_windows": 0}, "comparisons": [],
        "transfer": [one], "goals": [],
    }  # fmt: skip
    return [check["what"] for check in verdict(compared, tolerances(**changes))["checks"]
            if not check["passed"]]  # fmt: skip


def test_windows_of_the_lead_do_not_count_and_the_ratio_decides():
    late = [run([0, 0, 1, 1, 1, 1]), run([0, 0, 1, 1, 1, 0]), run([0, 0, 1, 0, 1, 1]), run([0, 0, 1, 1, 1, 1])]
    first = held(late, [run([1] * 6)] * 4)
    assert first["attainment"]["policy"]["mean"] == pytest.approx(7 / 8)
    assert first["attainment"]["fixed"]["mean"] == first["attainment"]["policy_on_twin"]["mean"] == 1.0
    assert first["ratio"]["mean"] == pytest.approx(7 / 8)
    assert first["ratio"]["low"] < first["ratio"]["mean"] < first["ratio"]["high"]
    assert (first["decided_by"], first["pools"]) == ("attainment", [8, 8])
    assert first["loss_percent"] == pytest.approx(12.5)
    assert len(decided(first)) == 1
    assert decided(first, transfer_loss=13.0)  # the interval reaches beyond
    assert not decided(first, transfer_loss=100.0 * (1.0 - first["ratio"]["low"]) + 1.0)
    two = held(late[:2], [run([1] * 6)] * 2)
    assert (two["ratio"]["mean"], two["ratio"]["low"]) == (pytest.approx(7 / 8), None)
    assert (two["attainment"]["policy"]["low"], two["attainment"]["policy"]["range"]) == (None, [0.75, 1.0])
    assert decided(two, transfer_loss=1e6)  # no interval, no decision


def test_where_hardly_any_fixed_window_keeps_the_level_median_rewards_are_compared():
    never = [0] * 6
    first = held([run(never, reward=-96.0)], [run(never, reward=-100.0)])
    assert (first["decided_by"], first["ratio"]) == ("median reward", None)
    assert first["loss_percent"] == pytest.approx(-4.0)
    assert not decided(first)
    worse = held([run(never, reward=-106.0)], [run(never, reward=-100.0)])
    assert decided(worse) == ["phase-1: median reward that the policy loses to fixed pools"]


def test_the_interval_of_a_ratio_is_of_pairs():
    theirs = np.array([0.5, 0.8, 1.0, 0.7])
    exact = ratio_interval(0.9 * theirs, theirs)
    assert exact["low"] == pytest.approx(exact["high"]) == pytest.approx(0.9)
    assert ratio_interval([0.5], [1.0]) == {"mean": 0.5, "low": None, "high": None}
    wide = ratio_interval([0.4, 0.8, 0.6, 0.7], theirs)
    assert wide["low"] < 2.5 / 3.0 < wide["high"]


def test_the_policy_and_the_fixed_pools_meet_the_same_schedules():
    blocks = (Block(1, 5), Block(3, 5))
    transfer = Transfer("threshold", (1, 3), blocks, windows=6, lead_windows=4)
    ours, theirs = transfer.policy_cases(), transfer.fixed_cases({(1,): (8, 8), (3,): (9, 8), (1, 3): (8, 9)})
    assert [case.schedule for case in ours] == [case.schedule for case in theirs]
    assert [case.windows for case in ours] == [10, 10, 10]
    assert [make_policy(case.policy).options.setting for case in theirs] == [(8, 8), (9, 8), (8, 9)]
    with pytest.raises(InputError, match="lead-windows"):
        Transfer("threshold", (1,), blocks, lead_windows=-1)
