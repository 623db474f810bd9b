"""A profile that tells what key-value operations ask of the device, in the simulator."""

from dataclasses import replace

import numpy as np
import pytest

from sim import ClassWorkload, Workload
from sim.parameters import resolve
from sim.service import build_service
from tests.sim.devices import Unshared, ideal

READ, WRITE = 0, 1
ACCESS = {
    "store": "test",
    "store_version": "1",
    "key_bytes": 16,
    "methods": {"dependent_reads": "traced", "rounds": "counted", "flushed_lines": "counted",
                "streamed_bytes": "counted", "software_ns": "timed"},
    "operations": {
        "get": {"value_bytes": [0, 1000], "dependent_reads": [2, 4], "software_ns": [100, 300]},
        "put": {"value_bytes": [0, 1000], "dependent_reads": [2, 4], "rounds": [6, 8],
                "flushed_lines": [2, 20], "streamed_bytes": [256, 1280], "software_ns": [900, 1100]},
    },
}  # fmt: skip


def mean_device_ns(demand):
    return demand.demand_ns[:, :, 1] + demand.demand_ns[:, :, 3]


def demand_of(size, access=ACCESS, **chosen):
    """Demand on an ideal device: 100 ns a dependent access, 1 ns a byte."""
    device = replace(ideal(Unshared, 100.0), access_profile=access)
    load = ClassWorkload(10, 0.5, size, size, gets_per_read=1.0, gets_per_write=0.0)
    return build_service(device, Workload("test", load, load), resolve(chosen), 4, remote=False)


def test_a_get_asks_for_what_was_counted_at_its_size():
    demand, law = demand_of(500)
    assert law.chain_reads[READ] == pytest.approx(3)
    assert mean_device_ns(demand)[READ] == pytest.approx(3 * 100 + 500)
    assert demand.demand_ns[READ, :, 0] == pytest.approx(200)


def test_a_put_writes_what_was_counted_less_a_line_for_each_round():
    demand, law = demand_of(1000)
    payload = 20 * 64 + 1280 - 8 * 64
    assert law.payload_bytes[WRITE] == pytest.approx(payload)
    assert mean_device_ns(demand)[WRITE] == pytest.approx((4 + 8) * 100 + payload)
    assert demand.demand_ns[WRITE, :, 0] == pytest.approx(1100)


def test_what_somebody_sets_goes_before_what_was_counted():
    default = resolve()["get_chain_accesses"]  # even to the value that is the default
    _, law = demand_of(500, get_chain_accesses=default, put_persists=7, put_write_factor=3)
    assert law.chain_reads[READ] == default
    assert law.chain_writes[WRITE] == 7
    assert law.payload_bytes[WRITE] == pytest.approx(3 * 500)


def test_without_counts_the_parameters_hold():
    demand, law = demand_of(500, access=None)
    values = resolve()
    assert law.chain_reads[READ] == values["get_chain_accesses"]
    assert law.chain_writes[WRITE] == values["put_persists"]
    assert np.all(demand.demand_ns[READ, :, 0] == values["get_software_ns"] + 500 * values["get_copy_ns_per_byte"])
