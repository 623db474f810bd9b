"""Workloads, goals and reward in a user's files."""

import json
import re
from dataclasses import MISSING, fields
from pathlib import Path

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.host.options import HostOptions
from pmtwin.scenarios.nvm_middleware.validation.measured import MeasuredMiddleware
from pmtwin.scenarios.nvm_middleware.workloads import make_workload
from pmtwin.scenarios.nvm_middleware.workloads.files import ClassForm
from pmtwin.sim.errors import InputError
from pmtwin.sim.load import Burst
from pmtwin.sim.load.workload import ClassWorkload, Workload

TABLE = {
    "name": "sessions",
    "interactive": {"clients": 64, "write_ratio": 0.25, "read_sizes_bytes": [100, 300], "write_sizes_bytes": 50},
    "batch": {"clients": 16, "write_ratio": 1.0, "write_sizes_bytes": 4096, "rate_ops": 5e3, "interarrival_cov": 2.0},
    "parts": [{"kind": "burst", "every": 10, "length": 2, "factor": 1.5, "classes": ["batch"]}],
}
PYTHON = """
from pmtwin.sim import ClassWorkload, Workload
own = Workload("own", *(ClassWorkload(clients=8, write_ratio=0.5, read_sizes_bytes=64, write_sizes_bytes=64),) * 2)
def make(): return own
def fails(): raise ValueError("two\\nlines")
def empty(): return ClassWorkload(clients=1, write_ratio=0, read_sizes_bytes=0, write_sizes_bytes=1)
def late(measures): return -measures["p99_us"]
def absent(measures): return measures["nothing"]
"""


def written(folder, name, content):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def test_a_table_says_what_a_workload_says(tmp_path):
    result = make_workload(written(tmp_path, "w.json", TABLE))
    interactive = ClassWorkload(64, 0.25, np.repeat([100.0, 300.0], 128), 50)
    batch = ClassWorkload(16, 1.0, 1, 4096, rate_ops=5e3, interarrival_cov=2.0)
    assert result == Workload("sessions", interactive, batch, parts=(Burst(10, 2, 1.5, (1,)),))
    toml = "[interactive]\nclients = 3\nread_sizes_bytes = 10\n"
    result = make_workload(written(tmp_path, "some.toml", toml))
    assert (result.name, result.interactive.clients, result.batch.clients) == ("some", 3, 0)


def test_python_files_and_what_a_class_derives_from_them(tmp_path):
    file = written(tmp_path, "w.py", PYTHON)
    assert make_workload(f"{file}:own") is make_workload(f"{file}:make")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("w.json", TABLE | {"batch": TABLE["batch"] | {"rate_ops": -5}}, ["batch.rate_ops", "-5"]),
        ("w.json", TABLE | {"batch": TABLE["batch"] | {"write_sizes_bytes": 0}}, ["batch.write_sizes_bytes", "0"]),
        ("w.json", '{"interactive": {"clients": 1, "read_sizes_bytes": NaN}}', ["interactive.read_sizes_bytes"]),
        ("w.json", '{"interactive": ', ["w.json", "cut off at its end, line 1"]),
        ("w.json", TABLE | {"batches": {}}, ["batches"]),
        ("w.json", TABLE | {"batch": TABLE["batch"] | {"read_sizes_bytes": 5}}, ["batch.read_sizes_bytes", "not used"]),
        ("w.json", {"interactive": {"clients": 1}}, ["interactive.read_sizes_bytes"]),
        ("w.json", {"interactive": {"clients": 1, "read_sizes_bytes": 5, "interarrival_cov": 1}}, ["interarrival_cov"]),
        ("w.json", TABLE | {"parts": [{"kind": "brust"}]}, ["parts[0].kind", "burst"]),
        ("w.json", TABLE | {"parts": [{"kind": "burst", "every": 0, "length": 1, "factor": 1}]}, ["parts[0].every"]),
        ("w.json", TABLE | {"parts": {"sigma": 0.2}}, ["w.json: parts: a table", "a list of tables: [[parts]]"]),
        ("w.toml", "clients == 3", ["w.toml", "TOML"]),
        ("t.csv", "timestamp,class,operation,size\n1,batch,get,5\n0.5,batch,get,5\n", ["t.csv:3", "timestamp", "0.5"]),
        ("t.csv", "timestamp,class,operation,size\n1,batch,get,-1\n", ["t.csv:2", "size", "-1"]),
        ("t.csv", "timestamp,class,operation,size\n1,batch,get,\n", ["t.csv:2", "size"]),
        ("t.csv", "timestamp,class,operation,size\n1.6e12,batch,get,5\n", ["t.csv:2", "1.6e12", "divide milliseconds"]),
        ("t.csv", "timestamp;class;operation;size\n1;batch;get;5\n", ["t.csv", "semicolons between its columns"]),
        ("t.csv", "<!DOCTYPE html>", ["t.csv", "is a web page"]),
        ("t.csv.xz", "timestamp,class,operation,size\n1,batch,get,5\n1,batch,get,5\n", ["t.csv.xz", "two times"]),
        ("t.csv", "timestamp,class,operation,size\n1,bulk,get,5\n", ["t.csv:2", "class", "bulk"]),
        ("t.csv", "timestamp,class,operation,size\nnan,batch,get,5\n", ["t.csv:2", "timestamp", "nan"]),
        ("t.csv", "timestamp,class,operation,size\n1,batch,get\n", ["t.csv:2", "4 cells"]),
        ("t.csv", "Timestamp,AnonRegion,BlobBytes\n1,2,3\n", ["t.csv", "columns", "timestamp, class"]),
        ("t.csv", "timestamp,class,operation,size\n1,batch,get,5\n", ["t.csv", "two times"]),
        ("t.csv", "timestamp,class,operation,size\n", ["t.csv", "has no requests"]),
        (
            "t.csv",
            "timestamp,class,operation,size\n1,batch,get,0\n",
            ["t.csv", "has no requests (left out: 1 of size 0"],
        ),
        ("t.csv", "", ["t.csv", "header is missing", "timestamp, class"]),
    ],
)
def test_a_bad_workload_is_one_line_and_exit_code_2(name, content, words, tmp_path, capsys):
    file = written(tmp_path, name, content)
    assert cli.main(["simulate", "nvm-middleware", "--workload", file]) == 2
    error_text = capsys.readouterr().err
    assert error_text.count("\n") == 1 and all(word in error_text for word in words)


