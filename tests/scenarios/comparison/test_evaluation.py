"""Intervals, the search for the best fixed pools, and policies against one another."""

import json
import pickle

import numpy as np
import pytest

from pmtwin.scenarios.comparison import best_fixed
from pmtwin.scenarios.comparison.best_fixed import SearchPlan, search_best_fixed
from pmtwin.scenarios.comparison.evaluation import EvaluationPlan, evaluate
from pmtwin.scenarios.comparison.series import write_series
from pmtwin.scenarios.comparison.summary import summarise
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.reward import reward
from pmtwin.scenarios.nvm_middleware.workloads import make_workload
from pmtwin.sim.errors import InputError, PmtwinError
from pmtwin.sim.numerics.statistics import (
    compare,
    difference_interval,
    mean_interval,
    over_runs,
    paired_p_value,
    percentiles,
    positive_interval,
    quartiles,
    share_interval,
)

SMALL_SEARCH = SearchPlan(rounds=((1, 64), (1, 8)), final_windows=1, final_seeds=2, warmup_windows=0)


def evaluated(policies, **arguments):
    arguments = {"steps": 8, "context_steps": 2, "seeds": 3, **arguments}
    plan = EvaluationPlan(NvmMiddleware(), tuple(policies), **arguments)
    return evaluate(plan)


def test_interval_by_hand():
    # mean 2, standard deviation 1, t(0.975, 2 degrees of freedom) = 4.302653
    result = mean_interval([1.0, 2.0, 3.0])
    assert result["mean"] == 2.0
    assert result["high"] - result["mean"] == pytest.approx(4.302653 / 3**0.5)
    assert result["mean"] - result["low"] == pytest.approx(4.302653 / 3**0.5)


def test_the_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    result = [mean_interval(rng.normal(5.0, 2.0, size=5)) for _ in range(2000)]
    assert np.mean([each["low"] <= 5.0 <= each["high"] for each in result]) == pytest.approx(0.95, abs=0.015)


def test_a_single_seed_has_no_interval():
    assert mean_interval([4.0]) == {"mean": 4.0, "low": None, "high": None}
    assert over_runs([4.0]) == {"mean": 4.0, "low": None, "high": None, "range": None}
    assert compare([4.0], [3.0]) == {"difference": 1.0, "low": None, "high": None, "range": None, "apart": None}


@pytest.mark.parametrize("interval", [mean_interval, positive_interval, share_interval, difference_interval])
def test_two_runs_have_a_range_in_place_of_an_interval(interval):
    """Of two runs that differ by a factor of 30, the interval of a latency was 0.001 to 375,449,734."""
    assert over_runs([0.9, 0.03], interval) == {"mean": 0.465, "low": None, "high": None, "range": [0.03, 0.9]}
    three = over_runs([0.9, 0.03, 0.3], interval)
    assert three["low"] < 0.41 < three["high"] and three["range"] == [0.03, 0.9]


def test_two_runs_are_never_told_apart():
    assert compare([10.0, 10.1], [0.0, 0.1])["apart"] is None
    assert paired_p_value([1.0, 0.9], [0.0, 0.0]) == 1.0 > 0.05 > paired_p_value([1.0, 0.9, 1.0], [0.0, 0.0, 0.1])


def test_the_interval_of_a_difference_of_shares_stays_possible():
    assert mean_interval([1.0, -0.2, 0.9])["high"] > 1.0
    assert difference_interval([1.0, -0.2, 0.9])["high"] == 1.0
    assert difference_interval([-1.0, 0.2, -0.9])["low"] == -1.0


def test_the_interval_of_a_share_stays_a_share():
    assert mean_interval([1.0, 0.6])["high"] > 1.0
    assert share_interval([1.0, 0.6]) == {"mean": 0.8, "low": 0.0, "high": 1.0}
    assert share_interval([0.5]) == {"mean": 0.5, "low": None, "high": None}


def test_paired_differences_see_what_overlapping_intervals_hide():
    noise = np.array([0.0, 10.0, 20.0, 30.0])
    result = compare(noise + 1.0, noise)
    assert (result["difference"], result["low"], result["high"]) == (1.0, 1.0, 1.0)
    assert result["apart"] is False
    assert compare([10.0, 10.1, 10.2], [0.0, 0.1, 0.2])["apart"] is True
    assert compare([0.0, 0.1, 0.2], [10.0, 10.1, 10.2])["apart"] is True


