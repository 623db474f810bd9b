"""A client's connection to a server (OSC) in engine `simpy`: dirty data, reads, window, rate limit, averages."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmtwin.sim.lustre.client import SMOOTHING
from pmtwin.sim.stations.gate import SpecifiedGate
from pmtwin.sim.stations.hard_disk import READ, WRITE
from pmtwin.sim.stations.ordered import NEVER

if TYPE_CHECKING:
    from pmtwin.sim.lustre.specification import Thread
    from pmtwin.sim.stations.timers import Timer


@dataclass(eq=False)
class Rpc:
    """A request of an OSC and its answer; `count`: units from `unit` on; `thread`: who reads."""

    osc: Osc
    kind: int
    unit: int
    count: int
    sent_ns: float
    thread: Thread | None = None
    asked_ns: float = 0.0
    at_ns: float = 0.0
    came_ns: float = 0.0
    served_ns: float = 0.0


class Osc:
    """An OSC.

    Args:
        units: of its data. unit_bytes: size of one. dirty_bytes: most that are dirty. rpc_units: most of an RPC.
        piece: units of a disk's data that lie together.
    """

    def __init__(
        self, client: int, server: int, units: int, unit_bytes: int, dirty_bytes: int, rpc_units: int, piece: int
    ):
        self.client, self.server, self._units, self._unit_bytes = client, server, units, unit_bytes
        self._before, self._piece = client * units, piece
        self._most_dirty, self._rpc_units, self._room = dirty_bytes, rpc_units, 2 * (dirty_bytes // unit_bytes) + 1
        self.gate, self.turn, self.due, self.timer_ns = SpecifiedGate(8, 0.0), READ, False, NEVER
        self.timer: Timer
        self.reads: deque[tuple[Thread, int, float]] = deque()
        self.blocked: deque[Thread] = deque()
        self.dirty, self.fresh = 0, set[int]()
        self._line, self._taken = deque[int](), set[int]()
        self.bytes, self.rpcs, self.hits, self.accepted = [0, 0], [0, 0], [0, 0], 0
        self.ack_ns = self.send_ns = self.process_ns = 0.0
        self.least_process_ns, self._replied_ns, self._replied_sent_ns = NEVER, 0.0, 0.0

    @property
    def has_room(self) -> bool:
        """Whether another unit may become dirty."""
        return self.dirty + self._unit_bytes <= self._most_dirty

    def write(self, unit: int) -> None:
        """A unit is written to the cache."""
        self.accepted += 1
        if unit in self.fresh:
            self.hits[WRITE] += 1
            return
        self.fresh.add(unit)
        self.dirty += self._unit_bytes
        if unit in self._taken:
            self._taken.remove(unit)
            return
        if len(self._line) == self._room:
            self._line = deque(dirty for dirty in self._line if dirty not in self._taken)
            self._taken.clear()
        self._line.append(unit)

    def next_rpc(self, now_ns: float) -> Rpc:
        """The next RPC: a read or a run of dirty units, in turn where there are both."""
        kind = self.turn
        if not self.reads:
            kind = WRITE
        elif not self.fresh:
            kind = READ
        self.turn = 1 - kind
        self.gate.send(now_ns)
        if kind == READ:
            thread, unit, asked_ns = self.reads.popleft()
            return Rpc(self, READ, unit, 1, now_ns, thread, asked_ns)
        first, count = self._run()
        return Rpc(self, WRITE, first, count, now_ns)

    def _run(self) -> tuple[int, int]:
        """The oldest dirty unit with those beside it, from the lowest on."""
        first = self._line.popleft()
        while first in self._taken:
            self._taken.remove(first)
            first = self._line.popleft()
        self.fresh.remove(first)
        last = first
        while last - first + 1 < self._rpc_units and first - 1 in self.fresh and self._together(first):
            first -= 1
            self._take(first)
        while last - first + 1 < self._rpc_units and last + 1 in self.fresh and self._together(last + 1):
            last += 1
            self._take(last)
        return first, last - first + 1

    def _together(self, unit: int) -> bool:
        """Whether a unit lies on the disk behind the one before it."""
        return (self._before + unit) % self._piece > 0

    def _take(self, unit: int) -> None:
        self.fresh.remove(unit)
        self._taken.add(unit)

    def note_answer(self, rpc: Rpc, now_ns: float) -> None:
        """An answer has come."""
        if self._replied_ns > 0.0:
            self.ack_ns += SMOOTHING * (now_ns - self._replied_ns - self.ack_ns)
            self.send_ns += SMOOTHING * (abs(rpc.sent_ns - self._replied_sent_ns) - self.send_ns)
        self._replied_ns, self._replied_sent_ns = now_ns, rpc.sent_ns
        self.process_ns = rpc.served_ns - rpc.came_ns
        self.least_process_ns = min(self.least_process_ns, self.process_ns)
        self.gate.answer()
        self.bytes[rpc.kind] += rpc.count * self._unit_bytes
        self.rpcs[rpc.kind] += 1
        if rpc.kind == WRITE:
            self.dirty -= rpc.count * self._unit_bytes
