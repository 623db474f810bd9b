"""The native programs beside the probe: where `make build` puts them, and how one is run to its JSON."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

from pmtwin.middleware.binding import FOLDER
from pmtwin.output import message
from pmtwin.sim.errors import InputError, MissingDependencyError, PmtwinError
from pmtwin.sim.native_parts import how_to_get

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
        MissingDependencyError: it was not built.
        PmtwinError: it failed otherwise: a full file system, say.
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
    if running.returncode == 2:
        raise InputError("--path", directory, _allowed(said[-1] if said else "", name, directory))
    if running.returncode != 0:
        raise PmtwinError(f"{name} ended with {running.returncode}: {' '.join(said[-3:])}")
    return json.loads(printed)


def _end(running: subprocess.Popen) -> None:
    """By SIGTERM, on which a program removes what it has made, in the end by SIGKILL."""
    running.terminate()
    try:
        running.wait(LAST_WORDS_S)
    except subprocess.TimeoutExpired:
        running.kill()


def _allowed(said: str, name: str, directory: str) -> str:
    """What a program's line of an error says beside the field and the value, which an `InputError` says itself."""
    said = said.removeprefix(f"{name}: ").removeprefix(f"--path: '{directory}' is not accepted; allowed: ")
    reason = said.removeprefix("--path: ").removeprefix(f"{directory}: ")
    return said if reason == said and said else f"a directory to make a pool in ({reason or 'refused'})"
