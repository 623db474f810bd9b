"""The deadline scheduler (`deadline`), compiled: commands of a disk that wait, sorted by address."""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.stations.deadline import NOTHING
from pmtwin.sim.stations.hard_disk import READ, WRITE
from pmtwin.sim.stations.lines import NOBODY


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def place_behind(disks, d, kind, address):
    """The place among the waiting commands of a kind behind all whose addresses are not greater."""
    low, high = 0, disks.disk[d].waiting[kind]
    while low < high:
        middle = (low + high) >> 1
        if disks.sorted[d, kind, middle].address <= address:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def merge(disks, d, kind, place, member):
    """Whether a request touches a waiting command, whose part it then is; `place`: as `place_behind`."""
    asked = disks.member[member]
    most = disks.deadline[0].most_bytes
    if place > 0:
        command = disks.command[d, disks.sorted[d, kind, place - 1].slot]
        if command.address + command.length == asked.address and command.length + asked.length <= most:
            command.length += asked.length
            _join(disks, command, member)
            return True
    if place < disks.disk[d].waiting[kind]:
        command = disks.command[d, disks.sorted[d, kind, place].slot]
        if asked.address + asked.length == command.address and command.length + asked.length <= most:
            command.address = asked.address
            command.length += asked.length
            disks.sorted[d, kind, place].address = asked.address
            _join(disks, command, member)
            return True
    return False


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def _join(disks, command, member):
    disks.behind[command.last] = member
    disks.behind[member] = NOBODY
    command.last = member


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def insert(disks, d, kind, place, member, now_ns):
    """A request becomes a waiting command; there is a free slot."""
    disk, asked = disks.disk[d], disks.member[member]
    disk.free -= 1
    slot = disks.free[d, disk.free]
    command = disks.command[d, slot]
    command.address, command.length, command.kind = asked.address, asked.length, kind
    command.number, command.came_ns = disk.number, now_ns
    command.first, command.last = member, member
    disks.behind[member] = NOBODY
    disk.number += 1
    disk.taken[kind] += 1
    for other in range(disk.waiting[kind], place, -1):
        disks.sorted[d, kind, other] = disks.sorted[d, kind, other - 1]
    disks.sorted[d, kind, place].address = asked.address
    disks.sorted[d, kind, place].slot = slot
    disk.waiting[kind] += 1
    if disk.batch_kind == kind and disk.following != NOTHING and place <= disk.following:
        disk.following += 1


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def dispatch(disks, d, now_ns):
    """The waiting command that goes to the drive next; it waits no more. There is one."""
    disk, deadline = disks.disk[d], disks.deadline[0]
    kind, place = disk.batch_kind, disk.following
    if place == NOTHING or disk.batched >= deadline.batch:
        last_kind, kind = kind, READ
        if disk.waiting[WRITE] > 0:
            if disk.waiting[READ] == 0 or disk.starved >= deadline.starved:
                kind, disk.starved = WRITE, 0
            else:
                disk.starved += 1
        oldest = _oldest(disks, d, kind)
        command = disks.command[d, disks.sorted[d, kind, oldest].slot]
        if now_ns > command.came_ns + deadline.expire_ns[kind]:
            disk.expired[kind] += 1
            place = oldest
        elif kind != last_kind or place == NOTHING:
            place = oldest
        disk.batched = 0
    slot = disks.sorted[d, kind, place].slot
    disk.batched += 1
    disk.waiting[kind] -= 1
    for other in range(place, disk.waiting[kind]):
        disks.sorted[d, kind, other] = disks.sorted[d, kind, other + 1]
    disk.batch_kind = kind
    disk.following = place if place < disk.waiting[kind] else NOTHING
    return slot


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def _oldest(disks, d, kind):
    """Place of the waiting command of a kind that came first."""
    best, first = 0, disks.command[d, disks.sorted[d, kind, 0].slot].number
    for place in range(1, disks.disk[d].waiting[kind]):
        number = disks.command[d, disks.sorted[d, kind, place].slot].number
        if number < first:
            best, first = place, number
    return best
