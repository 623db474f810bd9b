"""Compiling in advance, by running a smallest possible command of each kind, each in its own process.

Since the commands themselves compile what they call, no list of functions can be incomplete; the test of the README's
commands (`tests/pmtwin/test_warm_command.py`) fails if a kind of command is missing here.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType

from pmtwin.scenarios.registry import load_scenario, scenario_names
from pmtwin.sim.common.threads import usable_processors
from pmtwin.sim.compiling import functions as compiling
from pmtwin.sim.files.writing import write_json

LOOK_S = 0.05
"""Seconds between two looks at the processes."""


def _declared() -> list[ModuleType]:
    modules = [load_scenario(name).warming for name in scenario_names()]
    return [importlib.import_module(module) for module in modules if module]


def commands() -> list[str]:
    """Commands that compile anything."""
    return list(dict.fromkeys(name for module in _declared() for name in module.CASES))


def cases(names: Sequence[str] = ()) -> list[str]:
    """The small commands for the named commands, or for all, without repetition."""
    modules = _declared()
    wanted = names or commands()
    return list(dict.fromkeys(line for name in wanted for module in modules for line in module.CASES.get(name, ())))


def lay_out(folder: Path) -> None:
    """Write the files that the small commands read."""
    for module in _declared():
        for name, text in module.FILES.items():
            (folder / name).write_text(text, encoding="utf-8")


def compiled_before() -> set[str]:
    """The small commands whose code is stored for this processor, in the own or a read-only folder."""
    done: set[str] = set()
    for folder in compiling.readable_folders():
        with suppress(OSError, ValueError):
            done |= set(json.loads((folder / _record_name()).read_text(encoding="utf-8")))
    return done


def warm(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Run the small commands and record each finished one; yields them as they end, with their error or an empty text.

    Those of one scenario call the same functions, so that the next one begins when the one before has compiled them;
    those of different scenarios run at the same time, as many as there are processors.
    """
    done = compiled_before()
    waiting, running = deque(_by_scenario(lines)), list[_Run]()
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        try:
            while waiting or running:
                while waiting and len(running) < usable_processors():
                    running.append(_Run(*waiting.popleft(), folder=folder))
                ended = _first_ended(running)
                running.remove(ended)
                if not ended.code:
                    done.add(ended.line)
                    _note(done)
                yield ended.line, ended.fault()
                if ended.next_lines:
                    waiting.appendleft(ended.next_lines)
        finally:
            for run in running:
                run.end()


def _by_scenario(lines: Sequence[str]) -> list[list[str]]:
    """The small commands of each scenario, which is their second word."""
    groups: dict[str, list[str]] = {}
    for line in lines:
        groups.setdefault(line.split()[1], []).append(line)
    return list(groups.values())


class _Run:
    """A small command as a process, and those that come after it."""

    def __init__(self, line: str, *next_lines: str, folder: str):
        self.line, self.next_lines = line, list(next_lines)
        self._errors = Path(folder, f"{line.split()[1]}.errors")
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pmtwin", *line.split()],
                cwd=folder,
                env=os.environ | {"PYTHONSAFEPATH": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )

    @property
    def code(self) -> int | None:
        """The exit code; None while it runs."""
        return self._process.poll()

    def fault(self) -> str:
        """The last line of its errors; empty if it ended well."""
        last = self._errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        return (last or ["without a word"])[0] if self.code else ""

    def end(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.wait()


def _first_ended(running: Sequence[_Run]) -> _Run:
    while True:
        for run in running:
            if run.code is not None:
                return run
        time.sleep(LOOK_S)


def _note(done: set[str]) -> None:
    folder = compiling.cache_folder()
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / _record_name(), sorted(done))


def _record_name() -> str:
    """Name of the record; it depends on the processor and the versions of Python and Numba, like the stored code."""
    import llvmlite.binding
    import numba

    machine = (llvmlite.binding.get_host_cpu_name(), str(llvmlite.binding.get_host_cpu_features().flatten()))
    versions = (sys.version, numba.__version__)
    return f"warm-{hashlib.sha256(repr((*machine, *versions)).encode()).hexdigest()[:16]}.json"