def test_percentiles():
    values = np.arange(101.0)
    assert percentiles(values) == {"0": 0, "5": 5, "25": 25, "50": 50, "75": 75, "99": 99, "100": 100}
    assert quartiles(values) == {"min": 0, "q1": 25, "median": 50, "q3": 75, "max": 100}


@pytest.mark.parametrize("phase", [1, 2, 3, 4])
def test_the_search_finds_the_best_of_all_settings(toy, phase):
    result = search_best_fixed(NvmMiddleware(), phase, np.random.SeedSequence(0), SMALL_SEARCH)
    assert tuple(result["pools"]) == toy.best[f"phase-{phase}"]
    assert result["reward"]["mean"] == pytest.approx(reward(100.0, 300_000.0))
    assert len(result["finalists"]) == 8
    assert result["tied"] == []
    rewards = [finalist["reward"] for finalist in result["finalists"]]
    assert rewards == sorted(rewards, reverse=True)


def test_the_search_runs_what_its_plan_says_on_common_random_numbers(toy):
    result = search_best_fixed(NvmMiddleware(), 1, np.random.SeedSequence(0), SMALL_SEARCH)
    windows = sum(event.name == "window" for made in toy.made for event in made.events)
    assert windows == result["windows"] == SMALL_SEARCH.windows(1024) == 1024 + 64 + 8 * 2
    seeds = [made.seed for made in toy.made]
    assert len(NvmMiddleware.settings) == 1024
    assert len(set(seeds[:1024])) == len(set(seeds[1024:1088])) == 1
    assert len(set(seeds)) == 2 + 2


def test_equal_settings_are_reported_as_tied(toy, monkeypatch):
    monkeypatch.setitem(toy.best, "phase-1", (10, 12))
    monkeypatch.setattr(toy, "pools", property(lambda self: (5, 5), lambda self, value: None), raising=False)
    result = search_best_fixed(
        NvmMiddleware(), 1, np.random.SeedSequence(0), SMALL_SEARCH, candidates=((4, 4), (5, 5), (6, 6))
    )
    assert len(result["tied"]) == 2


def test_a_search_of_no_settings_or_too_many_is_refused(monkeypatch):
    monkeypatch.setattr(best_fixed, "MOST_SETTINGS", 2)
    for candidates, count in (((), 0), (((4, 4), (5, 5), (6, 6)), 3), (None, 1024)):
        with pytest.raises(InputError, match=f"candidates: {count} is not accepted; allowed: 1 to 2 settings"):
            search_best_fixed(NvmMiddleware(), 1, np.random.SeedSequence(0), SearchPlan(rounds=()), candidates)


def test_search_plans_that_make_no_sense_are_refused():
    for arguments in ({"final_seeds": 1}, {"final_windows": 0}, {"rounds": ((0, 5),)}, {"rounds": ((1, 0),)}):
        with pytest.raises(InputError):
            SearchPlan(**arguments)


def test_summary_of_known_policies(toy):
    result = evaluated(["fixed:10,12", "none"], schedule="order")
    summary = summarise(result)
    fixed, none = summary["policies"]["fixed:10,12"], summary["policies"]["none"]
    assert (fixed["mode"], none["mode"]) == ("middleware", "direct")
    assert fixed["overall"]["steps"] == 24
    assert fixed["phases"]["1"]["steps"] == 6
    expected = [reward(100.0 + 10 * away, 300_000.0 - 1000 * away) for away in (0, 7 + 18, 10 + 7, 22 + 20)]
    for phase, value in zip("1234", expected, strict=True):
        assert fixed["phases"][phase]["reward"]["mean"] == pytest.approx(value)
        assert fixed["phases"][phase]["reward"]["low"] == pytest.approx(value)
    assert fixed["overall"]["reward"]["mean"] == pytest.approx(np.mean(expected))
    assert fixed["overall"]["attainment"]["mean"] == 0.25
    assert fixed["overall"]["median_pools"] == [10.0, 12.0]
    assert none["overall"]["p99_us"]["percentiles"]["50"] == 1000.0
    (pair,) = summary["comparisons"]
    assert (pair["policy"], pair["against"]) == ("fixed:10,12", "none")
    assert pair["phases"]["1"]["difference"] == pytest.approx(expected[0] - reward(1000.0, 100_000.0))
    assert pair["phases"]["1"]["apart"] is True
    assert "gap_to_best_fixed" not in summary
    json.dumps(summary, allow_nan=False)


