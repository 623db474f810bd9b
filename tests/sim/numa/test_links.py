"""What goes over the links between the nodes."""

import numpy as np
import pytest

from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.numa.costs import store_costs
from pmtwin.sim.numa.kernel import Kernel
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
    used = carried(costs, counts) / carried_per_ns(machine)
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


def test_far_threads_spread_over_all_other_nodes(profile):
    """Three links lead to the data of one of four nodes."""
    two, four = (store_costs(profile, Machine(nodes=nodes, **NARROW), Load(read_share=1.0)) for nodes in (2, 4))
    times = []
    for costs, nodes in ((two, 2), (four, 4)):
        counts = np.zeros((1, nodes, 2, 2))
        counts[0, 0, FAR, GET] = 12
        times.append(sum(costs.times(counts))[0, 0, FAR, GET])
    assert times[0] == pytest.approx(3.0 * times[1], rel=0.01)


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
    assert carried_per_ns(Machine()) == pytest.approx(LINK_MIB_S * (1 << 20) / 1e9)


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
    most = carried_per_ns(machine) * 1e9 * window.seconds
    assert 0.8 * most < window.link_bytes.max() < 1.05 * most
    assert window.link_bytes.sum() == pytest.approx((window.read_bytes + window.written_bytes).sum())
