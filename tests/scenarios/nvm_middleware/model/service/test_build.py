"""What a key-value operation asks of the device, and how fast many of them are served."""

import numpy as np
import pytest
from scipy import optimize

from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.scenarios.nvm_middleware.model.service.build import build_service
from pmtwin.scenarios.nvm_middleware.model.service.occupancy import speeds_of
from pmtwin.sim import ClassWorkload, Workload
from pmtwin.sim.device.geometry import MIB
from pmtwin.sim.device.payloads import payload_operation
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.load.workload import Kind
from pmtwin.sim.parameters.values import resolve
from tests.sim.devices import ROUND, Shared, Unshared, ideal

READ, WRITE, BATCH_READ, BATCH_WRITE = range(4)
NO_CHAINS = {"get_chain_accesses": 0, "put_chain_accesses": 0, "put_persists": 0}


def model_of(profile, reads_bytes, writes_bytes, **values: float):
    """A model of two equal classes; `values` need not be plausible."""
    load = ClassWorkload(10, 0.5, reads_bytes, writes_bytes)
    return build_model(profile, Workload("test", load, load), resolve() | values, direct=False)


def speeds(model, *population: int) -> np.ndarray:
    return speeds_of(model.records, model.rows, np.array(population))[:4].copy()


def payload_mib_s(model, kind: int, count: int) -> float:
    """Bandwidth of `count` operations of one kind that are always in the device."""
    population = [count if k == kind else 0 for k in range(4)]
    record = model.records[0]
    operations_per_ns = count * speeds(model, *population)[kind] / record["idle_ns"][kind]
    return operations_per_ns * 1e9 * record["payload_bytes"][kind] / MIB


def mean_device_ns(demand) -> np.ndarray:
    return demand.demand_ns[:, :, 1] + demand.demand_ns[:, :, 3]


def predicted(profile, operation: str, size: float, threads: int, readers: int = 0, writers: int = 0) -> dict:
    """The numbers of `predict` for one point."""
    point = {"operation": operation, "pattern": "random", "access_size_bytes": size, "threads": float(threads),
             "dimms": 6.0, "power_w": 15.0, "read_threads": float(readers), "write_threads": float(writers),
             "write_operation": "ntstore"}  # fmt: skip
    result = predict(profile, {name: np.array([value]) for name, value in point.items()})
    return {name: float(result[name][0]) for name in result if name.endswith("bandwidth_mib_s")}


def test_writes_are_streamed_from_one_media_line_on():
    assert payload_operation(False, 100_000) == "load"
    assert [payload_operation(True, size) for size in (255, 256)] == ["store_clwb", "ntstore"]


def test_demand_of_a_get_is_its_chain_and_its_bytes():
    """Ideal device: 2 dependent reads of 100 ns, 1,000 bytes of 1 ns each."""
    load = ClassWorkload(10, 0.0, 1_000, 1_000, gets_per_read=2.0)
    values = resolve() | ROUND
    workload = Workload("get", load, load)
    demand, law = build_service(ideal(Unshared, 100.0), workload, workload.kinds, values, 4, remote=False)
    assert mean_device_ns(demand)[READ].tolist() == pytest.approx([2 * 100.0 + 2 * 1_000.0] * 256)
    assert demand.demand_ns[READ, :, 0].tolist() == pytest.approx([2 * 1_050.0] * 256)
    assert law.payload_bytes[READ] == 2_000.0
    assert demand.stall_gate[READ] == 0


def test_demand_of_a_read_modify_write_is_a_get_and_a_put():
    load = ClassWorkload(10, 1.0, 64, 1_000, gets_per_write=1.0)
    chosen = {"put_chain_accesses": 4, "put_persists": 5, "put_write_factor": 2, "put_software_ns": 2_000,
              "put_copy_ns_per_byte": 0.3}  # fmt: skip
    values = resolve() | ROUND | chosen
    workload = Workload("rmw", load, load)
    demand, law = build_service(ideal(Unshared, 100.0), workload, workload.kinds, values, 4, remote=False)
    assert law.chain_reads[WRITE] == 1 + 4
    assert law.chain_writes[WRITE] == 5
    assert mean_device_ns(demand)[WRITE, 0] == pytest.approx(10 * 100.0 + 2 * 1_000.0)
    assert demand.demand_ns[WRITE, 0, 0] == pytest.approx(1_050.0 + 2_300.0)


def test_demand_of_inserts_and_removes_where_nothing_is_counted():
    """An insert is a put by the parameters; a remove has its chain and its rounds, and no bytes."""
    load = ClassWorkload(10, 1.0, 64, 1_000, insert_share=0.3, remove_share=0.3)
    chosen = {"put_chain_accesses": 4, "put_persists": 5, "put_write_factor": 2, "put_software_ns": 2_000,
              "put_copy_ns_per_byte": 0.3}  # fmt: skip
    workload, values = Workload("writes", load, load), resolve() | ROUND | chosen
    demand, law = build_service(ideal(Unshared, 100.0), workload, workload.kinds, values, 4, remote=False)
    insert, remove = (workload.kinds.index(Kind(0, operation)) for operation in ("put_insert", "remove"))
    assert demand.demand_ns[insert].tolist() == demand.demand_ns[WRITE].tolist()
    assert mean_device_ns(demand)[remove].tolist() == pytest.approx([9 * 100.0] * 256)
    assert demand.demand_ns[remove, 0, 0] == pytest.approx(2_000.0)
    assert law.payload_bytes[[insert, remove]].tolist() == [2_000.0, 0.0]


