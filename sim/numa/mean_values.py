"""Engine `analytic`: windows by mean values, under affinities that change between them.

Approximate: who leaves a core goes where the kernel would take it in the end, at once; switches and refilled caches
take no time. Operations are counted in whole numbers, as if each thread made them evenly.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.draws import NOISE_BINS, lognormal_table
from pmtwin.sim.numa.analytic import Groups, Steady, groups_of, steady
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.latencies import BINS, bin_edges
from pmtwin.sim.numa.load import Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.run import Run, Seed
from pmtwin.sim.numa.settling import settle
from pmtwin.sim.numa.speed_rows import Costs
from pmtwin.sim.stations.lines import NOBODY

ALIKE = 1e-9
"""Relative difference of ends below which threads end together."""


class AnalyticRun(Run):
    """A run by mean values."""

    name, copyable = "analytic", True

    def __init__(self, machine: Machine, kernel: Kernel, load: Load, threads: Threads, costs: Costs, seed: Seed):
        super().__init__(machine, kernel, load, threads, costs, seed)
        self._made = np.zeros((threads.count, machine.nodes, 2))
        self._known: tuple[tuple, Groups, Steady] | None = None
        self.state.thread["core"] = threads.starts(machine)
        self.confine()

    def confine(self) -> None:
        thread = self.state.thread
        before, after = thread["core"].copy(), settle(self.machine, self.kernel, self.affinity, thread["core"])
        moved = np.flatnonzero(after != before)
        nodes = self.machine.node_of
        thread["migrations"][moved] += 1
        thread["node_migrations"][moved] += nodes[after[moved]] != nodes[before[moved]]
        thread["core"] = after

    def note_all_times(self) -> None:
        """They always are."""

    def advance_clocks(self) -> None:
        """There are none."""

    def run_to(self, until_ns: float) -> None:
        thread, tally = self.state.thread, self.state.tally[0]
        while tally["now_ns"] < until_ns and tally["alive"]:
            alive = np.flatnonzero(thread["core"] != NOBODY)
            groups, values = self._values(alive)
            per_ns = 1e-9 * values.per_s[0] * groups.running[0]
            left = np.maximum(thread["quota"][alive] - self._made[alive].sum(axis=(1, 2)), 0.0) / per_ns
            elapsed = min(until_ns - tally["now_ns"], float(left.min()))
            ended = alive[left <= elapsed * (1.0 + ALIKE)]
            self._count(alive, groups, values, elapsed, ended)
            tally["now_ns"] += elapsed
            if len(ended):
                thread["core"][ended] = NOBODY
                tally["alive"] -= len(ended)
                self.confine()

    def _values(self, alive: np.ndarray) -> tuple[Groups, Steady]:
        """The threads that are not done, and their mean values, computed once for each placement."""
        core_of = self.state.thread["core"][alive]
        known = (self.costs, core_of.tobytes(), self.data[alive].tobytes())
        if self._known is None or self._known[0] != known:
            groups = groups_of(self.machine, self.load, self.data[alive], core_of)
            self._known = known, groups, steady(groups, self.costs)
        return self._known[1:]

    def _count(self, alive: np.ndarray, groups: Groups, values: Steady, elapsed: float, last: np.ndarray) -> None:
        """What threads and cores do in a time in ns, which is the last one of some threads."""
        state, turn = self.state, groups.running[0]
        entry, core_of = state.thread, state.thread["core"][alive]
        made = self._made[alive] + 1e-9 * elapsed * (values.per_s[0] * turn)[:, None, None] * groups.mix
        for place in np.flatnonzero(np.isin(alive, last)):
            lacking = entry["quota"][alive[place]] - _whole(made[place]).sum()
            made[place].flat[made[place].argmax()] += lacking
        ended = _whole(made) - _whole(self._made[alive])  # shape (T, N, 2)
        self._made[alive] = made
        near = np.arange(self.machine.nodes) == groups.node[:, None]
        done = np.stack([(ended * side[..., None]).sum(axis=1) for side in (near, ~near)], axis=1)
        entry["done"][alive] += done
        entry["operations"][alive] += ended.sum(axis=(1, 2))
        entry["cpu_ns"][alive] += turn * elapsed
        entry["wait_ns"][alive] += (1.0 - turn) * elapsed
        entry["latency_ns"][alive] += elapsed
        entry["began_ns"][alive] = state.tally["now_ns"] + elapsed
        np.add.at(state.core["done"], core_of, done)
        np.add.at(state.core["busy_ns"], core_of, turn * elapsed)
        np.add.at(state.core["runnable_ns"], core_of, elapsed)
        np.add.at(state.flow.swapaxes(0, 1), groups.node, ended)
        self._count_switches(alive, turn, elapsed)
        self._count_faults(alive, ended.sum(axis=(1, 2)))
        for times, number in _alike(values.operation_ns[0], turn, ended):
            state.latency[:] += _histogram(self._latencies(*times), number)

    def _count_switches(self, alive: np.ndarray, turn: np.ndarray, elapsed: float) -> None:
        setting, thread = self.state.setting[0], self.state.thread
        switches = np.where(turn < 1.0, elapsed * turn / self._slice_ns(turn), 0.0)
        thread["switches"][alive] += switches.astype(int)
        thread["sys_ns"][alive] += switches * setting["switch_ns"]

    def _count_faults(self, alive: np.ndarray, operations: np.ndarray) -> None:
        """Pages that nobody has accessed yet are faulted in."""
        setting, tally, thread = self.state.setting[0], self.state.tally[0], self.state.thread
        total = max(int(operations.sum()), 1)
        if setting["sequential"]:
            pages = min(total * setting["touched_bytes"] / setting["page_bytes"], tally["untouched"])
        else:
            pages = tally["untouched"] * -np.expm1(-total * setting["touched_bytes"] / setting["pool_bytes"])
        tally["untouched"] -= pages
        thread["minor_faults"][alive] += pages * operations / total
        thread["sys_ns"][alive] += pages * operations / total * setting["fault_ns"]

    def _slice_ns(self, turn: np.ndarray | float) -> np.ndarray:
        """Length of a slice on a core that each of its threads has for this share of the time."""
        setting = self.state.setting[0]
        return np.maximum(setting["latency_ns"] * turn, setting["least_slice_ns"])

    def _latencies(self, operation_ns: float, turn: float) -> tuple[np.ndarray, np.ndarray]:
        """(times in ns, shares) of operations that take so long with a core: the others' slices come between."""
        spread = self.load.spread
        alone = operation_ns * (lognormal_table(spread)[:NOISE_BINS] if spread else np.ones(1))
        slice_ns = self._slice_ns(turn)
        whole, part = np.divmod(alone / slice_ns, 1.0)
        wait = slice_ns * (1.0 / turn - 1.0)
        return np.concatenate([alone + whole * wait, alone + (whole + 1.0) * wait]), np.concatenate([1.0 - part, part])


