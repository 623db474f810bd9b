"""A user's desk: a folder, a shell, and the rule for all commands: an exit code as stated, and never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

LONGEST_S = 1500.0
"""Limit of one command, so that one that never ends is seen."""


@dataclass(frozen=True)
class Done:
    """A command that ended: its exit code and both outputs."""

    code: int
    out: str
    err: str


@dataclass
class Desk:
    """Runs commands one after the other in one folder.

    Args:
        folder: current folder of all commands.
        replaced: (old, new) in each command, such as the folder that stands for /mnt/pmem0.
    """

    folder: Path
    replaced: list[tuple[str, str]] = field(default_factory=list)

    def run(self, command: str, codes: Collection[int] = (0,)) -> Done:
        """Run a command of the shell to its end.

        Raises:
            AssertionError: with a traceback in its output, or another exit code.
        """
        process = self._start(command)
        try:
            out, err = process.communicate(timeout=LONGEST_S)
        except BaseException:  # too long, or the test is interrupted: nothing goes on behind its back
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
        shown = f"$ {command}\n{out}\n{err}"
        assert "Traceback (most recent call last)" not in out + err, shown
        assert process.returncode in codes, f"exit code {process.returncode}, not one of {set(codes)}\n{shown}"
        return Done(process.returncode, out, err)

    def killed(self, command: str, after_s: float) -> bool:
        """Start a command and kill it and its children (SIGKILL); whether it still ran then."""
        process = self._start(command)
        try:
            process.communicate(timeout=after_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return True
        return False

    def _start(self, command: str) -> subprocess.Popen:
        for old, new in self.replaced:
            command = command.replace(old, new)
        programs = Path(sys.executable).parent
        return subprocess.Popen(
            ["bash", "-c", command],
            cwd=self.folder,
            env=os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
