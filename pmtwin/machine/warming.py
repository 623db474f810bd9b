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
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType

from pmtwin.scenarios.registry import load_scenario, scenario_names
from pmtwin.sim.compiling import functions as compiling
from pmtwin.sim.files.writing import write_json


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


def warm(lines: Sequence[str]) -> Iterator[str]:
    """Run the small commands and record each finished one; yields the error of each in turn, or an empty text."""
    done = compiled_before()
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        for line in lines:
            ran = subprocess.run(
                [sys.executable, "-m", "pmtwin", *line.split()],
                cwd=folder,
                env=os.environ | {"PYTHONSAFEPATH": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
            if not ran.returncode:
                done.add(line)
                _note(done)
            yield "" if not ran.returncode else (ran.stderr.strip().splitlines() or ["without a word"])[-1]


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
