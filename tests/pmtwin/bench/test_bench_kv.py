"""`pmtwin bench kv` and `pmtwin probe --kv`: what they count, refuse, and leave where they are stopped."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import pytest

from pmtwin import cli
from pmtwin.bench import Request
from pmtwin.bench import kv as bench_kv
from pmtwin.calibrate.access_profile import access_profile_of, read_access_profile
from pmtwin.machine import kv_programs, native_programs
from pmtwin.probe import kv as kv_probe
from pmtwin.sim.errors import InputError, MissingDependencyError


@pytest.fixture
def programs():
    try:
        return [native_programs.program(name) for name in (kv_programs.COUNT, kv_programs.TIME)]
    except MissingDependencyError as error:
        pytest.skip(str(error))


def test_without_the_programs_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(native_programs, "FOLDER", tmp_path)
    with pytest.raises(MissingDependencyError, match="fetch-pmemkv"):
        bench_kv.measure(Request("/dev/shm", 1, 0.01))


@pytest.mark.parametrize("path", ["/dev/null", "/absent"])
def test_a_path_that_is_no_directory_is_refused(programs, path):
    with pytest.raises(InputError, match=path):
        kv_programs.count(path, (64,))


def test_counts_become_an_access_profile(programs, tmp_path):
    document = kv_programs.count("/dev/shm", (0, 64))
    section = access_profile_of(json.loads(json.dumps(document)), "kv.json")
    put = section["operations"]["put"]
    assert put["value_bytes"] == [0, 64]
    assert put["flushed_lines"][1] > put["flushed_lines"][0] > 0
    assert section["operations"]["get"]["dependent_reads"][1] >= 2


def test_probe_kv_writes_counts_and_the_softwares_time(programs, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(kv_probe, "SIZES", (0, 256))
    monkeypatch.setattr(kv_probe, "ROUNDS", 1)
    output = tmp_path / "kv.json"
    assert cli.main(["probe", "--kv", "--key-bytes", "24", "--path", "/dev/shm", "-o", str(output)]) == 0
    assert "calibrate" in capsys.readouterr().err
    section = read_access_profile(output)
    put = section["operations"]["put"]
    assert put["value_bytes"] == [0, 256]
    assert put["streamed_bytes"][1] > put["streamed_bytes"][0]
    assert section["key_bytes"] == 24
    assert section["methods"]["software_ns"] == "timed"
    assert min(put["software_ns"]) > 0
    assert section["counted_on"]["pool"] == "memory file system"


@pytest.mark.parametrize("bad", [["--key-bytes", "7"], ["--path", "/dev/null"], ["--path", "/absent"]])
def test_probe_kv_refuses_what_it_cannot_do(programs, bad, tmp_path, capsys):
    output = tmp_path / "kv.json"
    assert cli.main(["probe", "--kv", "--path", "/dev/shm", "-o", str(output), *bad]) == 2
    said = capsys.readouterr().err
    assert bad[-1] in said and said.count("--path: ") <= 1
    assert not output.exists()


def test_probe_kv_never_writes_over_a_file(tmp_path, capsys):
    output = tmp_path / "mine.json"
    output.write_text("mine")
    assert cli.main(["probe", "--kv", "--path", "/dev/shm", "-o", str(output)]) == 2
    assert "--force" in capsys.readouterr().err
    assert output.read_text() == "mine"


def test_a_terminated_probe_kv_leaves_no_pool(programs, tmp_path):
    output = tmp_path / "kv.json"
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:  # its own: others use /dev/shm at the same time
        command = [sys.executable, "-m", "pmtwin.cli", "probe", "--kv", "--path", folder, "-o", str(output)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
            while not os.listdir(folder):
                assert running.poll() is None
                time.sleep(0.01)
            running.send_signal(signal.SIGTERM)
            message = running.communicate()[1]
        assert running.returncode != 0
        assert "Traceback" not in message
        assert os.listdir(folder) == []
    assert not output.exists()
