"""The best fixed setting: against all settings, over samples, without formulas, and at the command line."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.config.command_words import parsed_configuration
from pmtwin.config.record import arguments
from pmtwin.evaluation.recommendation import headline, picture
from pmtwin.middleware import emulated
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.recommendation.screening import FIRST, LEVELS, candidates, coarse_grid, screen
from pmtwin.scenarios.recommendation.search import RecommendationPlan, _goal_by_goal, recommend
from pmtwin.scenarios.recommendation.windows import Windows
from pmtwin.sim.errors import InputError, MissingDependencyError
from pmtwin.sim.load import Burst, Ramp, RateVariation
from pmtwin.sim.load.workload import CLASSES, ClassWorkload, Workload
from tests.scenarios.admission import Admission

SMALL = RecommendationPlan(rounds=((1, 8), (3, 4)), final_seeds=2, final_windows=6, samples=3, sample_windows=3)
KEYS = ("setting", "attainment", "attainment_low", "attainment_high", "ties", "loss_if_wrong")


def goals_of(scenario, **limits):
    return [replace(goal, limit=limits.get(goal.measure.name, goal.limit)) for goal in scenario.goals]


def attainments(scenario, context, goals, settings, windows, seeds):
    shown = Windows(scenario, context, 1).run(settings, windows, 4, seeds)
    return np.all([goal.met(shown[goal.measure.name]) for goal in goals], axis=0).mean(axis=(1, 2))


def test_the_advice_is_as_good_as_the_best_of_a_coarse_grid():
    scenario = NvmMiddleware.of(requests_per_window=1000)
    goals = goals_of(scenario, p99_us=150.0)
    result = recommend(scenario, 1, goals, seed=3)
    grid = [(a, b) for a in (2, 5, 9, 16, 30) for b in (2, 5, 9, 16, 30)]
    first = attainments(scenario, 1, goals, grid, 40, (5, 6))
    best = [grid[place] for place in np.argsort(-first)[:3]]  # again with other requests: the first of many is lucky
    advice, *others = attainments(scenario, 1, goals, [tuple(result["setting"]), *best], 100, (7, 8, 9, 10))
    assert advice >= max(others) - 0.02
    assert result["attainment_low"] <= result["attainment"] <= result["attainment_high"]
    assert (
        0.0 < result["attainment"] < 1.0 and result["attainment_low"] < result["attainment_high"]
    )  # an uncertain case
    assert result["loss_if_wrong"] >= 0.0
    samples = result["samples"]
    assert samples["of"] == "load, hosts and devices" and samples["count"] == 24
    assert samples["least"] <= samples["low"] < samples["mean"] < samples["high"]


def test_any_number_of_threads_gives_the_same_answer():
    scenario = NvmMiddleware.of(requests_per_window=200)
    first, second = (recommend(scenario, 2, scenario.goals, 7, threads, SMALL) for threads in (1, 2))
    assert first == second


def test_formulas_follow_goals_and_load():
    scenario = NvmMiddleware()
    result = screen(scenario, 1, scenario.goals, 0)
    assert len(result.settings) == len(result.share) == 1024 and 0.0 <= result.share.min() <= result.share.max() <= 1.0
    easier = screen(scenario, 1, goals_of(scenario, throughput_ops=1e3, p99_us=1e6), 0)
    assert easier.share.max() > 0.99 > result.share.max()
    assert screen(scenario, 1, scenario.goals, 0, pace=0.2).share.max() < 0.01  # too little is offered for the goal
    assert result.best() in candidates(scenario, result) and set(coarse_grid(scenario)) < set(result.settings)


def test_changes_that_ask_for_more_than_is_offered_keep_nothing():
    scenario = NvmMiddleware.of(requests_per_window=500, load="steady")
    limit = 0.9 * scenario.offered_load(1)
    result = recommend(scenario, 1, goals_of(scenario, throughput_ops=limit, p99_us=1e6), plan=SMALL)
    kept = {each["change"]: (each["kept"], each["gain"], each["by"]) for each in result["changes"]}
    assert kept[f"throughput_ops {1.25 * limit:,.10g}"] == (0.0, 0.0, "simulation")
    assert kept["load x 0.8"] == (0.0, 0.0, "formulas")
    assert kept["load x 1"][0] > 0.9 and result["attainment"] > 0.5


def test_a_scenario_without_formulas_or_samples():
    scenario = Admission()
    limit = goals_of(scenario)
    result = recommend(scenario, scenario.contexts.names[0], limit, 1, plan=SMALL)
    assert result["plateau"] is None and result["changes"] == []
    same = dict.fromkeys(("mean", "least", "low", "high"), 1.0)
    assert result["samples"] == {"of": "requests", "count": 3, **same} and result["extrapolated"] is False


STEADY = {
    each: ClassWorkload(clients=8, write_ratio=0.5, read_sizes_bytes=64, write_sizes_bytes=64, rate_ops=1e4)
    for each in CLASSES
}


@pytest.mark.parametrize(
    ("parts", "varies"),
    [
        ((), False),
        ((Ramp(1.0, 2.0, 10),), False),
        ((RateVariation((0.0, 0.0)),), False),
        ((RateVariation((0.1, 0.0)),), True),
        ((Ramp(1.0, 2.0, 10), Burst(20, 10, 3.0)), True),
    ],
)
def test_samples_name_the_load_only_where_it_is_random(parts, varies):
    scenario = NvmMiddleware.of(workload=Workload("own", **STEADY, parts=parts), requests_per_window=100)
    assert scenario.load_varies(OWN) is varies
    varied = recommend(scenario, OWN, scenario.goals, plan=SMALL)["samples"]["of"]
    assert varied == ("load, hosts and devices" if varies else "hosts and devices")


def test_the_load_of_the_phases_is_random_unless_it_is_steady():
    assert NvmMiddleware().load_varies(1) and not NvmMiddleware.of(load="steady").load_varies(1)


def test_percentiles_of_a_measure_are_values_of_windows():
    """Windows of two kinds, as with bursts: neither the mean nor a median between the two is any window's value."""
    goal = Admission().goals[0]
    shown = {goal.measure.name: np.array([[1.0, 100.0], [1.0, 100.0]])}
    result = _goal_by_goal([goal], shown)
    assert result["percentiles"] == {goal.measure.name: {"5": 1.0, "50": 1.0, "95": 100.0}}
    assert result["measures"] == {goal.measure.name: 50.5}


