"""Machines, threads and affinities that there cannot be are refused in one line."""

import numpy as np
import pytest

from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.load import Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.running import start_run
from tests.sim.numa.machines import StatedCosts


def started(**threads):
    return start_run(Machine(), Kernel(), Load(), Threads(**threads), StatedCosts())


@pytest.mark.parametrize("nodes", [0, 9, 300])
def test_nodes_outside_1_to_8(nodes):
    with pytest.raises(InputError, match=f"nodes.*{nodes}"):
        Machine(nodes=nodes)


@pytest.mark.parametrize(
    ("threads", "message"),
    [
        ({"count": 0}, "threads"),
        ({"count": 1025}, "threads"),
        ({"requests": 0}, "requests"),
        ({"data": 2}, "node of the data"),
        ({"data": np.full((48, 2), 0.6)}, "shares of the nodes"),
        ({"pool_bytes": 600e9}, "pool_bytes.*4 modules of 128 GB"),
        ({"start": "packed"}, "start"),
        ({"start": np.full(48, 72)}, "start"),
    ],
)
def test_threads_without_a_place(threads, message):
    with pytest.raises(InputError, match=message):
        started(**threads)


def test_affinities_without_a_core():
    run = started(count=2)
    for processors in ([], [72], [-1]):
        with pytest.raises(InputError, match="affinity"):
            run.set_affinity(0, processors)
    with pytest.raises(InputError, match="affinities"):
        run.set_affinities([None])


def test_an_engine_that_there_is_not():
    with pytest.raises(InputError, match=r"engine.*analytic, compiled, simpy"):
        start_run(Machine(), Kernel(), Load(), Threads(), StatedCosts(), engine="analytical")


def test_siblings_and_nodes_of_logical_cores():
    machine = Machine(nodes=2, cores=3)
    assert machine.sibling_of.tolist() == [3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8]
    assert machine.node_of.tolist() == [0] * 6 + [1] * 6
    assert Machine(nodes=1, cores=2, threads_per_core=1).sibling_of.tolist() == [-1, -1]
