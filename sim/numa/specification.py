"""The machine with SimPy: what the compiled functions compute, to be read beside the paper.

It shares the draws, the speeds and the counters with them, so that results are comparable to the last bit. The events
are written here independently. Of events at the same instant ends of operations come first, then ends of slices, then
looks of the cores into their domains, each by number.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import simpy

from pmtwin.sim.numa.draws import operation_of, work_of
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.kinds import kinds_of, offsets_of
from pmtwin.sim.numa.latencies import bin_of
from pmtwin.sim.numa.load import SEQUENTIAL, Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.records import DOMAINS, classes_of
from pmtwin.sim.numa.run import Run, Seed
from pmtwin.sim.numa.specified_balance import Balance, Core, Thread
from pmtwin.sim.numa.speed_rows import MISSING, Costs, SpeedRows, find_row, hashes_of
from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment
from pmtwin.sim.stations.lines import NOBODY
from pmtwin.sim.stations.sharing import Sharing
from pmtwin.sim.stations.timers import Timer

FIRST = 2
"""Priority of ends of operations; SimPy's own are 0 and 1."""

TOUCHED = 1e-6
"""Pages below which all count as accessed."""


class _Memory(Sharing):
    """Operations that run, by class; `counts`: threads that run, by kind."""

    def __init__(self, env: AbsoluteEnvironment, nodes: int, rows: SpeedRows):
        super().__init__(env, classes_of(nodes), FIRST)
        self.counts, self.held = np.zeros(kinds_of(nodes), np.int64), False
        self.take(rows)

    def take(self, rows: SpeedRows) -> None:
        """Speeds of a load from now on."""
        self._rows = rows
        self._known: dict[bytes, tuple[list[float], list[float]]] = {}

    def row(self) -> list[float]:
        """Speeds, 0 of a class that nobody is in, then the time of an operation."""
        key = self.counts.tobytes()
        if key not in self._known:
            self._known[key] = self._found()
        speeds, inverse = self._known[key]
        return [speed if present else 0.0 for speed, present in zip(speeds, self._present, strict=True)] + inverse

    def _found(self) -> tuple[list[float], list[float]]:
        wanted = hashes_of(self.counts[None], self._rows.speeds.mark)[0]
        if find_row(self._rows.speeds, wanted) == MISSING:
            self._rows.add(self.counts)
        row = find_row(self._rows.speeds, wanted)
        return self._rows.speeds.speeds[row].tolist(), self._rows.speeds.inverse[row].tolist()

    def arm(self) -> None:
        """Nobody looks for the next end while the kernel moves threads."""
        if not self.held:
            super().arm()