@pytest.mark.parametrize(
    ("name", "words"), [("fails", ["w.py:5"]), ("empty", ["read_sizes_bytes"]), ("gone", ["NAME"])]
)
def test_a_python_file_that_fails_is_one_line(name, words, tmp_path, capsys):
    file = written(tmp_path, "w.py", PYTHON)
    assert cli.main(["simulate", "nvm-middleware", "--workload", f"{file}:{name}"]) == 2
    error_text = capsys.readouterr().err
    assert error_text.count("\n") == 1 and all(word in error_text for word in words)


def test_a_rate_that_nobody_would_offer_is_refused():
    with pytest.raises(InputError, match="batch_rate_ops"):
        NvmMiddleware.of(workload="ycsb-a", batch_rate_ops=1e3)


def test_goals_and_reward_from_a_file(tmp_path):
    file = written(tmp_path, "goals.toml", "[goals]\np99_us = 5000\n[reward]\nlat_penalty = 400\n")
    result = NvmMiddleware.of(reward=file)
    assert [goal.limit for goal in result.goals] == [5000.0, 250_000.0]
    assert result.options.reward_parameters.lat_penalty == 400.0
    with pytest.raises(InputError, match=r"goals\.p99_us 5000\S* does not go with a goal of p99_us 1 in the options"):
        NvmMiddleware.of(reward=file, latency_goal_us=1.0)
    for bad in ("[goals]\np99 = 1\n", "[reward]\nlat_penalty = -1\n", "[goals]\np99_us = 'x'\n", "goals = 3\n"):
        with pytest.raises(InputError, match=r"bad\.toml"):
            NvmMiddleware.of(reward=written(tmp_path, "bad.toml", bad))


def test_a_reward_function_stands_in_the_place_of_algorithm_1(tmp_path):
    file = written(tmp_path, "w.py", PYTHON)
    result = NvmMiddleware.of(reward=f"{file}:late")
    measures = {"p99_us": 3.0, "throughput_ops": 1.0}
    assert result.reward(measures) == -3.0
    assert result.rewards({name: np.array([value] * 2) for name, value in measures.items()}).tolist() == [-3.0, -3.0]
    assert result.record()["reward"]["function"] == f"{file}:late"
    with pytest.raises(InputError, match="nothing"):
        NvmMiddleware.of(reward=f"{file}:absent").reward(measures)
    with pytest.raises(InputError, match="lat_penalty"):
        NvmMiddleware.of(reward=f"{file}:late", reward_parameters={"lat_penalty": 1.0})


