"""Where a moved thread goes: to the least used logical core of a node."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.numa.machine import Machine


class Destinations:
    """Utilisation of the logical cores, as it was in the last window, and with those that have moved since.

    Without the latter all threads of an epoch would go to one core.
    """

    def __init__(self, machine: Machine, use: np.ndarray):
        self._machine, self._use = machine, use.copy()

    def take(self, node: int, use: float) -> int:
        """The least used core of a node, the first of equals, which a thread of this utilisation now uses."""
        cores = self._machine.cores_of(node)
        core = int(cores.start + np.argmin(self._use[cores.start : cores.stop]))
        self._use[core] += use
        return core


def first_to_move(threads: list[int], major: np.ndarray, minor: np.ndarray) -> list[int]:
    """Threads by major, then minor faults, the most first, of equals the least number."""
    return sorted(threads, key=lambda thread: (-major[thread], -minor[thread], thread))