def _whole(made: np.ndarray) -> np.ndarray:
    return np.floor(made + 1e-6).astype(np.int64)


def _alike(operation_ns: np.ndarray, turn: np.ndarray, ended: np.ndarray) -> list[tuple[tuple[float, float], int]]:
    """((time of an operation, share of a core), number of them) of all operations that are not alike."""
    times = np.broadcast_to(turn[:, None, None], ended.shape)
    kinds = np.stack([operation_ns.ravel(), times.ravel()], axis=1)[ended.ravel() > 0]
    distinct, place = np.unique(np.round(kinds, 9), axis=0, return_inverse=True)
    numbers = np.bincount(place.ravel(), ended.ravel()[ended.ravel() > 0], minlength=len(distinct))
    return [((float(ns), float(share)), int(number)) for (ns, share), number in zip(distinct, numbers, strict=True)]


def _histogram(times: tuple[np.ndarray, np.ndarray], number: int) -> np.ndarray:
    """Shape (BINS,): so many operations with these times and shares."""
    ns, shares = times
    bins = np.clip(np.searchsorted(bin_edges(), ns, side="right") - 1, 0, BINS - 1)
    cumulative = np.cumsum(np.bincount(bins, shares, minlength=BINS))
    return np.diff(np.rint(number * cumulative / cumulative[-1]).astype(np.int64), prepend=0)
