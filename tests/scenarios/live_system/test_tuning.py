"""`pmtwin tune`: a made-up store whose best setting is known, and everything that can go wrong with a live one."""

import json
import re
import sqlite3
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from pmtwin import cli

STORE = """
import os, json
from pathlib import Path
from pmtwin import live

state = {{"cache": 2, "batch": 2}}
calls = Path(__file__).with_name("calls.jsonl")

def collect():
    served = 100.0 - 4 * (state["cache"] - 9) ** 2 / 7 - (state["batch"] - 4) ** 2
    {collecting}
    return {{"served": served, "waiting": 5.0 + state["cache"]}}

def control(values):
    {controlling}
    state.update(values)
    with calls.open("a") as file:
        file.write(json.dumps(values) + "\\n")

store = live(collect, control, {{"cache": ({start}, range(1, 13)), "batch": (2, [1, 2, 4, 8])}}, "served", 0, "made")
"""
RULES = """
[range]
cache = [1, 8]
[[forbidden]]
batch = 4
cache = [5, 6]
"""
CLIMBER = """
from pmtwin.policies import Policy

class Climber(Policy):
    def act(self, observation, info=None):
        cache, batch = observation[:2]
        if cache != 7:
            return 3 if batch < 4 else 1 if cache < 7 else 2
        return 4 if batch > 2 else 0
"""
"""Goes over a batch of 4 to a cache of 7 and a batch of 2."""

QUICK = "dqn:hold=1,units=16,exploration_actions=60,minibatch=8"
SHORT = ("--pairs", "3", "--block-ticks", "2", "--settle-ticks", "1", "--json")


@pytest.fixture
def store(tmp_path):
    """Writes the file of a store, with changes; returns its spec."""

    def write(collecting="pass", controlling="pass", start=2):
        file = tmp_path / f"store_{len(list(tmp_path.glob('*.py')))}.py"
        file.write_text(STORE.format(collecting=collecting, controlling=controlling, start=start))
        return f"{file}:store"

    return write


@pytest.fixture
def tune(capsys):
    """Arguments of the command -> (exit code, result, errors)."""

    def run(*words):
        code = cli.main(["tune", *map(str, words)])
        out, err = capsys.readouterr()
        return code, json.loads(out) if code == 0 else None, err

    return run


def controlled(spec):
    """All settings that the store was set to, in order."""
    calls = Path(spec.partition(":")[0]).with_name("calls.jsonl")
    return [json.loads(line) for line in calls.read_text().splitlines()]


def test_the_ticks_of_the_comparison_are_named_before_it(store, tune):
    spec = store(collecting='Path(__file__).with_name("ticks").open("a").write(".")')
    ticks, announced = [0], []
    for pairs in (2, 5):
        err = tune(spec, "--policy", "none", "--ticks", "5", *SHORT, "--pairs", pairs)[2]
        announced.append(int(re.search(r"5 ticks of tuning, then (\d+) ticks", err)[1]))
        ticks.append(len(Path(spec.partition(":")[0]).with_name("ticks").read_text()))
    first, second = (after - before for before, after in pairwise(ticks))
    assert second - first == announced[1] - announced[0] == 3 * 2 * 3


def test_it_finds_a_better_setting_and_leaves_the_system_there(store, tune):
    spec = store()
    code, result, _ = tune(spec, "--policy", QUICK, "--ticks", "250", *SHORT)
    assert code == 0 and result["ticks"] == 250
    assert result["default"] == {"cache": 2, "batch": 2}
    before = 100 - 4 * 49 / 7 - 4
    level = 100 - 4 * (result["result"]["cache"] - 9) ** 2 / 7 - (result["result"]["batch"] - 4) ** 2
    assert level > 80.0 > before
    assert result["gain"]["mean"] == pytest.approx(level / before - 1.0)
    assert result["gain"]["low"] > 0.0 and result["left_at"] == "result"
    assert result["blocks"] == [[pytest.approx(before), pytest.approx(level)]] * 3
    assert controlled(spec)[-1] == result["result"]


