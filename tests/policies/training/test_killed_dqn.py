"""`pmtwin train --policy dqn`, ended by `kill -9` in a process of its own, goes on to the bytes of a whole run."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from pmtwin import cli

ADMISSION = f"{Path(__file__).parents[2] / 'scenarios' / 'admission.py'}:Admission"
SMALL = (
    *("--jobs-per-window", "20", "--training-windows", "1000", "--units", "8", "--evaluations", "2", "--jobs", "1"),
    *("--set", "round_windows=10", "--set", "together=2", "--set", "evaluation_episodes=2", "--replay-windows", "100"),
)
ROUNDS = 50


def words(folder, *more):
    return ["train", ADMISSION, "--policy", "dqn", *SMALL, "-o", str(folder / "p.npz"), *more]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Bytes of the policy of a run that is not stopped."""
    folder = tmp_path_factory.mktemp("whole")
    assert cli.main(words(folder)) == 0
    return (folder / "p.npz").read_bytes()


def finished_rounds(folder):
    state = folder / "p.npz.checkpoint" / "rounds.npz"
    if not state.exists():
        return 0
    with np.load(state) as file:
        return int(file["run.done"])


@pytest.mark.parametrize("replay", [(), ("--replay-file", "replay.sqlite")], ids=["in memory", "in a file"])
def test_a_killed_training_goes_on_to_the_same_bytes(replay, whole, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "pmtwin.cli", *words(tmp_path, *replay)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while running.poll() is None and finished_rounds(tmp_path) < 7:
        time.sleep(0.002)
    os.kill(running.pid, signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL
    assert 7 <= finished_rounds(tmp_path) < ROUNDS and not (tmp_path / "p.npz").exists()
    assert cli.main(words(tmp_path, *replay, "--json")) == 0
    assert json.loads(capsys.readouterr().out)["resumed"] == ["rounds"]
    assert (tmp_path / "p.npz").read_bytes() == whole
