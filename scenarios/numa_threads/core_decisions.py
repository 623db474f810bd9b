"""Decisions for unbalanced logical cores: how many of its threads go to their data (the paper's sections 5 to 8).

After each window every logical core with a high share of remote accesses is asked about. The reward of a decision is
known a window later.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pmtwin.scenarios.numa_threads.counting import Counts, share, unbalanced_cores
from pmtwin.scenarios.numa_threads.features import Ceilings, context
from pmtwin.scenarios.numa_threads.moves import Destinations, first_to_move
from pmtwin.scenarios.numa_threads.options import PRINTED, UNITS, DecisionOptions
from pmtwin.scenarios.numa_threads.points import CORE
from pmtwin.sim.decisions import DecisionPoint
from pmtwin.sim.decisions.choice import decide, observe
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.running import Run


class Pending(NamedTuple):
    """A decision whose reward is not known yet, and what the window before it showed of its threads."""

    features: np.ndarray
    action: int
    threads: list[int]
    local: float
    local_share: float


class System(NamedTuple):
    """Bandwidth and utilisation of a window, as shares of the ceilings."""

    bandwidth: float
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
        self._before = System(0.0, 0.0)
        self.asked = self.moved = 0

    def decide(self, run: Run, counts: Counts, began_on: np.ndarray, data_node: int, to: Destinations) -> None:
        """One decision for each unbalanced core, in the order of their numbers."""
        core_of, node_of = run.core_of, run.machine.node_of
        began_near = node_of[began_on] == node_of[np.maximum(core_of, 0)]
        major, minor = np.zeros(len(core_of)), counts.window.thread["minor_faults"]  # direct access: no page is read
        self._before, self.asked, self.moved = self._system(counts), 0, 0
        for core in unbalanced_cores(counts, self._options.imbalance):
            threads = np.flatnonzero(core_of == core).tolist()
            if not threads:
                continue
            features = np.minimum(context(counts, run.costs, core, threads, began_near), self._high)
            mask = np.arange(self._actions) <= len(threads)
            action = decide(self.state, features.copy(), mask)
            if not 0 <= action < self._actions or not mask[action]:
                raise InputError(f"action at point {CORE}", action, f"0 to {len(threads)}, the threads of the core")
            self._remember(features, action, threads, counts)
            for thread in first_to_move(threads, major, minor)[:action]:
                run.set_affinity(thread, (to.take(data_node, float(counts.thread_use[thread])),))
            self.asked, self.moved = self.asked + 1, self.moved + action

    def tell(self, counts: Counts) -> None:
        """The rewards of the last decisions, by the window after them."""
        after = self._system(counts)
        for each in self._pending:
            local, remote = (float(every[each.threads].sum()) for every in (counts.local, counts.remote))
            reward = self._reward(each, local, share(local, remote), after, counts)
            observe(self.state, each.features, each.action, reward)
        self._pending = []

    def forget(self) -> None:
        """The threads of the last decisions are no more, or do something else: nobody is asked before a window."""
        self._pending, self.asked, self.moved = [], 0, 0

    def _remember(self, features: np.ndarray, action: int, threads: list[int], counts: Counts) -> None:
        local, remote = (float(every[threads].sum()) for every in (counts.local, counts.remote))
        self._pending.append(Pending(features, action, threads, local, share(local, remote)))

    def _system(self, counts: Counts) -> System:
        weighted = counts.read_mb_s + 3.0 * counts.written_mb_s
        return System(weighted / self._ceilings.bandwidth_mb_s, float(counts.use.mean()))

    def _reward(self, before: Pending, local: float, local_share: float, after: System, counts: Counts) -> float:
        """The reward, in the form of the options: levels and a count as printed, or changes of shares."""
        options = self._options
        weights = (options.local_weight, options.bandwidth_weight, options.use_weight)
        if options.reward_form == PRINTED:
            gained = (local - before.local) / UNITS[options.local_unit]
            parts = (gained, counts.read_mb_s + 3.0 * counts.written_mb_s, after.use)
        else:
            parts = (
                local_share - before.local_share,
                after.bandwidth - self._before.bandwidth,
                after.use - self._before.use,
            )
        return sum(weight * part for weight, part in zip(weights, parts, strict=True))