def test_training_and_evaluation_run_on_a_workload_of_a_file(tmp_path, capsys):
    words = ["--workload", f"{written(tmp_path, 'w.py', PYTHON)}:own", "--requests-per-window", "100", "--json"]
    assert cli.main(["train", "nvm-middleware", *words, "--campaign", "0.01", "--dry-run", "-o", "q.npz"]) == 0
    assert list(json.loads(capsys.readouterr().out)["plan"]["episodes"]) == ["0"]  # the conditions of the options
    env = NvmMiddleware.of(workload=words[1], requests_per_window=100)
    assert env.trained_contexts == (0,) and env.context_name(0) == "own"
    assert (
        cli.main(["evaluate", "nvm-middleware", *words, "--steps", "3", "--seeds", "2", "--policies", "fixed:2,2"]) == 0
    )


def test_each_load_of_an_own_workload_has_a_word_of_its_own(tmp_path):
    file = written(tmp_path, "w.json", TABLE)
    bare = written(tmp_path, "bare.json", {name: value for name, value in TABLE.items() if name != "parts"})
    words = {
        (path, load): NvmMiddleware.of(workload=path, load=load).record()["load"]
        for path in (file, bare)
        for load in ("usual", "steady", "varying")
    }
    assert list(words.values()) == [
        *("with its parts", "steady", "varying, with its parts"),
        *("steady", "steady", "varying"),
    ]
    assert NvmMiddleware.of(workload=file).setup([0])["load"].startswith(f"{file}, with its parts, ")


def test_a_validation_says_that_it_runs_the_mean_of_a_changing_load(tmp_path):
    side = MeasuredMiddleware.of(
        NvmMiddleware, {"workload": written(tmp_path, "w.json", TABLE)}, HostOptions(host="none")
    )
    assert side.predicted.own_conditions.parts == () == side.measured.own_conditions.parts
    assert any("at its mean rates" in warning for warning in side.warnings)


def test_rates_that_vary_beside_parts_are_refused_on_a_real_middleware(tmp_path, capsys):
    file = written(tmp_path, "w.json", TABLE)
    for words in (["validate", "nvm-middleware", "--dry-run"], ["simulate", "nvm-middleware", "--engine", "native"]):
        assert cli.main([*words, "--workload", file, "--load", "varying"]) == 2
        told = f"--load varying does not go with the parts of workload {file} on a real middleware"
        error_text = capsys.readouterr().err
        assert told in error_text and "give --load steady for its mean rates" in error_text
    bare = written(tmp_path, "bare.json", {name: value for name, value in TABLE.items() if name != "parts"})
    values = {"workload": bare, "offered.load": "varying"}
    side = MeasuredMiddleware.of(NvmMiddleware, values, HostOptions(host="none"))
    assert side.predicted.workload(side.predicted.own_conditions).parts
    assert side.predicted.load_name() == side.measured.load_name() == f"{bare}, varying"


def test_the_page_lists_the_fields_of_a_class_with_their_defaults_and_ranges():
    """Each range is tried: its ends are accepted, and numbers beyond them refused."""
    page = (Path(__file__).parents[2] / "docs/load.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \| ([\d,]+) to ([\d,]+) \|", page, re.MULTILINE)
    known = {each.name: each.default for each in fields(ClassWorkload)}
    assert [name for name, *_ in rows] == list(known) == list(ClassForm.__struct_fields__)
    usual = {"clients": 1, "write_ratio": 0.5, "read_sizes_bytes": 1, "write_sizes_bytes": 1}
    for name, default, *ends in rows:
        if known[name] is not MISSING:
            assert default == ("none" if known[name] is None else f"{known[name]:g}")
        elif name == "write_ratio":
            assert default == f"{ClassForm(clients=1).write_ratio:g}"
        low, high = (int(end.replace(",", "")) for end in ends)
        for value in (low, high):
            ClassWorkload(**usual | {name: value})
        for value in (low - 1, high + 1):
            with pytest.raises(InputError, match=name):
                ClassWorkload(**usual | {name: value})


@pytest.mark.parametrize(
    "table",
    [
        "[interactive]\nclients = 10\nread_sizes_bytes = 100\n",
        "[batch]\nclients = 10\nwrite_ratio = 1.0\nwrite_sizes_bytes = 100\n",
        "[interactive]\nclients = 10\nwrite_ratio = 0.5\nread_sizes_bytes = 4096\nwrite_sizes_bytes = 1\n",
        "[interactive]\nclients = 4\nread_sizes_bytes = 1\n[batch]\nclients = 4\nread_sizes_bytes = 70000\n",
    ],
)
def test_a_class_that_only_reads_or_writes_or_moves_single_bytes_runs(table, tmp_path, capsys):
    (tmp_path / "own.toml").write_text(table)
    words = ["--windows", "2", "--pools", "4,4", "--requests-per-window", "200", "--json"]
    assert cli.main(["simulate", "nvm-middleware", "--workload", str(tmp_path / "own.toml"), *words]) == 0
    assert json.loads(capsys.readouterr().out)["throughput_ops"]["median"] > 0.0
