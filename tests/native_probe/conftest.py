"""The built probe, run as its users run it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.native_probe.runs import PROGRAM, REGION


@pytest.fixture(scope="session")
def program() -> Path:
    """The path of pmtwin-probe; without it (no compiler, no Google Benchmark) the test is skipped."""
    if not PROGRAM.is_file():
        pytest.skip(f"{PROGRAM.name} is not built here: make build says what it needs")
    return PROGRAM


@pytest.fixture
def probe(program: Path) -> Callable[..., subprocess.CompletedProcess]:
    """Runs the probe to its end: probe(*arguments, lines=cases or text for standard input)."""

    def run(*arguments: object, lines: str | list[dict] = "", **options) -> subprocess.CompletedProcess:
        text = lines if isinstance(lines, str) else "".join(json.dumps(case) + "\n" for case in lines)
        command = [program, *map(str, arguments)]
        return subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False, **options)

    return run


@pytest.fixture
def served(program: Path, tmp_path: Path) -> Iterator[subprocess.Popen]:
    """A probe that serves, on a folder of its own (`args[3]`), its context line read already."""
    folder = tmp_path / "memory"
    folder.mkdir()
    command = [program, "--serve", "--path", folder, *REGION]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    process.stdout.readline()
    yield process
    process.kill()
    process.communicate()
