"""The native programs beside the probe: where `make build` puts them, and how one is run to its JSON."""

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
"""How a line begins in which a program says what it removed that a killed one had left."""

LAST_WORDS_S = 10.0
"""Time in which a program that is told to end does so."""


def program(name: str) -> Path:
    """Path of a native program.

    Raises:
        MissingDependencyError: it was not built.
    """
    path = FOLDER / name
    if not os.access(path, os.X_OK):
        raise MissingDependencyError(f"{name} is not built: {how_to_get(NEEDS)}")
    return path


def run_program(name: str, directory: str, options: list[str], environment: dict[str, str] | None = None) -> dict:
    """What a program printed, parsed.

    However this ends, the program has ended too and removed its pool; what a kill -9 left, the next one removes.

    Raises:
        InputError: the program refuses the directory.
        KeyboardInterrupt: it was interrupted by itself.
        MissingDependencyError: it was not built.
        StoreError: it failed otherwise: a full file system, say.
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
    """By SIGTERM, on which a program removes what it has made, in the end by SIGKILL."""
    running.terminate()
    try:
        running.wait(LAST_WORDS_S)
    except subprocess.TimeoutExpired:
        running.kill()