def test_a_policy_that_finds_nothing_leaves_the_default(store, tune):
    spec = store()
    _, result, _ = tune(spec, "--policy", "none", "--ticks", "5", *SHORT)
    assert result["result"] == result["default"] and result["left_at"] == "default"
    assert result["gain"] == {"mean": 0.0, "low": 0.0, "high": 0.0, "samples": 6, "merged": 1}
    assert controlled(spec)[-1] == {"cache": 2, "batch": 2}


@pytest.mark.parametrize(("pairs", "said"), [("2", "too few ticks for an interval"), ("3", "(0 % to 0 %)")])
def test_a_gain_is_printed_with_its_interval_if_there_is_one(store, capsys, pairs, said):
    words = ("--ticks", "5", "--pairs", pairs, "--block-ticks", "1", "--settle-ticks", "0")
    assert cli.main(["tune", store(), "--policy", "none", *words]) == 0
    assert said in capsys.readouterr().out


SETTLING = (
    "state['since'] = state.get('since', 0) + 1\n"
    "    served *= (0.2 if state['since'] < 8 else 1.0) * (1.0 + 0.01 * (state['since'] * 7919 % 11))"
)
"""After each change the store serves a fifth for seven ticks, and always more or less by some per cent."""


def test_ticks_in_which_the_system_still_settles_are_left_out_of_the_comparison(store, tune, tmp_path):
    (tmp_path / "climber.py").write_text(CLIMBER)
    spec = store(SETTLING, "state['since'] = 0")
    words = ("--pairs", "3", "--block-ticks", "60", "--settle-ticks", "0", "--json")
    _, result, _ = tune(spec, "--policy", f"{tmp_path / 'climber.py'}:Climber", "--ticks", "50", *words)
    assert result["result"] == {"cache": 7, "batch": 2}
    assert result["unsteady_ticks"] == 3 * 2 * 7, "seven of each pair, at both settings"
    assert result["gain"]["mean"] == pytest.approx((100 - 4 * 4 / 7 - 4) / (100 - 4 * 49 / 7 - 4) - 1.0, abs=0.02)
    assert result["gain"]["low"] > 0.2


def test_a_latency_beyond_its_reference_costs_what_its_weight_says(store, tune):
    words = ("--policy", "random-search:trials=60,windows=1,settle=0", "--ticks", "200", "--latency", "waiting", *SHORT)
    results = {weight: tune(store(), *words, "--latency-weight", weight)[1] for weight in (0, 9)}
    for weight, result in results.items():
        served, waiting = 100 - 4 * 49 / 7 - 4, 5 + 2
        assert result["tradeoff"] == {
            "throughput": pytest.approx(served), "latency": pytest.approx(waiting), "weight": weight,
        }  # fmt: skip
        cache, batch = result["result"].values()
        cost = weight * max(0.0, (5 + cache) / waiting - 1)
        expected = (100 - 4 * (cache - 9) ** 2 / 7 - (batch - 4) ** 2) / served - cost
        assert [before for before, _ in result["blocks"]] == pytest.approx([1.0] * 3)
        assert result["gain"]["mean"] == pytest.approx(expected - 1.0)
    assert results[0]["result"]["cache"] > 6 and results[9]["result"]["cache"] == 2
    assert results[9]["system"] == "made less 9 x waiting"


def test_a_stopped_run_goes_on_with_the_objective_that_it_had(store, tune, tmp_path):
    spec, words = store(), ("--policy", QUICK, "--replay", tmp_path / "r.sqlite", *SHORT)
    traded = ("--latency", "waiting", "--latency-weight", "0.5")
    first = tune(spec, *words, *traded, "--ticks", 40)[1]
    again = tune(spec, *words, *traded, "--ticks", 60)[1]
    assert again["resumed"] == 39 and again["tradeoff"] == first["tradeoff"]
    code, _, errors = tune(spec, *words, "--ticks", 80)
    assert code == 2 and "belongs to another system" in errors


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--latency", "served_ms"), "--latency: 'served_ms' is not accepted; allowed: an indicator that is above 0"),
        (("--latency-weight", "2"), "--latency-weight 2.0 belongs to --latency"),
        (("--latency", "waiting", "--latency-weight", "-1"), "--latency-weight"),
    ],
)
def test_an_objective_that_cannot_be_made_is_refused(store, tune, words, said):
    code, _, errors = tune(store(), *words, "--ticks", "5")
    assert code == 2 and said in errors


