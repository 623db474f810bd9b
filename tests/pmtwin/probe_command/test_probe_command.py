"""`pmtwin probe`: what it leaves, and what is refused before anything is touched."""

import json
import os

import pytest

from pmtwin import cli
from pmtwin.calibrate.probing import native
from pmtwin.calibrate.probing.journal import Journal
from pmtwin.probe.config import Config
from pmtwin.probe.options import native_options
from pmtwin.probe.usable import usable
from tests.pmtwin.probe_command.runs import listed, probe


def test_it_leaves_the_result_and_nothing_else(stand_in, folder, capsys):
    stand_in()
    assert probe(folder, "--target-error", 20, "--json") == 0
    said = capsys.readouterr()
    summary = json.loads(said.out)
    assert summary["ended_by"] == "target" and summary["error_percent"][0] <= 20 and not summary["interrupted"]
    assert "warning: it rains" in said.err and "next: pmtwin calibrate" in said.err
    assert listed(folder) == ["p.json"]
    result = json.loads((folder / "p.json").read_text())
    assert result["context"]["probe"]["history"][-1]["measurements"] == len(result["benchmarks"])
    assert all("repeats" not in each["name"] for each in result["benchmarks"])


@pytest.mark.parametrize(("count", "fits"), [(2, False), (8, True)])
def test_what_calibrate_will_use_is_what_it_does_use(tmp_path, count, fits, capsys):
    first = {"name": "b", "label": "operation=load pattern=random", "access_size_bytes": 64, "bandwidth_mib_s": 900.0}
    rows = [first | {"threads": threads + 1, "cpu_share": share} for threads in range(count) for share in (1.0, 0.5)]
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"context": {"media": "dram", "dimms": 1}, "benchmarks": rows}))
    taken = usable(path)
    assert (taken["would_fit"], taken["usable_rows"]) == (["load"] if fits else [], count)
    assert taken["too_few_configurations"] == ({} if fits else {"load": count})
    assert list(taken["dropped_rows"].values()) == [count]
    assert cli.main(["calibrate", str(path), "--dry-run"]) == (0 if fits else 2)


def test_probe_and_calibrate_say_the_same_of_the_rows(stand_in, folder, capsys):
    stand_in()
    assert probe(folder, "--target-error", 20) == 0
    (told,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("usable by calibrate")]
    assert cli.main(["calibrate", str(folder / "p.json"), "--dry-run"]) == 0
    used = told.removeprefix("usable by calibrate").strip()
    assert "of latencies, mixes and effects" in used and f"usable: {used}\n" in capsys.readouterr().out


