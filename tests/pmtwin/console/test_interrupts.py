"""Ctrl-C or a termination while worker processes are at work, or while Python ignores exceptions."""

import importlib
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE
from uuid import uuid4

import pytest

from pmtwin.console import interrupts
from pmtwin.console.interrupts import exit_code, terminating

LONG_RESULTS = """
import sys

from joblib import delayed
from pmtwin.console import interrupts
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


MODULE = """
import signal, time
signal.raise_signal(signal.SIGTERM)
time.sleep({})
"""


@pytest.mark.parametrize(("seconds", "imported"), [(0.2, True), (30, False)])
def test_an_import_is_left_in_peace_for_a_while(seconds, imported, tmp_path, monkeypatch):
    """Some of SciPy's extension modules crash the process where an exception breaks off their start."""
    monkeypatch.setattr(interrupts, "UNBROKEN_S", 1.0)
    monkeypatch.syspath_prepend(tmp_path)
    name = f"module_of_{uuid4().hex}"
    (tmp_path / f"{name}.py").write_text(MODULE.format(seconds))
    with pytest.raises(KeyboardInterrupt) as interrupt, terminating():
        importlib.import_module(name)
        time.sleep(30)
    assert exit_code(interrupt.value) == 143 and (name in sys.modules) == imported


def test_a_call_of_llvm_is_not_broken_off():
    """LLVM frees twice what was about to change hands, which ends the process with SIGSEGV."""
    call = compile("signal.raise_signal(signal.SIGTERM)\ndone.append(True)", "/lib/llvmlite/binding/module.py", "exec")
    done = []
    with pytest.raises(KeyboardInterrupt), terminating():
        exec(call, {"signal": signal, "done": done})
        time.sleep(30)
    assert done == [True]


def test_a_worker_process_that_is_terminated_says_nothing():
    code = (
        "import os, signal, time; from pmtwin.console.interrupts import terminating\n"
        "with terminating():\n"
        "    ready, tell = os.pipe()\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        os.write(tell, b'.')  # a signal before this may be lost in the fork\n"
        "        time.sleep(60)\n"
        "        os._exit(1)\n"
        "    os.read(ready, 1)\n"
        "    os.kill(child, signal.SIGTERM)\n"
        "    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == (f"{-signal.SIGTERM}\n", "")