def test_no_rule_is_broken_neither_by_the_policy_nor_in_the_comparison(store, tune, tmp_path):
    rules, spec = tmp_path / "rules.toml", store()
    rules.write_text(RULES)
    _, result, _ = tune(spec, "--policy", QUICK, "--rules", rules, "--ticks", "250", *SHORT)
    seen = controlled(spec)
    assert len(seen) > 100 and result["refused"] > 0
    assert [
        values for values in seen if values["cache"] > 8 or (values["batch"] == 4 and values["cache"] in (5, 6))
    ] == []
    assert result["gain"]["low"] > 0.0


@pytest.fixture
def climb(store, tune, tmp_path, monkeypatch):
    """Rules and start -> (the store's spec, what `tune` gives), with minutes of a millisecond."""
    for module in ("policies.action_rules", "scenarios.live_system.tuning"):
        monkeypatch.setattr(f"pmtwin.{module}.MINUTE_S", 1e-3)
    (tmp_path / "climber.py").write_text(CLIMBER)

    def run(rules, start=2):
        (tmp_path / "rules.toml").write_text(rules)
        spec, policy = store(start=start), f"{tmp_path / 'climber.py'}:Climber"
        words = ("--policy", policy, "--rules", tmp_path / "rules.toml", "--ticks", 3000, *SHORT)
        return spec, tune(spec, *words)

    return run


@pytest.mark.parametrize(("start", "left_at"), [(2, "result"), (9, "default")])
def test_steps_a_minute_hold_on_the_way_from_the_tuning_to_the_end(climb, start, left_at):
    spec, (_, result, _) = climb("[steps_per_minute]\ncache = 1\nbatch = 1\n", start)
    seen = controlled(spec)
    assert result["left_at"] == left_at and seen[-1] == result[left_at]
    assert {abs(after["cache"] - before["cache"]) for before, after in pairwise(seen)} <= {0, 1}
    assert len({values["cache"] for values in seen}) == 1 + abs(start - 7)


def test_a_result_without_a_direct_way_is_refused_and_the_system_set_back(climb):
    wall = "[[forbidden]]\ncache = [5, 6]\nbatch = 2\n"
    spec, (code, _, errors) = climb(f"[steps_per_minute]\ncache = 1\n{wall}")
    assert code == 2 and "comparison: '2,2' cannot be reached from 7,2" in errors
    assert controlled(spec)[-1] == {"cache": 2, "batch": 2}


def test_a_killed_tuning_goes_on_and_ends_with_the_same_bits(store, tune, tmp_path):
    whole = store()
    results = [tune(whole, "--policy", QUICK, "--ticks", "90", "--replay", tmp_path / "w.sqlite", *SHORT)[1]]
    killed = store(
        collecting="if len(calls.read_text().splitlines() if calls.exists() else []) > 60: os.kill(os.getpid(), 9)"
    )
    file = killed.partition(":")[0]
    words = ["--policy", QUICK, "--replay", tmp_path / "k.sqlite", *SHORT]
    (tmp_path / "calls.jsonl").unlink()
    command = [sys.executable, "-m", "pmtwin", "tune", killed, "--ticks", "90", *words]
    assert subprocess.run(list(map(str, command)), capture_output=True, check=False).returncode == -9
    with sqlite3.connect(tmp_path / "k.sqlite") as database:
        (ticks,) = database.execute("SELECT COUNT(*) FROM actions").fetchone()
    assert 30 < ticks < 90
    with open(file, encoding="utf-8") as text:
        mended = text.read().replace("> 60", "> 10**9")
    with open(file, "w", encoding="utf-8") as text:
        text.write(mended)
    results.append(tune(killed, "--ticks", "90", *words)[1])
    assert results[1]["resumed"] == ticks - 1
    assert results[0]["result"] == results[1]["result"]
    dumps = []
    for name in ("w", "k"):
        with sqlite3.connect(tmp_path / f"{name}.sqlite") as database:
            dumps.append(list(database.iterdump()))
    assert dumps[0] == dumps[1]


