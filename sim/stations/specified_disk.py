"""A hard disk with its queues in engine `simpy`: what `disk_queue` and `deadline` compute, written independently."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pmtwin.sim.stations.deadline import Deadline
from pmtwin.sim.stations.hard_disk import READ, WRITE, HardDisk
from pmtwin.sim.stations.positioning import positioning_ns
from pmtwin.sim.stations.timers import Timer

if TYPE_CHECKING:
    from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment


@dataclass
class Request:
    """Data that somebody asks a disk for; `who`: whatever the asker wants to know it by."""

    address: int
    length: int
    kind: int
    who: Any = None


@dataclass(eq=False)
class Command:
    """One or several merged requests."""

    address: int
    length: int
    kind: int
    number: int
    came_ns: float
    sent_ns: float = 0.0
    members: list[Request] = field(default_factory=list)


@dataclass
class Counters:
    """Counts of a disk, by kind; times in ns, busy and seeking or turning."""

    came: list[int] = field(default_factory=lambda: [0, 0])
    done: list[int] = field(default_factory=lambda: [0, 0])
    bytes: list[int] = field(default_factory=lambda: [0, 0])
    commands: list[int] = field(default_factory=lambda: [0, 0])
    expired: list[int] = field(default_factory=lambda: [0, 0])
    busy_ns: float = 0.0
    moving_ns: float = 0.0


class Elevator:
    """Linux's deadline scheduler, of Linux 3.10."""

    def __init__(self, deadline: Deadline, counters: Counters):
        self._deadline, self._counters = deadline, counters
        self._expire_ns = deadline.record()["expire_ns"][0].tolist()
        self._most_bytes = deadline.command_kib * 1024
        self._sorted: tuple[list[Command], list[Command]] = [], []
        self._next: list[Command | None] = [None, None]
        self._batched = self._starved = self._numbers = 0

    def __len__(self):
        return sum(map(len, self._sorted))

    def merged(self, request: Request) -> bool:
        """Whether the request has become part of a waiting command: at its end, or before its begin."""
        waiting = self._sorted[request.kind]
        place = self._place(request)
        if place > 0 and self._fits(waiting[place - 1], request):
            before = waiting[place - 1]
            if before.address + before.length == request.address:
                before.length += request.length
                before.members.append(request)
                return True
        if place < len(waiting) and self._fits(waiting[place], request):
            after = waiting[place]
            if request.address + request.length == after.address:
                after.address -= request.length
                after.length += request.length
                after.members.append(request)
                return True
        return False

    def add(self, request: Request, now_ns: float) -> None:
        """The request waits as a command."""
        command = Command(request.address, request.length, request.kind, self._numbers, now_ns, members=[request])
        self._numbers += 1
        self._sorted[request.kind].insert(self._place(request), command)

    def take(self, now_ns: float) -> Command:
        """The command that goes to the drive; there is one."""
        following = self._next[READ] or self._next[WRITE]
        if following is None or self._batched >= self._deadline.fifo_batch:
            following = self._first_of_batch(now_ns)
            self._batched = 0
        self._batched += 1
        waiting = self._sorted[following.kind]
        place = waiting.index(following)
        self._next = [None, None]
        self._next[following.kind] = waiting[place + 1] if place + 1 < len(waiting) else None
        del waiting[place]
        return following

    def _first_of_batch(self, now_ns: float) -> Command:
        reads, writes = self._sorted
        kind = READ
        if writes and not reads:
            kind, self._starved = WRITE, 0
        elif writes:
            if self._starved >= self._deadline.writes_starved:
                kind, self._starved = WRITE, 0
            else:
                self._starved += 1
        oldest = min(self._sorted[kind], key=lambda command: command.number)
        if now_ns > oldest.came_ns + self._expire_ns[kind]:
            self._counters.expired[kind] += 1
            return oldest
        return self._next[kind] or oldest

    def _fits(self, command: Command, request: Request) -> bool:
        return command.length + request.length <= self._most_bytes

    def _place(self, request: Request) -> int:
        return sum(command.address <= request.address for command in self._sorted[request.kind])


class SpecifiedDisk:
    """A hard disk with its elevator.

    Args:
        done: called with the requests of each command that has ended, once the next command has begun.
        priority: of its events among those of the same instant.
    """

    def __init__(
        self,
        env: AbsoluteEnvironment,
        hard_disk: HardDisk,
        deadline: Deadline,
        done: Callable[[list[Request]], None],
        priority: int,
    ):
        self._env, self._done = env, done
        self._hard_disk, self._slots = hard_disk.record()[0], deadline.slots
        self._depth, self._patience_ns = hard_disk.drive_depth, float(self._hard_disk["patience_ns"])
        self.counters = Counters()
        self._elevator = Elevator(deadline, self.counters)
        self._taken, self._line = [0, 0], (deque[Request](), deque[Request]())
        self._drive: list[Command] = []
        self._current: Command | None = None
        self._head, self._settled_ns, self._last_kind, self._begun_ns = 0, 0.0, READ, 0.0
        self._end = Timer(env, self._complete, priority)

    def submit(self, request: Request) -> None:
        """Somebody asks for data."""
        self.counters.came[request.kind] += 1
        if self._elevator.merged(request):
            return
        if self._taken[request.kind] == self._slots:
            self._line[request.kind].append(request)
            return
        self._add(request)
        self._go_on()

    def busy_ns(self) -> float:
        """Time with a command so far, that of the command under way too."""
        return self.counters.busy_ns + (self._env.now - self._begun_ns if self._current is not None else 0.0)

    def _add(self, request: Request) -> None:
        self._taken[request.kind] += 1
        self._elevator.add(request, self._env.now)

    def _complete(self) -> None:
        command, counters, now = self._current, self.counters, self._env.now
        assert command is not None
        kind = command.kind
        self._head, self._settled_ns, self._last_kind = command.address + command.length, now, kind
        counters.busy_ns += now - self._begun_ns
        counters.commands[kind] += 1
        counters.done[kind] += len(command.members)
        counters.bytes[kind] += sum(request.length for request in command.members)
        self._drive.remove(command)
        self._current = None
        self._taken[kind] -= 1
        if self._line[kind]:
            self._add(self._line[kind].popleft())
        self._go_on()
        self._done(command.members)

    def _go_on(self) -> None:
        """The drive takes what it has room for, and begins if it is idle."""
        while len(self._drive) < self._depth and len(self._elevator):
            command = self._elevator.take(self._env.now)
            command.sent_ns = self._env.now
            self._drive.append(command)
        if self._current is None and self._drive:
            self._begin()

    def _begin(self) -> None:
        now = self._env.now
        if now - self._drive[0].sent_ns > self._patience_ns:
            nearest = self._drive[0]
        else:
            nearest = min(self._drive, key=self._moving_ns)
        moving_ns = self._moving_ns(nearest)
        self._current, self._begun_ns = nearest, now
        self.counters.moving_ns += moving_ns
        self._end.arm(now + (moving_ns + nearest.length * float(self._hard_disk["byte_ns"][nearest.kind])))

    def _moving_ns(self, command: Command) -> float:
        """Seek and rotation; none for a read that goes on where the last one ended."""
        if command.address == self._head and command.kind == READ == self._last_kind:
            return 0.0
        return positioning_ns(self._hard_disk, self._head, self._settled_ns, command.address, self._env.now)
