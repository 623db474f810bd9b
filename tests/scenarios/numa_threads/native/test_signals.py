"""A command that is ended by a signal gives a process its masks back."""

import os
import signal
import subprocess
import sys
import time

import pytest


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_masks_are_given_back_on_signals(process, two_cpus, number):
    running = process(2)
    threads = running.threads()
    before = [os.sched_getaffinity(thread) for thread in threads]
    command = [
        sys.executable,
        "-m",
        "pmtwin",
        "simulate",
        "numa-threads",
        "--engine",
        "native",
        "--node-cpus",
        *two_cpus,
    ]
    command += ["--pid", str(running.pid), "--placement", "0,0,4", "--window-s", "0.1"]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while any(os.sched_getaffinity(thread) != {int(two_cpus[1])} for thread in threads):
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(number)
    assert run.wait() == 128 + number
    assert [os.sched_getaffinity(thread) for thread in threads] == before
