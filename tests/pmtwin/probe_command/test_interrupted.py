"""`pmtwin probe` that is interrupted or killed: nothing measured is lost, and the same command goes on."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pmtwin import cli
from pmtwin.calibrate.readers import read_sources
from pmtwin.calibrate.readers.probe import INTERRUPTED
from tests.pmtwin.probe_command.runs import listed, probe


def start(program: Path, folder: Path, *more: str) -> subprocess.Popen:
    """The command in a process of its own."""
    code = "import signal, sys; from pathlib import Path; from pmtwin import cli; "
    code += "from pmtwin.calibrate.probing import native; "
    code += "signal.signal(signal.SIGINT, signal.default_int_handler); "  # a background shell has us ignore it
    code += f"native.PROGRAM = Path({str(program)!r}); sys.exit(cli.main(sys.argv[1:]))"
    words = ["probe", "--path", str(folder), "-o", str(folder / "p.json"), "--operations", "load", "--quick", *more]
    return subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for_cases(folder: Path, count: int, running: subprocess.Popen) -> None:
    journal = folder / "p.json.journal"
    while running.poll() is None and not (journal.exists() and journal.read_bytes().count(b'"benchmarks"') >= count):
        time.sleep(0.01)


def interrupted(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("--host", "pmtwin.scenarios.nvm_middleware.host.probe.host_document"),
        ("--kv", "pmtwin.probe.kv.access_document"),
    ],
)
def test_what_keeps_nothing_says_so_when_it_is_interrupted(folder, kind, what, monkeypatch, capsys):
    monkeypatch.setattr(what, interrupted)
    monkeypatch.setattr("pmtwin.scenarios.nvm_middleware.host.probe.check_store", lambda _: None)
    path = [] if kind == "--host" else ["--path", str(folder)]
    assert cli.main(["probe", kind, *path, "-o", str(folder / "p.json")]) == 130
    assert "the same command begins anew" in capsys.readouterr().err
    assert listed(folder) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_keeps_what_was_measured_and_the_same_command_goes_on(
    stand_in, folder, number, code, monkeypatch, capsys
):
    running = start(stand_in(pause=0.05), folder)
    wait_for_cases(folder, 6, running)
    running.send_signal(number)
    _, said = running.communicate()
    assert running.returncode == code
    goes_on = f"the same command goes on from {folder / 'p.json.journal'}"
    assert f"{folder / 'p.json'} holds what is measured so far, marked as interrupted; {goes_on}" in said
    partial = json.loads((folder / "p.json").read_text())
    assert partial["context"]["probe"]["interrupted"] and len(partial["benchmarks"]) >= 18  # six visits
    read, _ = read_sources([folder / "p.json"])
    assert len(read) > 0 and INTERRUPTED in read.context.notes
    assert listed(folder) == ["p.json", "p.json.journal"]
    with monkeypatch.context() as during_the_set_up:
        during_the_set_up.setattr("pmtwin.probe.run.NativeProbe", interrupted)
        assert probe(folder, "--resume") == 130
    assert goes_on in capsys.readouterr().err
    stand_in(pause=0.0)
    assert probe(folder, "--resume", "--target-error", 20) == 0
    whole = json.loads((folder / "p.json").read_text())
    assert whole["context"]["probe"]["probe_id"] == partial["context"]["probe"]["probe_id"]
    assert whole["context"]["probe"]["cases"] > partial["context"]["probe"]["cases"]
    assert listed(folder) == ["p.json"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_native_probe_alone_is_an_interruption_too(stand_in, folder, number):
    running = start(stand_in(pause=0.05), folder)
    wait_for_cases(folder, 6, running)
    (child,) = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
    os.kill(int(child), number)
    _, said = running.communicate()
    assert running.returncode == 130
    assert "the same command goes on from" in said and "failed" not in said


def test_kill_in_mid_probe_loses_nothing_finished_and_the_next_run_cleans_up(stand_in, folder, capsys):
    running = start(stand_in(pause=0.05), folder)
    wait_for_cases(folder, 6, running)
    running.kill()
    running.communicate()
    journal = folder / "p.json.journal"
    kept = journal.read_bytes().count(b'"benchmarks"')
    half = folder / ".p.json.abcd1234.part"
    users = folder / ".p.json.notes.part"
    for path in (half, users):
        path.touch()
    stand_in(pause=0.0)
    assert probe(folder, "--target-error", 20) == 0
    said = capsys.readouterr().err
    assert f"{kept} visits are there" in said
    assert f"removed {half}" in said
    assert listed(folder) == [users.name, "p.json"]


def test_another_seed_does_not_go_on_with_the_journal(stand_in, folder, capsys):
    running = start(stand_in(pause=0.05), folder)
    wait_for_cases(folder, 2, running)
    running.kill()
    running.communicate()
    assert probe(folder, "--seed", 5) == 2
    assert "--seed: 5 is not accepted; allowed: 0, with which the probe began" in capsys.readouterr().err


def test_force_on_a_path_that_is_none_loses_no_journal(stand_in, folder, capsys):
    running = start(stand_in(pause=0.05), folder)
    wait_for_cases(folder, 2, running)
    running.kill()
    running.communicate()
    before = (folder / "p.json.journal").read_bytes()
    assert probe(folder, "--force", path=str(folder / "none")) == 2
    assert "--path" in capsys.readouterr().err
    assert (folder / "p.json.journal").read_bytes() == before
