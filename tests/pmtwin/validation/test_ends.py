"""A validation over a pool that is told to end, or is killed: nothing stays behind but for the next run to remove."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from pmtwin import cli
from pmtwin.middleware import binding, stores

SHM = Path("/dev/shm")
SIZE = ["--grid", "2,2", "--phases", "1", "--seeds", "3", "--requests-per-window", "200", "--host", "none"]
STORE = ["--store", "pmemkv", "--pool-mib", "64"]


@pytest.fixture
def folder():
    if binding.path() is None or "pmemkv" not in stores.engines() or not SHM.is_mount():
        pytest.skip("no pmemkv, or no folder in main memory")
    with tempfile.TemporaryDirectory(dir=SHM) as name:
        yield Path(name)


def ended_by(number, folder):
    """(exit code, standard error) of a long validation that a signal reaches while its pool is there."""
    command = [sys.executable, "-m", "pmtwin", "validate", *SIZE, *STORE, "--path", str(folder), "--windows", "9999"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        while not list(folder.glob("*/pool")):
            assert running.poll() is None, running.stderr.read()
            time.sleep(0.02)
        running.send_signal(number)
        return running.wait(), running.stderr.read()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_it_with_its_code_and_without_a_trace(folder, number, code):
    ended, said = ended_by(number, folder)
    assert ended == code and said.endswith("pmtwin validate: interrupted\n") and "Traceback" not in said
    assert list(folder.iterdir()) == []


def test_after_a_kill_the_next_run_removes_what_it_left_and_the_users_pool_stays(folder, capsys):
    (folder / "pmtwin.pool").write_text("the user's")
    assert ended_by(signal.SIGKILL, folder)[0] == -signal.SIGKILL
    assert len(os.listdir(folder)) == 2
    assert cli.main(["validate", *SIZE, *STORE, "--path", str(folder), "--dry-run"]) == 0  # it starts the store too
    assert "which was killed: pmtwin validate" in capsys.readouterr().err
    assert os.listdir(folder) == ["pmtwin.pool"]
    assert (folder / "pmtwin.pool").read_text() == "the user's"


def test_more_keys_than_the_pool_holds_are_refused_before_anything_runs(folder, capsys):
    assert cli.main(["validate", *SIZE, *STORE, "--path", str(folder), "--keys", "300000"]) == 2
    said = capsys.readouterr().err
    assert "--keys: 300000 need a pool of " in said and "--pool-mib " in said and "measured:" not in said
    assert os.listdir(folder) == []