def test_the_page_has_the_numbers_of_windows():
    page = " ".join((Path(__file__).parents[2] / "docs/recommend.md").read_text().split())
    plan = RecommendationPlan()
    most = plan.most_windows(FIRST + LEVELS**2)
    of_a_tie, of_a_rival = plan.sample_windows_of(1), plan.final_windows_of(1)
    assert f"at most {most:,} windows" in page and f"{of_a_tie} more for each tie" in page
    assert f"{of_a_rival} more for each of the pools of step 5" in page


def test_goals_that_nothing_meets_give_the_nearest_setting():
    scenario = NvmMiddleware.of(requests_per_window=200)
    result = recommend(scenario, 1, goals_of(scenario, throughput_ops=1e9), plan=SMALL)
    assert result["attainment"] == 0.0 and result["ties"] == []
    assert headline(result, "pools").endswith(
        "nearest to the goals, which no pools meet (throughput_ops at least 1,000,000,000: clients offer "
        f"{scenario.offered_load(1):,.0f} on average)"
    )
    slow = recommend(scenario, 1, goals_of(scenario, p99_us=1.0, throughput_ops=1.0), plan=SMALL)
    (goal,) = slow["unreachable"]
    assert goal["goal"] == "p99_us at most 1" and 1.0 < goal["best"] <= slow["measures"]["p99_us"]
    assert slow["goals_kept"] == {"p99_us": 0.0, "throughput_ops": 1.0}


