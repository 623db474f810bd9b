"""Mean values of a placement that does not change: threads stay on their cores; nothing is simulated event by event.

A core with threads always runs one. It is in an operation of a kind for a share of its time, which depends on how long
the operations of each kind take, which depends on the threads that are in each kind: the fixed point of these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.numa.load import FAR, NEAR, Load, Threads
from pmtwin.sim.numa.machine import NOBODY_BESIDE, Machine
from pmtwin.sim.numa.speed_rows import Costs

ROUNDS = 100
SETTLED = 1e-6
"""Change of the running threads of any kind at which the fixed point is reached."""


class Steady(NamedTuple):
    """Mean values.

    Fields:
        thread_ops: shape (T,), operations/s of each thread. flow_per_s: shape (N, N, 2), operations/s by node of the
            data, node of the thread, operation.
    """

    thread_ops: np.ndarray
    flow_per_s: np.ndarray

    @property
    def operations_per_s(self) -> float:
        """Of all threads."""
        return float(self.thread_ops.sum())


def analytic(machine: Machine, load: Load, threads: Threads, costs: Costs, core_of: np.ndarray) -> Steady:
    """Mean values of threads that stay on logical cores, shape (T,)."""
    node_of, present = machine.node_of, np.bincount(core_of, minlength=machine.processors)
    beside = np.where(machine.sibling_of == NOBODY_BESIDE, 0, present[machine.sibling_of])
    slower = np.where(beside > 0, costs.sibling_factor, 1.0)[core_of, None, None]
    turn = 1.0 / present[core_of]  # share of its core's time
    mix = threads.shares(machine)[:, :, None] * np.array([load.read_share, 1.0 - load.read_share])
    distance = np.where(np.arange(machine.nodes) == node_of[core_of][:, None], NEAR, FAR)  # shape (T, N)
    near = (distance == NEAR)[..., None]
    counts = np.zeros((machine.nodes, FAR + 1, 2))
    per_s = np.zeros(len(core_of))
    for _ in range(ROUNDS):
        software, memory = (each[0] for each in costs.times(counts[None]))
        software_ns = slower * np.where(near, software[:, NEAR], software[:, FAR])
        operation_ns = software_ns + np.where(near, memory[:, NEAR], memory[:, FAR])  # shape (T, N, 2)
        spent = mix * operation_ns
        per_s = 1e9 * turn / spent.sum(axis=(1, 2))
        share = turn[:, None, None] * spent / spent.sum(axis=(1, 2), keepdims=True)
        wanted = np.stack([(share * side).sum(axis=0) for side in (near, ~near)], axis=1)
        if np.abs(wanted - counts).max() < SETTLED:
            break
        counts = 0.5 * (counts + wanted) if counts.any() else wanted
    flow = np.zeros((machine.nodes, machine.nodes, 2))
    np.add.at(flow.swapaxes(0, 1), node_of[core_of], per_s[:, None, None] * mix)
    return Steady(per_s, flow)