def test_remote_accesses_take_longer_by_their_factor():
    load = ClassWorkload(10, 0.5, 4096, 4096)
    workload, values = Workload("remote", load, load), resolve({"remote_read_factor": 2, "remote_write_factor": 3})
    local, _ = build_service(load_profile(), workload, workload.kinds, values, 8, remote=False)
    remote, _ = build_service(load_profile(), workload, workload.kinds, values, 8, remote=True)
    remote_ns, local_ns = mean_device_ns(remote), mean_device_ns(local)
    assert remote_ns[READ] == pytest.approx(2 * local_ns[READ])
    assert np.all(remote_ns[WRITE] > 2 * local_ns[WRITE])  # a put reads before it writes
    assert np.all(remote_ns[WRITE] < 3 * local_ns[WRITE])


def test_an_operation_alone_runs_at_full_speed():
    model = model_of(ideal(Unshared, 100.0), 1_000, 1_000)
    for kind in range(4):
        assert speeds(model, *np.eye(4, dtype=int)[kind])[kind] == pytest.approx(1.0, rel=1e-12)


def test_an_operation_alone_on_the_shipped_device_runs_at_full_speed():
    model = model_of(load_profile("optane-dcpmm-100"), 50, 8192)
    for kind in range(4):
        population = [int(k == kind) for k in range(4)]
        assert speeds(model, *population)[kind] == pytest.approx(1.0, rel=1e-9)


def reference_speeds(record, population: np.ndarray) -> np.ndarray:
    """The equations of `solve_speeds` by a fine scan from below and Brent's method."""
    other_share = (population.sum() - 1.0) / population.sum()
    most = int(record["most_in_device"])
    threads, reads, writes = np.arange(most + 1), record["chain_reads"], record["chain_writes"]
    chain_idle = reads * record["read_idle_ns"] + writes * record["write_idle_ns"]

    def mix_share(streams_seen: float, share: float) -> np.ndarray:
        def among(total: int) -> np.ndarray:
            tables = record["kept_in_mixes"][:, total, : total + 1]
            return np.array([np.interp(share * total, np.arange(total + 1), table) for table in tables])

        low = min(int(streams_seen), most - 1)
        return among(low) + (streams_seen - low) * (among(low + 1) - among(low))

    def times(streams: float) -> tuple[np.ndarray, np.ndarray]:
        streams_seen = 1.0 + other_share * streams

        def row(table):
            return np.array([np.interp(streams_seen, threads, table[k, : threads.size]) for k in range(4)])

        alone = record["payload_bytes"] * row(record["curve_ns_per_byte"])
        streaming = population * alone / (chain_idle + alone)
        slowed = 1.0 / mix_share(streams_seen, streaming[1::2].sum() / streaming.sum())
        transfer = alone * slowed
        media = record["chain_media_ns"] + record["payload_bytes"] * row(record["media_ns_per_byte"]) * slowed

        def at(busy: float) -> np.ndarray:
            queue = 0.5 * other_share * busy / (1.0 - other_share * busy)
            read_ns = record["read_idle_ns"] + record["read_line_ns"] * queue
            write_ns = record["write_idle_ns"] + record["write_line_ns"] * queue
            return reads * read_ns + writes * write_ns + transfer

        def excess(busy: float) -> float:
            return float(np.sum(population * media / at(busy))) - busy

        top = 1.0 - 1e-6
        busy = top if excess(top) > 0.0 else optimize.brentq(excess, 0.0, top, xtol=1e-13)
        return at(busy), transfer

    def excess_streams(streams: float) -> float:
        time, transfer = times(streams)
        return float(np.sum(population * transfer / time)) - streams

    grid = np.linspace(0.0, population.sum(), 400)
    end = next(j for j, value in enumerate(grid) if excess_streams(value) <= 0.0)
    streams = optimize.brentq(excess_streams, grid[end - 1], grid[end], xtol=1e-12)
    return record["idle_ns"] / times(streams)[0]


@pytest.mark.parametrize("number", range(24))
def test_speeds_solve_their_equations(number):
    rng = np.random.default_rng(number)
    model = model_of(load_profile("optane-dcpmm-100"), float(rng.integers(40, 9000)), float(rng.integers(40, 9000)))
    population = rng.multinomial(rng.integers(2, 49), rng.dirichlet([0.6] * 4))
    np.testing.assert_allclose(speeds(model, *population), reference_speeds(model.records[0], population), rtol=1e-6)


