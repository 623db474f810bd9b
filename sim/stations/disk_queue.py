"""Hard disks with their queues, compiled: slots, elevator, the drive's own queue, the command under way.

Who asks for data is a member: a number from 0 on, whose request is `Disks.member`. At the end of a command, in this
order: its slot is free, and the request that has waited longest for one of its kind takes it; the drive is filled from
the elevator; the next command begins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.stations.deadline import NOTHING, Deadline
from pmtwin.sim.stations.elevator import dispatch, insert, merge, place_behind
from pmtwin.sim.stations.hard_disk import READ, HardDisk
from pmtwin.sim.stations.lines import NOBODY, empty_lines, join_line, leave_line
from pmtwin.sim.stations.ordered import NEVER
from pmtwin.sim.stations.positioning import positioning_ns

MEMBER = np.dtype([("address", "i8"), ("length", "i8"), ("kind", "i8")])

COMMAND = np.dtype([
    ("address", "i8"), ("length", "i8"), ("kind", "i8"), ("number", "i8"), ("came_ns", "f8"), ("sent_ns", "f8"),
    ("first", "i8"), ("last", "i8"),  # of its members
])  # fmt: skip

DISK = np.dtype([
    ("head", "i8"), ("settled_ns", "f8"), ("last_kind", "i8"),  # address below the head at a time; kind of what ended
    ("current", "i8"), ("end_ns", "f8"), ("begun_ns", "f8"),  # place in the drive of the command under way
    ("batch_kind", "i8"), ("following", "i8"), ("batched", "i8"), ("starved", "i8"),  # as in `deadline`
    ("number", "i8"), ("free", "i8"), ("in_drive", "i8"), ("waiting", "i8", (2,)), ("taken", "i8", (2,)),
    ("came", "i8", (2,)), ("done", "i8", (2,)), ("bytes", "i8", (2,)),  # requests by kind
    ("commands", "i8", (2,)), ("expired", "i8", (2,)), ("busy_ns", "f8"), ("moving_ns", "f8"),
])  # fmt: skip


PLACED = np.dtype([("address", "i8"), ("slot", "i8")])


class Disks(NamedTuple):
    """D disks with S slots, and M members.

    Fields:
        hard_disk, deadline: shape (1,), what all disks are. disk: shape (D,). member: shape (M,), of `MEMBER`.
        command: shape (D, S). free: shape (D, S), slots without a command.
        sorted: shape (D, 2, S), of `PLACED`, those in the elevator by kind.
        drive: shape (D, depth), of `PLACED`, those in the drive in the order in which they came.
        front, back: shape (2 D,), lines of those who wait for a slot. behind: shape (M,), of these lines, and of the
            members of a command.
    """

    hard_disk: np.ndarray
    deadline: np.ndarray
    disk: np.ndarray
    member: np.ndarray
    command: np.ndarray
    free: np.ndarray
    sorted: np.ndarray
    drive: np.ndarray
    front: np.ndarray
    back: np.ndarray
    behind: np.ndarray


def make_disks(count: int, members: int, hard_disk: HardDisk, deadline: Deadline) -> Disks:
    """Disks without work, their heads at address 0."""
    slots, depth = 2 * deadline.slots, hard_disk.drive_depth
    disk = np.zeros(count, DISK)
    disk["current"], disk["following"], disk["end_ns"], disk["free"] = NOTHING, NOTHING, NEVER, slots
    lines = empty_lines(2 * count, members)
    return Disks(
        hard_disk.record(),
        deadline.record(),
        disk,
        np.zeros(members, MEMBER),
        np.zeros((count, slots), COMMAND),
        np.tile(np.arange(slots), (count, 1)),
        np.zeros((count, 2, slots), PLACED),
        np.zeros((count, depth), PLACED),
        *lines,
    )


@njit(cache=True, _nrt=False)
def submit(disks, d, member, now_ns):
    """A member asks a disk for the data of its request."""
    disk, asked = disks.disk[d], disks.member[member]
    kind = asked.kind
    disk.came[kind] += 1
    place = place_behind(disks, d, kind, asked.address)
    if merge(disks, d, kind, place, member):
        return
    if disk.taken[kind] == disks.deadline[0].slots:
        join_line(disks, 2 * d + kind, member)
        return
    insert(disks, d, kind, place, member, now_ns)
    _go_on(disks, d, now_ns)


@njit(cache=True, _nrt=False)
def complete(disks, d, now_ns):
    """The command under way ends; returns the first of its members, behind whom the others are in `behind`."""
    disk = disks.disk[d]
    slot = disks.drive[d, disk.current].slot
    command = disks.command[d, slot]
    kind, first = command.kind, command.first
    disk.head, disk.settled_ns, disk.last_kind = command.address + command.length, now_ns, kind
    disk.busy_ns += now_ns - disk.begun_ns
    disk.commands[kind] += 1
    member = first
    while member != NOBODY:
        disk.done[kind] += 1
        disk.bytes[kind] += disks.member[member].length
        member = disks.behind[member]
    disk.in_drive -= 1
    for place in range(disk.current, disk.in_drive):
        disks.drive[d, place] = disks.drive[d, place + 1]
    disk.current, disk.end_ns = NOTHING, NEVER
    disks.free[d, disk.free] = slot
    disk.free += 1
    disk.taken[kind] -= 1
    member = leave_line(disks, 2 * d + kind)
    if member != NOBODY:
        insert(disks, d, kind, place_behind(disks, d, kind, disks.member[member].address), member, now_ns)
    _go_on(disks, d, now_ns)
    return first


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def _go_on(disks, d, now_ns):
    """The drive takes what it has room for, and begins if it is idle."""
    disk = disks.disk[d]
    while disk.in_drive < disks.hard_disk[0].depth and disk.waiting[0] + disk.waiting[1] > 0:
        slot = dispatch(disks, d, now_ns)
        command = disks.command[d, slot]
        command.sent_ns = now_ns
        placed = disks.drive[d, disk.in_drive]
        placed.address, placed.slot = command.address, slot
        disk.in_drive += 1
    if disk.current == NOTHING and disk.in_drive > 0:
        _begin(disks, d, now_ns)


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def _begin(disks, d, now_ns):
    """The drive begins with the nearest command; of equally near ones with that which came first."""
    disk, hard_disk = disks.disk[d], disks.hard_disk[0]
    head, settled_ns = disk.head, disk.settled_ns
    best, least_ns, last = 0, NEVER, disk.in_drive
    if now_ns - disks.command[d, disks.drive[d, 0].slot].sent_ns > hard_disk.patience_ns:
        last = 1
    for place in range(last):
        address = disks.drive[d, place].address
        moving_ns = positioning_ns(hard_disk, head, settled_ns, address, now_ns)
        if address == head and disk.last_kind == READ and disks.command[d, disks.drive[d, place].slot].kind == READ:
            moving_ns = 0.0
        if moving_ns < least_ns:
            best, least_ns = place, moving_ns
    command = disks.command[d, disks.drive[d, best].slot]
    disk.current, disk.begun_ns = best, now_ns
    disk.moving_ns += least_ns
    disk.end_ns = now_ns + (least_ns + command.length * hard_disk.byte_ns[command.kind])