def test_ties_are_settings_that_are_not_shown_to_be_worse_over_the_samples_either(monkeypatch):
    """One more sample, on which every setting but the recommended one misses: nothing is tied any more."""
    scenario = NvmMiddleware.of(requests_per_window=200)
    goals = goals_of(scenario, p99_us=1e6, throughput_ops=1.0)  # all settings keep them
    before = recommend(scenario, 1, goals, plan=SMALL)
    best, run = tuple(before["setting"]), Windows.run
    assert len(before["ties"]) == SMALL.rounds[-1][1] - 1

    def missing(self, settings, *rest):
        shown = run(self, settings, *rest)
        worse = [place for place, setting in enumerate(settings) if self.scenario.devices and setting != best]
        for place in worse:
            shown["p99_us"][place] = 1e7
        return shown

    monkeypatch.setattr(Windows, "run", missing)
    after = recommend(scenario, 1, goals, plan=SMALL)
    assert tuple(after["setting"]) == best and after["ties"] == []


def test_the_picture_marks_the_answer_and_its_ties():
    settings = [[a, b] for a in (1, 2, 3) for b in (1, 2, 3, 4)]
    share = [0.0] * 4 + [0.5, 1.0, 1.0, 0.0] + [1.0] * 4
    plateau = {"settings": settings, "share": share}
    lines = picture({"plateau": plateau, "setting": [2, 2], "ties": [[2, 3]]}, ("first", "second"))
    assert lines[1:6] == [
        "   3 ####",
        "   2 =@o ",
        "   1     ",
        "     1",
        "     across: second; up: first; all other settings: 0 %",
    ]


def test_the_columns_of_the_picture_have_labels_at_their_places():
    settings = [[1, b] for b in range(1, 33)]
    plateau = {"settings": settings, "share": [1.0] * 32}
    lines = picture({"plateau": plateau, "setting": [1, 2], "ties": []}, ("first", "second"))
    cells, labels = lines[1], lines[2]
    assert labels.split() == ["1", "5", "10", "15", "20", "25", "30"]
    assert all(labels.index(f" {number}") + 1 == 4 + int(number) for number in labels.split())
    assert cells[4 + 2] == "@" and len(cells) == 4 + 1 + 32


def test_the_picture_leaves_out_settings_far_from_the_plateau():
    settings = [[a, b] for a in range(1, 21) for b in range(1, 21)]
    share = [1.0 if setting == [10, 1] else 0.005 for setting in settings]
    lines = picture({"plateau": {"settings": settings, "share": share}, "setting": [10, 1], "ties": []}, ("a", "b"))
    assert [line[:4].strip() for line in lines[1:-3]] == ["12", "11", "10", "9", "8"]
    assert lines[3] == "  10 @  " and lines[-3] == "     1"


