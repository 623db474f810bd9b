"""Story: a command that is killed leaves no processes behind that go on with its work."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# The working function is one of the package, so that a worker imports the package before it works, as it always does.
PROGRAM = """
import time
from joblib import Parallel, delayed
from pmtwin.figures.experiments.parallel import run_tasks
run_tasks(time.sleep, [(0,)] * 2, jobs=2)
run_tasks(run_tasks, [(time.sleep, [(60,)])] * 4, jobs=2)
"""


def workers_of(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children")
    workers = [int(child) for path in children.parent.parent.glob("*/children") for child in path.read_text().split()]
    return [child for child in workers if b"LokyProcess" in command(child)]


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


@pytest.mark.skipif(not Path(f"/proc/self/task/{os.getpid()}/children").exists(), reason="needs Linux's /proc")
def test_workers_of_a_killed_process_end():
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stderr=subprocess.DEVNULL) as running:
        try:
            wait_for(lambda: len(workers_of(running.pid)) == 2)
            time.sleep(2)  # for the import in the workers
            workers = workers_of(running.pid)
        finally:
            running.kill()
    try:
        wait_for(lambda: not any(b"LokyProcess" in command(pid) for pid in workers), 20)
    finally:
        for pid in workers:
            if b"LokyProcess" in command(pid):
                os.kill(pid, signal.SIGKILL)
