"""Cases for the built probe, and what its tests ask of a run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "build/native/pmtwin-probe"
REGION = ("--region-bytes", str(16 << 20))
QUICK = {"repetitions": 2, "min_time_s": 0.002}
LOAD = {"kind": "bandwidth", "operation": "load"} | QUICK
LONG = {"kind": "bandwidth", "operation": "load", "repetitions": 10000, "min_time_s": 60}


def user_error(done: subprocess.CompletedProcess, *told: object) -> None:
    """Check that it left with 2 and one line that says what the user needs to know."""
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert done.stderr.startswith("pmtwin-probe: ") and done.stderr.count("\n") == 1
    for words in ("allowed: ", *told):
        assert str(words) in done.stderr


def open_files(process: subprocess.Popen) -> list[str]:
    return [os.readlink(link) for link in Path(f"/proc/{process.pid}/fd").iterdir()]
