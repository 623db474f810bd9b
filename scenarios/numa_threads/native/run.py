"""A real process under the policies' hands: the same members as a run of the model (`pmtwin.sim.numa.run.Run`)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import numpy as np

from pmtwin.scenarios.numa_threads.native.masks import Masks
from pmtwin.scenarios.numa_threads.native.process_files import MOST_THREADS, Counted, ThreadFiles
from pmtwin.scenarios.numa_threads.native.sources import Source
from pmtwin.scenarios.numa_threads.native.topology import ELSEWHERE, Topology
from pmtwin.sim.numa.latencies import BINS, bin_edges
from pmtwin.sim.numa.load import FAR, NEAR
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.records import CORE, THREAD
from pmtwin.sim.numa.speed_rows import Costs
from pmtwin.sim.numa.window import CORE_COUNTERS, THREAD_COUNTERS, Counters, Window, window_between

AGAIN_S, LONGEST_S = 0.02, 30.0
"""Time until threads that have not come to a processor are looked at again, and after which they are left alone."""


class NativeRun:
    """The threads of a process on nodes of processors.

    Threads are numbered as they come, and keep their numbers; there is room for as many as ever come. Where the CPU
    time and the operations of a thread fell in a window is counted where it is at the window's end.

    Args:
        topology: the nodes. machine: the same, as the model has it.
        data_node: node of the data. source: the threads, and what they have done. costs: of their operations.
        masks: of their processors. near_of_node: of each node the share of the memory that is near its processors.
        threads: numbers of the first ones. room: most threads; what comes beyond is left alone.
    """

    def __init__(
        self,
        topology: Topology,
        machine: Machine,
        data_node: int,
        source: Source,
        costs: Costs,
        masks: Masks,
        near_of_node: Sequence[float],
        threads: Sequence[int] = (),
        room: int = MOST_THREADS,
    ):
        self.machine, self.costs = machine, costs
        self._topology, self._data_node, self._source, self._masks = topology, data_node, source, masks
        self._files = ThreadFiles(source.pid)
        self._room, self._near_of_node = room, near_of_node
        self._ids: list[int] = list(threads)
        self._core_at = {cpu: core for core, cpu in enumerate(topology.cpus)}
        self._core_of = np.full(room, ELSEWHERE)
        self._last: dict[int, Counted] = {}
        self._last_done: dict[int, np.ndarray] = {}
        self._began = time.monotonic()
        self._counters = _none_yet(machine, room)
        self._look()
        self._counted = _copied(self._counters)

    @property
    def now_s(self) -> float:
        """Time since the start."""
        return time.monotonic() - self._began

    @property
    def done(self) -> bool:
        """Whether the process has ended."""
        return not self._files.ids()

    @property
    def core_of(self) -> np.ndarray:
        """Shape (T,): logical core of each thread at the last look; -1: it has ended, or is on another processor."""
        return self._core_of.copy()

    @property
    def affinity(self) -> np.ndarray:
        """Shape (T, C): logical cores that each thread may use; all while nobody has set its mask here."""
        masks = np.ones((self._room, self.machine.processors), bool)
        for place, thread in enumerate(self._ids):
            if self._masks.changed(thread):
                mask = self._masks.of(thread)
                masks[place] = [cpu in mask for cpu in self._topology.cpus]
        return masks

    def advance(self, until_s: float) -> None:
        """Let the process run until then."""
        time.sleep(max(until_s - self.now_s, 0.0))

    def set_affinity(self, thread: int, processors: Iterable[int] | None) -> None:
        """A thread may use these logical cores from now on; None: the processors that it might use before."""
        if thread >= len(self._ids):
            return
        if processors is None:
            self._masks.give_back(self._ids[thread])
        else:
            self._masks.assign(self._ids[thread], [self._topology.cpus[core] for core in processors])

    def set_affinities(self, processors: Sequence[Iterable[int] | None]) -> None:
        """The same for several threads, from the first on."""
        for thread, cores in enumerate(processors):
            self.set_affinity(thread, cores)

    def window(self) -> Window:
        """What happened since the last call, or the start; of threads that always work something has."""
        self._look()
        latest_s = self.now_s + LONGEST_S
        while self._source.always_works and not self._worked() and self.now_s < latest_s:
            time.sleep(AGAIN_S)
            self._look()
        before, self._counted = self._counted, _copied(self._counters)
        return window_between(before, self._counted, self.costs)

    def close(self) -> None:
        """The threads get their masks of before, and the process that was started for the run ends."""
        self._masks.restore(self._files.ids())
        self._source.close()

    def _worked(self) -> bool:
        """Whether any thread has had a processor in this window: on a busy machine none may have."""
        return bool((self._counters.thread["cpu_ns"] > self._counted.thread["cpu_ns"]).any())

    def _look(self) -> None:
        """Bring all counters up to date."""
        seen = {thread: each for thread in self._known() if (each := self._files.look(thread)) is not None}
        cores = {thread: self._core_at.get(each.cpu, ELSEWHERE) for thread, each in seen.items()}
        nodes = {thread: self._node(core) for thread, core in cores.items()}
        done = self._source.look(seen, {thread: self._near_of_node[node] for thread, node in nodes.items()})
        for place, thread in enumerate(self._ids):
            before, now = self._core_of[place], cores.get(thread, ELSEWHERE)
            self._core_of[place] = now
            if thread in seen:
                counted = seen[thread]._replace(cpu_ns=done.cpu_ns.get(thread, seen[thread].cpu_ns))
                moved = 0 <= before != now, before >= 0 and self._node(before) != nodes[thread]
                self._count(place, thread, counted, done.of_thread.get(thread, np.zeros((2, 2), np.int64)), moved)
        places = np.searchsorted(bin_edges(), done.latency_ns[:, 0], side="right") - 1
        np.add.at(self._counters.latency, np.clip(places, 0, BINS - 1), done.latency_ns[:, 1].astype(np.int64))
        self._counters = self._counters._replace(now_ns=1e9 * self.now_s)

    def _known(self) -> list[int]:
        """All threads so far; new ones get a number while there is room."""
        known = set(self._ids)
        for thread in self._files.ids():
            if thread not in known and len(self._ids) < self._room:
                self._ids.append(thread)
        for thread in self._ids:
            self._masks.note(thread)
        return self._ids

    def _node(self, core: int) -> int:
        return int(self.machine.node_of[core]) if core >= 0 else self._data_node

    def _count(self, place: int, thread: int, seen: Counted, done: np.ndarray, moved: tuple[bool, bool]) -> None:
        """Add what a thread did since the last look."""
        before = self._last.get(thread, seen)
        new = done - self._last_done.get(thread, done)
        self._last[thread], self._last_done[thread] = seen, done
        cpu, wait = seen.cpu_ns - before.cpu_ns, seen.wait_ns - before.wait_ns
        row, core = self._counters.thread, int(self._core_of[place])
        added = {
            "cpu_ns": cpu,
            "sys_ns": min(seen.system_ns - before.system_ns, cpu),
            "wait_ns": wait,
            "latency_ns": cpu + wait,  # a closed loop: it is always in an operation
            "operations": int(new.sum()),
            "migrations": int(moved[0]),
            "node_migrations": int(moved[1]),
            "minor_faults": seen.minor_faults - before.minor_faults,
        }
        for name, value in added.items():
            row[name][place] += value
        row["done"][place] += new
        if core < 0:
            return
        cores, node = self._counters.core, self._node(core)
        cores["busy_ns"][core] += cpu
        cores["runnable_ns"][core] += cpu + wait
        cores["done"][core] += new
        other = node if node != self._data_node else (self._data_node + 1) % self.machine.nodes
        self._counters.flow[self._data_node, self._data_node] += new[NEAR]
        self._counters.flow[self._data_node, other] += new[FAR]


def _none_yet(machine: Machine, room: int) -> Counters:
    """Counters at the start."""
    threads, cores = _zeros(THREAD, THREAD_COUNTERS, room), _zeros(CORE, CORE_COUNTERS, machine.processors)
    flow = np.zeros((machine.nodes, machine.nodes, 2), np.int64)
    return Counters(0.0, threads, cores, flow, np.zeros(BINS, np.int64))


def _zeros(kind: np.dtype, names: Sequence[str], length: int) -> np.ndarray:
    return np.zeros(length, np.dtype([(name, kind[name].base, kind[name].shape) for name in names]))


def _copied(counters: Counters) -> Counters:
    return counters._replace(**{name: getattr(counters, name).copy() for name in counters._fields if name != "now_ns"})
