"""What a training says at its end, and what an evaluation says of a policy that was trained for something else."""

import pytest

from pmtwin import cli
from pmtwin.training.summary import rows

SUMMARY = {
    "policy": "p.npz",
    "record": "p.record.json",
    "seed": 2024,
    "steps": {"online": 12000},
    "plan": {"rounds": 2},
    "attainment": {"round_1": 0.125, "round_2": 1.0},
    "seconds": {"dataset": 600.0, "online": 5.0},
    "resumed": ["dataset", "online"],
    "learned_pools": {"1": [8.0, 9.5], "2": [20.0, 7.0]},
}


def test_a_summary_has_plain_names_and_leaves_out_what_the_record_has():
    assert rows(SUMMARY) == [
        ("trained policy", "p.npz"),
        ("record of the run", "p.record.json"),
        ("seed", "2024"),
        ("windows", "online 12,000"),
        ("attainment in training", "round 1 12.5 %, round 2 100 %"),
        ("seconds", "dataset about 10 min, online about 5 s"),
        ("resumed", "dataset, online"),
        ("learned pools", "1: 8,9.5; 2: 20,7"),
    ]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    path = tmp_path_factory.mktemp("trained") / "p.npz"
    plan = ["--rounds", "1", "--round-episodes", "2", "--episode-windows", "4", "--requests-per-window", "20"]
    goal = ["--goal", "p99_us=150", "--jobs", "1", "-o", str(path)]
    assert cli.main(["train", "nvm-middleware", "--policy", "afterstate", *plan, *goal]) == 0
    return path


@pytest.mark.parametrize(
    ("words", "warnings"),
    [
        (["--goal", "p99_us=150"], []),
        ([], ["was trained for a goal of p99_us 150, not 200"]),
        (["--goal", "p99_us=150", "--workload", "svd"], ["for the phases of --contexts phases, not workload svd"]),
        (
            ["--goal", "p99_us=150", "--steps", "2"],
            ["--steps 2 is not above --phase-steps 2: each run sees one phase of 4"],
        ),
    ],
)
def test_an_evaluation_warns_of_other_goals_another_load_and_a_single_phase(trained, words, warnings, capsys):
    steps = ["--steps", "3", "--dry-run", *([] if "--workload" in words else ["--phase-steps", "2"])]
    assert cli.main(["evaluate", "nvm-middleware", "--policies", f"trained:{trained}", *steps, *words]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning")]
    assert len(said) == len(warnings) and all(part in line for part, line in zip(warnings, said, strict=True))


def test_goals_that_no_setting_can_keep_are_warned_of(capsys):
    for words in (["simulate", "nvm-middleware"], ["evaluate", "nvm-middleware", "--policies", "none", "--jobs", "1"]):
        windows = ["--windows", "2"] if words[0] == "simulate" else ["--steps", "2", "--seeds", "1"]
        few = ["--requests-per-window", "50", "--goal", "throughput_ops=9e8"]
        assert cli.main([*words, *windows, *few]) == 0
        assert "warning: clients offer less than a goal asks for in every window" in capsys.readouterr().out


def test_a_dry_run_has_plain_names_and_warns_of_a_single_phase(tmp_path, capsys):
    words = ["train", "nvm-middleware", "-o", str(tmp_path / "p.npz"), "--dry-run"]
    assert cli.main(words) == 0
    shown = capsys.readouterr()
    assert "record of the run" in shown.out and "environment." not in shown.out and "p99_us at most 200" in shown.out
    assert shown.err == ""
    assert cli.main([*words, "--workload", "svd"]) == 0
    assert "the training has one phase only" in capsys.readouterr().err
