"""A campaign of figures that is killed goes on behind its last row, to the same bits."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from pmtwin.figures.experiments.parallel import KEPT
from tests.scenarios.hybrid_storage.tiny_campaign import ROWS, run

TOP = Path(__file__).resolve().parents[3]
COMMAND = [sys.executable, "-m", "tests.scenarios.hybrid_storage.tiny_campaign"]
LAST = ROWS - 1
"""Row at which the run that is to be killed waits, so that it never ends by itself."""


def killed(folder):
    """Kill a run after its first row; returns what it left."""
    running = subprocess.Popen([*COMMAND, str(folder), str(LAST)], cwd=TOP)
    while running.poll() is None and not any(b"\n" in kept.read_bytes() for kept in folder.glob(f"*.partial/{KEPT}")):
        time.sleep(0.001)
    os.kill(running.pid, signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL
    (kept,) = folder.glob(f"*/{KEPT}")
    return kept.read_bytes()


def test_a_killed_run_goes_on_to_the_same_bits(tmp_path):
    left = killed(tmp_path / "killed")
    rows = left.count(b"\n")
    assert 1 <= rows <= LAST
    done = subprocess.run(
        [*COMMAND, str(tmp_path / "killed")], cwd=TOP, stdout=subprocess.PIPE, text=True, check=True
    )  # fmt: skip
    assert f"{rows} of {ROWS} runs were there" in done.stdout
    whole = run(tmp_path / "whole")
    (resumed,) = (tmp_path / "killed").iterdir()
    assert resumed.name == whole.folder.name  # and no folder of an interrupted run
    kept = (resumed / KEPT).read_bytes()
    assert kept == (whole.folder / KEPT).read_bytes()
    assert kept.startswith(left[: left.rfind(b"\n") + 1])
    again = run(tmp_path / "killed")
    assert again.cached and again.values == whole.values
    assert len(whole.values["runs"]) == 2 * ROWS
