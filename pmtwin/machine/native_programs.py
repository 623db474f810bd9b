"""Native programs other than the probe: their paths after `make build`, and running one for its JSON output."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path

from pmtwin.console.output import message
from pmtwin.middleware.binding import FOLDER
from pmtwin.middleware.errors import StoreError
from pmtwin.sim.common.native_parts import how_to_get
from pmtwin.sim.errors import InputError, MissingDependencyError, input_error_of

NEEDS = "a C++ compiler, CMake, Google Benchmark (Debian: libbenchmark-dev), nlohmann-json and pmemkv "
NEEDS += "(scripts/fetch-pmemkv)"

REMOVED = "removed "
"""Beginning of a program's line on a file that it removed and a killed program had left."""

LAST_WORDS_S = 10.0
"""Seconds that a program has to end after SIGTERM."""


def program(name: str) -> Path:
    """Path of a native program.

    Raises:
        MissingDependencyError: if the program was not built.
    """
    path = FOLDER / name
    if not os.access(path, os.X_OK):
        raise MissingDependencyError(f"{name} is not built: {how_to_get(NEEDS)}")
    return path


def run_program(name: str, directory: str, options: list[str], environment: dict[str, str] | None = None) -> dict:
    """Run a program; returns its parsed JSON output.

    Also after an exception the program has ended and removed its pool; files left by a kill -9 are removed by the next
    program.

    Raises:
        InputError: if the program rejects the directory.
        KeyboardInterrupt: if only the program was interrupted.
        MissingDependencyError: if the program was not built.
        StoreError: if it failed for another reason, such as a full file system.
    """
    command = [str(program(name)), f"--path={directory}", *options]
    with tempfile.TemporaryFile("w+") as errors:
        environment = os.environ | (environment or {})
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment) as running:
            try:
                printed = running.communicate()[0]
            except BaseException:
                _end(running)
                raise
        errors.seek(0)
        said = errors.read().strip().splitlines()
    for line in said:
        if line.startswith(REMOVED):
            message(line)
    last = said[-1].removeprefix(f"{name}: ") if said else ""
    if running.returncode == InputError.exit_code:
        error = input_error_of(last)
        if error is not None and error.field == "--path":
            raise error
        raise InputError("--path", directory, f"a directory to make a pool in ({last or 'refused'})")
    if running.returncode in (-signal.SIGINT, 128 + signal.SIGINT):
        raise KeyboardInterrupt
    if running.returncode != 0:
        raise StoreError(f"{name} {_ending(running.returncode)}{': ' if last else ''}{last}")
    return json.loads(printed)


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    memory = ", as the kernel does where memory is short" if code == -signal.SIGKILL else ""
    return f"was ended by {signal.Signals(-code).name}{memory}"


def _end(running: subprocess.Popen) -> None:
    """End a program by SIGTERM, after which it removes its files, or else by SIGKILL."""
    running.terminate()
    try:
        running.wait(LAST_WORDS_S)
    except subprocess.TimeoutExpired:
        running.kill()
