"""Decisions for threads: the node of each one, asked after each window."""

from __future__ import annotations

from typing import Any

import numpy as np

from pmtwin.scenarios.numa_threads.counting import Counts
from pmtwin.scenarios.numa_threads.moves import Destinations
from pmtwin.scenarios.numa_threads.points import THREAD
from pmtwin.sim.decisions import call_event
from pmtwin.sim.decisions.whole_number import whole_number
from pmtwin.sim.errors import AnswerError
from pmtwin.sim.numa.running import Run


class ThreadDecisions:
    """Asks a policy for the node of each thread; who is to leave its node goes to the least used core of the other."""

    def __init__(self, state: Any):
        self.state = state

    def decide(self, run: Run, counts: Counts, shares: np.ndarray, to: Destinations) -> None:
        """One decision for each thread that is not done, in the order of their numbers.

        Args:
            shares: shape (N,), of the data on each node: all threads use all keys alike. Policies are shown the
                accesses to nodes with processors.
        """
        machine, core_of = run.machine, run.core_of
        node_of, accesses = (
            machine.node_of[core_of],
            np.multiply.outer(counts.local + counts.remote, shares[: machine.thread_nodes]),
        )
        for thread in np.flatnonzero(core_of >= 0).tolist():
            node = int(node_of[thread])
            wanted = whole_number(call_event(self.state, "place", node, accesses[thread]))
            if not 0 <= wanted < machine.thread_nodes:
                without = " with processors" if machine.memory_nodes else ""
                allowed = f"0 to {machine.thread_nodes - 1}, the nodes of the machine{without}"
                raise AnswerError(THREAD, "node", wanted, allowed)
            if wanted != node:
                run.set_affinity(thread, (to.take(wanted, float(counts.thread_use[thread])),))
