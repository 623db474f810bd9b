"""A real process under the policies' hands: the same members as a run of the model (`pmtwin.sim.numa.run.Run`)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pmtwin.scenarios.numa_threads.native.masks import Masks
from pmtwin.scenarios.numa_threads.native.process_files import COUNTED, ENDED, MOST_THREADS, ThreadFiles
from pmtwin.scenarios.numa_threads.native.sources import Done, Source
from pmtwin.scenarios.numa_threads.native.topology import ELSEWHERE, Topology
from pmtwin.sim.numa.latencies import BINS, bin_edges
from pmtwin.sim.numa.load import FAR, NEAR
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.records import CORE, THREAD
from pmtwin.sim.numa.speed_rows import Costs
from pmtwin.sim.numa.window import CORE_COUNTERS, THREAD_COUNTERS, Counters, Window, window_between

NOBODY, NEVER = 0, -1
"""Instead of the kernel's number of a thread; instead of the time when it began."""

AGAIN_S, LONGEST_S = 0.02, 30.0
"""Time until threads that have not come to a processor are looked at again, and after which they are left alone."""


class NativeRun:
    """The threads of a process on nodes of processors.

    Threads are numbered as they come and keep their numbers; that of an ended one is given again. What one did in a
    window counts where it is at the window's end.

    Args:
        topology: the nodes. machine: the same, as the model has it.
        data_node: node of the data. source: the threads, and what they have done. costs: of their operations.
        masks: of their processors. near_of_node: of each node the share of the memory that is near its processors.
        threads: of the process, if no others count; none: all that come, while there are numbers (`MOST_THREADS`).

    Attributes:
        done: whether the process had ended at the last look.
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
    ):
        self.machine, self.costs = machine, costs
        self._topology, self._data_node, self._source, self._masks = topology, data_node, source, masks
        self._files, self._near_of_node = ThreadFiles(source.pid), np.array(near_of_node)
        self._core_at = {cpu: core for core, cpu in enumerate(topology.cpus)}
        self._node_of, self._bin_edges = machine.node_of, bin_edges()
        room = len(threads) or MOST_THREADS
        self._ids = [NOBODY] * room
        self._core_of, self._last = np.full(room, ELSEWHERE), np.zeros(room, COUNTED)
        self._began = time.monotonic()
        self._counters = _none_yet(machine, room)
        self._take_in(threads)
        self._look()
        self._counted = _copied(self._counters)

    @property
    def now_s(self) -> float:
        """Time since the start."""
        return time.monotonic() - self._began

    @property
    def core_of(self) -> np.ndarray:
        """Shape (T,): logical core of each thread at the last look; -1: it has ended, or is on another processor."""
        return self._core_of.copy()

    @property
    def affinity(self) -> np.ndarray:
        """Shape (T, C): logical cores that each thread may use; all while nobody has set its mask here."""
        masks = np.ones((len(self._ids), self.machine.processors), bool)
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
        number = self._ids[thread]
        if number == NOBODY:
            return
        if processors is None:
            self._masks.give_back(number)
        else:
            self._masks.assign(number, [self._topology.cpus[core] for core in processors])

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
        while self._masks.restore(self._files.ids()):
            pass  # a thread that began meanwhile may have inherited one
        self._files.close()
        self._source.close()

    def _worked(self) -> bool:
        """Whether any thread has had a processor in this window: on a busy machine none may have."""
        return bool((self._counters.thread["cpu_ns"] > self._counted.thread["cpu_ns"]).any())

    def _look(self) -> None:
        """Bring all counters up to date."""
        threads = self._files.ids()
        self.done = not threads
        self._take_in(threads)
        places = np.array([place for place, thread in enumerate(self._ids) if thread != NOBODY], np.int64)
        seen = self._files.look([self._ids[place] for place in places])
        there = seen["cpu"] != ENDED
        places, seen = places[there], seen[there]
        cores = np.array([self._core_at.get(cpu, ELSEWHERE) for cpu in seen["cpu"].tolist()], np.int64)
        before = self._before(places, seen)
        passed = {name: seen[name] - before[name] for name in ("cpu_ns", "wait_ns", "system_ns", "minor_faults")}
        near = self._near_of_node[self._nodes(cores)]
        done = self._source.look([self._ids[place] for place in places], passed["cpu_ns"], near)
        self._count(places, cores, done, passed)
        self._core_of[:] = ELSEWHERE
        self._core_of[places], self._last[places] = cores, seen
        bins = np.searchsorted(self._bin_edges, done.latency_ns[:, 0], side="right") - 1
        np.add.at(self._counters.latency, np.clip(bins, 0, BINS - 1), done.latency_ns[:, 1].astype(np.int64))
        self._counters = self._counters._replace(now_ns=1e9 * self.now_s)

    def _take_in(self, threads: Sequence[int]) -> None:
        """Those that have ended lose their numbers, and new ones get them, as far as they go."""
        now, known = set(threads), set(self._ids)
        for place, thread in enumerate(self._ids):
            if thread != NOBODY and thread not in now:
                self._masks.forget(thread)
                self._ids[place] = NOBODY
        free = [place for place, thread in enumerate(self._ids) if thread == NOBODY]
        for place, thread in zip(free, (thread for thread in threads if thread not in known), strict=False):
            self._ids[place] = thread
            self._masks.note(thread)
            self._core_of[place], self._last["began"][place] = ELSEWHERE, NEVER

    def _before(self, places: np.ndarray, seen: np.ndarray) -> np.ndarray:
        """Shape (T,), `COUNTED`: the counters of the last look; those of now of a thread that is new.

        The kernel too gives the number of an ended thread again: a new one is known by the time when it began.
        """
        new = self._last["began"][places] != seen["began"]
        return np.where(new, seen, self._last[places])

    def _nodes(self, cores: np.ndarray) -> np.ndarray:
        """Node of each logical core; of other processors: of the data."""
        return np.where(cores >= 0, self._node_of[cores], self._data_node)

    def _count(self, places: np.ndarray, cores: np.ndarray, done: Done, passed: Mapping[str, np.ndarray]) -> None:
        """Add what the threads did since the last look to the counters of threads, logical cores and flows."""
        counters, left, nodes = self._counters, self._core_of[places], self._nodes(cores)
        moved, work = (left >= 0) & (left != cores), done.cpu_ns + passed["wait_ns"]
        added = {
            "cpu_ns": done.cpu_ns,
            "sys_ns": np.minimum(passed["system_ns"], done.cpu_ns),
            "wait_ns": passed["wait_ns"],
            "latency_ns": work,  # a closed loop: it is always in an operation
            "operations": done.operations.sum(axis=(1, 2)),
            "done": done.operations,
            "migrations": moved,
            "node_migrations": moved & (self._nodes(left) != nodes),
            "minor_faults": passed["minor_faults"],
        }
        for name, numbers in added.items():
            counters.thread[name][places] += numbers
        there = cores >= 0
        for name, numbers in (("busy_ns", done.cpu_ns), ("runnable_ns", work), ("done", done.operations)):
            np.add.at(counters.core[name], cores[there], numbers[there])
        near, far = done.operations[there, NEAR], done.operations[there, FAR]
        others = np.where(nodes == self._data_node, (self._data_node + 1) % self.machine.nodes, nodes)[there]
        counters.flow[self._data_node, self._data_node] += near.sum(axis=0)
        np.add.at(counters.flow[self._data_node], others, far)


def _none_yet(machine: Machine, room: int) -> Counters:
    """Counters at the start."""
    threads, cores = _zeros(THREAD, THREAD_COUNTERS, room), _zeros(CORE, CORE_COUNTERS, machine.processors)
    flow = np.zeros((machine.nodes, machine.nodes, 2), np.int64)
    return Counters(0.0, threads, cores, flow, np.zeros(BINS, np.int64))


def _zeros(kind: np.dtype, names: Sequence[str], length: int) -> np.ndarray:
    return np.zeros(length, np.dtype([(name, kind[name].base, kind[name].shape) for name in names]))


def _copied(counters: Counters) -> Counters:
    return counters._replace(**{name: getattr(counters, name).copy() for name in counters._fields if name != "now_ns"})
