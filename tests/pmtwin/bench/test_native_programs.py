"""A native program that is run to its JSON: its errors are ours, and it ends with whoever waits for it."""

import signal

import pytest

from pmtwin.machine import native_programs
from pmtwin.middleware.errors import StoreError
from pmtwin.sim.errors import InputError

NAME = "pmtwin-some-program"


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Makes the program of a shell script."""
    monkeypatch.setattr(native_programs, "FOLDER", tmp_path)

    def make(script):
        path = tmp_path / NAME
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    return make


def run():
    return native_programs.run_program(NAME, "/mnt/x", [])


def test_what_it_removed_is_told_and_nothing_else(program, capsys):
    program("echo 'removed /mnt/x/a (3 MiB)' >&2; echo 'round 1 of 2' >&2; echo '{\"a\": 1}'")
    assert run() == {"a": 1}
    assert capsys.readouterr().err == "removed /mnt/x/a (3 MiB)\n"


@pytest.mark.parametrize("script", ["kill -INT $$", "exit 130"])
def test_an_interrupt_of_the_program_alone_is_an_interruption(program, script):
    program(script)
    with pytest.raises(KeyboardInterrupt):
        run()


@pytest.mark.parametrize(
    ("script", "error", "said"),
    [
        (
            f"echo \"{NAME}: --path: '/mnt/x' has 0 MiB free; allowed: 64 MiB free\" >&2; exit 2",
            InputError,
            "--path: '/mnt/x' has 0 MiB free; allowed: 64 MiB free",
        ),
        (
            f"echo '{NAME}: some other trouble' >&2; exit 2",
            InputError,
            "--path: '/mnt/x' is not accepted; allowed: a directory to make a pool in (some other trouble)",
        ),
        (f"echo '{NAME}: no pool' >&2; exit 1", StoreError, f"{NAME} ended with exit code 1: no pool"),
        ("kill -KILL $$", StoreError, f"{NAME} was ended by SIGKILL, as the kernel does where memory is short"),
        ("kill -BUS $$", StoreError, f"{NAME} was ended by SIGBUS"),
    ],
)
def test_errors_of_a_program_are_ours(program, script, error, said):
    program(script)
    with pytest.raises(error) as raised:
        run()
    assert str(raised.value) == said


def test_it_ends_with_whoever_waits_for_it(program, tmp_path):
    program(f"trap 'echo > {tmp_path}/removed; exit 1' TERM; while :; do sleep 0.05; done")

    def interrupted(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupted)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            run()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert (tmp_path / "removed").exists()


def test_one_that_does_not_end_is_killed(program, monkeypatch):
    monkeypatch.setattr(native_programs, "LAST_WORDS_S", 0.1)
    program("trap '' TERM; while :; do sleep 0.05; done")
    running = native_programs.subprocess.Popen([native_programs.FOLDER / NAME])
    native_programs._end(running)
    assert running.wait() in (-signal.SIGKILL, -signal.SIGTERM)
