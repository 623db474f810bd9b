"""The native probe on this machine."""

import json
import os
import tempfile
from pathlib import Path

import pytest

from pmtwin.calibrate.probing import native
from tests.pmtwin.probe_command.runs import listed, probe

BUILT = os.access(native.PROGRAM, os.X_OK)

needs_program = pytest.mark.skipif(not BUILT, reason="the native probe is not built")


@needs_program
def test_the_real_program_measures_this_machine(tmp_path, folder):
    assert probe(folder, "--time", 5, "--region-bytes", 2**24, "--threads", 1, path=str(tmp_path)) == 0
    assert listed(tmp_path) == ["out"] and listed(folder) == ["p.json"]
    result = json.loads((folder / "p.json").read_text())
    assert {"cpu_model", "frequency_governor", "memory", "numa_nodes", "caches", "noise"} <= set(result["context"])
    kinds = {word for each in result["benchmarks"] for word in each["label"].split() if word.startswith("kind=")}
    assert "kind=chase" in kinds  # the first; how many come after it in this time, the machine's load decides
    assert kinds <= {"kind=chase", "kind=latency", "kind=bandwidth"}


@needs_program
@pytest.mark.parametrize("kind", ["missing", "file", "fifo", "device", "read-only"])
def test_a_path_that_cannot_be_measured_is_refused(tmp_path, folder, kind, capsys):
    at = tmp_path / "target"
    if kind == "file":
        at.write_text("the user's")
    elif kind == "fifo":
        os.mkfifo(at)
    elif kind == "device":
        at = Path("/dev/null")
    elif kind == "read-only":
        at = Path("/sys")  # for root too
    before = at.lstat() if at.exists() else None
    assert probe(folder, path=str(at)) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and f"--path: '{at}'" in said[0]
    assert listed(folder) == []
    assert not before or (at.lstat().st_mode, at.lstat().st_size) == (before.st_mode, before.st_size)


@needs_program
def test_a_device_without_room_is_refused(folder, capsys):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as at:
        assert probe(folder, "--region-bytes", 2**46, path=at) == 2
        assert "--region-bytes" in capsys.readouterr().err
        assert os.listdir(at) == [] == listed(folder)
