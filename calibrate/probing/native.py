"""The native probe as a process: it writes its context first, then one JSON answer for each JSON case it reads."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pmtwin.sim.common.native_parts import how_to_get, native_folder
from pmtwin.sim.common.processes import pipes_of
from pmtwin.sim.errors import InputError, MissingDependencyError, PmtwinError, input_error_of

PROGRAM = native_folder() / "pmtwin-probe"
PACKAGES = "libbenchmark-dev, nlohmann-json3-dev and libnuma-dev (Debian's names)"
LAST_WORDS_S = 10.0
"""Seconds that the process has to finish the current repetition when the probe is stopped."""

ENDED_BY_A_SIGNAL = tuple(code for number in (signal.SIGINT, signal.SIGTERM) for code in (-number, 128 + number))
"""Exit codes of a process ended by SIGINT or SIGTERM, before it handles signals and after."""


class CaseRefusedError(PmtwinError):
    """The device cannot be measured with this case; the probe continues with the other cases."""


@dataclass(frozen=True)
class Answer:
    """Result of one request: Google Benchmark's object for each repetition, and the time of the request."""

    benchmarks: list[dict]
    seconds: float


def find_program(program: Path | None = None) -> Path:
    """Path of the native probe.

    Raises:
        MissingDependencyError: the program is not built; the message names the packages to install.
    """
    program = program or PROGRAM
    if os.access(program, os.X_OK):
        return program
    lacking = [name for name, tools in _TOOLS.items() if not any(map(shutil.which, tools))]
    first = f"install {' and '.join(lacking)}; " if lacking else ""
    raise MissingDependencyError(f"the native probe is not built: {first}{how_to_get(PACKAGES)} (x86-64 only)")


_TOOLS = {"a C++ compiler (g++)": ("c++", "g++", "clang++"), "CMake 3.25 or newer (cmake)": ("cmake",)}


class NativeProbe:
    """A device measured by the native probe.

    Args:
        options: options of the program: the memory (`--path DIR` or `--node N`) and the method.
        program: None for the program of `make build`.

    Attributes:
        context: the program's description of machine and device.

    Raises:
        InputError: the memory or an option cannot be used.
        MissingDependencyError: the program was not built.
    """

    def __init__(self, options: Sequence[str], program: Path | None = None):
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - open as long as the process
        self._buffer = b""
        self._process = subprocess.Popen(
            [str(find_program(program)), "--serve", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,  # Ctrl-C must reach pmtwin first, not end the current repetition
        )
        self._input, self._output = pipes_of(self._process)
        try:
            self.context: dict = self._read()["context"]
        except BaseException:
            self.close()
            raise

    def ask(self, case: dict) -> Answer:
        """Run a case.

        Raises:
            CaseRefusedError: the program cannot run it here.
            PmtwinError: the program ended.
        """
        with contextlib.suppress(BrokenPipeError):  # the message that it wrote before it ended says more
            os.write(self._input.fileno(), json.dumps(case).encode() + b"\n")
        return _answer(self._read())

    def interrupt(self) -> Answer | None:
        """End the current case and the program; returns the finished repetitions of the case, if any."""
        try:
            self._process.send_signal(signal.SIGINT)
            self._input.close()
            rest, _ = self._process.communicate(timeout=LAST_WORDS_S)
            return _answer(json.loads((self._buffer + rest).splitlines()[0]))
        except (OSError, ValueError, IndexError, subprocess.TimeoutExpired, PmtwinError):
            return None
        finally:
            self.close()

    def close(self) -> None:
        """End the program; its memory is freed with it."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(LAST_WORDS_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for file in (self._input, self._output, self._errors):
            file.close()

    def _read(self) -> dict:
        # os.read, since readline of a buffered file loses what it has read when a signal handler raises
        while b"\n" not in self._buffer:
            part = os.read(self._output.fileno(), 1 << 16)
            if not part:
                self._fail()
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)

    def _fail(self) -> None:
        code = self._process.wait()
        if code in ENDED_BY_A_SIGNAL:
            raise KeyboardInterrupt  # as if pmtwin had received the signal: the measurements are kept
        self._errors.seek(0)
        messages = self._errors.read().strip().splitlines()
        last = messages[-1].removeprefix("pmtwin-probe: ") if messages else f"it ended with {code} without a word"
        error = input_error_of(last) if code == InputError.exit_code else None
        if error and error.field == "option":  # set by pmtwin; the user's options were checked before
            raise MissingDependencyError(f"the native probe is of other sources than pmtwin ({last}): make build")
        raise error or PmtwinError(f"the native probe failed: {last}")


def _answer(reply: dict) -> Answer:
    if "error" in reply:
        raise CaseRefusedError(reply["error"])
    return Answer(reply["benchmarks"], float(reply["seconds"]))
