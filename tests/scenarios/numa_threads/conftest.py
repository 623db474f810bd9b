"""A small machine, on which a window takes no time to speak of, on the engine that nobody has to compile."""

import json

import pytest

from pmtwin import cli
from pmtwin.scenarios.numa_threads import NumaThreads

SMALL = {"cores": 2, "threads": 6, "records": 100, "window_s": 0.01, "engine": "simpy"}
"""Two nodes of two physical cores each, 16 KiB values unless a test says otherwise."""


@pytest.fixture
def small():
    """Makes a scenario on the small machine."""
    return lambda **options: NumaThreads.of(**{**SMALL, "value_bytes": 16384.0, **options})


@pytest.fixture
def run(capsys):
    """Exit code, result and errors of a command on the small machine."""

    def command(*words):
        small = "--cores 2 --threads 6 --value-bytes 16384 --window-s 0.01 --engine simpy --json"
        code = cli.main([words[0], "numa-threads", *words[1:], *small.split()])
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else None, err

    return command
