"""`pmtwin evaluate --dry-run`: what would run, said once and in words."""

import json

import pytest

from pmtwin import cli
from tests.pmtwin.evaluating import QUICK, evaluate


def test_a_dry_run_runs_nothing(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("pmtwin.scenarios.comparison.evaluation.evaluate", lambda *_: pytest.fail("ran"))
    output = tmp_path / "result.json"
    result = evaluate(capsys, "--policies", "none", "best-fixed", "--dry-run", "-o", str(output))
    assert result["windows"] == 2 * 2 * 4
    assert result["configuration"]["policies"] == ["none", "best-fixed"]
    assert not output.exists()
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, "--policies", "none", "threshold", "--dry-run"]) == 0
    names, values = zip(*(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()), strict=True)
    assert {"policies", "steps", "phase_steps", "phases", "windows", "profile"} <= {*names}
    assert "none threshold" in values and "1 3" in values
    assert len(names) == len(set(names)) < 20 and not {"context_steps", "contexts"} & {*names}


@pytest.mark.parametrize(
    ("words", "load", "note"),
    [
        ([], "phases, varying, 315,485 to 461,984 operations/s", ""),
        (["--contexts", "contended"], "contended, varying, 360,000 operations/s", ""),
        (["--workload", "svd", "--goal", "p99_us=345"], "svd, steady, 150,000 operations/s", ""),
        (
            ["--workload", "svd", "--host-samples", "4"],
            "svd, steady, 150,000 operations/s",
            "the device is taken as known: no --device-samples",
        ),
    ],
)
def test_a_dry_run_says_each_thing_once_and_in_words(capsys, words, load, note):
    assert cli.main(["evaluate", "nvm-middleware", "--policies", "none", "--dry-run", *words]) == 0
    *lines, _ = capsys.readouterr().out.splitlines()
    assert (lines.pop() if note else "") == note
    rows = dict(line.split(maxsplit=1) for line in lines)
    assert rows["load"] == load and "-" not in rows.values()
    assert not {"known_device", "contexts", "workload", "latency_goal_us"} & set(rows)
    assert ("phases" in rows) is ("--workload" not in words)


def test_a_scenario_may_have_lengths_of_its_own(capsys):
    lengths = {}
    for name, noun in (("numa-threads", "workload"), ("nvm-middleware", "phase")):
        assert cli.main(["evaluate", name, "--policies", "none", "--dry-run", "--json"]) == 0
        plan = json.loads(capsys.readouterr().out)["configuration"]
        lengths[name] = plan["steps"], plan[f"{noun}_steps"], plan["seeds"]
    assert lengths == {"numa-threads": (600, 30, 5), "nvm-middleware": (4000, 200, 10)}


def test_a_dry_run_leaves_out_options_without_a_value(capsys):
    assert cli.main(["evaluate", "two-tier", "--policies", "random", "--dry-run"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert "load" in names and "rate" not in names and "response_goal_ms" not in names