def test_best_fixed_is_searched_for_and_the_gap_stated(toy):
    result = evaluated(["best-fixed", "fixed:15,15"], search=SMALL_SEARCH)
    summary = summarise(result)
    assert {phase: tuple(best["pools"]) for phase, best in summary["best_fixed"].items()} == {
        phase: toy.best[f"phase-{phase}"] for phase in "1234"
    }
    assert summary["policies"]["best-fixed"]["overall"]["reward"]["mean"] == pytest.approx(reward(100.0, 300_000.0))
    gap = summary["gap_to_best_fixed"]["fixed:15,15"]["phases"]["1"]["difference"]
    assert gap == pytest.approx(reward(100.0, 300_000.0) - reward(180.0, 292_000.0))


def test_every_policy_meets_the_same_schedule_and_requests(toy):
    result = evaluated(["fixed:1,1", "none", "random"], seed=5)
    for first, *others in zip(*result.runs.values(), strict=True):
        assert all((other.context == first.context).all() for other in others)
    seeds = [made.seed for made in toy.made]
    assert len(set(seeds)) == 3  # one for each run, the same for all policies
    assert not (result.runs["none"][0].context == result.runs["none"][1].context).all()


def test_more_seeds_leave_the_first_ones_as_they_are(toy):
    few, many = evaluated(["random"], seeds=2), evaluated(["random"], seeds=4)
    for a, b in zip(few.runs["random"], many.runs["random"][:2], strict=True):
        np.testing.assert_array_equal(a.reward, b.reward)


def test_windows_of_the_warm_up_are_played_and_do_not_count(toy):
    whole, counted = (evaluated(["none", "random"], warmup_windows=number) for number in (0, 5))
    for spec, runs in whole.runs.items():
        for run, last in zip(runs, counted.runs[spec], strict=True):
            np.testing.assert_array_equal(run.reward[5:], last.reward)
            np.testing.assert_array_equal(run.context[5:], last.context)
            np.testing.assert_array_equal(run.measures["p99_us"][5:], last.measures["p99_us"])
            assert set(last.tails) == set(last.context.tolist()) < set(run.tails)
            assert last.warmup_reward == pytest.approx(run.reward[:5].mean()) and run.warmup_reward is None
    summary = summarise(counted)["policies"]["random"]
    assert summary["overall"]["steps"] == 3 * 3
    assert summary["warmup_reward"]["mean"] == pytest.approx(
        np.mean([run.reward[:5].mean() for run in whole.runs["random"]])
    )
    assert "warmup_reward" not in summarise(whole)["policies"]["random"]


def test_the_same_bits_on_any_number_of_workers():
    scenario = NvmMiddleware.of(requests_per_window=100)
    plan = EvaluationPlan(scenario, ("random", "none"), steps=6, context_steps=2, seeds=2)
    first, two = (evaluate(plan, jobs=jobs) for jobs in (1, 2))
    assert summarise(first) == summarise(two)
    for spec in plan.policies:
        for a, b in zip(first.runs[spec], two.runs[spec], strict=True):
            np.testing.assert_array_equal(a.measures["p99_us"], b.measures["p99_us"])


def test_a_run_too_short_for_every_phase(toy):
    summary = summarise(evaluated(["none"], steps=3, context_steps=2, seeds=1, schedule="order"))
    assert list(summary["policies"]["none"]["phases"]) == ["1", "2"]


def test_every_step_can_be_written(toy, tmp_path):
    result = evaluated(["fixed:3,4", "none"])
    with np.load(write_series(tmp_path / "series.npz", result), allow_pickle=False) as series:
        assert series["policies"].tolist() == ["fixed:3,4", "none"]
        assert series["reward"].shape == (2, 3, 8)
        assert series["pools"].shape == (2, 3, 8, 2)
        np.testing.assert_array_equal(series["p99_us"][0, 2], result.runs["fixed:3,4"][2].measures["p99_us"])


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"policies": ()}, "policies"),
        ({"policies": ("none", "none")}, "policies"),
        ({"seeds": 0}, "seeds"),
        ({"seed": -1}, "seed"),
        ({"steps": 0}, "steps"),
        ({"steps": float("nan")}, "steps"),
        ({"context_steps": -5}, "phase_steps"),
        ({"steps": 8, "warmup_windows": 8}, "warmup_windows"),
        ({"schedule": "rando"}, "schedule"),
        ({"contexts": (1, 7)}, "phase"),
        ({"contexts": (1, 1)}, "phases"),
        ({"scenario": NvmMiddleware.of(workload="ycsb-a"), "contexts": (1,)}, "phases"),
    ],
)
def test_bad_plans_are_refused_by_name(arguments, field):
    with pytest.raises(InputError) as error:
        EvaluationPlan(**{"scenario": NvmMiddleware(), "policies": ("none",), **arguments})
    assert error.value.field == field


