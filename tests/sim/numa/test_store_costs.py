"""What the store's operations cost near and far."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.costs import store_costs
from pmtwin.sim.numa.load import FAR, GET, NEAR, PUT, Load
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.store.counts import StorePoint
from pmtwin.sim.store.file import load_store
from pmtwin.sim.store.law import place, solve


@pytest.fixture(scope="module")
def profile():
    return load_profile()


def ops_per_s(costs, distance: int, operation: int, threads: float) -> float:
    counts = np.zeros((1, 2, 2, 2))
    counts[0, 0, distance, operation] = threads
    software, memory = costs.times(counts)
    return float(1e9 * threads / (software + memory)[0, 0, distance, operation])


@pytest.mark.parametrize(("operation", "kind"), [("get", GET), ("put_update", PUT)])
@pytest.mark.parametrize("threads", [1, 8])
def test_threads_near_small_values_are_as_fast_as_the_stores_law_says(profile, operation, kind, threads):
    fit = load_store().fit_beside(profile.name)
    chosen = {name: values[[fit.representative]] for name, values in fit.samples.items()}
    point = StorePoint(operation, threads, 200.0, 4e7, cores=18, gets_per_update=0)
    stated = float(solve([place(profile, point, 4.0)], chosen).throughput_ops[0, 0])
    costs = store_costs(profile, Machine(), Load(value_bytes=200.0), records=4e7)
    assert ops_per_s(costs, NEAR, kind, threads) == pytest.approx(stated, rel=0.05)


def test_far_is_slower_and_more_so_for_puts(profile):
    costs = store_costs(profile, Machine(), Load())
    lost = [ops_per_s(costs, FAR, kind, 4) / ops_per_s(costs, NEAR, kind, 4) for kind in (GET, PUT)]
    assert lost[1] < lost[0] < 1.0


def test_a_narrow_link_holds_far_reads(profile):
    costs = store_costs(profile, Machine(links=1, link_gb_s=2.0), Load())
    moved = ops_per_s(costs, FAR, GET, 16) * costs.read_bytes[GET]
    assert moved == pytest.approx(2e9 * 0.85, rel=0.1)


def test_an_insert_writes_once_and_an_update_twice(profile):
    update, insert = (store_costs(profile, Machine(), Load(), put=put) for put in ("put_update", "put_insert"))
    assert update.written_bytes[PUT] == pytest.approx(2 * 400_000, rel=0.05)
    assert insert.written_bytes[PUT] == pytest.approx(400_000, rel=0.05)


def test_what_is_lacking_is_named(profile):
    with pytest.raises(InputError, match="put"):
        store_costs(profile, Machine(), Load(), put="remove")
    with pytest.raises(InputError, match="remote"):
        store_costs(replace(profile, effects={}), Machine(), Load())
