"""Processes of the tests' own, whose threads sleep or work a little."""

import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pmtwin.sim.common.native_parts import native_folder

WORKER = """
import math, select, sys, threading, time
def work(until):
    while time.monotonic() < until:
        sum(range(1000))
        time.sleep(0.001)
def begin(seconds):
    thread = threading.Thread(target=work, args=(time.monotonic() + seconds,), daemon=True)
    thread.start()
    return thread.native_id
for _ in range(int(sys.argv[1]) - 1):
    begin(math.inf)
print("ready", flush=True)
while True:
    sum(range(1000))
    if select.select([sys.stdin], [], [], 0.001)[0]:
        print(begin(float(sys.stdin.readline())), flush=True)
"""


class Worker(subprocess.Popen):
    """A process of so many threads, which work a little and sleep."""

    def __init__(self, threads: int):
        command = [sys.executable, "-c", WORKER, str(threads)]
        super().__init__(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.stdout.readline() == "ready\n"

    def threads(self) -> list[int]:
        """Numbers of its threads."""
        return sorted(int(name) for name in os.listdir(f"/proc/{self.pid}/task"))

    def begin(self, seconds: float = math.inf) -> int:
        """Let its first thread start another one, which works for so long; returns its number."""
        print(seconds, file=self.stdin, flush=True)
        return int(self.stdout.readline())


@pytest.fixture
def process():
    """Starts a process of so many threads; all are ended by their numbers."""
    started = []

    def start(threads: int) -> Worker:
        started.append(Worker(threads))
        return started[-1]

    yield start
    for each in started:
        each.kill()
        each.wait()
        each.stdin.close()
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
