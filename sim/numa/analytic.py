"""Mean values of placements that do not change: threads stay on their cores; nothing is simulated event by event.

A core with threads always runs one. It is in an operation of a kind for a share of its time, which depends on how long
the operations of each kind take, which depends on the threads that are in each kind: the fixed point of these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.numa.kinds import offsets_of
from pmtwin.sim.numa.load import Load
from pmtwin.sim.numa.machine import NOBODY_BESIDE, Machine
from pmtwin.sim.numa.speed_rows import Costs

ROUNDS = 100
SETTLED = 1e-6
"""Change of the running threads of any kind at which the fixed point is reached."""


class Groups(NamedTuple):
    """G groups of threads that are alike, in B placements.

    Fields:
        running: shape (B, G), threads of a group that have a core, on average.
        node: shape (G,), where they run. crowded: shape (G,), whether the siblings of their cores are busy.
        mix: shape (G, N, 2), shares in their operations: node of the data, get or put.
    """

    running: np.ndarray
    node: np.ndarray
    crowded: np.ndarray
    mix: np.ndarray


class Steady(NamedTuple):
    """Mean values.

    Fields:
        operation_ns: shape (B, G, N, 2), time of an operation of each kind while its thread has a core.
        per_s: shape (B, G), operations/s of a thread that always has a core.
    """

    operation_ns: np.ndarray
    per_s: np.ndarray


def steady(groups: Groups, costs: Costs, rounds: int = ROUNDS) -> Steady:
    """The fixed point, or what is reached after some rounds."""
    nodes = groups.mix.shape[1]
    data, offset = np.arange(nodes), (groups.node[:, None] - np.arange(nodes)) % nodes  # shape (N,), (G, N)
    apart = [(offset == number)[..., None] for number in range(offsets_of(nodes))]
    slower = np.where(groups.crowded, costs.sibling_factor, 1.0)[:, None, None]
    counts = np.zeros((len(groups.running), nodes, offsets_of(nodes), 2))
    operation_ns = spent = np.zeros((len(groups.running), *groups.mix.shape))
    for number in range(rounds):
        software, memory = (each[:, data, offset] for each in costs.times(counts))
        operation_ns = slower * software + memory
        spent = groups.mix * operation_ns
        inside = groups.running[..., None, None] * spent / spent.sum(axis=(2, 3), keepdims=True)
        wanted = np.stack([(inside * alike).sum(axis=1) for alike in apart], axis=2)
        if np.abs(wanted - counts).max() < SETTLED:
            break
        counts = 0.5 * (counts + wanted) if number else wanted
    return Steady(operation_ns, 1e9 / spent.sum(axis=(2, 3)))


def groups_of(machine: Machine, load: Load, shares: np.ndarray, core_of: np.ndarray) -> Groups:
    """A group for each of T threads that stay on logical cores.

    Args:
        shares: shape (T, N), of the nodes in each thread's operations. core_of: shape (T,).
    """
    present = np.bincount(core_of, minlength=machine.processors)
    beside = np.where(machine.sibling_of == NOBODY_BESIDE, 0, present[machine.sibling_of])
    mix = shares[:, :, None] * np.array([load.read_share, 1.0 - load.read_share])
    return Groups(1.0 / present[core_of][None], machine.node_of[core_of], beside[core_of] > 0, mix)
