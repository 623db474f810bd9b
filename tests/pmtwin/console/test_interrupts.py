"""Ctrl-C while worker processes are at work, or while Python ignores exceptions."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE

import pytest

from pmtwin.console.interrupts import exit_code, terminating

LONG_RESULTS = """
import sys

from joblib import delayed
from pmtwin.console.interrupts import terminating
from pmtwin.sim.common.processes import processes

def work(number):
    import pmtwin  # as whatever of ours a worker runs
    return number, bytes(3_000_000)

try:
    with terminating():
        for number, _ in processes(2, "generator")(delayed(work)(number) for number in range(100_000)):
            if number and number % 50 == 0:
                print(number, flush=True)
except KeyboardInterrupt:
    sys.exit("interrupted")
"""
"""A worker is in the middle of a long result at any time."""


def workers_of(group: int) -> list[str]:
    """Numbers of Joblib's processes in a process group."""
    numbers = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(ProcessLookupError, FileNotFoundError):
            if os.getpgid(int(process.name)) == group and b"popen_loky" in (process / "cmdline").read_bytes():
                numbers.append(process.name)
    return numbers


@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_ends_workers_without_a_word_of_theirs(presses, tmp_path):
    """All processes of a terminal hear it."""
    (tmp_path / "work.py").write_text(LONG_RESULTS)
    started = subprocess.Popen(
        [sys.executable, "work.py"], cwd=tmp_path, stdout=PIPE, stderr=PIPE, text=True, start_new_session=True
    )
    assert started.stdout.readline() == "50\n"  # both have started
    for _ in range(presses):
        os.killpg(started.pid, signal.SIGINT)
        time.sleep(0.05)
    _, said = started.communicate(timeout=60)
    assert said == "interrupted\n"
    assert workers_of(started.pid) == []


class EndsInDel:
    """An interrupt arrives while Python runs `__del__`, out of which no exception comes."""

    def __init__(self, number: int):
        self.number = number

    def __del__(self):
        os.kill(os.getpid(), self.number)
        time.sleep(0)  # where the handler runs


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_that_python_has_to_ignore_comes_again(number, capsys):
    with pytest.raises(KeyboardInterrupt) as raised, terminating():
        del (lambda thing: [thing])(EndsInDel(number))[0]
        time.sleep(10.0)
    assert exit_code(raised.value) == 128 + number
    assert capsys.readouterr().err == ""