def test_what_was_learned_is_kept_and_runs_by_its_file(store, tune, tmp_path):
    file = tmp_path / "p.npz"
    assert tune(store(), "--policy", QUICK, "--ticks", "60", "-o", file, *SHORT)[0] == 0
    code, result, _ = tune(store(), "--policy", f"trained:{file}", "--ticks", "20", *SHORT)
    assert code == 0 and result["policy"] == f"trained:{file}"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"start": 13}, "made: parameters: cache: start: 13 is outside the range; allowed: 1 to 12"),
        ({"collecting": "served = float('nan')"}, "made: collect(): served: 'nan' is not accepted; allowed: a finite"),
        ({"controlling": "raise OSError('read-only store')"}, "control failed: OSError: read-only store"),
        ({"collecting": "return 1 / 0"}, "collect failed: ZeroDivisionError"),
        ({"collecting": "return None"}, "indicators in at least one of 100 ticks"),
    ],
)
def test_faults_of_the_system_are_one_line_and_exit_code_2(store, tune, changes, message):
    code, _, errors = tune(store(**changes), "--policy", "none", "--ticks", "5", *SHORT)
    assert code == 2
    (line,) = [line for line in errors.splitlines() if not line.startswith("tune: ")]
    assert message in line


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("1 // 0", r"ZeroDivisionError: .* \(.*wrong\.py:\d\)"),
        ("99", "action in window 1: 99 is not accepted; allowed: an action number, 0 to 4"),
        ("'up'", "action in window 1: 'up' is not accepted"),
        ("10**30", "action in window 1: 10+ is not accepted"),
        ("(3,)", r"setting in window 1: \[3\] is not accepted; allowed: 2 whole numbers"),
        ("(3, 3)", r"setting in window 1: \[3, 3\] is not accepted"),
    ],
)
def test_faults_of_a_policy_are_those_of_the_policy_not_of_the_checker(store, tune, tmp_path, answer, message):
    file = tmp_path / "wrong.py"
    file.write_text(
        "from pmtwin.policies import Policy\n"
        f"class Wrong(Policy):\n    def act(self, observation, info=None):\n        return {answer}\n"
    )
    code, _, errors = tune(store(), "--policy", f"{file}:Wrong", "--ticks", "5", *SHORT)
    assert code != 0 and re.search(message, errors), errors


def test_after_a_fault_the_system_is_set_back(store, tune):
    fault = "if len(calls.read_text().splitlines() if calls.exists() else []) > 40: served = float('nan')"
    spec = store(collecting=fault)
    assert tune(spec, "--policy", QUICK, "--ticks", "200", *SHORT)[0] == 2
    assert controlled(spec)[-1] == {"cache": 2, "batch": 2}


def test_faults_of_files_are_one_line_and_exit_code_2(store, tune, tmp_path):
    spec, database = store(), tmp_path / "r.sqlite"
    database.write_bytes(b"no database, but bytes " * 20)
    rules = tmp_path / "rules.toml"
    rules.write_text("[range]\ncache = [4, 8]\n")
    unknown = tmp_path / "unknown.toml"
    unknown.write_text("[range]\ncahce = [4, 8]\n")
    for words, message in (
        (["--replay", database], "file is not a database"),
        (["--replay", tmp_path / "absent" / "r.sqlite"], "in an existing folder"),
        (["--rules", rules], "made: start: '2,2' is outside the range; allowed: a setting within the rules"),
        (["--rules", unknown], "did you mean 'cache'?"),
        (["--rules", tmp_path / "absent.toml"], "absent.toml"),
        (["--policy", "none", "--replay", tmp_path / "s.sqlite"], "belongs to a policy that keeps a database"),
    ):
        code, _, errors = tune(spec, "--ticks", "5", *SHORT, *words)
        assert code == 2 and message in errors, errors
