"""Runs of a machine: the state goes on from window to window, under affinities that change between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np

from pmtwin.sim.engines.copying import Copying
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.building import build_state, set_masks, set_operations, set_shares
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.load import Load, Threads, data_shares
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.numa_balancing import follow_memory, period_ns
from pmtwin.sim.numa.speed_rows import Costs, SpeedRows
from pmtwin.sim.numa.window import Counters, Window, counters_of, window_between

Seed = int | tuple[int, ...]

AT_ONCE_S = 10.0
"""Simulated time between two chances to interrupt a run."""


class Run(Copying, ABC):
    """A run of a machine; `copy.deepcopy` and pickle take it if its engine can be copied.

    Attributes:
        costs: of the present load. data: shape (T, N), shares of the nodes in each thread's operations.
        began_on: shape (T,), node where each thread began.
    """

    _counted: Counters

    def __init__(self, machine: Machine, kernel: Kernel, load: Load, threads: Threads, costs: Costs, seed: Seed):
        self.machine, self.kernel, self.costs = machine, kernel, costs
        self.data, self.began_on = threads.shares(machine), machine.node_of[threads.starts(machine)]
        self._looks_again_ns = period_ns(kernel)
        self._kept_rows: list[tuple[tuple[Costs, bool, bool], SpeedRows]] = []
        self.state = build_state(machine, kernel, threads, seed)
        self._counted = counters_of(self.state)
        self._take(load, costs)

    def _take(self, load: Load, costs: Costs) -> None:
        self.costs, self.load = costs, load
        self.state = set_operations(self.state, self.machine, self.kernel, load, costs)
        self.rows = self._rows_of(costs, 0.0 < load.read_share < 1.0)
        self.state = self.state._replace(speeds=self.rows.speeds)

    def _rows_of(self, costs: Costs, mixed: bool) -> SpeedRows:
        """The rows of a load: those of the same costs as before are kept."""
        spread = self.machine.nodes == 2 and not self.state.thread["single"].all()
        wanted = (costs, mixed, bool(spread))
        kept = [(named, rows) for named, rows in self._kept_rows if named[0] is costs and named[1:] == wanted[1:]]
        rows = kept[0][1] if kept else SpeedRows(costs, self.machine.nodes, mixed, bool(spread))
        self._kept_rows = [(wanted, rows), *self._kept_rows[:1]]
        return rows

    def advance(self, until_s: float) -> None:
        """Go on to a time, or until all threads are done."""
        until, step = 1e9 * until_s, 1e9 * AT_ONCE_S
        while not self.done and self.state.tally["now_ns"][0] < until:
            self.run_to(min(until, float(self.state.tally["now_ns"][0]) + step, self._looks_again_ns))
            if self.state.tally["now_ns"][0] >= self._looks_again_ns:
                self._looks_again_ns += period_ns(self.kernel)
                follow_memory(self)

    @abstractmethod
    def run_to(self, until_ns: float) -> None:
        """Go on to a time in ns."""

    @abstractmethod
    def confine(self) -> None:
        """Affinities have changed: threads leave the cores that they may not use, and all cores look again."""

    @abstractmethod
    def note_all_times(self) -> None:
        """Bring the times of all threads and cores up to date."""

    @abstractmethod
    def advance_clocks(self) -> None:
        """Bring the virtual clocks up to date, before the speeds change."""

    @property
    def now_s(self) -> float:
        """Time since the start."""
        return 1e-9 * float(self.state.tally["now_ns"][0])

    @property
    def done(self) -> bool:
        """Whether every thread has done its requests."""
        return bool(self.state.tally["alive"][0] == 0)

    @property
    def core_of(self) -> np.ndarray:
        """Shape (T,): logical core on whose queue each thread is; -1: done."""
        return self.state.thread["core"].copy()

    @property
    def affinity(self) -> np.ndarray:
        """Shape (T, C): logical cores that each thread may use."""
        return self.state.allowed.astype(bool)

    def set_affinity(self, thread: int, processors: Iterable[int] | None) -> None:
        """A thread may use these logical cores from now on; None: all."""
        masks = self.affinity
        masks[thread] = self._mask(processors)
        self._set_masks(masks)

    def set_affinities(self, processors: Sequence[Iterable[int] | None]) -> None:
        """The same for all threads at once; shape (T,)."""
        if len(processors) != len(self.state.thread):
            raise InputError("affinities", f"{len(processors)} of them", f"one for each of {len(self.state.thread)}")
        self._set_masks(np.array([self._mask(each) for each in processors]))

    def set_load(self, load: Load, costs: Costs) -> None:
        """Operations that begin from now on are those of another load; those under way keep their progress."""
        self.advance_clocks()
        self._take(load, costs)
        self.state.tally["changed"] = 1

    def set_data(self, data: int | Sequence[int] | np.ndarray) -> None:
        """Where the data are for operations that begin from now on; as `Threads.data`."""
        self.data = data_shares(data, len(self.state.thread), self.machine.nodes)
        set_shares(self.state, self.data)

    def window(self) -> Window:
        """What happened since the last call, or the start."""
        self.note_all_times()
        before, self._counted = self._counted, counters_of(self.state)
        return window_between(before, self._counted, self.costs)

    def _mask(self, processors: Iterable[int] | None) -> np.ndarray:
        mask = np.full(self.machine.processors, processors is None)
        for core in () if processors is None else processors:
            if not 0 <= core < len(mask):
                raise InputError("affinity", core, f"logical cores from 0 to {len(mask) - 1}")
            mask[core] = True
        return mask

    def _set_masks(self, masks: np.ndarray) -> None:
        if not np.array_equal(masks, self.affinity):
            set_masks(self.state, masks)
            self.confine()
