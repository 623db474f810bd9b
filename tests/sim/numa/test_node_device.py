"""A profile as the memory of nodes: what it does not know of them is assumed and said, or refused."""

import re

import numpy as np
import pytest

from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.costs import store_costs
from pmtwin.sim.numa.load import FAR, GET, NEAR, PUT, Load
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.node_device import node_device

MACHINE = Machine(cores=4)
DCPMM, DRAM, SOCKET = "optane-dcpmm-100", "dram-ddr4", "optane-dcpmm-100-128gb"


def memory_ns(name, directory=True, machine=MACHINE):
    """Time in memory of gets and puts beside 4 threads near the data and 4 far, shape (2, 2)."""
    device = node_device(load_profile(name), machine.nodes, directory)
    counts = np.zeros((1, machine.nodes, 2, 2))
    counts[:, 0] = 2.0
    return store_costs(device.profile, machine, Load(read_share=0.5)).times(counts)[1][0, 0]


def test_a_profile_that_knows_both_nodes_is_taken_as_it_is():
    assert node_device(load_profile(DCPMM), 2).assumed == ()
    assert "equally far from one another" in " ".join(node_device(load_profile(DCPMM), 3).assumed)


def test_without_writes_of_the_directory_reads_alone_are_faster():
    with_entries, without = memory_ns(DCPMM), memory_ns(DCPMM, directory=False)
    assert np.all(without[:, GET] < 0.8 * with_entries[:, GET])
    assert np.all(without[:, PUT] <= with_entries[:, PUT])


def test_dram_is_a_control_and_says_what_it_does_not_know():
    said = node_device(load_profile(DRAM), 2).assumed
    assert [bool(re.search(word, each)) for word, each in zip(("flushed writes", "directory"), said, strict=True)] == [
        True, True,
    ]  # fmt: skip
    assert node_device(load_profile(DRAM), 2, directory=False).assumed == said[:1]
    times = memory_ns(DRAM)
    assert np.all(times[FAR] > 1.2 * times[NEAR])
    np.testing.assert_array_equal(times, memory_ns(DRAM, directory=False))


def test_a_machine_of_one_node_needs_no_measurement_from_another():
    assert node_device(load_profile(SOCKET), 1).assumed == ()
    times = memory_ns(SOCKET, machine=Machine(nodes=1, cores=4))
    np.testing.assert_array_equal(times[NEAR], times[FAR])


def test_a_profile_without_the_remote_node_is_refused_with_a_way_out():
    with pytest.raises(InputError, match=r"load and ntstore of the remote node.*calibrate one.*--nodes 1"):
        node_device(load_profile(SOCKET), 2)
