"""A program that answers as the native probe does, where the machine's speed is of no matter."""

import sys
from pathlib import Path

import pytest

from pmtwin.calibrate.probing import native

STAND_IN = """#!{python}
import json, os, sys, time
path = sys.argv[sys.argv.index("--path") + 1] if "--path" in sys.argv else "/"
if not os.path.isdir(path):
    print(f"pmtwin-probe: --path: '{{path}}' is not accepted; allowed: a directory", file=sys.stderr)
    sys.exit(2)
context = {{"host_name": "h", "media": "dram", "local_threads": 2, "warnings": ["it rains"], "json_schema_version": 1}}
print(json.dumps({{"context": context}}), flush=True)
for line in sys.stdin:
    case = json.loads(line)
    time.sleep({pause})
    size, threads = case["access_size_bytes"], case["threads"]
    words = ("operation", "pattern", "kind", "write_operation", "mix_by")
    label = " ".join(f"{{key}}={{case[key]}}" for key in words if key in case)
    one = {{"name": f"{{case['kind']}}/{{size}}/repeats:3", "threads": threads, "label": label}}
    one |= {{"access_size_bytes": size, "cpu_share": {share}, "write_ratio": case.get("write_ratio", 0.0)}}
    if case["kind"] == "bandwidth":
        one["bandwidth_mib_s"] = 3000.0 * threads * size / (size + 100.0)
    else:
        one["latency_mean_ns"] = 90.0
    print(json.dumps({{"case": case, "benchmarks": [one] * case["repetitions"], "seconds": 0.01}}), flush=True)
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Function that puts a program in the native probe's place; returns it.

    Args:
        pause: seconds per request. share: of the time that a thread has its processor.
    """

    def make(pause: float = 0.0, share: float = 1.0) -> Path:
        (tmp_path / "bin").mkdir(exist_ok=True)
        program = tmp_path / "bin" / "pmtwin-probe"
        program.write_text(STAND_IN.format(python=sys.executable, pause=pause, share=share))
        program.chmod(0o755)
        monkeypatch.setattr(native, "PROGRAM", program)
        return program

    return make


@pytest.fixture
def folder(tmp_path):
    """Where the result goes."""
    (tmp_path / "out").mkdir()
    return tmp_path / "out"