def test_a_workload_of_ones_own_stands_in_the_place_of_all_phases():
    scenario = NvmMiddleware.of(workload=make_workload("section-4.2"), requests_per_window=200)
    plan = EvaluationPlan(scenario, ("fixed:4,4",), steps=3, seeds=1)
    summary = summarise(evaluate(plan))
    assert list(summary["policies"]["fixed:4,4"]["phases"]) == ["0"]
    assert plan.record()["offered_ops"] == {"interactive": None, "batch": None}


def test_an_error_survives_the_way_back_from_a_worker():
    error = pickle.loads(pickle.dumps(InputError("pools", (0, 1), "1 to 32", "file:3")))
    assert (error.field, error.value, str(error)) == (
        "pools", (0, 1), "file:3: pools: [0, 1] is not accepted; allowed: 1 to 32",
    )  # fmt: skip


ANSWERS = """from pmtwin.policies import Policy


class Mine(Policy):
    def act(self, observation, info=None):
        return ANSWER
"""


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("None", r"Mine: act\(\) failed in window 1: .*returned None; return an action number, 0 to 8; .*mine.py:5"),
        ("9", r"Mine: action in window 1: 9 .*allowed: an action number, 0 to 8; or pools to jump to"),
        ("(40, 2)", r"Mine: pools in window 1: \[40, 2\] .*each 1 to 32"),
    ],
)
def test_an_answer_that_is_no_action_names_policy_and_window(tmp_path, answer, message):
    (tmp_path / "mine.py").write_text(ANSWERS.replace("ANSWER", answer))
    scenario = NvmMiddleware.of(requests_per_window=100)
    plan = EvaluationPlan(scenario, (f"{tmp_path / 'mine.py'}:Mine",), steps=1, seeds=1)
    with pytest.raises(PmtwinError, match=message):
        evaluate(plan)


TRIES = """
    needs_trials = True

    def on_trials(self, tried):
        self.tried = tried
"""


@pytest.mark.parametrize(("answer", "trial"), [("self.tried((40, 2))", "tried"), ("4", "tried((40, 2))")])
def test_a_trial_of_what_is_no_setting_names_policy_and_window(tmp_path, answer, trial):
    text = ANSWERS.replace("ANSWER", answer) + TRIES.replace("= tried", f"= {trial}")
    (tmp_path / "mine.py").write_text(text)
    plan = EvaluationPlan(
        NvmMiddleware.of(requests_per_window=100), (f"{tmp_path / 'mine.py'}:Mine",), steps=1, seeds=1
    )
    with pytest.raises(InputError, match=r"Mine: pools in window 1: \[40, 2\] .*each 1 to 32"):
        evaluate(plan)


def test_a_bad_spec_is_refused_before_anything_runs(toy):
    with pytest.raises(InputError, match="did you mean 'fixed'"):
        evaluated(["none", "fixd:1,1"])
    assert toy.made == []


def test_no_interval_of_a_measure_ends_below_zero():
    """Three short runs under a load that varies: symmetric intervals of the mean p99 would."""
    plan = EvaluationPlan(scenario=NvmMiddleware(), policies=("threshold",), steps=40, context_steps=10, seeds=3)
    summary = summarise(evaluate(plan))["policies"]["threshold"]
    parts = [summary["overall"], *summary["phases"].values()]
    assert all(0.0 < part["p99_us"]["low"] < part["p99_us"]["mean"] < part["p99_us"]["high"] for part in parts)
    symmetric = [2.0 * part["p99_us"]["mean"] - part["p99_us"]["high"] for part in parts]
    assert min(symmetric) < 0.0
    assert summary["overall"]["reward"]["low"] < 0.0
