"""A disk with requests that come at stated times, on either engine."""

import heapq
from typing import NamedTuple

import numpy as np

from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment
from pmtwin.sim.stations.deadline import Deadline
from pmtwin.sim.stations.disk_queue import complete, make_disks, submit
from pmtwin.sim.stations.hard_disk import HardDisk
from pmtwin.sim.stations.lines import NOBODY
from pmtwin.sim.stations.specified_disk import Request, SpecifiedDisk
from pmtwin.sim.stations.timers import Timer

READ, WRITE = 0, 1
MIB = 1 << 20


class Asked(NamedTuple):
    """A request: when it comes, in ns, and for what."""

    at_ns: float
    address: int
    length: int
    kind: int


def compiled(asked: list[Asked], hard_disk: HardDisk, deadline: Deadline):
    """([(time of its end, number of the request)], counters) of engine `compiled`."""
    disks = make_disks(1, len(asked), hard_disk, deadline)
    for number, each in enumerate(asked):
        disks.member[number] = each.address, each.length, each.kind
    coming = [(each.at_ns, number) for number, each in enumerate(asked)]
    heapq.heapify(coming)
    ends, disk = [], disks.disk[0]
    while coming or disk["end_ns"] < np.inf:
        if coming and coming[0][0] < disk["end_ns"]:
            at_ns, number = heapq.heappop(coming)
            submit(disks, 0, number, at_ns)
            continue
        now_ns = float(disk["end_ns"])
        member = int(complete(disks, 0, now_ns))
        while member != NOBODY:
            ends.append((now_ns, member))
            member = int(disks.behind[member])
    names = ("came", "done", "bytes", "commands", "expired", "busy_ns", "moving_ns")
    return ends, {name: disk[name].tolist() for name in names}


def specified(asked: list[Asked], hard_disk: HardDisk, deadline: Deadline):
    """The same of engine `simpy`."""
    env, ends = AbsoluteEnvironment(0.0), []
    disk = SpecifiedDisk(env, hard_disk, deadline, lambda done: ends.extend((env.now, each.who) for each in done), 2)
    for number, each in enumerate(asked):
        request = Request(each.address, each.length, each.kind, number)
        Timer(env, lambda request=request: disk.submit(request), 3).arm(each.at_ns)
    env.run()
    return ends, {name: getattr(disk.counters, name) for name in vars(disk.counters)}


def drawn(rng: np.random.Generator, count: int = 300) -> list[Asked]:
    """Requests that come in bursts, many of them beside others."""
    at_ns = np.sort(rng.uniform(0.0, rng.choice([2e8, 2e9]), count).round(-int(rng.integers(0, 8))))
    span = int(rng.choice([64, 4096, 10**6]))
    address = rng.integers(0, span, count) * 8192
    length = rng.choice([4096, 8192, 65536], count)
    kind = rng.random(count) < rng.choice([0.0, 0.3, 0.9, 1.0])
    return [Asked(float(a), int(b), int(c), int(d)) for a, b, c, d in zip(at_ns, address, length, kind, strict=True)]
