"""Start of a run over a real process."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.scenarios.numa_threads.native.masks import Masks
from pmtwin.scenarios.numa_threads.native.own_store import OwnStore, StoreThreads
from pmtwin.scenarios.numa_threads.native.process_files import pages_of_nodes
from pmtwin.scenarios.numa_threads.native.run import NativeRun
from pmtwin.scenarios.numa_threads.native.sources import OtherProcess
from pmtwin.scenarios.numa_threads.native.topology import Topology, topology
from pmtwin.scenarios.numa_threads.stated_times import far_factors
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.load import Load
from pmtwin.sim.numa.speed_rows import Costs

if TYPE_CHECKING:
    from pmtwin.scenarios.numa_threads.options import NumaOptions

LINE_BYTES = 64
GB = 1e9
MOST_OF_MEMORY = 0.7
"""Share of the free memory that data may take."""


class LoadCosts:
    """Costs where loads from memory stand for gets: a cache line each, whose time nobody knows."""

    read_bytes, written_bytes = np.array([LINE_BYTES, 0.0]), np.zeros(2)
    sibling_factor, refill_ns_per_byte = 1.0, np.zeros(2)

    def times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """None."""
        return np.zeros(counts.shape), np.zeros(counts.shape)


def started(options: NumaOptions, threads: int, load: Load, costs: Costs, seed: tuple[int, ...]) -> NativeRun:
    """The process that the options name, or threads of our own store, which have begun.

    Raises:
        InputError, MissingDependencyError, StoreError: see `OtherProcess`, `OwnStore`, `topology`.
    """
    native, machine, node = options.native, options.machine, options.pool_node
    assert native is not None
    nodes = topology(native.node_cpus, "node_cpus")
    masks = Masks(native.observe)
    if native.pid is not None:
        other, near_of_node = OtherProcess(native.pid, nodes.emulated), _near_of_node(native.pid, nodes, node)
        _say(other.missing)
        _say(_elsewhere(near_of_node, node))
        return NativeRun(nodes, machine, node, other, LoadCosts(), masks, near_of_node)
    _check_memory(options, load)
    near = list(nodes.nodes[node])
    get, put = far_factors(costs, machine.nodes) if nodes.emulated else (1.0, 1.0)
    store = OwnStore(
        StoreThreads(
            load=load,
            threads=threads,
            records=options.records,
            store=native.store,
            path=native.path,
            cpus=nodes.cpus,
            fill_cpus=near,
            far=[cpu for cpu in nodes.cpus if cpu not in near],
            factors=(float(get), float(put)),
            own_keys=nodes.emulated,
            seed=int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]),
        )
    )
    with ExitStack() as opened:
        opened.callback(store.close)
        near_of_node = _near_of_node(store.pid, nodes, node)
        run = NativeRun(nodes, machine, node, store, costs, masks, near_of_node, store.threads)
        opened.pop_all()
        return run


def _near_of_node(pid: int, nodes: Topology, data_node: int) -> list[float]:
    """For each node the share of a process' memory that is near its processors.

    All is on the data's node where nodes are emulated, or the kernel does not say where memory lies.
    """
    held = {} if nodes.emulated else pages_of_nodes(pid)
    total = sum(held.values())
    if not total:
        return [float(node == data_node) for node in range(len(nodes.nodes))]
    return [held.get(number, 0) / total for number in nodes.numbers]


def _elsewhere(near_of_node: Sequence[float], data_node: int) -> str:
    """That the data are said to be where most of the memory is not; empty: they are."""
    most = max(range(len(near_of_node)), key=near_of_node.__getitem__)
    if near_of_node[most] <= near_of_node[data_node]:
        return ""
    return f"{near_of_node[most]:.0%} of the memory lies on node {most}: --pool-node {most} brings the threads there"


def _check_memory(options: NumaOptions, load: Load) -> None:
    """Raise `InputError` for data that would take most of the free memory."""
    fields = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    free, needed = 1024 * int(fields["MemAvailable"].split()[0]), options.pool_bytes(load.value_bytes)
    if needed > MOST_OF_MEMORY * free:
        allowed = f"fewer, or smaller values: all take {needed / GB:.1f} GB, and {free / GB:.1f} GB of memory are free"
        raise InputError("records", options.records, allowed)


@cache
def _say(note: str) -> None:
    """Once in a command: each run of it would say the same."""
    if note:
        print(f"note: {note}", file=sys.stderr)