class SpecifiedRun(Balance, Run):
    """A run of the specification; its state keeps the counters alone."""

    name = "simpy"

    def __init__(self, machine: Machine, kernel: Kernel, load: Load, threads: Threads, costs: Costs, seed: Seed):
        self.env = AbsoluteEnvironment()
        super().__init__(machine, kernel, load, threads, costs, seed)
        self.setting, self.tally = self.state.setting[0], self.state.tally[0]
        self.memory = _Memory(self.env, machine.nodes, self.rows)
        self.lost_class = classes_of(machine.nodes) - 1
        self.cores = [Core(number, record) for number, record in enumerate(self.state.core)]
        self.threads = [Thread(number, record) for number, record in enumerate(self.state.thread)]
        self.failed = [[0] * DOMAINS for _ in self.cores]
        self.slices = [Timer(self.env, partial(self.end_slice, core), FIRST + 1 + core.number) for core in self.cores]
        self.looks = [[self._looking(core, domain) for domain in range(DOMAINS)] for core in self.cores]
        self.due = np.full((len(self.cores), DOMAINS), np.inf)
        self.memory.held = True
        for thread, place in zip(self.threads, threads.starts(machine).tolist(), strict=True):
            self.begin(thread)
            thread.warm = self.cores[place].physical
            self.enqueue(thread, self.cores[place])
        self.go_on()

    def _looking(self, core: Core, domain: int) -> Timer:
        priority = FIRST + 1 + len(self.cores) + DOMAINS * core.number + domain
        return Timer(self.env, partial(self.look, core, domain), priority)

    def run_to(self, until_ns: float) -> None:
        while not self.done and self.env.peek() <= until_ns:
            self.env.step()
        if not self.done:
            self.env.run_to(until_ns)
        self.tally["now_ns"] = self.env.now

    def _take(self, load: Load, costs: Costs) -> None:
        super()._take(load, costs)
        if hasattr(self, "memory"):
            self.memory.take(self.rows)
            self.memory.arm()

    def advance_clocks(self) -> None:
        self.memory.advance()

    def note_all_times(self) -> None:
        for thread in self.threads:
            if thread.core is not None:
                self.note_times(thread)
        for core in self.cores:
            self.count_runnable(core)

    def hold(self) -> None:
        self.memory.held = True

    def go_on(self) -> None:
        self.memory.held = False
        self.memory.arm()

    # operations

    def begin(self, thread: Thread) -> None:
        """A thread's next operation."""
        thread.operation, thread.device = operation_of(self.state, thread.number)
        thread.began, thread.left = self.env.now, work_of(self.state, thread.number)
        untouched = float(self.tally["untouched"])
        if untouched > 0.0:
            touched = float(self.setting["touched_bytes"])
            pages = min(touched / float(self.setting["page_bytes"]), untouched)
            if self.load.pattern != SEQUENTIAL:
                pages = untouched * min(touched / float(self.setting["pool_bytes"]), 1.0)
            self.tally["untouched"] = untouched - pages if untouched - pages >= TOUCHED else 0.0
            fault_ns = pages * float(self.setting["fault_ns"])
            thread.record["minor_faults"] += pages
            thread.record["sys_ns"] += fault_ns
            thread.lost += fault_ns

    def operation_ends(self, thread: Thread, _: simpy.Event) -> None:
        """The thread begins the next, or is done."""
        core, record, latency = thread.core, thread.record, self.env.now - thread.began
        assert core is not None
        distance = int(thread.device != core.node)
        record["operations"] += 1
        record["done"][distance, thread.operation] += 1
        core.record["done"][distance, thread.operation] += 1
        self.state.flow[thread.device, core.node, thread.operation] += 1
        self.state.latency[bin_of(latency)] += 1
        record["latency_ns"] += latency
        if record["operations"] == record["quota"]:
            self.memory.held, thread.done = True, None
            self.dequeue(thread)
            self.tally["alive"] -= 1
            self.pull(core)
            self.go_on()
            return
        self.begin(thread)
        before, thread.kind = thread.kind, self.kind_of(thread, core)
        self.memory.counts[before] -= 1
        self.memory.counts[thread.kind] += 1
        self.progress(thread, core)

    def loss_ends(self, thread: Thread, _: simpy.Event) -> None:
        """The kernel's work is done: the thread goes on with its operation."""
        assert thread.core is not None
        thread.lost = 0.0
        self.progress(thread, thread.core)

    def kind_of(self, thread: Thread, core: Core) -> int:
        """Kind of the thread's operation on a core: node of the data, offset of the core's node, get or put."""
        offset = (core.node - thread.device) % self.machine.nodes
        return (offsets_of(self.machine.nodes) * thread.device + offset) * 2 + thread.operation

    # queues

    def enqueue(self, thread: Thread, core: Core) -> None:
        """A thread comes to a core, and runs if nobody does."""
        self.count_runnable(core)
        thread.core = core
        thread.record["core"] = core.number
        core.waiting.append(thread)
        if core.running is None:
            self.run_next(core)
            self.note_sibling(core)
        elif core.runnable == 2:
            self.set_slice(core)
        self.wake_balancers(core)

    def dequeue(self, thread: Thread) -> None:
        """A thread leaves its core; the next one runs."""
        core = thread.core
        assert core is not None
        self.count_runnable(core)
        if core.running is thread:
            self.stop(core)
        else:
            self.note_times(thread)
            core.waiting.remove(thread)
        if core.running is None:
            if core.waiting:
                self.run_next(core)
            else:
                self.note_sibling(core)
        if core.runnable < 2:
            self.slices[core.number].arm(np.inf)
        thread.core = None
        thread.record["core"] = NOBODY
        self.wake_balancers(core)

    def move(self, thread: Thread, core: Core) -> None:
        before = thread.core
        assert before is not None
        self.dequeue(thread)
        thread.record["migrations"] += 1
        thread.record["node_migrations"] += before.node != core.node
        self.enqueue(thread, core)

    def end_slice(self, core: Core) -> None:
        """The thread that runs goes to the end of the queue."""
        self.memory.held, thread = True, core.running
        assert thread is not None
        self.stop(core)
        core.waiting.append(thread)
        self.run_next(core)
        self.go_on()

    def set_slice(self, core: Core) -> None:
        """Slices are the shorter the more threads are ready."""
        length = max(float(self.setting["latency_ns"]) / core.runnable, float(self.setting["least_slice_ns"]))
        self.slices[core.number].arm(self.env.now + length)

    def run_next(self, core: Core) -> None:
        """The thread that has waited longest runs; a switch costs, and so do cold caches."""
        thread = core.waiting.popleft()
        self.note_times(thread)
        core.running = thread
        thread.kind = self.kind_of(thread, core)
        if core.last is not thread:
            thread.lost += float(self.setting["switch_ns"])
            thread.record["switches"] += 1
            thread.record["sys_ns"] += self.setting["switch_ns"]
            core.last = thread
        if thread.warm != core.physical:
            refill_ns = float(self.setting["refill_ns"][int(thread.device != core.node)])
            thread.left += refill_ns / float(self.rows.speeds.alone_ns[thread.kind])
            thread.warm = core.physical
        self.memory.advance()
        self.memory.counts[thread.kind] += 1
        self.progress(thread, core)
        if core.runnable > 1:
            self.set_slice(core)

    def stop(self, core: Core) -> None:
        """The thread that runs stops in the middle of its operation, or at the end of its last."""
        thread = core.running
        assert thread is not None
        self.note_times(thread)
        if thread.done is not None:
            left = self.memory.leave(thread.group, thread.done)
            if thread.group == self.lost_class:
                thread.lost = left
            else:
                thread.left = left
        self.memory.counts[thread.kind] -= 1
        core.running, thread.done, thread.stopped = None, None, self.env.now

    def progress(self, thread: Thread, core: Core) -> None:
        """A thread that runs loses the time of the kernel's work, then progresses, slower where its sibling is busy."""
        sibling, ends = self.sibling(core), self.operation_ends
        thread.group, work = 2 * thread.kind + (sibling is not None and sibling.running is not None), thread.left
        if thread.lost > 0.0:
            thread.group, work, ends = self.lost_class, thread.lost, self.loss_ends
        thread.done = self.memory.join(thread.group, work)
        thread.done.callbacks.append(partial(ends, thread))

    def sibling(self, core: Core) -> Core | None:
        number = int(core.record["sibling"])
        return None if number == NOBODY else self.cores[number]

    def note_sibling(self, core: Core) -> None:
        """A core has become busy or idle: its sibling's thread runs slower, or faster."""
        sibling = self.sibling(core)
        thread = None if sibling is None else sibling.running
        if sibling is None or thread is None or thread.done is None or thread.group == self.lost_class:
            return
        thread.left = self.memory.leave(thread.group, thread.done)
        self.progress(thread, sibling)

    def note_times(self, thread: Thread) -> None:
        """Bring the times of a thread, and of its core, up to date."""
        elapsed, record = self.env.now - float(thread.record["since_ns"]), thread.record
        record["since_ns"] = self.env.now
        if thread.core is not None and thread.core.running is thread:
            record["cpu_ns"] += elapsed
            thread.core.record["busy_ns"] += elapsed
        else:
            record["wait_ns"] += elapsed

    def count_runnable(self, core: Core) -> None:
        """Bring the integral of a core's threads up to date, before their number changes."""
        core.record["runnable_ns"] += core.runnable * (self.env.now - float(core.record["since_ns"]))
        core.record["since_ns"] = self.env.now
