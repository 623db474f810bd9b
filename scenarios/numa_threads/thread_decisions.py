"""Decisions for threads: the node of each one, asked after each window."""

from __future__ import annotations

from typing import Any

import numpy as np

from pmtwin.scenarios.numa_threads.counting import Counts
from pmtwin.scenarios.numa_threads.moves import Destinations
from pmtwin.scenarios.numa_threads.points import THREAD
from pmtwin.sim.decisions import call_event
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.running import Run


class ThreadDecisions:
    """Asks a policy for the node of each thread; who is to leave its node goes to the least used core of the other."""

    def __init__(self, state: Any):
        self.state = state

    def decide(self, run: Run, counts: Counts, shares: np.ndarray, to: Destinations) -> None:
        """One decision for each thread that is not done, in the order of their numbers.

        Args:
            shares: shape (N,), of the data on each node: all threads use all keys alike.
        """
        machine, core_of = run.machine, run.core_of
        for thread in np.flatnonzero(core_of >= 0).tolist():
            node = int(machine.node_of[core_of[thread]])
            accesses = shares * (counts.local[thread] + counts.remote[thread])
            wanted = int(call_event(self.state, "place", node, accesses))
            if not 0 <= wanted < machine.nodes:
                raise InputError(
                    f"node at point {THREAD}", wanted, f"0 to {machine.nodes - 1}, the nodes of the machine"
                )
            if wanted != node:
                run.set_affinity(thread, (to.take(wanted, float(counts.thread_use[thread])),))
