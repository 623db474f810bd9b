"""How a command ends: its exit code, and the one line of an error."""

import signal
import subprocess
import sys
import time

import pytest

from pmtwin import cli
from pmtwin.console.interrupts import Terminated
from pmtwin.sim.errors import CheckFailedError, InputError, MissingDependencyError

ABSENT = "cannot be used: there is no such file or folder; allowed: an existing one"
FULL = "cannot be used: no space is left there; allowed: a place with room; or make room there"
READ_ONLY = "cannot be used: the file system is read-only; allowed: a place that can be written"


@pytest.fixture
def command(monkeypatch):
    """Put one command, `doctor`, on the command line, whose run is the given function."""

    def replace(run):
        monkeypatch.setattr("pmtwin.commands.doctor.run", run)
        return ["doctor"]

    return replace


@pytest.mark.parametrize(("result", "code"), [(None, 0), (0, 0), (1, 1)])
def test_exit_code_of_a_command_is_the_exit_code(command, result, code):
    assert cli.main(command(lambda args: result)) == code


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (InputError("phase", 9, "1 to 4"), 2, "pmtwin doctor: phase: 9 is not accepted; allowed: 1 to 4\n"),
        (CheckFailedError("diverged at step 3"), 1, "pmtwin doctor: diverged at step 3\n"),
        (MissingDependencyError("no pmem"), 3, "pmtwin doctor: no pmem\n"),
        (KeyboardInterrupt(), 130, "pmtwin doctor: interrupted\n"),
        (Terminated(), 143, "pmtwin doctor: interrupted\n"),
        (FileNotFoundError(2, "No such file", "a.csv"), 2, f"pmtwin doctor: 'a.csv' {ABSENT}\n"),
        (OSError(28, "No space left on device", "a.csv"), 2, f"pmtwin doctor: 'a.csv' {FULL}\n"),
        (OSError(30, "Read-only file system"), 2, f"pmtwin doctor: a file without a name {READ_ONLY}\n"),
    ],
)
def test_errors_become_one_line_and_an_exit_code(command, capsys, error, code, text):
    def run(args):
        raise error

    assert cli.main(command(run)) == code
    assert capsys.readouterr().err == text


def test_an_error_inside_a_file_keeps_its_own_name(command, capsys):
    def run(args):
        raise InputError("require", 1, "text", where="a.json")

    assert cli.main(command(run)) == 2
    assert capsys.readouterr().err == "pmtwin doctor: a.json: require: 1 is not accepted; allowed: text\n"


def test_a_fault_of_our_own_is_not_dressed_up_as_bad_input(command):
    def run(args):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cli.main(command(run))


def run_piped(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "pmtwin.cli", *arguments], stderr=subprocess.PIPE, text=True, **options
    )


def test_a_full_disk_is_an_error_and_no_traceback():
    with open("/dev/full", "w") as full:
        done = run_piped("doctor", "--json", stdout=full)
    assert done.returncode == 2
    told = "pmtwin doctor: standard output cannot be written: no space is left there; allowed: another output"
    assert done.stderr.startswith(told) and done.stderr.count("\n") == 1


def test_a_reader_that_goes_away_is_no_error():
    reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    reader.wait()
    done = run_piped("doctor", "--json", stdout=reader.stdin)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_every_command_ends_with_the_code_of_the_signal(command, number, code):
    def interrupted(args):
        signal.raise_signal(number)
        time.sleep(60)

    before = signal.getsignal(signal.SIGTERM)
    assert cli.main(command(interrupted)) == code
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_signal_that_is_sent_twice_at_once_interrupts_nothing_that_has_begun_to_end(command):
    ended = []

    def interrupted(args):
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)
            ended.append(True)

    assert cli.main(command(interrupted)) == 130 and ended
