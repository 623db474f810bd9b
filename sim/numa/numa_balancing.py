"""Automatic NUMA balancing of Linux 4.18 (kernel/sched/fair.c): threads go to the node of the pages that they access.

The kernel unmaps pages now and then. Who accesses one faults, and prefers the node of most of its faulted pages
(`task_numa_placement`). It may go there once a period (`task_numa_migrate`) if that node has room (`numa_has_capacity`)
and if afterwards the loads of both nodes differ by less than half of what the balance of the queues allows
(`load_too_imbalanced`: 112 % where that is 125 %), to an idle core if there is one. Linux skips mappings of persistent
memory (DAX): then faulted pages are those of DRAM, on the node where a thread began.

Not here: swaps of two threads (all threads of a store prefer the same node), migration of pages (a shared store's are
in use on both nodes, and DAX has none), the time of the faults (256 MB a second: 128 faults of large pages), and the
balance of the queues sparing threads on their preferred node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pmtwin.sim.numa.kernel import ALL_MEMORY, OFF, Kernel
from pmtwin.sim.numa.machine import NOBODY_BESIDE, Machine

if TYPE_CHECKING:
    from pmtwin.sim.numa.run import Run

PERIOD_S = 1.0
"""Shortest time between two scans of a thread's memory, and between two tries to move it."""


def period_ns(kernel: Kernel) -> float:
    """Time between two looks; infinite without the balancing."""
    return np.inf if kernel.numa_balancing == OFF else 1e9 * PERIOD_S


def follow_memory(run: Run) -> None:
    """Each thread, in the order of their numbers, goes to the node that it prefers if the nodes' loads allow that."""
    machine, node_of = run.machine, run.machine.node_of
    prefers = (
        run.data[:, : machine.thread_nodes].argmax(axis=1) if run.kernel.numa_balancing == ALL_MEMORY else run.began_on
    )
    for thread, wanted in enumerate(prefers.tolist()):
        core_of = run.core_of
        node = int(node_of[core_of[thread]])
        if core_of[thread] < 0 or node == wanted:
            continue
        queues = np.bincount(core_of[core_of >= 0], minlength=machine.processors)
        loads = np.bincount(node_of, weights=queues, minlength=machine.nodes)
        allowed = run.affinity[thread]
        cores = [core for core in machine.cores_of(wanted) if allowed[core]]
        if cores and may_move(loads[node], loads[wanted], machine, run.kernel):
            run.set_affinity(thread, (_idlest(machine, cores, queues),))
            run.set_affinity(thread, np.flatnonzero(allowed).tolist())


def may_move(source: float, target: float, machine: Machine, kernel: Kernel) -> bool:
    """Whether a thread may go from a node with so many threads to one with so many."""
    slack = 1.0 + 0.5 * (kernel.numa_percent / 100.0 - 1.0)
    if source <= machine.cores <= target or source * slack <= target:  # a core for each thread here, and none there
        return False
    return _excess(source - 1.0, target + 1.0, slack) <= max(0.0, _excess(source, target, slack))


def _excess(one: float, other: float, slack: float) -> float:
    """By how much the larger load is beyond what the smaller one allows."""
    return max(one, other) - slack * min(one, other)


def _idlest(machine: Machine, cores: list[int], queues: np.ndarray) -> int:
    """The core with the shortest queue, of equals the one with the shorter queue beside it, then the first."""
    beside = np.where(machine.sibling_of == NOBODY_BESIDE, 0, queues[machine.sibling_of])
    return min(cores, key=lambda core: (queues[core], beside[core], core))
