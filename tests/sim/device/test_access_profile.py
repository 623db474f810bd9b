"""A profile that tells what key-value operations ask of the device, in the simulator."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.scenarios.nvm_middleware.model.service.build import build_service
from pmtwin.sim import ClassWorkload, Workload
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.load.workload import GETS_AND_UPDATES, Kind
from pmtwin.sim.parameters.values import resolve
from tests.sim.devices import Unshared, ideal, stated

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
    return build_service(device, Workload("test", load, load), GETS_AND_UPDATES, resolve(chosen), 4, remote=False)


def test_a_get_asks_for_what_was_counted_at_its_size():
    demand, law = demand_of(500)
    assert law.chain_reads[READ] == pytest.approx(3)
    assert mean_device_ns(demand)[READ] == pytest.approx(3 * 100 + 500)
    assert demand.demand_ns[READ, :, 0] == pytest.approx(200)


def test_a_put_writes_what_was_counted_less_a_line_for_each_round():
    demand, law = demand_of(1000)
    payload = 20 * 64 + 1280 - 8 * 64 + 1000  # the last: what it overwrites is read
    assert law.payload_bytes[WRITE] == pytest.approx(payload)
    assert mean_device_ns(demand)[WRITE] == pytest.approx((4 + 8) * 100 + payload)
    assert demand.demand_ns[WRITE, :, 0] == pytest.approx(1100)


INSERT = {"value_bytes": [0, 1000], "dependent_reads": [1, 3], "rounds": [12, 12], "flushed_lines": [10, 30],
          "streamed_bytes": [600, 600], "software_ns": [2000, 2400], "value_lines": [0, 0]}  # fmt: skip


def test_an_insert_asks_for_what_was_counted_of_inserts_and_a_remove_for_a_put_of_nothing():
    access = ACCESS | {"operations": ACCESS["operations"] | {"insert": INSERT}}
    device = replace(ideal(Unshared, 100.0), access_profile=access)
    load = ClassWorkload(10, 1.0, 1000, 1000, insert_share=0.4, remove_share=0.2)
    workload = Workload("test", load, load)
    demand, law = build_service(device, workload, workload.kinds, resolve(), 4, remote=False)
    insert, remove = (workload.kinds.index(Kind(1, operation)) for operation in ("put_insert", "remove"))
    payload = 30 * 64 + 600 - 12 * 64  # nothing is there that would be read
    assert mean_device_ns(demand)[insert] == pytest.approx((3 + 12) * 100 + payload)
    assert demand.demand_ns[insert, :, 0] == pytest.approx(2400)
    assert mean_device_ns(demand)[remove] == pytest.approx((2 + 6) * 100)
    assert demand.demand_ns[remove, :, 0] == pytest.approx(900)
    assert law.payload_bytes[[insert, remove]] == pytest.approx([payload, 0.0])


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


class Rates(Unshared):
    """1 ns a byte that is loaded, 2 one that is flushed, 4 one that is streamed."""


@predict.register(Rates)
def predict_rates(device, points):
    operations = points["operation"]
    slower = np.select([operations == "store_clwb", operations == "ntstore"], [2.0, 4.0], 1.0)
    return {name: values / slower for name, values in stated(device, points).items()}


def test_what_is_flushed_streamed_and_read_takes_its_own_time():
    device = replace(ideal(Rates, 100.0), access_profile=ACCESS)
    load = ClassWorkload(10, 1.0, 1000, 1000)
    demand, law = build_service(device, Workload("test", load, load), GETS_AND_UPDATES, resolve(), 4, remote=False)
    written = 20 * 64 + 1280
    share = 1 - 8 * 64 / written
    flushed, streamed = share * 20 * 64 * 2, share * 1280 * 4
    assert mean_device_ns(demand)[WRITE] == pytest.approx((4 + 8) * 100 + 1000 + flushed + streamed)
    assert law.payload_bytes[WRITE] * law.curve_ns_per_byte[WRITE, 1:] == pytest.approx(1000 + flushed + streamed)
    assert law.writing_share[WRITE] == pytest.approx((flushed + streamed) / (1000 + flushed + streamed))
    assert not law.writing_share[READ].any()


def test_a_value_of_several_sizes_writes_the_mean_of_what_each_writes():
    sizes = np.repeat([1.0, 1000.0], 128)
    device = replace(ideal(Unshared, 100.0), access_profile=ACCESS)
    load = ClassWorkload(10, 1.0, sizes, sizes)
    _, law = build_service(device, Workload("test", load, load), GETS_AND_UPDATES, resolve(), 4, remote=False)
    each = [demand_of(size)[1] for size in (1, 1000)]
    assert law.payload_bytes[WRITE] == pytest.approx(np.mean([item.payload_bytes[WRITE] for item in each]))
    assert law.chain_writes[WRITE] == pytest.approx(np.mean([item.chain_writes[WRITE] for item in each]))


def test_the_first_line_of_a_value_is_in_the_chain():
    traced = {**ACCESS["operations"]["get"], "value_lines": [1, 1 + 1000 / 64]}
    access = ACCESS | {"operations": ACCESS["operations"] | {"get": traced}}
    assert demand_of(640, access)[1].payload_bytes[READ] == pytest.approx(640)
    assert demand_of(1, access)[1].payload_bytes[READ] == pytest.approx(1)


@pytest.mark.parametrize("size", [1, 50])
def test_values_without_a_payload_are_served(size):
    lines = {"value_bytes": [0, 1000], "value_lines": [1, 1]}
    get = ACCESS["operations"]["get"] | lines
    put = ACCESS["operations"]["put"] | lines | {"flushed_lines": [2, 2], "streamed_bytes": [256, 256]}
    access = ACCESS | {"operations": {"get": get, "put": put}}
    device = replace(load_profile(), access_profile=access)
    for engine in ("simpy", "compiled"):
        load = ClassWorkload(5, 0.5, size, size)
        twin = Middleware(Workload("lines", load, load), profile=device, engine=engine, window=WindowSpec(requests=200))
        twin.start(2, 2)
        assert twin.run_window().completed == 200


def test_sizes_beyond_those_that_were_counted_are_marked():
    device = replace(load_profile(), access_profile=ACCESS)

    def marked(size, pools):
        load = ClassWorkload(5, 0.5, size, size)
        twin = Middleware(Workload("sizes", load, load), profile=device)
        twin.start(*pools)
        return twin.extrapolated

    assert not marked(1000, (2, 2))
    assert marked(1001, (2, 2))
    assert marked(1000, (20, 20))


def test_to_choose_the_default_is_not_the_same_as_not_to_choose():
    """Models are kept and used again: not one with counts for somebody who set a parameter."""
    device, values = replace(load_profile(), access_profile=ACCESS), resolve()
    load = ClassWorkload(5, 0.5, 900, 900)

    def rounds(parameters):
        return Middleware(Workload("chosen", load, load), profile=device, parameters=parameters)._model.records[0]

    assert rounds(None)["chain_writes"][WRITE] == pytest.approx(6 + 2 * 0.9)
    assert rounds({"put_persists": values["put_persists"]})["chain_writes"][WRITE] == values["put_persists"]
