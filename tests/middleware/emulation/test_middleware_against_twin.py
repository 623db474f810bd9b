"""The real middleware over the emulated device answers every request when the twin does, but for the rounding of its
stamps to whole ns."""

import json
import subprocess

import numpy as np
import pytest

from pmtwin.machine.native_programs import program
from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware
from pmtwin.scenarios.nvm_middleware.model.pools import WindowSpec
from pmtwin.scenarios.nvm_middleware.model.service.table import write_service_table
from pmtwin.scenarios.nvm_middleware.phases import phase_workload
from pmtwin.sim.errors import MissingDependencyError

DILATION = 40.0
REQUESTS = 300
ROUNDED_NS = 4.0
"""Two stamps are rounded, and each request takes over from others what their stamps have been rounded by."""


@pytest.fixture(scope="module")
def emulate():
    try:
        return program("pmtwin-emulate")
    except MissingDependencyError as error:
        pytest.skip(str(error))


def twin_windows(workload, pools, monkeypatch):
    """(the twin, what each window released, what it showed)."""
    twin = Middleware(workload, seed=3, window=WindowSpec(requests=REQUESTS))
    twin.start(*pools[0])
    released, shown = [], []
    inner = type(twin._engine).run_window

    def noted(engine, completions, release):
        released.append({"completions": completions, "release": [int(part) for part in release]})
        return inner(engine, completions, release)

    monkeypatch.setattr(type(twin._engine), "run_window", noted)
    for window in pools:
        twin.resize(*window)
        twin.run_window()
        shown.append(twin._last)
        released[-1]["pools"] = list(window)
    return twin, released, shown


def run(emulate, folder, specification):
    (folder / "spec.json").write_text(json.dumps(specification))
    return subprocess.run([str(emulate), str(folder / "spec.json")], capture_output=True, text=True, check=False)


def specification_of(twin, released, folder, most_workers):
    write_service_table(folder / "table.json", twin._model, most_workers)
    return {
        "table": str(folder / "table.json"),
        "dilation": DILATION,
        "keys": [int(key) for key in twin._keys],
        "pools": released[0]["pools"],
        "windows": released,
    }


def largest_difference_ns(windows, shown):
    """Between the latencies of requests in order of their answers; infinite if the classes' shares differ."""
    largest = 0.0
    for window, expected in zip(windows, shown, strict=True):
        for c, name in enumerate(("interactive", "batch")):
            latency = expected.latency_ns[expected.classes == c]
            if len(window[f"{name}_latency_ns"]) != latency.size:
                return np.inf
            largest = max(largest, np.abs(window[f"{name}_latency_ns"] - latency).max(initial=0.0))
    return largest


@pytest.mark.parametrize("phase, pools", [(1, [(6, 8), (10, 5), (3, 12)]), (3, [(2, 1), (1, 2)])])
def test_every_latency_is_the_twins(phase, pools, emulate, tmp_path, monkeypatch):
    twin, released, shown = twin_windows(phase_workload(phase), pools, monkeypatch)
    most = tuple(max(window[c] for window in pools) for c in range(2))
    done = run(emulate, tmp_path, specification_of(twin, released, tmp_path, most))
    assert done.returncode == 0, done.stderr
    windows = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(window["failed"] == 0 for window in windows)
    assert all(window["machine"]["gave_up"] == window["machine"]["late"] == 0 for window in windows)
    assert largest_difference_ns(windows, shown) <= ROUNDED_NS


def test_one_worker_more_than_the_twin_has_is_noticed(emulate, tmp_path, monkeypatch):
    twin, released, shown = twin_windows(phase_workload(1), [(6, 8)], monkeypatch)
    released[0]["pools"] = [6, 9]
    done = run(emulate, tmp_path, specification_of(twin, released, tmp_path, (6, 9)))
    assert largest_difference_ns([json.loads(line) for line in done.stdout.splitlines()], shown) > 100 * ROUNDED_NS


def test_bad_specifications_are_refused(emulate, tmp_path):
    workload = phase_workload(1)
    twin = Middleware(workload)
    write_service_table(tmp_path / "table.json", twin._model, (2, 2))
    good = {"table": str(tmp_path / "table.json"), "dilation": 40, "keys": [1, 2], "pools": [1, 1], "windows": []}
    assert run(emulate, tmp_path, good).returncode == 0
    for change, said in (
        ({"dilation": 2}, "dilation: '2' is not accepted; allowed: at least"),
        ({"pools": [1, 3]}, "pool of class 1"),
        ({"table": "/absent"}, "/absent"),
        ({"queue": "absent"}, "handoff"),
        ({"keys": "some"}, "SPEC"),
    ):
        done = run(emulate, tmp_path, good | change)
        assert done.returncode == 2
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