def test_the_command(capsys):
    words = ["--workload", "section-4.2", "--requests-per-window", "200", "--goal", "p99_us=400"]
    assert cli.main(["recommend", *words, "--goal", "throughput_ops=300000", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert all(key in result for key in KEYS) and result["workload"] == "section-4.2"
    assert result["goals"] == ["p99_us at most 400", "throughput_ops at least 300,000"]
    assert not any("load" in change["change"] for change in result["changes"])  # clients never pause


def test_goals_that_no_window_keeps_are_a_failed_check(capsys):
    words = ["recommend", "--requests-per-window", "200", "--goal", "p99_us=1"]
    assert cli.main(words) == 1
    shown = capsys.readouterr().out
    assert "which no pools meet" in shown and "\nsamples " not in shown
    assert "p99_us: 99th percentile of the latency of interactive requests" in shown
    names = [line.split()[0] for line in shown.partition("\n\n")[2].splitlines() if line and line[0] != " "]
    assert names[:5] == ["profile", "host", "load", "goals", "p99_us"] and names.count("goals") == 1
    assert cli.main([*words, "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["extrapolated"] is True and list(result["percentiles"]["p99_us"]) == ["5", "50", "95"]
    named = [result["setting"], *(other["setting"] for other in result["alternatives"])]
    assert ("\nextrapolated where more than 24 threads" in shown) is (max(map(sum, named)) > 24)


def test_the_page_is_named_and_its_folder_made_and_a_failed_run_leaves_none(tmp_path, capsys, monkeypatch):
    page = tmp_path / "absent" / "page"
    words = ["recommend", "--requests-per-window", "100", "--report", str(page)]
    search = "pmtwin.scenarios.recommendation.search.recommend"
    with monkeypatch.context() as patched:
        patched.setattr(search, lambda *_: (_ for _ in ()).throw(InputError("x", 1, "2")))
        assert cli.main(words) == 2
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr("pmtwin.scenarios.recommendation.search.RecommendationPlan", lambda: SMALL)
    assert cli.main(words) in (0, 1)
    assert f"report: {page / 'index.html'}\n" in capsys.readouterr().err and (page / "index.html").is_file()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("two-tier --workload svd", "; --workload is an option of scenario nvm-middleware, not of"),
        ("two-tier --phase=3", "; --phase is an option of scenario nvm-middleware, not of two-tier\n"),
        ("--dry-run", "'--dry-run' is unknown; allowed: those of pmtwin recommend --help-all\n"),  # not --drain
        (
            "--pools 2,2",
            "'--pools' is unknown; allowed: those of pmtwin recommend --help-all\n",
        ),  # the scenario has it, the command does not
        ("--goals p99_us=3", " (did you mean '--goal'?)\n"),
    ],
)
def test_an_unknown_option_is_explained_or_nothing_is_proposed(words, hint, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(["recommend", *words.split()])
    assert hint in capsys.readouterr().err


def test_check_runs_the_middleware(capsys):
    try:
        emulated.load()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    assert cli.main(["recommend", "--requests-per-window", "200", "--check"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("pools ") and "check on the middleware" in output and "\nties " in output


@pytest.mark.parametrize(
    "command",
    [
        "simulate nvm-middleware --windows 1",
        "evaluate nvm-middleware --policies none --dry-run",
        "train nvm-middleware --dry-run -o x",
    ],
)
def test_a_goal_is_given_alike_to_every_command(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = [*command.split(), "--workload", "svd", "--goal", "p99_us=123", "throughput_ops=9"]
    config = parsed_configuration(words)
    assert [goal.limit for goal in config.scenario.goals] == [123.0, 9.0]
    again = arguments(config)["reward_parameters"]["sla"]
    assert again == {"latency_goal_us": 123.0, "throughput_goal_ops": 9.0}


def test_a_goal_reaches_both_sides_of_a_validation_and_other_scenarios():
    config = parsed_configuration(["validate", "--grid", "4,4", "--goal", "p99_us=123"])
    assert {side.goals[0].limit for side in (config.side.predicted, config.side.measured)} == {123.0}
    config = parsed_configuration(["simulate", "two-tier", "--goal", "mean_response_ms=7"])
    assert config.scenario.goals[0].limit == 7.0


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--latency-goal-us", "3", "--goal", "p99_us=4"], "--latency-goal-us 3.0 does not go with --goal"),
        (["--goal", "p99=3"], "did you mean 'p99_us'"),
        (["--goal", "p99_us"], "MEASURE=LIMIT"),
        (["--goal", "p99_us=-1"], "p99_us=-1"),
        (["--goal", "p99_us=nan"], "p99_us=nan"),
        (["--goal", "p99_us=1", "--goal", "p99_us=2"], "each measure once"),
        (["--workload", "svd", "--phase", "1"], "phase"),
        (["--engine", "native"], "engine"),
    ],
)
def test_bad_input_is_one_line(words, named, capsys):
    assert cli.main(["recommend", *words]) == 2
    output = capsys.readouterr().err
    assert output.count("\n") == 1 and named in output
