"""What the store's operations cost near and far."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa import node_memory
from pmtwin.sim.numa.costs import store_costs
from pmtwin.sim.numa.load import FAR, GET, NEAR, PUT, Load
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.store.counts import StorePoint
from pmtwin.sim.store.file import load_store
from pmtwin.sim.store.law import place, solve

PLACES = {"local": NEAR, "remote": FAR}
OPERATIONS = {"get": GET, "put_update": PUT, "put_insert": PUT}
RECORDS = {64.0: 4e7, 200.0: 4e7, 4096.0: 4e6, 400_000.0: 2e4}


@pytest.fixture(scope="module")
def profile():
    return load_profile()


@pytest.fixture
def bytes_of_one_thread(monkeypatch):
    """A device whose streams do not slow one another down, as the law has them."""
    times_of = node_memory.node_times

    def alone(profile, accesses, counts, *, dimms):
        share = times_of(profile, accesses, counts, dimms=dimms).directory_share
        times = times_of(profile, accesses, np.zeros_like(counts), dimms=dimms)
        return times._replace(directory_share=share)

    monkeypatch.setattr(node_memory, "node_times", alone)


def costs_of(profile, operation: str, size: float):
    put = operation if operation != "get" else "put_update"
    return store_costs(profile, Machine(), Load(value_bytes=size), records=RECORDS[size], put=put)


def solved(profile, operation: str, size: float, threads: int, numa: str) -> tuple[float, float]:
    """Operations/s by the law, and how busy the media are."""
    fit = load_store().fit_beside(profile.name)
    chosen = {name: values[[fit.representative]] for name, values in fit.samples.items()}
    point = StorePoint(operation, threads, size, RECORDS[size], cores=18, gets_per_update=0, numa=numa)
    solution = solve([place(profile, point, 4.0)], chosen)
    return float(solution.throughput_ops[0, 0]), float(solution.media_utilisation[0, 0])


def by_law(*point) -> float:
    return solved(*point)[0]


def ops_per_s(costs, operation: int, near: float, far: float = 0.0) -> float:
    counts = np.zeros((1, 2, 2, 2))
    counts[0, 0, :, operation] = near, far
    software, memory = costs.times(counts)
    return float(1e9 * (counts / (software + memory)).sum())


def of_costs(profile, operation: str, size: float, threads: int, numa: str) -> float:
    near, far = threads * (numa == "local"), threads * (numa == "remote")
    return ops_per_s(costs_of(profile, operation, size), OPERATIONS[operation], near, far)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("numa", PLACES)
@pytest.mark.parametrize("size", [200.0, 4096.0, 400_000.0])
def test_one_thread_is_as_fast_as_the_stores_law_says(profile, operation, numa, size):
    stated = by_law(profile, operation, size, 1, numa)
    assert of_costs(profile, operation, size, 1, numa) == pytest.approx(stated, rel=1e-3)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("numa", PLACES)
@pytest.mark.parametrize("size", [200.0, 4096.0, 400_000.0])
def test_all_but_the_streams_is_the_stores_law(profile, bytes_of_one_thread, operation, numa, size):
    costs = costs_of(profile, operation, size)
    for threads in (8, 18):
        reached = ops_per_s(costs, OPERATIONS[operation], *((threads, 0) if numa == "local" else (0, threads)))
        assert reached == pytest.approx(by_law(profile, operation, size, threads, numa), rel=1e-3)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("numa", PLACES)
def test_streams_of_many_threads_only_slow_one_another_down(profile, operation, numa):
    """By little for small values."""
    for size, most_lost in ((200.0, 0.02), (400_000.0, 0.2)):
        ratio = of_costs(profile, operation, size, 18, numa) / by_law(profile, operation, size, 18, numa)
        assert 1.0 - most_lost < ratio < 1.001


@pytest.mark.parametrize(("operation", "threads"), [("get", 18), ("get", 36), ("get", 72), ("put_update", 36)])
def test_threads_on_both_nodes_pay_for_the_directory(profile, operation, threads):
    """Dependent reads write directory entries, those of puts too."""
    costs = costs_of(profile, operation, 64.0)
    reached = ops_per_s(costs, OPERATIONS[operation], threads / 2, threads / 2)
    assert reached == pytest.approx(by_law(profile, operation, 64.0, threads, "both"), rel=0.015)


def test_a_nodes_clock_falls_with_its_own_threads(profile):
    costs = costs_of(profile, "get", 200.0)
    software = {}
    for near, far in ((18, 0), (1, 17), (9, 9), (18, 18)):
        counts = np.zeros((1, 2, 2, 2))
        counts[0, 0, :, GET] = near, far
        software[near, far] = costs.times(counts)[0][0, 0, NEAR, GET]
    assert software[1, 17] < software[9, 9] < software[18, 0]
    assert software[18, 18] >= software[18, 0]


def test_one_node_has_costs(profile):
    one, two = (store_costs(profile, Machine(nodes=nodes), Load()) for nodes in (1, 2))
    counts = np.zeros((1, 2, 2, 2))
    counts[0, 0, NEAR, PUT] = 8
    for alone, beside in zip(one.times(counts[:, :1]), two.times(counts), strict=True):
        assert alone[0, 0, NEAR] == pytest.approx(beside[0, 0, NEAR])


def test_a_batch_is_its_rows(profile):
    counts = np.random.default_rng(0).integers(0, 9, (8, 2, 2, 2)).astype(float)
    costs = costs_of(profile, "put_update", 400_000.0)
    batch = np.stack(costs.times(counts))
    for row in range(8):
        assert np.stack(costs.times(counts[row : row + 1]))[:, 0] == pytest.approx(batch[:, row], rel=1e-12)


def test_media_serve_no_more_than_they_can(profile):
    for operation, size in (("put_update", 64.0), ("put_update", 400_000.0)):
        costs = costs_of(profile, operation, size)
        reached, busy = solved(profile, operation, size, 18, "local")
        for near, far in ((36, 36), (36, 0), (0, 36), (70, 2), (12, 0)):
            assert ops_per_s(costs, OPERATIONS[operation], near, far) <= 1.001 * reached / busy


def test_an_insert_writes_once_and_an_update_twice(profile):
    update, insert = (store_costs(profile, Machine(), Load(), put=put) for put in ("put_update", "put_insert"))
    assert update.written_bytes[PUT] == pytest.approx(2 * 400_000, rel=0.05)
    assert insert.written_bytes[PUT] == pytest.approx(400_000, rel=0.05)


def test_what_is_lacking_is_named(profile):
    with pytest.raises(InputError, match="put"):
        store_costs(profile, Machine(), Load(), put="remove")
    with pytest.raises(InputError, match="remote"):
        store_costs(replace(profile, effects={}), Machine(), Load())