@pytest.mark.parametrize("threads", [1, 2, 5, 16, 33, 48])
@pytest.mark.parametrize(("is_write", "operation"), [(False, "load"), (True, "ntstore")])
def test_payloads_alone_reach_the_bandwidth_that_is_predicted(threads, is_write, operation):
    profile, size = load_profile(), 8192.0
    model = model_of(profile, size, size, **NO_CHAINS)
    law_mib_s = predicted(profile, operation, size, threads)["bandwidth_mib_s"]
    assert payload_mib_s(model, WRITE if is_write else READ, threads) == pytest.approx(law_mib_s, rel=1e-6)


@pytest.mark.parametrize("threads", [1, 7, 48])
def test_payloads_of_several_sizes_take_the_sum_of_their_times(threads):
    """Not the time of a mean size: 128 B are flushed and 16 KiB streamed, at rates of their own."""
    profile, sizes = load_profile(), np.repeat([128.0, 16_384.0], 128)
    model = model_of(profile, sizes, sizes, **NO_CHAINS | {"put_write_factor": 1})
    ns = sum(
        size * threads / predicted(profile, operation, size, threads)["bandwidth_mib_s"]
        for operation, size in (("store_clwb", 128.0), ("ntstore", 16_384.0))
    )
    assert payload_mib_s(model, WRITE, threads) == pytest.approx(threads * (128 + 16_384) / ns, rel=1e-6)
    record = model.records[0]
    alone = record["demand_ns"][WRITE][:, [1, 3]].sum(axis=1).mean()
    assert alone == pytest.approx(record["idle_ns"][WRITE], rel=1e-12)


@pytest.mark.parametrize("population", [(8, 8, 0, 0), (4, 2, 6, 4), (0, 1, 15, 0), (3, 20, 0, 25)])
def test_a_mix_gets_what_the_law_predicts_of_mixes(population):
    """Equal shares of the media's time, and reads beside writes lose some of theirs: FAST'20, figure 6."""
    profile, size = load_profile(), 8192.0
    model = model_of(profile, size, size, **NO_CHAINS)
    counts = population[0] + population[2], population[1] + population[3]
    law = predicted(profile, "mixed", size, sum(counts), *counts)
    record, actual = model.records[0], speeds(model, *population)
    for kind in range(4):
        mib_s = actual[kind] / record["idle_ns"][kind] * record["payload_bytes"][kind] * 1e9 / MIB
        side = kind % 2
        each = law[f"{('read', 'write')[side]}_bandwidth_mib_s"] / counts[side]
        assert mib_s == pytest.approx(each, rel=1e-6)


def test_dependent_reads_never_take_more_of_the_media_than_there_is():
    """48 threads of 8 dependent reads each: their lines do not exceed what the media serve."""
    profile = load_profile()
    model = model_of(profile, 1, 1, get_chain_accesses=8)
    time_ns = model.records[0]["idle_ns"][READ] / speeds(model, 48, 0, 0, 0)[READ]
    lines_mib_s = 48 * 8 / time_ns * 1e9 * 256 / MIB
    most = max(predicted(profile, "load", 256.0, n)["bandwidth_mib_s"] for n in range(1, 49))
    assert 0.5 * most < lines_mib_s < most


def test_equal_classes_are_served_equally():
    model = model_of(load_profile(), 200, 900)
    one_class, split = speeds(model, 6, 4, 0, 0), speeds(model, 4, 1, 2, 3)
    assert split[[READ, WRITE]] == pytest.approx(one_class[[READ, WRITE]], rel=1e-12)
    assert split[[BATCH_READ, BATCH_WRITE]] == pytest.approx(split[[READ, WRITE]], rel=1e-12)


def test_a_shared_stream_halves_with_two_and_a_private_one_does_not():
    shared = model_of(ideal(Shared, 0.0), 10_000, 10_000)
    private = model_of(ideal(Unshared, 0.0), 10_000, 10_000)
    assert speeds(shared, 2, 0, 0, 0)[READ] == pytest.approx(1 / 2, rel=1e-9)
    assert speeds(shared, 3, 0, 2, 0)[READ] == pytest.approx(1 / 5, rel=1e-9)
    assert speeds(private, 3, 0, 2, 0)[READ] == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("kind", range(4))
def test_another_operation_of_a_kind_never_makes_it_faster_while_the_media_are_not_full(kind):
    model = model_of(load_profile(), 50, 50)
    alone = [speeds(model, *(count * np.eye(4, dtype=int)[kind]))[kind] for count in range(1, 13)]
    assert np.all(np.diff(alone) < 0.0)


@pytest.mark.parametrize(("reads", "writes"), [(1, 1), (64, 64), (5_000_000, 5_000_000), (1, 60_000_000)])
def test_speeds_are_finite_and_positive_far_outside_the_fitted_sizes(reads, writes):
    model = model_of(load_profile(), reads, writes)
    for population in ((1, 0, 0, 0), (0, 48, 0, 0), (12, 12, 12, 12), (0, 0, 1, 47)):
        values = speeds(model, *population)
        assert np.all(np.isfinite(values) & (values > 0.0) & (values < 1.01))
