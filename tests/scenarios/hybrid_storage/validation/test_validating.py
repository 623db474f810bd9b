"""`pmtwin validate hybrid-storage`: the verdict, what decides it, and bad input."""

import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.hybrid_storage.system import HybridSystem
from pmtwin.scenarios.hybrid_storage.validation.measured import POLICIES, WORKLOADS, MeasuredFiles, SideOptions
from pmtwin.scenarios.hybrid_storage.validation.repeats import Repeated, noisy
from pmtwin.scenarios.hybrid_storage.validation.scenario import RealFiles, whole_pages
from pmtwin.scenarios.hybrid_storage.validation.store import Reads
from pmtwin.sim.hybrid.stream import make_stream, paged
from tests.pmtwin.source_imports import TOP
from tests.scenarios.hybrid_storage.validation.test_order import compared

SMALL = ("--length", "400", "--requests-per-window", "100", "--footprint-pages", "600", "--seeds", "1")


@pytest.fixture
def places(tmp_path):
    parts = [tmp_path / name for name in ("fast", "slow")]
    for part in parts:
        part.mkdir()
    yield ["--fast", str(parts[0]), "--slow", str(parts[1])]
    assert [path for part in parts for path in part.iterdir()] == []


def validate(capsys, *words, codes=(0, 1)):
    assert main(["validate", "hybrid-storage", *words]) in codes
    return capsys.readouterr()


def test_both_sides_have_the_same_requests_and_the_devices_are_measured(places, capsys):
    words = ["--policies", "write-lru", "fast-only", "--workloads", "ssd-02", "--slow-us", "200", *SMALL]
    result = json.loads(validate(capsys, *places, *words, "--json").out)
    assert result["verdict"]["medium"] == "slowed" and "(slowed)" in result["verdict"]["name"]
    assert "crash" in result["verdict"]["scope"]
    used = result["configuration"]
    times_us = {name: [row["us"] for row in times["as_used"]] for name, times in used["accesses_us"].items()}
    assert min(times_us["slow"]) > 200.0 > min(times_us["fast"])
    assert used["reads"]["wrong"] == 0 < used["reads"]["checked"]
    assert [len(apart) for apart in used["repeat_percent"].values()] == [2]  # each policy ran twice
    assert used["devices"]["slow"]["wake_half_us"] > 0.0
    means = {entry["policy"]: entry["mean_us"] for entry in result["comparisons"]}
    assert set(means) == {"write-lru", "fast-only"}
    assert means["fast-only"]["measured"]["mean"] < means["write-lru"]["measured"]["mean"]
    checks = [check["what"] for check in result["verdict"]["checks"]]
    assert any("Kendall's tau" in what for what in checks) and any("wrong reads (0 of" in what for what in checks)
    assert any("median error of mean" in what for what in checks)


@pytest.mark.parametrize("medium", MeasuredFiles.media.values())
def test_the_scope_says_that_the_sides_agree_only_if_all_checks_pass(medium):
    assert "latencies on these files agree;" in medium.shows(True) and "crash" in medium.shows(True)
    assert "files agree" not in medium.shows(False) and "not all of these were shown" in medium.shows(False)


def test_a_run_is_repeated_from_its_record_and_a_reader_gets_words(places, capsys, tmp_path):
    words = ["--policies", "write-lru", "fast-only", "--workloads", "LUN4", *SMALL]
    first = validate(capsys, *places, *words, "--json").out
    (tmp_path / "first.json").write_text(first)
    assert main(["validate", "--config", str(tmp_path / "first.json")]) in (0, 1)
    shown = capsys.readouterr().out
    for part in ("validated (files)", "direct I/O", "pages read", "0 wrong", "Kendall's tau", "crash"):
        assert part in shown, part


def test_a_trace_takes_the_place_of_the_workloads(places, capsys, tmp_path):
    rows = [f"{90 * n},{'RW'[n % 3 == 0]},{1000 * (n * 7 % 50)},{700 + n % 9000}" for n in range(400)]
    (tmp_path / "trace.csv").write_text("\n".join(["time_us,op,offset,size", *rows]))
    words = [
        "--trace",
        str(tmp_path / "trace.csv"),
        "--policies",
        "write-lru",
        "--seeds",
        "1",
        "--requests-per-window",
        "50",
    ]
    result = json.loads(validate(capsys, *places, *words, "--json").out)
    assert result["configuration"]["reads"]["wrong"] == 0 and len(result["comparisons"]) == 1
    message = validate(capsys, *places, *words, "--length", "500", codes=(2,)).err
    assert "does not go with --trace" in message


def test_unless_they_are_named_six_policies_run_over_three_workloads(places, capsys):
    shown = json.loads(validate(capsys, *places, "--dry-run", "--json", codes=(0,)).out)["arguments"]
    assert shown["policies"] == list(POLICIES) and shown["contexts"] == list(WORKLOADS)
    assert (shown["steps"], shown["context_steps"], shown["warmup_windows"]) == (6, 2, 0)


def test_requests_are_rounded_out_to_whole_pages():
    requests = whole_pages(paged(make_stream(0.0, [100, 9 * 4096], [4096, 8192], True)))
    assert requests.stream.size.tolist() == [8192, 8192] and requests.home.tolist() == [0, 1, 2, 3]
    assert requests.first.tolist() == [0, 2] and not requests.missing_head.any()


