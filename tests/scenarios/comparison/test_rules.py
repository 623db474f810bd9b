"""The action checker before every policy of an evaluation: no rule is broken, and minutes are those of the windows."""

import json
from itertools import pairwise

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.policies.action_checker import clock_of_windows
from pmtwin.policies.action_rules import ActionRules, StepBudget
from pmtwin.scenarios.comparison import evaluation
from pmtwin.scenarios.comparison.best_fixed import SearchPlan
from pmtwin.scenarios.comparison.evaluation import EvaluationPlan, evaluate
from pmtwin.scenarios.lustre_tuning import LustreTuning
from pmtwin.sim.errors import InputError

SMALL = {"data_gb": 1.0, "fill_s": 0.2, "dirty_mb": 1.0, "window_s": 0.1}
STEPS = "[steps_per_minute]\ninteractive_threads = 3\n"
NO_LIMIT = "not accepted; allowed: no limit of steps in nvm-middleware, whose windows have no length in seconds"
RANGE = "[range]\nwindow = [4, 16]\n[[forbidden]]\nwindow = 12\ntau_us = [0, 32000]\n"


@pytest.fixture
def evaluated(tmp_path):
    """Rules and policies -> settings of the windows of each policy, and its notes."""

    def run(text, *policies, **plan):
        file = tmp_path / "rules.toml"
        file.write_text(text)
        scenario = LustreTuning.of(**SMALL)
        rules = ActionRules.read(file, scenario.settings)
        plan = {"steps": 80, "seeds": 1, "contexts": ("random-1-9",)} | plan
        result = evaluate(EvaluationPlan(scenario, policies, rules=rules, **plan))
        assert result.plan.record()["rules"] == rules.record()
        return {spec: (runs[0].setting, runs[0].note) for spec, runs in result.runs.items()}

    return run


def test_no_policy_breaks_a_rule(evaluated):
    runs = evaluated(RANGE, "random", "hill-climbing:windows=1,settle=0", "random-search:windows=1,settle=0")
    for settings, notes in runs.values():
        assert settings[:, 0].max() <= 16
        assert not ((settings[:, 0] == 12) & (settings[:, 1] <= 32_000)).any()
        assert {"refused"} <= set(notes)


def test_a_minute_has_as_many_windows_as_the_scenario_says(evaluated):
    """600 windows of 0.1 s."""
    settings, _ = evaluated("[steps_per_minute]\nwindow = 2\n", "random", steps=1300)["random"]
    moved = [index for index, (before, after) in enumerate(pairwise(settings[:, 0])) if before != after]
    assert len(moved) == 6 and all(later - earlier >= 600 for earlier, later in zip(moved, moved[2:], strict=False))


@pytest.mark.parametrize(("window_s", "windows"), [(0.1, 600), (0.3, 200), (0.7, 86), (1.0, 60)])
def test_a_step_counts_for_exactly_a_minute_however_sums_of_windows_round(window_s, windows, tmp_path):
    rules, scenario = tmp_path / "rules.toml", LustreTuning.of(**SMALL)
    rules.write_text("[steps_per_minute]\nwindow = 1\n")
    clock, (low, tau_us) = clock_of_windows(window_s), scenario.settings.low
    times = [clock() for _ in range(5000)]
    for begin in range(0, 5000 - windows, 7):
        budget = StepBudget(ActionRules.read(rules, scenario.settings))
        budget.note(times[begin], (low, tau_us), (low + 4, tau_us))
        assert budget.left(times[begin + windows - 1])[0] == 0
        assert budget.left(times[begin + windows])[0] == 1


def test_the_best_setting_is_searched_within_the_rules(evaluated):
    few = SearchPlan(rounds=((1, 2),), final_windows=1, final_seeds=2, warmup_windows=0)
    rules = "[range]\nwindow = [8, 16]\ntau_us = [32000, 34340]\n"
    settings, _ = evaluated(rules, "best-fixed", steps=4, search=few)["best-fixed"]
    assert settings[0, 0] <= 16 and settings[0, 1] in (32_840, 34_340)
    assert len(np.unique(settings, axis=0)) == 1


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("[[forbidden]]\nwindow = [4, 256]\n", "rules: '0 settings' is not accepted; allowed: one setting or more"),
        ("[range]\nwindow = [40, 80]\n[steps_per_minute]\nwindow = 2\n", "rules: '0 settings' is not accepted"),
    ],
)
def test_rules_that_leave_nothing_to_search_are_refused_before_anything_runs(rules, said, evaluated, monkeypatch):
    monkeypatch.setattr(evaluation, "_run", lambda *_: pytest.fail("began to run"))
    with pytest.raises(InputError, match=said):
        evaluated(rules, "best-fixed")


