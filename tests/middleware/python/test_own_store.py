"""The store of a run: what is too large for it is refused before the work; what a kill leaves is gone at the next."""

import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from pmtwin.middleware import binding, stores
from pmtwin.middleware.key_space import records
from pmtwin.middleware.own_store import OwnStore, check_free
from pmtwin.middleware.settings import NativeSettings
from pmtwin.sim.errors import InputError
from pmtwin.sim.load.workload import ClassWorkload, Workload

SHM = Path("/dev/shm")
POOL_MIB = 64

RUN = """
import sys
import numpy as np
from pmtwin.console.interrupts import terminating
from pmtwin.middleware import stores
from pmtwin.middleware.native import NativeEngine
from pmtwin.middleware.settings import NativeSettings
from pmtwin.middleware.own_store import OwnStore
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.draws import class_keys
from pmtwin.sim.host.file import device_values
from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.sim.parameters.values import resolve
from pmtwin.sim.load.workload import ClassWorkload, Workload

def stage(name):
    print(name, flush=True)
    sys.stdin.readline()

folder, keys = sys.argv[1], 4000
profile = load_profile("dram-ddr4")
load = ClassWorkload(8, 0.5, 400.0, 400.0)
model = build_model(profile, Workload("w", load, load), resolve(device_values(profile)), direct=False)
with terminating():
    store = OwnStore(NativeSettings(store="pmemkv", path=folder, pool_mib=64, keys=keys))
    store.claim(model.workload, keys)
    stage("creating")
    store.opened()
    engine = NativeEngine(store.opened(), "", keys, model, class_keys(np.random.SeedSequence(0)), (2, 2))
    stage("filling")
    engine.run_window(500, (500, 500))
    stage("running")
    for _ in range(200):
        engine.run_window(500, (500, 500))
    stage("closing")
    store.close()
    engine = None
    stage("closed")
"""
STAGES = ("creating", "filling", "running", "closing")


@pytest.fixture(autouse=True)
def _built():
    if binding.path() is None or "pmemkv" not in stores.engines() or not SHM.is_mount():
        pytest.skip("no pmemkv, or no folder in main memory")


@pytest.fixture
def folder():
    with tempfile.TemporaryDirectory(dir=SHM) as name:
        yield Path(name)


def settings(folder, **changes):
    return NativeSettings(**{"store": "pmemkv", "path": str(folder), "pool_mib": POOL_MIB} | changes)


def workload(size=400.0, clients=8):
    load = ClassWorkload(clients, 0.5, size, size)
    return Workload("w", load, load)


def run_until(folder, stage, delay_s, number):
    """Send a signal to a run so long after it began a stage."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", RUN, str(folder)], text=True, **pipes) as process:
        while process.stdout.readline().strip() != stage:
            process.stdin.write("\n")
            process.stdin.flush()
        process.stdin.write("\n")
        process.stdin.flush()
        time.sleep(delay_s)
        process.send_signal(number)
        process.wait()
        return process.stderr.read()


@pytest.mark.parametrize("stage", STAGES)
def test_whenever_a_run_is_killed_the_next_one_works_and_leaves_nothing(folder, stage, capsys):
    delays = random.Random(stage)
    (folder / "pmtwin.pool").write_text("the user's")
    for _ in range(2):
        run_until(folder, stage, delays.uniform(0.0, 0.15), signal.SIGKILL)
        left = len(list(folder.glob("pmtwin-scratch.*")))
        store = OwnStore(settings(folder))
        store.opened()
        assert capsys.readouterr().err.count("removed ") == left
        assert len(list(folder.glob("pmtwin-scratch.*"))) == 1
        store.close()
    assert [path.name for path in folder.iterdir()] == ["pmtwin.pool"]
    assert (folder / "pmtwin.pool").read_text() == "the user's"


def test_what_was_left_is_told_with_its_process_and_what_lives_is_left_alone(folder, capsys):
    living = OwnStore(settings(folder))
    living.opened()
    run_until(folder, "running", 0.0, signal.SIGKILL)
    OwnStore(settings(folder)).opened()
    said = capsys.readouterr().err
    assert re.fullmatch(r"removed \S+ \(64 MiB\), left by process \d+, which was killed: -c .*\n", said)
    assert len(list(folder.iterdir())) == 1  # nobody holds the second
    living.close()


@pytest.mark.parametrize(("number", "name"), [(signal.SIGINT, "KeyboardInterrupt"), (signal.SIGTERM, "Terminated")])
def test_a_run_that_is_told_to_end_leaves_nothing(folder, number, name):
    assert name in run_until(folder, "filling", 0.05, number)
    assert list(folder.iterdir()) == []


def test_too_many_keys_for_the_pool_are_refused_before_it_is_made(folder):
    store = OwnStore(settings(folder, keys=100_000))
    with pytest.raises(InputError) as error:
        store.claim(workload(), 100_000)
    said = str(error.value)
    assert said.startswith("keys: 100000 need a pool of ") and "the pool has 64 MiB; allowed: at most " in said
    most, mib = re.search(r"at most ([\d,]+) .*--pool-mib (\d+) or more", said).groups()
    OwnStore(settings(folder)).claim(workload(), int(most.replace(",", "")))
    OwnStore(settings(folder, pool_mib=int(mib))).claim(workload(), 100_000)
    assert list(folder.iterdir()) == []


def test_records_of_all_workloads_count_together(folder):
    store = OwnStore(settings(folder))
    for size in (400.0, 401.0):
        store.claim(workload(size), 5_000)
        store.claim(workload(size), 5_000)  # the same keys
    with pytest.raises(InputError, match="need a pool"):
        for size in range(402, 500):
            store.claim(workload(float(size)), 5_000)


def test_values_that_no_memory_holds_are_refused(monkeypatch):
    monkeypatch.setattr(binding.load(), "available_memory_bytes", lambda: 100 << 20)
    OwnStore(NativeSettings(store="map")).claim(workload(), 10_000)
    with pytest.raises(InputError, match=r"keys: .* need [\d,]+ MiB of memory, and this process may take 90 MiB"):
        OwnStore(NativeSettings(store="map", keys=10_000)).claim(workload(100_000.0), 10_000)


def test_pools_for_which_there_is_no_room_are_refused(folder):
    check_free(settings(folder))
    with pytest.raises(InputError, match=r"pool_mib: 1073741824 is too much: .* MiB are .*; allowed: at most "):
        check_free(settings(folder, pool_mib=2**30))


@pytest.mark.parametrize("ratio", [0.0, 0.3, 1.0])
def test_the_keys_of_a_class_are_shared_by_the_sizes_that_occur(ratio):
    sizes = np.resize(np.array([100.0, 200.0, 300.0]), 256)
    load = ClassWorkload(4, ratio, sizes, sizes + 7)
    counted = records(load, 900)
    assert sum(counted.values()) == pytest.approx(900, abs=10)
    assert set(counted) == ({107, 207, 307} if ratio else set()) | ({100, 200, 300} if ratio < 1 else set())
