"""Nodes without processors: data go there, threads do not; all are as far as the profile of such a node says."""

import numpy as np
import pytest

from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.copying import copying, loaded_latencies_ns
from pmtwin.sim.numa.costs import store_costs
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.kinds import no_threads
from pmtwin.sim.numa.load import GET, PUT, Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.node_device import node_device
from pmtwin.sim.numa.running import ENGINES, start_run
from tests.sim.numa.machines import StatedCosts

MACHINE = Machine(nodes=3, memory_nodes=1, cores=2, memory_node_gb=10.0)
CXL = 2


@pytest.fixture(scope="module")
def costs():
    """Of persistent memory on two nodes, and DRAM on a third without processors."""
    return costs_on(MACHINE)


def costs_on(machine, **load):
    main, beside = node_device(load_profile(), machine.thread_nodes).profile, node_device(load_profile("dram-ddr4"), 1)
    return store_costs(main, machine, Load(**{"read_share": 0.5, **load}), beside=beside.profile)


def times(costs, data, offset, operation, threads=4.0):
    """Time in memory of an operation beside so many alike."""
    counts = no_threads(3)
    counts[0, data, offset, operation] = threads
    return costs.times(counts)[1][0, data, offset, operation]


def test_logical_cores_are_on_the_first_nodes():
    assert (MACHINE.thread_nodes, MACHINE.processors) == (2, 8)
    assert MACHINE.node_of.tolist() == [0] * 4 + [1] * 4
    assert [list(MACHINE.cores_of(node)) for node in range(3)] == [[0, 1, 2, 3], [4, 5, 6, 7], []]
    assert MACHINE.room_bytes.tolist() == [4 * 128e9, 4 * 128e9, 10e9]


@pytest.mark.parametrize(("nodes", "without"), [(1, 1), (2, 2), (2, 7)])
def test_a_machine_has_processors(nodes, without):
    with pytest.raises(InputError, match=f"memory_nodes: {without} is not accepted; allowed: 0 to {nodes - 1}"):
        Machine(nodes=nodes, memory_nodes=without)


@pytest.mark.parametrize("operation", [GET, PUT])
def test_it_is_as_far_from_either_node_and_as_fast_as_its_profile_says(costs, operation):
    alone = Machine(nodes=1, cores=2, modules=6)  # a node of that device, with processors
    dram = node_device(load_profile("dram-ddr4"), 1).profile
    near = no_threads(1)
    near[0, 0, 0, operation] = 4.0
    _, memory = store_costs(dram, alone, Load(read_share=0.5)).times(near)
    from_0, from_1 = (times(costs, CXL, (node - CXL) % 3, operation) for node in (0, 1))
    assert from_0 == pytest.approx(from_1)
    assert from_0 == pytest.approx(memory[0, 0, 0, operation], rel=0.05)
    assert from_0 < 0.7 * times(costs, 0, 1, operation)  # DRAM is faster than persistent memory from the other node


def test_no_link_between_the_others_limits_it():
    narrow = costs_on(Machine(nodes=3, memory_nodes=1, cores=2, link_gb_s=0.05))
    assert times(narrow, CXL, 1, GET) == pytest.approx(times(costs_on(MACHINE), CXL, 1, GET))
    assert times(narrow, 0, 1, GET) > 3.0 * times(costs_on(MACHINE), 0, 1, GET)


def test_threads_at_their_data_and_threads_at_the_third_node_do_not_wait_for_the_same_memory(costs):
    counts = no_threads(3)
    counts[0, 0, 0, PUT] = 4.0
    alone = costs.times(counts)[1][0, 0, 0, PUT]
    counts[0, CXL, 1, PUT] = 4.0
    assert costs.times(counts)[1][0, 0, 0, PUT] == pytest.approx(alone, rel=0.01)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_thread_goes_there_and_all_use_its_data(engine):
    threads = Threads(count=12, data=CXL, pool_bytes=8e9)
    run = start_run(MACHINE, Kernel(), Load(), threads, StatedCosts(), engine)
    run.advance(0.2)
    window = run.window()
    assert set(MACHINE.node_of[run.core_of]) == {0, 1}
    assert window.local_share == 0.0 and window.flow[CXL, :2].sum() == window.flow.sum() > 0
    assert window.written_bytes[:CXL].sum() == 0.0 < window.written_bytes[CXL]


def test_data_beyond_its_memory_are_refused():
    threads = Threads(count=12, data=CXL, pool_bytes=11e9)
    with pytest.raises(InputError, match=r"pool_bytes: .*, 10 GB on one without processors"):
        start_run(MACHINE, Kernel(), Load(), threads, StatedCosts())


def test_copies_to_it_run_at_the_source(costs):
    inserts = store_costs(
        node_device(load_profile(), 2).profile, MACHINE, Load(), put="put_insert",
        beside=node_device(load_profile("dram-ddr4"), 1).profile,
    )  # fmt: skip
    running = no_threads(3)[0]
    there, back, between = (
        copying(costs, inserts, running, *way, 1.0, MACHINE.thread_nodes).values_per_ns
        for way in ((0, CXL), (CXL, 0), (1, 0))
    )
    read, written = no_threads(3), no_threads(3)
    read[0, 0, 0, GET], written[0, CXL, 1, PUT] = 0.5, 0.5
    expected = sum(costs.times(read))[0, 0, 0, GET] + sum(inserts.times(written))[0, CXL, 1, PUT]
    assert 1.0 / there == pytest.approx(expected, rel=0.05)
    assert there > back and there > between  # writes into DRAM are faster than into persistent memory


def test_its_latency_is_what_threads_of_either_node_would_wait(costs):
    latencies = loaded_latencies_ns(no_threads(3)[0], costs, np.array([2.0, 2.0, 0.0]), np.array([1.0, 0.0]))
    assert latencies[CXL] < latencies[0] == pytest.approx(latencies[1])
