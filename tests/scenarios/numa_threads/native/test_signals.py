"""A command over a process that a signal ends, the command or the process."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from pmtwin.cli import main

COMMAND = ["simulate", "numa-threads", "--engine", "native", "--placement", "0,0,4", "--window-s", "0.1"]


@pytest.fixture
def running(process):
    """A process of two threads."""
    return process(2)


@pytest.fixture
def arguments(running, two_cpus):
    """Of a command that brings its threads to the second processor."""
    return [*COMMAND, "--node-cpus", *two_cpus, "--pid", str(running.pid)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_masks_are_given_back_on_signals(running, arguments, two_cpus, number):
    before = [os.sched_getaffinity(thread) for thread in running.threads()]
    command = [sys.executable, "-m", "pmtwin", *arguments]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while any(os.sched_getaffinity(thread) != {int(two_cpus[1])} for thread in running.threads()):
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(number)
    assert run.wait() == 128 + number
    assert [os.sched_getaffinity(thread) for thread in running.threads()] == before


def test_a_process_that_ends_in_between_is_one_line(running, arguments, two_cpus, capsys):
    def end_it_once_moved():
        while os.sched_getaffinity(running.pid) != {int(two_cpus[1])}:
            time.sleep(0.01)
        running.kill()

    ending = threading.Thread(target=end_it_once_moved, daemon=True)
    ending.start()
    assert main([*arguments, "--windows", "10000"]) == 2
    ending.join()
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.endswith(f"--pid: {running.pid} is gone; allowed: the number of a process that runs")
