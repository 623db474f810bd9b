"""The twin's operations in a store of a stated size: the store's law, and today's numbers where nothing is stated."""

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.sim import ClassWorkload, Workload
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.host.station import build_host
from pmtwin.sim.parameters.store_law import SHARED_WITH_TWIN
from pmtwin.sim.parameters.values import PARAMETERS, resolve
from pmtwin.sim.store.counts import StorePoint
from pmtwin.sim.store.demand import accesses_of
from pmtwin.sim.store.file import load_store
from pmtwin.sim.store.law import place, solve

PROFILE = "optane-dcpmm-100-128gb"
SAMPLE = 7
DIRECT = {
    "records": 1e8, "cores": 18, "direct_remote": 0, "client_wakeup_ns": 0, "spinning_clients": 0.0,
    "cpu_noise_sigma": 0.0, "hot_write_share": 0.0,
}  # fmt: skip


def closed_loop_ops(operation: str, threads: int) -> float:
    """Operations per second of the twin without a middleware, every client with a hardware thread."""
    write = operation != "get"
    load = ClassWorkload(
        threads, float(write), 200.0, 200.0, gets_per_write=1.0 if operation == "put_update" else 0.0,
        insert_share=float(operation == "put_insert"),
    )  # fmt: skip
    idle = ClassWorkload(0, 0.0, 200.0, 200.0)
    values = load_store().fits[PROFILE].twin_parameters(SAMPLE) | DIRECT | {"direct_concurrency": threads}
    workload, window = Workload("closed loop", load, idle), WindowSpec(requests=20_000)
    twin = Middleware(workload, PROFILE, window=window, parameters=values, mode="direct")
    twin.start(1, 1)
    return twin.run_window().throughput_ops


@pytest.mark.parametrize("operation", ["get", "put_update", "put_insert"])
@pytest.mark.parametrize("threads", [1, 8, 24])
def test_the_twin_runs_a_closed_loop_as_fast_as_the_law_says(operation, threads):
    samples = {name: values[[SAMPLE]] for name, values in load_store().fits[PROFILE].samples.items()}
    point = StorePoint(operation, threads, 200.0, 1e8, cores=18)
    expected = float(solve([place(load_profile(PROFILE), point, 6.0)], samples).throughput_ops[0, 0])
    assert closed_loop_ops(operation, threads) == pytest.approx(expected, rel=0.1)


def test_without_a_number_of_records_the_inferred_parameters_change_nothing():
    profile, load = load_profile(), ClassWorkload(8, 0.5, 100.0, 5000.0, gets_per_write=1.0)
    drawn = load_store().fits[PROFILE].twin_parameters(3)
    plain, inferred = resolve(), resolve({name: drawn[name] for name in drawn if name not in SHARED_WITH_TWIN})
    for operation in ("get", "put_update", "put_insert", "remove"):
        before, after = (accesses_of(profile, values, load, operation) for values in (plain, inferred))
        for each, other in zip(before[:3], after[:3], strict=True):
            assert np.array_equal(each, other)
    assert np.array_equal(build_host(plain, False, 8).kv_factor, build_host(inferred, False, 8).kv_factor)


@pytest.mark.parametrize("name", [name for name, item in PARAMETERS.items() if item.with_records is not None])
def test_a_parameter_of_one_kind_of_store_has_an_effect_in_that_kind_alone(name):
    load = ClassWorkload(8, 0.5, 100.0, 5000.0, gets_per_write=1.0, insert_share=0.3, remove_share=0.3)
    workload, parameter = Workload("every operation", load, load), PARAMETERS[name]

    def has_effect(records: float) -> bool:
        values = ({"records": records}, {"records": records, name: 0.7 * parameter.default})
        item, other = (build_model(load_profile(), workload, resolve(each), False).records for each in values)
        return item.tobytes() != other.tobytes()

    for records in (0.0, 1e8):
        assert has_effect(records) == parameter.counts_among(records)


def test_a_small_store_reads_hardly_anything():
    load = ClassWorkload(8, 0.5, 100.0, 100.0)
    reads = [accesses_of(load_profile(), resolve({"records": n}), load, "get").reads[0] for n in (100, 1e8)]
    assert reads[0] < 0.01 and reads[1] > 5.0