def test_a_number_of_dimms_that_nobody_told_is_called_assumed_up_to_the_prediction(stand_in, folder, capsys):
    stand_in()
    assert probe(folder, "--target-error", 20) == 0
    assert "dimms" not in json.loads((folder / "p.json").read_text())["context"]
    words = ["calibrate", str(folder / "p.json"), "-o", str(folder / "d.json"), "--report", str(folder / "fit")]
    assert cli.main([*words, "--bootstrap", "2", "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "note: the number of DIMMs is not stated: 6 assumed (--dimms N)" in said
    assert "number of DIMMs other than 6, which is assumed" in said
    assert "Own data: the mechanism alone. Unseen: what predict says" in said
    page = (folder / "fit" / "index.html").read_text()
    assert "dimms (assumed)" in page and "6 assumed (--dimms N)" in page
    point = ["--operation", "load", "--pattern", "random", "--size", "4KiB", "--threads", "1"]
    assert cli.main(["predict", "--profile", str(folder / "d.json"), *point, "--dimms", "4"]) == 0
    out, err = capsys.readouterr()
    assert "4 DIMMs (assumed: 6)" in out and "assumed: 6 DIMMs, which no measurement of profile" in err
    assert probe(folder, "--target-error", 20, "--dimms", "2", "--force") == 0
    assert json.loads((folder / "p.json").read_text())["context"]["dimms"] == 2
    assert cli.main(["calibrate", str(folder / "p.json"), "--dry-run"]) == 0
    assert "assumed" not in capsys.readouterr().out


def test_what_calibrate_takes_on_request_is_counted_too(stand_in, folder, capsys):
    stand_in(share=0.5)
    assert probe(folder, "--time", 5) == 0
    names = ("usable by calibrate", "with --accept-disturbed")
    lines = capsys.readouterr().out.splitlines()
    usually, on_request = (line.removeprefix(name).strip() for name in names for line in lines if line.startswith(name))
    measured = len(json.loads((folder / "p.json").read_text())["benchmarks"])
    for told in (usually, on_request):
        used, dropped = (int(part.split()[0].replace(",", "")) for part in told.split("; "))
        assert used + dropped == measured
    assert usually.startswith("0 rows: ") and not on_request.startswith("0 rows: ")
    assert cli.main(["calibrate", str(folder / "p.json"), "--dry-run", "--accept-disturbed"]) == 0
    assert f"usable: {on_request}\n" in capsys.readouterr().out


def test_calibrate_takes_the_result_as_it_is(stand_in, folder, capsys):
    stand_in()
    assert probe(folder, "--target-error", 5) == 0
    profile = folder / "d.json"
    assert cli.main(["calibrate", str(folder / "p.json"), "-o", str(profile), "--bootstrap", "2", "--jobs", "1"]) == 0
    record = json.loads(profile.read_text())["record"]
    assert record["media"] == "dram" and record["noise_floor_percent"][0] == 0.0
    assert record["errors_percent"]["load"]["unseen_configurations"]["predict"][0] < 10


@pytest.mark.parametrize("share", [0.5, "0.5 if size < 4096 else 1.0"])
def test_a_busy_machine_is_named_in_the_end(stand_in, folder, share, capsys):
    stand_in(share=share)
    assert probe(folder, "--time", 5) == 0
    out, err = capsys.readouterr()
    assert "of the measured rows kept" in out
    too_little, step = err.splitlines()[-2:]
    assert "next: " not in err and "stop other work on the machine and probe again" in too_little
    assert step.startswith("pmtwin calibrate") and step.endswith("--accept-disturbed")


def test_some_other_work_is_a_warning_before_the_next_step(stand_in, folder, capsys):
    stand_in(share="0.5 if size == 64 and threads == 1 else 1.0")
    assert probe(folder, "--time", 5) == 0
    kept, step = capsys.readouterr().err.splitlines()[-2:]
    assert kept.startswith("warning: ") and "of the measured rows kept" in kept
    assert step.startswith("next: pmtwin calibrate")


def test_a_finished_result_is_not_overwritten_without_force(stand_in, folder, capsys):
    stand_in()
    assert probe(folder, "--target-error", 20) == 0
    before = (folder / "p.json").read_bytes()
    assert probe(folder) == 2
    assert "is the result of a finished probe; allowed: a new file, or --force" in capsys.readouterr().err
    assert (folder / "p.json").read_bytes() == before
    assert probe(folder, "--target-error", 20, "--force", "--seed", 1) == 0
    assert (folder / "p.json").read_bytes() != before


@pytest.mark.parametrize("content", ["{", "[]", '{"context": {"probe": 3}}', "my notes", ""])
def test_a_foreign_or_corrupt_result_is_refused_and_left_alone(stand_in, folder, content, capsys):
    stand_in()
    (folder / "p.json").write_text(content)
    assert probe(folder) == 2
    assert "no result of a probe" in capsys.readouterr().err
    assert (folder / "p.json").read_text() == content and listed(folder) == ["p.json"]


def test_a_foreign_journal_is_refused_and_left_alone(stand_in, folder, capsys):
    stand_in()
    (folder / "p.json.journal").write_text("dear diary\n")
    assert probe(folder) == 2
    assert "a journal that the probe wrote itself" in capsys.readouterr().err
    assert (folder / "p.json.journal").read_text() == "dear diary\n"


@pytest.mark.parametrize("kind", ["FIFO", "symbolic link", "directory"])
def test_an_output_that_is_no_file_is_never_touched(stand_in, folder, kind, capsys):
    stand_in()
    at = folder / "p.json"
    target = folder.parent / "target"
    {"FIFO": os.mkfifo, "directory": os.mkdir, "symbolic link": lambda path: path.symlink_to(target)}[kind](at)
    before = at.lstat()
    assert probe(folder, "--force") == 2
    assert f"this is a {kind}" in capsys.readouterr().err
    assert (at.lstat().st_mode, at.lstat().st_ino) == (before.st_mode, before.st_ino)


def test_there_has_to_be_something_to_resume(stand_in, folder, capsys):
    stand_in()
    assert probe(folder, "--resume") == 2
    assert "there is none" in capsys.readouterr().err
    assert listed(folder) == []


@pytest.mark.parametrize("how", [[], ["--dry-run"]])
def test_what_a_probe_refuses_its_dry_run_refuses_too(how, stand_in, folder, capsys):
    stand_in()
    assert probe(folder, "--resume", *how) == 2
    assert "there is none" in capsys.readouterr().err
    (folder / "p.json").write_text("mine")
    assert probe(folder, *how) == 2
    assert "exists and is no result of a probe" in capsys.readouterr().err
    assert (folder / "p.json").read_text() == "mine" and listed(folder) == ["p.json"]


def test_the_native_probe_ends_with_the_command(stand_in, folder):
    stand_in().write_text("#!/bin/sh\necho 'no such luck' >&2\nexit 7\n")
    assert probe(folder) == 1
    assert listed(folder) == []


def test_without_the_native_probe_it_says_what_to_install(folder, monkeypatch, capsys):
    monkeypatch.setattr(native, "PROGRAM", folder / "absent")
    monkeypatch.setattr(native.shutil, "which", lambda name: None)
    assert probe(folder) == 3
    said = capsys.readouterr().err
    assert "g++" in said and "cmake" in said and "libbenchmark-dev" in said
    assert listed(folder) == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--threads", "0"], "--threads: 0"),
        (["--threads", str(len(os.sched_getaffinity(0)) + 1)], "processors that this process may use"),
        (["--time", "0"], "--time"),
        (["--time", "nan"], "--time"),
        (["--target-error", "0"], "--target-error"),
        (["--operations", "loads"], "did you mean 'load'"),
        (["--operations", ""], "--operations"),
        (["--dimms", "17"], "--dimms"),
        (["--seed", "-1"], "--seed"),
        (["--key-bytes", "128"], "--key-bytes 128 belongs to --kv"),
        (["-o", "absent/p.json"], "--output"),
    ],
)
def test_what_is_refused_leaves_nothing(stand_in, folder, more, message, monkeypatch, capsys):
    stand_in()
    monkeypatch.chdir(folder)
    assert probe(folder, *more) == 2
    said = capsys.readouterr().err
    assert message in said and len(said.splitlines()) == 1
    assert listed(folder) == []


