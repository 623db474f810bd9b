"""Decisions for unbalanced logical cores: how many of its threads go to their data (the paper's sections 5 to 8).

After each window every logical core with a high share of remote accesses is asked about; with a way back, the other
cores too, whose threads go to another node. The reward of a decision is known a window later.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pmtwin.scenarios.numa_threads.counting import Counts, share, unbalanced_cores
from pmtwin.scenarios.numa_threads.features import Ceilings, context
from pmtwin.scenarios.numa_threads.moves import Destinations, first_to_move
from pmtwin.scenarios.numa_threads.options import CHANGES, LEVELS, OWN, PRINTED, UNITS, DecisionOptions
from pmtwin.scenarios.numa_threads.points import CORE
from pmtwin.sim.decisions import DecisionPoint
from pmtwin.sim.decisions.choice import decide, observe
from pmtwin.sim.errors import AnswerError
from pmtwin.sim.numa.running import Run


class Pending(NamedTuple):
    """A decision whose reward is not known yet, and what the window before it showed of its threads."""

    features: np.ndarray
    action: int
    threads: list[int]
    before: Shown


class Shown(NamedTuple):
    """What a window shows of the threads of a decision and of the machine.

    Fields:
        local: local accesses. local_share: of all accesses. bandwidth_mb_s: what is read, and three times what is
            written. use: of all logical cores.
    """

    local: float
    local_share: float
    bandwidth_mb_s: float
    use: float


class CoreDecisions:
    """Asks a policy about the unbalanced cores of a run, and tells it the rewards.

    Args:
        state: what decides, as its policy made it. point: as the policy knows it.
        options: which cores, and the reward. ceilings: of bandwidths.
    """

    def __init__(self, state: Any, point: DecisionPoint, options: DecisionOptions, ceilings: Ceilings):
        self.state, self._actions = state, len(point.actions)
        self._options, self._ceilings = options, ceilings
        self._high = np.array([column.high for column in point.features])
        self._pending: list[Pending] = []
        self.asked = self.moved = 0

    def decide(self, run: Run, counts: Counts, began_on: np.ndarray, data_node: int, to: Destinations) -> None:
        """One decision for each unbalanced core, in the order of their numbers."""
        core_of, node_of = run.core_of, run.machine.node_of
        began_near = node_of[began_on] == node_of[np.maximum(core_of, 0)]
        major, minor = np.zeros(len(core_of)), counts.window.thread["minor_faults"]  # direct access: no page is read
        self.asked, self.moved = 0, 0
        unbalanced = unbalanced_cores(counts, self._options.imbalance)
        other_node = (data_node + 1) % run.machine.thread_nodes
        for core in range(run.machine.processors) if self._options.way_back else unbalanced:
            threads = np.flatnonzero(core_of == core).tolist()
            if not threads:
                continue
            features = np.minimum(context(counts, run.costs, core, threads, began_near), self._high)
            mask = np.arange(self._actions) <= len(threads)
            action = decide(self.state, features.copy(), mask)
            if not 0 <= action < self._actions or not mask[action]:
                raise AnswerError(CORE, "action", action, f"0 to {len(threads)}, the threads of the core")
            self._pending.append(Pending(features, action, threads, self._shown(counts, threads)))
            node = data_node if core in unbalanced else other_node
            for thread in first_to_move(threads, major, minor)[:action]:
                run.set_affinity(thread, (to.take(node, float(counts.thread_use[thread])),))
            self.asked, self.moved = self.asked + 1, self.moved + action

    def tell(self, counts: Counts) -> None:
        """The rewards of the last decisions, by the window after them."""
        for each in self._pending:
            reward = self._reward(each.before, self._shown(counts, each.threads), self._ceiling(each, counts))
            observe(self.state, each.features, each.action, reward)
        self._pending = []

    def forget(self) -> None:
        """The threads of the last decisions are no more, or do something else: nobody is asked before a window."""
        self._pending, self.asked, self.moved = [], 0, 0

    def _shown(self, counts: Counts, threads: list[int]) -> Shown:
        local, remote = (float(every[threads].sum()) for every in (counts.local, counts.remote))
        read, written = counts.bandwidth_mb_s(threads if self._options.credit == OWN else None)
        return Shown(local, share(local, remote), read + 3.0 * written, float(counts.use.mean()))

    def _ceiling(self, decision: Pending, counts: Counts) -> float:
        """The most bandwidth of the machine, or the part of it that falls to the threads of a decision."""
        part = len(decision.threads) / len(counts.local) if self._options.credit == OWN else 1.0
        return self._ceilings.bandwidth_mb_s * part

    def _reward(self, before: Shown, after: Shown, ceiling_mb_s: float) -> float:
        """The reward, in the form of the options."""
        options = self._options
        weights = (options.local_weight, options.bandwidth_weight, options.use_weight)
        if options.reward_form in (PRINTED, CHANGES):
            gained, ceiling_mb_s = (after.local - before.local) / UNITS[options.local_unit], 1.0
        else:
            gained = after.local_share - before.local_share
        bandwidth, use = after.bandwidth_mb_s / ceiling_mb_s, after.use
        if options.reward_form not in (PRINTED, LEVELS):
            bandwidth, use = bandwidth - before.bandwidth_mb_s / ceiling_mb_s, use - before.use
        return sum(weight * part for weight, part in zip(weights, (gained, bandwidth, use), strict=True))
