"""What goes over the links between the nodes."""

import numpy as np
import pytest

from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.numa.costs import store_costs
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.kinds import no_threads, thread_nodes
from pmtwin.sim.numa.links import LINK_MIB_S, carried_per_ns
from pmtwin.sim.numa.load import FAR, GET, NEAR, PUT, Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.running import start_run

NARROW = {"links": 1, "link_gb_s": 1.0}


@pytest.fixture(scope="module")
def profile():
    return load_profile()


def carried(costs, counts: np.ndarray) -> np.ndarray:
    """Bytes in a ns from node i to node j: threads far from the data of two nodes are on the other one."""
    software, memory = costs.times(counts)
    done = (counts / (software + memory))[0, :, FAR]
    read, written = done @ costs.read_bytes, done @ costs.written_bytes
    return read + written[::-1]


@pytest.mark.parametrize("put", ["put_update", "put_insert"])
@pytest.mark.parametrize("far", [[[9, 9], [9, 9]], [[18, 0], [0, 18]], [[0, 18], [0, 18]], [[30, 0], [3, 0]]])
def test_no_direction_carries_more_than_its_links(profile, far, put):
    machine = Machine(**NARROW)
    costs = store_costs(profile, machine, Load(), put=put)
    counts = np.zeros((1, 2, 2, 2))
    counts[0, :, FAR], counts[0, :, NEAR] = far, 2
    used = carried(costs, counts) / carried_per_ns(machine)[0, 1]
    assert used.max() <= 1.0 + 1e-6
    assert used.max() > 0.95


def test_reads_of_one_node_and_writes_of_the_other_share_a_direction(profile):
    costs = store_costs(profile, Machine(**NARROW), Load())
    counts = np.zeros((1, 2, 2, 2))
    counts[0, 0, FAR, GET] = 16
    alone = costs.times(counts)[1][0, 0, FAR, GET]
    counts[0, 1, FAR, PUT] = 16
    assert costs.times(counts)[1][0, 0, FAR, GET] > 1.5 * alone


def test_near_threads_do_not_wait_for_the_link(profile):
    wide, narrow = (store_costs(profile, machine, Load()) for machine in (Machine(), Machine(**NARROW)))
    counts = np.zeros((1, 2, 2, 2))
    counts[0, 0, NEAR, GET], counts[0, 0, FAR, GET] = 4, 16
    near, far = ([costs.times(counts)[1][0, 0, distance, GET] for costs in (wide, narrow)] for distance in (NEAR, FAR))
    assert near[1] <= near[0]
    assert far[1] > 4.0 * far[0]


def test_each_two_nodes_have_links_of_their_own(profile):
    """Three links lead to the data of one of four nodes: threads of all use them, those of one node a single one."""
    two, four = (store_costs(profile, Machine(nodes=nodes, **NARROW), Load(read_share=1.0)) for nodes in (2, 4))

    def get_ns(costs, threads):
        counts = no_threads(len(threads))
        counts[0, 0, :, GET] = threads
        return sum(costs.times(counts))[0, 0, :, GET]

    alone, spread, on_one, most_on_one = (
        get_ns(costs, threads)
        for costs, threads in ((two, [0, 12]), (four, [0, 4, 4, 4]), (four, [0, 0, 12, 0]), (four, [0, 1, 10, 1]))
    )
    assert alone[FAR] == pytest.approx(3.0 * spread[FAR], rel=0.01)
    assert on_one[2] == pytest.approx(alone[FAR], rel=0.01)
    assert most_on_one[2] == pytest.approx(10 / 12 * alone[FAR], rel=0.01)
    assert most_on_one[1] < 0.5 * most_on_one[2]


def test_reads_and_writes_of_any_two_of_four_nodes_share_their_links(profile):
    machine = Machine(nodes=4, **NARROW)
    costs = store_costs(profile, machine, Load(read_share=0.5))
    counts = np.random.default_rng(4).integers(0, 5, (1, 4, 4, 2)).astype(float)
    done = counts / sum(costs.times(counts))
    by_nodes = np.zeros((4, 4, 2))
    by_nodes[np.arange(4)[:, None], thread_nodes(4)] = done[0]
    carried = by_nodes @ costs.read_bytes + (by_nodes @ costs.written_bytes).T
    used = (carried / carried_per_ns(machine))[~np.eye(4, dtype=bool)]
    assert 0.95 < used.max() <= 1.0 + 1e-6


def test_links_carry_what_remote_dram_showed(shared_data):
    path = shared_data / "optane/lattester_bandwidth.csv"
    if not path.is_file():
        pytest.skip("the published measurements are not in ../shared/data")
    header, *rows = (line.split(",") for line in path.read_text().splitlines())
    cells = (dict(zip(header, row, strict=True)) for row in rows)
    speeds = [
        float(cell["throughput"])
        for cell in cells
        if (cell["media"], cell["operation"]) == ("rdram", "Load") and int(cell["threads"]) >= 12
    ]
    assert float(np.median(speeds)) == pytest.approx(LINK_MIB_S, rel=0.005)
    assert carried_per_ns(Machine())[0, 1] == pytest.approx(LINK_MIB_S * (1 << 20) / 1e9)


def test_a_run_moves_what_links_and_media_can(profile):
    """Data on both nodes, all threads far, reads and writes: each way no more than the link."""
    machine, load = Machine(**NARROW), Load(read_share=0.5)
    costs = store_costs(profile, machine, load)
    near, far = np.repeat([0, 1], 12), np.repeat([1, 0], 12)
    start = far * machine.node_cores + np.tile(np.arange(12), 2)
    run = start_run(
        machine, Kernel(balance=False), load, Threads(count=24, data=near, start=start), costs, engine="simpy"
    )
    run.advance(0.2)
    run.window()
    run.advance(1.2)
    window = run.window()
    most = carried_per_ns(machine)[0, 1] * 1e9 * window.seconds
    assert 0.8 * most < window.link_bytes.max() < 1.05 * most
    assert window.link_bytes.sum() == pytest.approx((window.read_bytes + window.written_bytes).sum())
