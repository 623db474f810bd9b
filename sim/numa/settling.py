"""Where the kernel leaves threads in the end: the balance of `pmtwin.sim.numa.balance` without its times."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.machine import NOBODY_BESIDE, Machine
from pmtwin.sim.stations.lines import NOBODY


def settle(machine: Machine, kernel: Kernel, allowed: np.ndarray, core_of: np.ndarray) -> np.ndarray:
    """Shape (T,): cores of the threads; those that are done have none.

    Threads on cores that they may not use go to the least used one that they may. The kernel then evens the queues,
    and spreads threads over physical cores and nodes.

    Args:
        allowed: shape (T, C), affinity. core_of: shape (T,), before.
    """
    after = core_of.copy()
    alive = after != NOBODY
    for thread in np.flatnonzero(alive):
        if not allowed[thread, after[thread]]:
            length = _lengths(machine, after)
            after[thread] = np.where(allowed[thread], length, np.iinfo(np.int64).max).argmin()
    while kernel.balance and (move := _next_move(machine, allowed, after)):
        after[move[0]] = move[1]
    return after


def _next_move(machine: Machine, allowed: np.ndarray, core_of: np.ndarray) -> tuple[int, int] | None:
    """(thread, core) of the kernel's next move, if there is one: to the shortest queue first."""
    length = _lengths(machine, core_of)
    return _to_shorter_queue(machine, allowed, core_of, length) or _to_idler_group(machine, allowed, core_of, length)


def _to_shorter_queue(
    machine: Machine, allowed: np.ndarray, core_of: np.ndarray, length: np.ndarray
) -> tuple[int, int] | None:
    """Out of a queue that is longer by two or more."""
    node_of, alive = machine.node_of, core_of != NOBODY
    if length.max() < 2:
        return None
    for core in np.argsort(length, kind="stable"):
        movable = allowed[:, core] & alive & (length[core_of] >= length[core] + 2)
        for candidates in (movable & (node_of[core_of] == node_of[core]), movable):
            if candidates.any():
                threads = np.flatnonzero(candidates)
                return int(threads[length[core_of[threads]].argmax()]), int(core)
    return None


def _to_idler_group(
    machine: Machine, allowed: np.ndarray, core_of: np.ndarray, length: np.ndarray
) -> tuple[int, int] | None:
    """To an idle core of a physical core, or a node, with at least two idle cores more than another one."""
    number = np.arange(machine.processors)
    physical = np.where(machine.sibling_of == NOBODY_BESIDE, number, np.minimum(number, machine.sibling_of))
    for group_of, together in ((physical, machine.node_of), (machine.node_of, np.zeros(len(number)))):
        idle = np.bincount(group_of, length == 0)[group_of]
        load = np.bincount(group_of, length)[group_of]
        for core in np.flatnonzero(length == 0):
            fuller = (together == together[core]) & (idle + 1 < idle[core]) & (load > load[core] + 1)
            threads = np.flatnonzero(allowed[:, core] & (core_of != NOBODY) & fuller[core_of])
            if len(threads):
                return int(threads[load[core_of[threads]].argmax()]), int(core)
    return None


def _lengths(machine: Machine, core_of: np.ndarray) -> np.ndarray:
    return np.bincount(core_of[core_of != NOBODY], minlength=machine.processors)
