"""The balance between the queues, of the specification: Linux 4.18's `load_balance` in plain Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from itertools import chain

import numpy as np
import simpy

from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.records import DOMAINS, NUMA, SMT, SOCKET, State
from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment
from pmtwin.sim.stations.timers import Timer


class Core:
    def __init__(self, number: int, record: np.void):
        self.number, self.record = number, record
        self.node, self.physical = int(record["node"]), int(record["physical"])
        self.running: Thread | None = None
        self.waiting: deque[Thread] = deque()
        self.last: Thread | None = None

    @property
    def runnable(self) -> int:
        return len(self.waiting) + (self.running is not None)

    @property
    def threads(self) -> list[Thread]:
        return [*([] if self.running is None else [self.running]), *self.waiting]


class Thread:
    def __init__(self, number: int, record: np.void):
        self.number, self.record = number, record
        self.core: Core | None = None
        self.left, self.lost, self.kind, self.group = 0.0, 0.0, 0, 0
        self.operation, self.device, self.began = 0, 0, 0.0
        self.done: simpy.Event | None = None
        self.warm, self.stopped = -1, -np.inf


class Balance(ABC):
    """Moves of threads that the kernel makes by itself."""

    env: AbsoluteEnvironment
    kernel: Kernel
    state: State
    setting: np.void
    cores: list[Core]
    threads: list[Thread]
    failed: list[list[int]]
    due: np.ndarray
    looks: list[list[Timer]]

    @abstractmethod
    def move(self, thread: Thread, core: Core) -> None:
        """A thread goes to another core."""

    @abstractmethod
    def hold(self) -> None:
        """The kernel begins to move threads."""

    @abstractmethod
    def go_on(self) -> None:
        """The kernel has moved its threads: they go on."""

    def wake_balancers(self, changed: Core | None) -> None:
        """Queues or affinities have changed: cores that had found nothing to move look again, and the changed one."""
        if not self.kernel.balance:
            return
        for core in self.cores:
            for domain in range(DOMAINS):
                if self.setting["weight_ns"][domain] and (core is changed or self.due[core.number, domain] == np.inf):
                    self.failed[core.number][domain] = 0
                    self.look_after(core, domain, 1.0 + core.number / len(self.cores))

    def look_after(self, core: Core, domain: int, intervals: float) -> None:
        """A core looks into a domain after some intervals, which are longer while it is busy."""
        factor = float(self.setting["busy_factor"]) if core.runnable else 1.0
        due = self.env.now + float(self.setting["weight_ns"][domain]) * factor * intervals
        self.due[core.number, domain] = due
        self.looks[core.number][domain].arm(due)

    def look(self, core: Core, domain: int) -> None:
        """A core looks for threads in one of its domains."""
        self.due[core.number, domain] = np.inf
        source, number = self.busiest(core, domain) if self.is_first(core, domain) else (None, 0)
        if source is None:
            return
        self.hold()
        if self.pull_waiting(core, domain, source, number):
            self.failed[core.number][domain] = 0
        else:
            self.failed[core.number][domain] += 1
            if self.failed[core.number][domain] > domain + 2:
                thread = source.running
                if thread is not None and self.may_run(thread, core):
                    self.move(thread, core)
                    self.pull(source)
                self.failed[core.number][domain] = domain + 1
        self.look_after(core, domain, 1.0)
        self.go_on()

    def pull(self, core: Core) -> None:
        """A core that has become idle takes a thread that waits, from as near as there is one."""
        if not self.kernel.balance or core.runnable:
            return
        for domain in range(DOMAINS):
            if self.setting["weight_ns"][domain]:
                source, _ = self.busiest(core, domain)
                if source is not None and self.pull_waiting(core, domain, source, 1):
                    return

    def pull_waiting(self, core: Core, domain: int, source: Core, most: int) -> int:
        """Moves up to so many threads that wait, who has waited longest first, and returns their number.

        Who has just run is spared until some looks in a row were in vain.
        """
        spares, hot_ns = self.failed[core.number][domain] <= domain, float(self.setting["hot_ns"])
        movable = [
            thread
            for thread in source.waiting
            if self.may_run(thread, core) and not (spares and self.env.now - thread.stopped < hot_ns)
        ]
        for thread in movable[:most]:
            self.move(thread, core)
        return len(movable[:most])

    def busiest(self, core: Core, domain: int) -> tuple[Core | None, int]:
        """(core with the longest queue of the busiest group, how many threads to pull); None: all in balance."""
        groups: dict[int, list[Core]] = {}
        for other in self.inside(core, domain):
            groups.setdefault(self.group(other, domain), []).append(other)
        sums = {name: sum(member.runnable for member in group) for name, group in groups.items()}
        name = self.group(core, domain)
        least, mean = sums[name], sum(sums.values()) / len(list(chain(*groups.values()))) * len(groups[name])
        choices = [
            other
            for other in self.inside(core, domain)
            if self.group(other, domain) != name and any(self.may_run(thread, core) for thread in other.threads)
        ]
        if not choices:
            return None, 0
        source = max(choices, key=lambda other: (sums[self.group(other, domain)], other.runnable, -other.number))
        most, size = sums[self.group(source, domain)], len(groups[name])
        idle = [sum(not member.runnable for member in groups[self.group(each, domain)]) for each in (core, source)]
        if not core.runnable and least < size and (most > size or (domain == SOCKET and most > least + 1)):
            unbalanced = True
        elif most <= least or least >= mean:
            unbalanced = False
        elif not core.runnable:
            unbalanced = idle[0] > idle[1] + 1
        else:
            unbalanced = most > float(self.setting["excess"][domain]) * least
        return (source, max(1, int(min(most - mean, mean - least) + 0.5))) if unbalanced else (None, 0)

    def is_first(self, core: Core, domain: int) -> bool:
        """Whether the core looks on behalf of its group: its first idle core, else its first."""
        group = [other for other in self.inside(core, domain) if self.group(other, domain) == self.group(core, domain)]
        return core is next((other for other in group if not other.runnable), group[0])

    def inside(self, core: Core, domain: int) -> list[Core]:
        """Cores of a domain of a core."""
        if domain == NUMA:
            return self.cores
        nearest = [other for other in self.cores if other.node == core.node]
        return nearest if domain == SOCKET else [other for other in nearest if other.physical == core.physical]

    @staticmethod
    def group(core: Core, domain: int) -> int:
        """Group of a core among those of a domain."""
        return {SMT: core.number, SOCKET: core.physical, NUMA: core.node}[domain]

    def may_run(self, thread: Thread, core: Core) -> bool:
        return bool(self.state.allowed[thread.number, core.number])

    def confine(self) -> None:
        self.hold()
        for thread in self.threads:
            before = thread.core
            if before is not None and not self.may_run(thread, before):
                allowed = [core for core in self.cores if self.may_run(thread, core)]
                self.move(thread, min(allowed, key=lambda core: core.runnable))
                self.pull(before)
        self.wake_balancers(None)
        self.go_on()
