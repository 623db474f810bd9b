"""Machines of one to eight nodes, with the store's costs: every node serves alike, and no link carries too much."""

import numpy as np
import pytest

from pmtwin.sim.device.profile import DEFAULT_PROFILE, load_profile
from pmtwin.sim.numa.costs import store_costs
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.links import carried_per_ns
from pmtwin.sim.numa.load import Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.running import start_run

LOAD = Load(spread=0.0)
"""Puts alone: few different sets of running threads, whose speeds take time to compute."""
SECONDS = 0.2


def window(nodes, data, count, start="spread"):
    """A window of threads on nodes with narrow links."""
    machine = Machine(nodes=nodes, cores=4, threads_per_core=1, link_gb_s=0.05)
    costs = store_costs(load_profile(DEFAULT_PROFILE), machine, LOAD)
    kernel = Kernel(balance=isinstance(start, str))
    run = start_run(machine, kernel, LOAD, Threads(count=count, data=data, start=start), costs, engine="simpy")
    run.advance(SECONDS)
    return machine, costs, run.window()


@pytest.mark.parametrize("nodes", [1, 3, 8])
def test_bytes_of_all_nodes_are_those_of_the_operations(nodes):
    data = [3 * thread % nodes for thread in range(4 * nodes)]
    _, costs, seen = window(nodes, data, 4 * nodes)
    done = seen.thread["done"].sum(axis=(0, 1))
    assert seen.read_bytes.sum() == pytest.approx(done @ costs.read_bytes)
    assert seen.written_bytes.sum() == pytest.approx(done @ costs.written_bytes)
    crossed = seen.flow * (1 - np.eye(nodes))[..., None]
    assert seen.link_bytes.sum() == pytest.approx(crossed.sum(axis=(0, 1)) @ (costs.read_bytes + costs.written_bytes))
    assert (seen.link_bytes.sum() == 0.0) == (nodes == 1)


@pytest.mark.parametrize("nodes", [3, 8])
def test_links_to_one_nodes_data_carry_no_more_than_they_can(nodes):
    machine, _, seen = window(nodes, 0, 4 * nodes)
    rate, most = seen.link_bytes / (1e9 * seen.seconds), carried_per_ns(machine)[0, 1]
    assert rate.max() <= 1.05 * most  # an operation counts where it ends
    assert np.maximum(rate, rate.T)[0, 1:].min() > 0.8 * most


def test_threads_that_are_all_on_one_node_have_its_links_alone():
    machine, _, seen = window(4, 0, 4, start=np.arange(8, 12))
    rate, most = seen.link_bytes / (1e9 * seen.seconds), carried_per_ns(machine)[0, 1]
    assert 0.8 * most < np.maximum(rate, rate.T)[0, 2] <= 1.05 * most
    assert not np.delete(np.maximum(rate, rate.T)[0], 2).any()


@pytest.mark.parametrize("nodes", [3, 8])
def test_it_does_not_matter_which_node_has_the_data(nodes):
    first, last = (window(nodes, node, 4 * nodes)[2] for node in (0, nodes - 1))
    assert first.operations_per_s == pytest.approx(last.operations_per_s, rel=0.03)
