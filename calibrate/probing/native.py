"""The native probe as a process: one JSON case in, one JSON answer out, its context first."""

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
"""Time limit of the present repetition when the probe is stopped."""

ENDED_BY_A_SIGNAL = tuple(code for number in (signal.SIGINT, signal.SIGTERM) for code in (-number, 128 + number))
"""Exit codes of a probe that was told to end: before it catches signals, and after."""


class CaseRefusedError(PmtwinError):
    """The device cannot be measured by this case; the others continue."""


@dataclass(frozen=True)
class Answer:
    """Result of one request: Google Benchmark's object of each repetition, and the seconds that it took."""

    benchmarks: list[dict]
    seconds: float


def find_program(program: Path | None = None) -> Path:
    """The native probe.

    Raises:
        MissingDependencyError: the program is not built; names the packages to install.
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
        options: options of the program: the memory (`--path DIR` or `--node N`), and the method.
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
            start_new_session=True,  # Ctrl-C is ours: it would end the present repetition before we know of it
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
        with contextlib.suppress(BrokenPipeError):  # its last message is the better error
            os.write(self._input.fileno(), json.dumps(case).encode() + b"\n")
        return _answer(self._read())

    def interrupt(self) -> Answer | None:
        """End the present case; returns its finished repetitions, if any."""
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
        """End the program, which takes its memory with it."""
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
        # not a buffered file's readline, which loses what it has read when a signal raises
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
            raise KeyboardInterrupt  # as if it had come to us: what was measured is kept
        self._errors.seek(0)
        messages = self._errors.read().strip().splitlines()
        last = messages[-1].removeprefix("pmtwin-probe: ") if messages else f"it ended with {code} without a word"
        error = input_error_of(last) if code == InputError.exit_code else None
        if error and error.field == "option":  # options of the program are ours: the user's have been read before
            raise MissingDependencyError(f"the native probe is of other sources than pmtwin ({last}): make build")
        raise error or PmtwinError(f"the native probe failed: {last}")


def _answer(reply: dict) -> Answer:
    if "error" in reply:
        raise CaseRefusedError(reply["error"])
    return Answer(reply["benchmarks"], float(reply["seconds"]))
