"""`pmtwin bench probe`: pairs in turn, an interval that keeps its promise, and other programs run as they should be."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pmtwin import cli
from pmtwin.bench import Request, likwid, pairs, plain, probe
from pmtwin.bench.pairs import Comparison
from pmtwin.bench.predicted import Access, inside_text, prediction, prediction_text
from pmtwin.bench.probe import compare
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import InputError, MissingDependencyError, PmtwinError

SMALL = ("--region-bytes", str(16 << 20))
LIKWID = """#!/bin/sh
echo "$@" $(grep THP_enabled /proc/self/status) >> {log}
echo "Time:			1.0 sec"
echo "MByte/s:		20000.50"
"""


@pytest.fixture
def native():
    try:
        return plain.find(plain.ACCESSES)
    except MissingDependencyError as error:
        pytest.skip(str(error))


@pytest.fixture
def likwid_calls(tmp_path, monkeypatch):
    """Stands in for likwid-bench; returns the arguments of each call."""
    program, log = tmp_path / "likwid-bench", tmp_path / "log"
    program.write_text(LIKWID.format(log=log))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return lambda: [line.split() for line in log.read_text().splitlines()]


def test_pairs_are_neighbours_and_each_side_is_first_in_turn():
    order = []

    def side(name):
        def measure():
            order.append(name)
            return {"p": 11.0, "r": 10.0}[name]

        return measure

    comparison = Comparison("latency", "ns", "other", side("p"), side("r"))
    outcome = pairs._pairs(comparison, 3, lambda: None)
    assert "".join(order) == "pr" + "pr" + "rp" + "pr"
    result = pairs._result(comparison, outcome)
    assert result["ratio"]["median"] == pytest.approx(1.1)
    assert result["probe"]["median"] == 11.0 and result["reference"]["median"] == 10.0


def test_a_verdict_that_noise_could_have_made_is_not_certain():
    comparison = Comparison("latency", "ns", "other", lambda: 1.0, lambda: 1.0)
    for ratios, within, certain in (
        ([0.95, 1.0, 1.05] * 5, True, True),
        ([0.7, 1.0, 1.3] * 5, True, False),
        ([1.0, 1.2, 1.4] * 5, False, False),
        ([0.5, 1.2, 1.5] * 5, False, False),
        ([1.2, 1.3, 1.4] * 5, False, True),
    ):
        result = pairs._result(comparison, [(ratio, 1.0) for ratio in ratios])
        assert (result["within"], result["certain"]) == (within, certain), ratios


@pytest.mark.parametrize(("measured", "within"), [(10.9, True), (11.1, False), (9.1, True), (8.9, False)])
def test_the_verdict_is_on_the_ratio(measured, within):
    comparison = Comparison("latency", "ns", "other", lambda: measured, lambda: 10.0)
    assert pairs._result(comparison, [(measured, 10.0)] * 6)["within"] is within


def test_likwid_gets_the_same_memory_threads_and_pages(likwid_calls):
    assert likwid.run("load_avx", node=0, megabytes=512, threads=2, rounds=3, huge_pages=False) == 20000.5
    assert likwid.run("load_avx", node=0, megabytes=512, threads=2, rounds=3, huge_pages=True) == 20000.5
    words = ["-t", "load_avx", "-w", "M0:512MB:2", "-i", "3"]
    own = Path("/proc/self/status").read_text().partition("THP_enabled:")[2].split()[0]
    assert likwid_calls() == [[*words, "THP_enabled:", "0"], [*words, "THP_enabled:", own]]


def test_a_failing_likwid_is_told_with_its_last_word(tmp_path, monkeypatch):
    program = tmp_path / "likwid-bench"
    program.write_text("#!/bin/sh\necho no such domain >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(PmtwinError, match="no such domain"):
        likwid.run("load_avx", 7, 512, 1, 1, huge_pages=True)


def test_everything_is_compared(native, likwid_calls, tmp_path):
    totals = []
    result = compare(Request(str(tmp_path), 2, 0.005), totals.append, SMALL)
    latency, *bandwidths = result["results"]
    loops, bandwidths = bandwidths[: len(probe.ACCESSES)], bandwidths[len(probe.ACCESSES) :]
    assert all(each["reference_name"] == "pmtwin-plain-accesses" for each in loops)
    assert all(0.01 < each["probe"]["max"] / each["reference"]["max"] < 100.0 for each in loops)
    assert latency["reference_name"] == "pmtwin-plain-chase"
    # the same unit; a busy machine holds up measurements as short as these by factors of 50 to 100
    assert 0.1 < latency["probe"]["min"] / latency["reference"]["min"] < 500.0
    threads = {1, result["context"]["local_threads"]}
    assert len(bandwidths) == 3 * len(threads)
    assert all(each["reference"]["median"] == 20000.5 and each["probe"]["min"] > 0 for each in bandwidths)
    assert totals == [2 * len(result["results"])] * (2 * len(result["results"]))
    assert result["left_out"] == []
    vector = likwid.VECTORS[result["context"]["isa"].split("+")[0]]
    assert {call[1] for call in likwid_calls()} == {f"{kernel}_{vector}" for kernel in ("load", "store_mem", "store")}


def test_without_likwid_the_latency_alone_and_a_word(native, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = compare(Request(str(tmp_path), 1, 0.005), lambda total: None, SMALL)
    assert len(result["results"]) == 1 + len(probe.ACCESSES)
    assert "likwid-bench is absent" in result["left_out"][0] and "likwid" in result["left_out"][0]


def test_the_command_prints_a_table_or_json(native, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    real = probe.compare
    monkeypatch.setattr(probe, "compare", lambda *given, **more: real(*given, SMALL, **more))
    words = ["bench", "probe", "--repeats", "2", "--seconds", "0.005", "--path", str(tmp_path)]
    assert cli.main(words) == 0
    printed = capsys.readouterr()
    assert "idle latency, random pointer chase" in printed.out and "within 10 %" in printed.out
    assert "left out: sequential bandwidths" in printed.err
    assert cli.main([*words, "--json", "--profile", "optane-dcpmm-100"]) == 0
    result = json.loads(capsys.readouterr().out)
    told = [each["prediction"] for each in result["results"] if "prediction" in each]
    assert len(told) >= 6 and all(each["low"] < each["mib_s"] < each["high"] for each in told)
    assert {each["inside"] for each in told} <= {True, False}
    assert result["benchmark"] == "probe" and result["results"][0]["ratio"]["confidence"] == 0.5


def test_a_directory_that_cannot_be_used(native):
    with pytest.raises(InputError, match="/dev/null"):
        compare(Request("/dev/null", 1, 0.005), lambda total: None)


def test_without_the_programs_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("pmtwin.calibrate.probing.native.PROGRAM", tmp_path / "pmtwin-probe")
    with pytest.raises(MissingDependencyError, match="make build"):
        compare(Request(str(tmp_path), 1, 0.005), lambda total: None)


def test_a_prediction_says_whether_the_loop_lies_in_its_interval():
    access, profile = Access("load", "random", 4096), load_profile()
    value = prediction(profile, access, 0.0)
    entries = [prediction(profile, access, mib_s) for mib_s in (value["mib_s"], 1.01 * value["high"])]
    assert [each["inside"] for each in entries] == [True, False]
    assert [prediction_text(each)[1] for each in entries] == ["yes", "no"]
    wide = value | {"low": 0.01 * value["high"]}
    assert prediction_text(wide)[0].endswith("too wide to use") and prediction_text(None) == ("", "")
    without = prediction(replace(profile, intervals=None), access, 1.0)
    assert without["inside"] is None and "no interval" in prediction_text(without)[0]
    assert inside_text([*entries, without]).startswith("1 of 2 bandwidths")
    loads = replace(profile, parameters={"load": profile.parameters["load"]})
    assert prediction(loads, Access("ntstore", "random", 64), 1.0) is None


def test_a_program_that_ends_in_the_middle_is_named(tmp_path):
    program = tmp_path / "ends"
    program.write_text("#!/bin/sh\necho ready\n")
    program.chmod(0o755)
    ended = pytest.raises(PmtwinError, match="pmtwin-plain-accesses ended before it answered")
    with plain.accesses(str(program), str(tmp_path), 1 << 20, "sse2") as ask, ended:
        ask("load", "random", 64, 0.1)
