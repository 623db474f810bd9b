"""`pmtwin bench scaling`: exponents of wall-clock time, and the memory of processes."""

import json
import subprocess
import sys
import time

import pytest

from pmtwin import cli
from pmtwin.bench import scaling
from pmtwin.bench.memory import PERIOD_S, PeakMemory, present_mib
from pmtwin.bench.timing import Sample


def test_the_exponent_of_a_power_law():
    samples = {str(size): [Sample(2, 2 * 3e-6 * size**1.5, 1.0)] * 3 for size in (10, 100, 1000)}
    row = scaling._row((10, 100, 1000), samples)
    assert row["exponent"]["median"] == pytest.approx(1.5)
    assert row["wall_s"][1]["median"] == pytest.approx(3e-6 * 1000)


def test_one_size_has_no_exponent():
    assert scaling._row((1,), {"1": [Sample(1, 1.0, 1.0)]})["exponent"] is None


def test_time_grows_with_requests_and_replicas(monkeypatch, capsys):
    plain = scaling._windows
    small = [
        scaling.Series("requests", (20, 20_000), lambda requests: plain(1, 1, requests)),
        scaling.Series("replicas", (1, 32), lambda count: plain(count, 1, 20)),
        scaling.Series("workers", (1,), lambda threads: plain(4, threads, 20)),
    ]
    monkeypatch.setattr(scaling, "series", lambda: small)
    assert cli.main(["bench", "scaling", "--repeats", "2", "--seconds", "0.01", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)["series"]
    assert report["requests"]["exponent"]["median"] > 0.0
    assert report["replicas"]["exponent"]["median"] > 0.0
    assert report["workers"]["exponent"] is None
    assert cli.main(["bench", "scaling", "--repeats", "1", "--seconds", "0.001"]) == 0
    assert "workers: one size only" in capsys.readouterr().out


def test_memory_counts_the_processes_that_were_started():
    alone = present_mib()
    block = "x = bytearray(100 << 20); print('ready', flush=True); input()"
    with (
        PeakMemory() as memory,
        subprocess.Popen([sys.executable, "-c", block], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child,
    ):
        assert child.stdout.readline() == b"ready\n"
        assert alone + 95 < present_mib() < alone + 400
        time.sleep(2 * PERIOD_S)
        child.communicate(b"\n")
    assert present_mib() < alone + 50 < memory.mib