def test_the_best_setting_is_searched_where_a_run_may_begin(evaluated):
    """Within two steps of the setting that the system has: another one would be refused after the search."""
    few = SearchPlan(rounds=((1, 2),), final_windows=1, final_seeds=2, warmup_windows=0)
    rules = "[steps_per_minute]\nwindow = 2\ntau_us = 1\n[range]\nwindow = [8, 256]\n"
    settings, _ = evaluated(rules, "best-fixed", steps=4, search=few)["best-fixed"]
    assert settings[0, 0] in (8, 12, 16) and settings[0, 1] in (31_340, 32_840, 34_340)


def test_settings_to_search_are_counted_within_the_ranges(tmp_path):
    rules, scenario = tmp_path / "rules.toml", LustreTuning.of(**SMALL)
    rules.write_text("[range]\nwindow = [4, 12]\ntau_us = [0, 2840]\n[[forbidden]]\nwindow = 4\ntau_us = 0\n")
    read = ActionRules.read(rules, scenario.settings)
    assert read.starts((8, 0), most=9) == [
        (4, 1340),
        (4, 2840),
        *((w, tau) for w in (8, 12) for tau in (0, 1340, 2840)),
    ]
    with pytest.raises(
        InputError, match="rules: '9 settings' is not accepted; allowed: ranges with at most 8 settings"
    ):
        read.starts((8, 0), most=8)


@pytest.mark.parametrize(
    ("words", "rules", "said"),
    [
        (("lustre-tuning", "--policies", "fixed:64,0"), RANGE, "start: '64,0' is outside the range"),
        (("lustre-tuning", "--policies", "random"), "[range]\nwindows = 4\n", "range: parameter: 'windows' is not"),
        (
            ("nvm-middleware", "--policies", "random"),
            STEPS,
            f"steps_per_minute: 'interactive_threads = 3' is {NO_LIMIT}",
        ),
    ],
)
def test_rules_that_do_not_fit_are_one_line(words, rules, said, tmp_path, capsys):
    (tmp_path / "rules.toml").write_text(rules)
    assert main(["evaluate", *words, "--rules", str(tmp_path / "rules.toml"), "--steps", "3", "--seeds", "1"]) == 2
    out, err = capsys.readouterr()
    assert said in err and "\n" not in err.strip() and not out


def test_a_run_repeated_from_its_result_obeys_the_same_rules(tmp_path, capsys):
    rules, result = tmp_path / "rules.toml", tmp_path / "result.json"
    rules.write_text("[range]\nwindow = 8\n")
    small = ("--data-gb", "1", "--fill-s", "0.2", "--dirty-mb", "1", "--window-s", "0.1", "--jobs", "1")
    words = (
        "--workloads",
        "random-1-9",
        "--policies",
        "random",
        "--steps",
        "30",
        "--seeds",
        "1",
        "--rules",
        str(rules),
    )
    assert main(["evaluate", "lustre-tuning", *words, *small, "-o", str(result)]) == 0
    capsys.readouterr()
    assert main(["evaluate", "--config", str(result), "--json"]) == 0
    first, again = json.loads(result.read_text()), json.loads(capsys.readouterr().out)
    assert again["configuration"]["rules"] == first["configuration"]["rules"]
    assert again["policies"] == first["policies"]


def test_an_evaluation_does_not_go_on_with_the_database_of_another(tmp_path, capsys):
    policy = f"dqn:hold=1,seen=1,units=4,replay={tmp_path / 'r.sqlite'}"
    small = ("--data-gb", "1", "--fill-s", "0.2", "--dirty-mb", "1", "--window-s", "0.1", "--jobs", "1")
    words = ["evaluate", "lustre-tuning", "--workloads", "random-1-9", "--policies", policy, "fixed:8,0", *small]
    assert main([*words, "--steps", "6", "--seeds", "1", "--json"]) == 0
    capsys.readouterr()
    assert main([*words, "--steps", "6", "--seeds", "1", "--json"]) == 2
    out, err = capsys.readouterr()
    assert "goes on with" in err and "an evaluation begins anew" in err and not out


def test_a_dry_run_leaves_no_database(tmp_path, capsys):
    policy = f"dqn:hold=1,seen=1,units=4,replay={tmp_path / 'r.sqlite'}"
    words = ["evaluate", "lustre-tuning", "--workloads", "random-1-9", "--policies", policy, "--steps", "6"]
    assert main([*words, "--seeds", "1", "--dry-run"]) == 0
    assert not list(tmp_path.iterdir())