def test_a_node_takes_the_place_of_a_directory(stand_in, folder, capsys):
    stand_in()
    words = ["probe", "--node", "0", "-o", str(folder / "p.json"), "--operations", "load", "--quick"]
    assert cli.main([*words, "--target-error", "20"]) == 0
    assert listed(folder) == ["p.json"]
    capsys.readouterr()
    assert cli.main([*words, "--path", str(folder)]) == 2
    assert "does not go with --" in capsys.readouterr().err
    assert cli.main(["probe", "-o", str(folder / "q.json")]) == 2
    assert "--node N" in capsys.readouterr().err


def test_the_plan_is_shown_without_measuring(folder, capsys):
    assert probe(folder, "--dry-run", "--json", "--threads", 1) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["preset"], shown["most_threads"], shown["mix_cases"]) == ("quick", 1, 0)
    assert probe(folder, "--dry-run", "--threads", 1) == 0
    table = capsys.readouterr().out
    assert "cases of bandwidth" in table and "_" not in table.replace("store_clwb", "")
    assert listed(folder) == []


def test_two_probes_are_compared(stand_in, folder, capsys):
    stand_in()
    for name in ("a", "b"):
        words = [
            "--path",
            str(folder),
            "-o",
            str(folder / name),
            "--operations",
            "load",
            "--quick",
            "--target-error",
            "20",
        ]
        assert cli.main(["probe", *words]) == 0
    document = json.loads((folder / "b").read_text())
    for each in document["benchmarks"]:
        if "bandwidth_mib_s" in each:
            each["bandwidth_mib_s"] *= 1.1
    (folder / "b").write_text(json.dumps(document))
    capsys.readouterr()
    assert cli.main(["probe", "--compare", str(folder / "a"), str(folder / "b"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["shift_percent"] == pytest.approx(10.0) and result["difference_percent"][0] == pytest.approx(10.0)
    assert result["cases"] >= 8 and result["latencies"][0]["difference_percent"] == 0.0
    assert cli.main(["probe", "--compare", str(folder / "a"), str(folder / "absent")]) == 2


@pytest.mark.parametrize(
    ("words", "short"), [({"quick": True}, True), ({"time": 60.0}, True), ({}, False), ({"full": True}, False)]
)
def test_a_short_probe_measures_on_less_memory(words, short):
    """The set-up of 16 times a large cache may take a minute on a machine with other work."""
    options = native_options(Config(path="/mnt/pmem0", output="p.json", **words))
    assert options == ["--path", "/mnt/pmem0", *(["--cache-multiple", "4"] if short else [])]


def test_a_probe_goes_on_with_the_region_that_it_began_with(tmp_path):
    journal = Journal(tmp_path / "p.json.journal", {})
    journal.check_device({"memory": {"region_bytes": 2**30}})
    options = native_options(Config(path="/mnt/pmem0", output="p.json"), journal.region_bytes)
    journal.close()
    assert options[-2:] == ["--region-bytes", str(2**30)]


def test_a_native_probe_of_other_sources_is_told_and_no_option_of_the_user(stand_in, tmp_path, capsys):
    refusal = "pmtwin-probe: option: '--new' is unknown; allowed: --path, --node"
    stand_in().write_text(f'#!/bin/sh\necho "{refusal}" >&2\nexit 2\n')
    assert cli.main(["probe", "--path", str(tmp_path), "-o", str(tmp_path / "p.json"), "--quick"]) == 3
    assert "native probe is of other sources than pmtwin" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "name"),
    [(["--quick", "--kv"], "--kv"), (["--full"], "--full"), (["--set", "host=true"], "--set host")],
)
def test_presets_exclude_one_another_wherever_they_are_given(words, name, tmp_path, capsys):
    (tmp_path / "a.toml").write_text("quick = true\n")
    assert cli.main(["probe", "--path", str(tmp_path), "--config", str(tmp_path / "a.toml"), *words, "--dry-run"]) == 2
    assert f"{name} does not go with --quick; choose one of --quick, --kv, --host, --full" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--host", "--store", "map"], ["--kv", "--path", "/dev/shm"]])
def test_the_plan_of_any_probe_is_json_on_request(words, capsys):
    assert cli.main(["probe", *words, "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)
