"""Engine `compiled`: the state as arrays, which compiled functions change."""

from __future__ import annotations

from pmtwin.sim.numa.balance import confine
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.load import Load, Threads
from pmtwin.sim.numa.loop import LACKS_ROW, note_all_times, run, start
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.progress import advance
from pmtwin.sim.numa.run import Run, Seed
from pmtwin.sim.numa.speed_rows import Costs


class CompiledRun(Run):
    """A run of the compiled engine; a copy goes on with the same bits."""

    name, copyable = "compiled", True

    def __init__(self, machine: Machine, kernel: Kernel, load: Load, threads: Threads, costs: Costs, seed: Seed):
        super().__init__(machine, kernel, load, threads, costs, seed)
        start(self.state, threads.starts(machine))

    def run_to(self, until_ns: float) -> None:
        while run(self.state, until_ns) == LACKS_ROW:
            self.state = self.state._replace(speeds=self.rows.add(self.state.counts))

    def confine(self) -> None:
        confine(self.state, self.state.tally["now_ns"][0])

    def note_all_times(self) -> None:
        note_all_times(self.state)

    def advance_clocks(self) -> None:
        advance(self.state, self.state.tally["now_ns"][0])
