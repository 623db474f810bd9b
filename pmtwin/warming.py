"""Compiled code before it is needed: each kind of command once, as small as it can be, in a process of its own.

What a command compiles follows from what it calls, so that no list of functions can be forgotten; the test of the
README's commands (`tests/pmtwin/test_warm_command.py`) fails when a kind of command is missing here.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from pmtwin.sim import compiling
from pmtwin.sim.files import write_json

_SMALL = "--set requests_per_window=200"
_EPISODE = "--steps 4 --phase-steps 1 --seeds 1 --jobs 1"

CASES: dict[str, tuple[str, ...]] = {
    "simulate": (
        f"simulate nvm-middleware --phase 1 --pools 2,2 --windows 1 {_SMALL}",
        f"simulate nvm-middleware --phase 1 --pools 2,2 --windows 1 {_SMALL} --explain",
        "simulate two-tier --example table-viii --processes 2 --requests 50",
    ),
    "evaluate": (
        f"evaluate nvm-middleware --policies none fixed:15,15 threshold {_EPISODE} {_SMALL}",
        "evaluate two-tier --trace trace.csv --cache 1%,10% --policies lru lfu sieve s3-fifo arc min --jobs 1",
    ),
    "train": ("train nvm-middleware --campaign 0.0005 --jobs 1 -o policy.npz --force",),
    "recommend": (f"evaluate nvm-middleware --policies fixed:2,2 {_EPISODE} {_SMALL}",),
    "validate": (f"evaluate nvm-middleware --policies threshold {_EPISODE} {_SMALL}",),
    "plan": ("plan two-tier --rate 10000 --p99 50",),
}
"""Command -> the small commands that call all that it compiles."""

CASES["run"] = (*CASES["simulate"][:2], *CASES["evaluate"][:1], *CASES["train"])

TRACE = "offset,size\n" + "".join(f"{4096 * (page * page % 61)},4096\n" for page in range(300))


def cases(names: Sequence[str] = ()) -> list[str]:
    """The small commands of these commands, or of all, each once."""
    return list(dict.fromkeys(line for name in names or CASES for line in CASES[name]))


def compiled_before() -> set[str]:
    """The small commands whose code is kept for this processor, here or where it may only be read."""
    done: set[str] = set()
    for folder in compiling.readable_folders():
        with suppress(OSError, ValueError):
            done |= set(json.loads((folder / _record_name()).read_text(encoding="utf-8")))
    return done


def warm(lines: Sequence[str]) -> Iterator[str]:
    """Run the small commands, and note each that is done; gives what went wrong, or nothing, for each in its turn."""
    done = compiled_before()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "trace.csv").write_text(TRACE, encoding="utf-8")
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
    """Numba keeps code for one kind of processor, one version of Python and one of itself."""
    import llvmlite.binding
    import numba

    machine = (llvmlite.binding.get_host_cpu_name(), str(llvmlite.binding.get_host_cpu_features().flatten()))
    versions = (sys.version, numba.__version__)
    return f"warm-{hashlib.sha256(repr((*machine, *versions)).encode()).hexdigest()[:16]}.json"
