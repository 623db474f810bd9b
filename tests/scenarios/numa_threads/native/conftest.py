"""Processes of the tests' own, whose threads sleep or work a little."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pmtwin.sim.common.native_parts import native_folder

WORKER = """
import sys, threading, time
def work():
    while True:
        sum(range(1000))
        time.sleep(0.001)
for _ in range(int(sys.argv[1]) - 1):
    threading.Thread(target=work, daemon=True).start()
print("ready", flush=True)
work()
"""


@pytest.fixture
def process():
    """Starts a process of so many threads; all are ended by their numbers."""
    started = []

    def start(threads: int) -> subprocess.Popen:
        command = [sys.executable, "-c", WORKER, str(threads)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout.readline() == "ready\n"
        return started[-1]

    yield start
    for each in started:
        each.kill()
        each.wait()
        each.stdout.close()


@pytest.fixture
def ended(process):
    """A process that has ended, and of which nobody has taken note."""
    killed = process(1)
    os.kill(killed.pid, signal.SIGKILL)
    while " Z " not in Path(f"/proc/{killed.pid}/stat").read_text():
        time.sleep(0.001)
    return killed


@pytest.fixture
def two_cpus():
    """Two processors, as lists that stand for nodes."""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        pytest.skip("one processor cannot stand for two nodes")
    return tuple(map(str, usable[:2]))


@pytest.fixture
def built():
    """The load's program is there."""
    if not os.access(native_folder() / "pmtwin-numa-load", os.X_OK):
        pytest.skip("pmtwin-numa-load is not built (make build)")