def criteria(side_reads, entries, tau=0.8):
    """The criteria of a side without files."""
    side = object.__new__(MeasuredFiles)
    side.options = SideOptions(tau=tau)
    side._store = SimpleNamespace(reads=lambda: side_reads)
    return side.criteria({"comparisons": entries})


def test_a_wrong_read_and_another_order_of_the_policies_fail():
    from pmtwin.validation.criteria import outcome

    right = compared([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6])
    swapped = compared([1, 2, 3, 4, 5, 6], [2, 1, 3, 5, 4, 6])  # 2 pairs of 15: tau 0.73

    def outcomes(reads, entries, tau=0.8):
        return [outcome(each.ends, each.allowed) for each in criteria(reads, entries, tau)]

    assert outcomes(Reads(10**6, 0, 0.1), right) == ["passes", "passes"]
    assert outcomes(Reads(10**6, 1, 0.1), right) == ["passes", "fails"]
    assert outcomes(Reads(10**6, 0, 0.1), swapped) == ["fails", "passes"]
    assert outcomes(Reads(10**6, 0, 0.1), swapped, tau=0.7) == ["passes", "passes"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--slow", "{slow}"], "--fast is missing: a folder"),
        (["--fast", "{fast}", "--slow", "{fast}"], "another folder than --fast"),
        (["--fast", "{fast}", "--slow", "{fast}/../fast"], "another folder than --fast"),
        (["--fast", "{fast}", "--slow", "{slow}/nowhere"], "--slow: '{slow}/nowhere' is not there"),
        (["--fast", "{fast}", "--slow", "{file}"], "--slow: '{file}' is no folder"),
        (["{both}", "--capacity", "0"], "--capacity: 0.0 is not accepted; allowed: percent of 16,384 pages"),
        (["{both}", "--capacity", "101"], "--capacity"),
        (["{both}", "--footprint-pages", "2000000000"], "is too small"),
        (["{both}", "--arrivals", "open"], "closed or paced"),
        (["{both}", "--workloads", "mix1"], "a workload of one thread"),
        (["{both}", "--slow-us", "-1"], "--slow-us"),
        (["{both}", "--policies", "nobody"], "nobody"),
    ],
)
def test_bad_input_is_one_line(words, message, places, capsys, tmp_path):
    (tmp_path / "file").write_text("")
    named = {"fast": places[1], "slow": places[3], "file": str(tmp_path / "file")}
    words = [each.format(**named, both="{both}") for each in words]
    words = [part for each in words for part in (places if each == "{both}" else [each])]
    error = validate(capsys, *words, codes=(2,)).err.strip().splitlines()
    assert message.format(**named) in error[-1] and "Traceback" not in "".join(error)


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_bad_input(places, capsys):
    os.chmod(places[1], 0o500)
    assert "cannot be written" in validate(capsys, *places, codes=(2,)).err
    os.chmod(places[1], 0o700)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_however_a_run_ends(number, places):
    words = ["--policies", "write-lru", "--workloads", "LUN0", "--length", "100000", "--footprint-pages", "600"]
    command = [sys.executable, "-m", "pmtwin", "validate", "hybrid-storage", *places, *words]
    process = subprocess.Popen(command, cwd=TOP, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for line in process.stderr:
        if line.startswith("to be measured"):
            break
    time.sleep(1.0)  # within the run
    process.send_signal(number)
    _, shown = process.communicate(timeout=300)  # a signal waits for the compiler
    assert process.returncode in (128 + number, -number) and "Traceback" not in shown


def test_a_real_side_that_does_not_repeat_itself_is_named():
    repeated = [Repeated([100.0, 100.0], [130.0, 100.0]), Repeated([100.0, 50.0], [95.0]), Repeated([1.0], [])]
    assert [run.apart for run in repeated[:2]] == pytest.approx([15.0, 5.0]) and np.isnan(repeated[2].apart)
    assert noisy({"w": [15.0, 5.0]}) == [] and "12.5 % apart" in noisy({"w": [15.0], "v": [10.0]})[0]


@pytest.mark.parametrize("warmup_windows", [0, 1])
def test_the_same_run_again_has_the_same_windows(monkeypatch, warmup_windows):
    def begin(system, warmup):
        system.at = 10 - warmup

    def run_window(system):
        system._measures = {"mean_us": float(system.at)}
        system.at += 1

    monkeypatch.setattr(HybridSystem, "_begin", begin)
    monkeypatch.setattr(HybridSystem, "run_window", run_window)
    control = {}
    scenario = HybridStorage.of(length=400, requests_per_window=100)
    scenario.store = SimpleNamespace(control=control)
    system = RealFiles(scenario, "LUN0", 0)
    system._begin(warmup_windows)
    for _ in range(warmup_windows + 3):
        system.run_window()
    ((repeated,),) = (runs.values() for runs in control.values())
    assert repeated.first == repeated.again == [9.0, 10.0, 11.0][1 - warmup_windows :]


def test_the_twin_and_the_files_ask_the_same_points():
    assert set(MeasuredFiles.asks_inside) == {point.name for point in HybridStorage.points}
    assert np.all([name in HybridStorage.baselines for name in POLICIES])
