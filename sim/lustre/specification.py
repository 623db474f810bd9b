"""The cluster with SimPy: what the compiled functions compute, to be read beside the paper.

It shares the draws and the disk's positioning times with them; the events are written here independently. Of events at
the same instant ends of disks come first, then arrivals at hosts, timers of OSCs, calls of threads and foreign traffic.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

import numpy as np

from pmtwin.sim.lustre.cluster import Cluster
from pmtwin.sim.lustre.draws import appended_units, burst_of, is_read, keys_of, place_of_operation, tables_of
from pmtwin.sim.lustre.load import FILES, RANDOM, Load, address_of
from pmtwin.sim.lustre.run import Reading, Run, Seed
from pmtwin.sim.lustre.specified_osc import Osc, Rpc
from pmtwin.sim.numa.latencies import BINS, bin_of
from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment
from pmtwin.sim.stations.hard_disk import GB, READ, WRITE
from pmtwin.sim.stations.link import SpecifiedLink
from pmtwin.sim.stations.ordered import NEVER
from pmtwin.sim.stations.specified_disk import Request, SpecifiedDisk
from pmtwin.sim.stations.timers import Timer

FIRST = 2
"""Priority of the first participant's events; SimPy's own are 0 and 1."""

CREATE, APPEND, READ_FILE, DELETE = range(4)


class Thread:
    """A thread of a client, with the operation that it is at."""

    def __init__(self, client: int, place: int, key: np.uint64):
        self.client, self.place, self.key = client, place, key
        self.operations, self.kind, self.stage = 0, READ, DELETE
        self.left = self.following = self.first = self.base = self.asked = self.unit = 0
        self.since_ns = 0.0


class Host:
    """A server or a client: both directions of its link, and the messages that are on their way to it."""

    def __init__(self, mb_per_s: float, timer: Callable[[Host], Timer]):
        self.out, self.into, self.coming = SpecifiedLink(mb_per_s), SpecifiedLink(mb_per_s), deque[Rpc]()
        self.arrival = timer(self)


class Server:
    """A server's threads and its disk."""

    def __init__(self, disk: SpecifiedDisk):
        self.disk, self.busy, self.waiting = disk, 0, deque[Rpc]()


class SpecifiedRun(Run):
    """A run of the specification."""

    name = "simpy"

    def __init__(self, cluster: Cluster, load: Load, seed: Seed):
        super().__init__(cluster, load)
        cluster.check_data(load.data_gb)
        region = cluster.region_bytes(load.data_gb)
        load.check_units(cluster.rpc_kib * 1024, region)
        self.env, self.events, self._numbers = AbsoluteEnvironment(0.0), 0, FIRST
        self._units, self._unit_bytes, self._read_share = region // load.unit_bytes, load.unit_bytes, load.read_share
        disk_bytes = cluster.hard_disk.disk_gb * GB
        self._piece, self._stride = load.places(cluster.clients, region, disk_bytes)
        self._call_ns = cluster.call_us * 1e3 + load.unit_bytes * 1e3 / cluster.copy_mb_s
        self.latency, self._due = np.zeros((2, BINS), np.int64), list[Osc]()
        keys = keys_of(seed, cluster.clients * load.threads + 1)
        self._tables = tables_of(cluster.foreign_gap_s * 1e9, cluster.foreign_s * 1e9, load.file_units)
        self.servers = [Server(self._disk(number)) for number in range(cluster.servers)]
        self.hosts = [Host(cluster.link_mb_s, self._arrivals) for _ in range(cluster.servers + cluster.clients)]
        self.oscs = [
            self._osc(client, server) for client in range(cluster.clients) for server in range(cluster.servers)
        ]
        self.threads = [
            Thread(number // load.threads, number % load.threads, key) for number, key in enumerate(keys[:-1])
        ]
        self._calls = {thread: self._timer(partial(self._call, thread)) for thread in self.threads}
        for number, thread in enumerate(self.threads):
            self._calls[thread].arm(number * self._call_ns)
        self._bursts, self._foreign_key, self._foreign = 0, keys[-1], self._timer(self._burst)
        if cluster.foreign_s > 0.0:
            self._burst()

    # events

    def _timer(self, action: Callable[[], None]) -> Timer:
        """A timer of the next participant, whose call is an event of the cluster."""
        number, self._numbers = self._numbers, self._numbers + 1
        return Timer(self.env, partial(self._happen, action), number)

    def _happen(self, action: Callable[[], None]) -> None:
        self.events += 1
        action()
        self._pump_due()

    def _pump_due(self) -> None:
        due, self._due = self._due, []
        for osc in due:
            osc.due = False
            self._pump(osc)

    def _disk(self, number: int) -> SpecifiedDisk:
        cluster, priority = self.cluster, self._numbers
        self._numbers += 1
        return SpecifiedDisk(self.env, cluster.hard_disk, cluster.deadline, partial(self._disk_ends, number), priority)

    def _arrivals(self, host: Host) -> Timer:
        return self._timer(partial(self._arrive, host))

    def _osc(self, client: int, server: int) -> Osc:
        dirty_bytes = max(int(self.cluster.dirty_mb * (1 << 20)), self._unit_bytes)
        rpc_units = self.cluster.rpc_kib * 1024 // self._unit_bytes
        osc = Osc(client, server, self._units, self._unit_bytes, dirty_bytes, rpc_units, self._piece)
        osc.timer = self._timer(partial(self._gate_opens, osc))
        return osc

    # network

    def _post(self, source: Host, target: Host, rpc: Rpc, data_bytes: int) -> None:
        size = self.cluster.request_bytes + data_bytes
        begin_ns, _ = source.out.pass_through(size, self.env.now)
        _, end_ns = target.into.pass_through(size, begin_ns)
        rpc.at_ns = end_ns + self.cluster.latency_us * 1e3
        target.coming.append(rpc)
        if len(target.coming) == 1:
            target.arrival.arm(rpc.at_ns)

    def _arrive(self, host: Host) -> None:
        rpc = host.coming.popleft()
        if host.coming:
            host.arrival.arm(host.coming[0].at_ns)
        place = self.hosts.index(host)
        if place < self.cluster.servers:
            self._serve(self.servers[place], rpc)
        else:
            self._answered(rpc)

    def _burst(self) -> None:
        """Foreign traffic takes a server's link, after each gap but the first."""
        server, length_ns, gap_ns = burst_of(self._tables, self._foreign_key, self._bursts, self.cluster.servers)
        if self._bursts:
            self.hosts[server].out.occupy(length_ns, self.env.now)
            self.hosts[server].into.occupy(length_ns, self.env.now)
        self._bursts += 1
        self._foreign.arm(self.env.now + gap_ns)

    # servers

    def _serve(self, server: Server, rpc: Rpc) -> None:
        rpc.came_ns = self.env.now
        if server.busy == self.cluster.server_threads:
            server.waiting.append(rpc)
            return
        server.busy += 1
        self._begin(server, rpc)

    def _begin(self, server: Server, rpc: Rpc) -> None:
        place = rpc.osc.client * self._units + rpc.unit
        address = address_of(place, self._piece, self._stride, self._unit_bytes)
        server.disk.submit(Request(address, rpc.count * self._unit_bytes, rpc.kind, rpc))

    def _disk_ends(self, number: int, requests: list[Request]) -> None:
        server, host = self.servers[number], self.hosts[number]
        self.events += 1
        for request in requests:
            rpc = request.who
            rpc.served_ns = self.env.now
            client = self.hosts[self.cluster.servers + rpc.osc.client]
            self._post(host, client, rpc, request.length if rpc.kind == READ else 0)
            if server.waiting:
                self._begin(server, server.waiting.popleft())
            else:
                server.busy -= 1

    # connections

    def _to_pump(self, osc: Osc) -> None:
        if not osc.due:
            osc.due = True
            self._due.append(osc)

    def _gate_opens(self, osc: Osc) -> None:
        osc.timer_ns = NEVER
        self._to_pump(osc)

    def _pump(self, osc: Osc) -> None:
        """The OSC sends what window and rate limit allow."""
        while osc.reads or osc.fresh:
            at_ns = osc.gate.opens_at(self.env.now)
            if at_ns > self.env.now:
                if at_ns < osc.timer_ns:
                    osc.timer_ns = at_ns
                    osc.timer.arm(at_ns)
                return
            rpc = osc.next_rpc(self.env.now)
            client = self.hosts[self.cluster.servers + osc.client]
            data_bytes = rpc.count * self._unit_bytes if rpc.kind == WRITE else 0
            self._post(client, self.hosts[osc.server], rpc, data_bytes)

    def _answered(self, rpc: Rpc) -> None:
        osc, thread = rpc.osc, rpc.thread
        osc.note_answer(rpc, self.env.now)
        while rpc.kind == WRITE and osc.blocked and osc.has_room:
            self._accept(osc, osc.blocked.popleft())
        self._to_pump(osc)
        if thread is not None:
            self.latency[READ, bin_of(self.env.now - rpc.asked_ns)] += 1
            thread.asked -= 1
            self._read_on(thread)

    # threads

    def _call(self, thread: Thread) -> None:
        """The thread's next call, of its operation or of the next one."""
        if thread.left == 0:
            self._begin_operation(thread)
            if thread.left == 0:
                self._calls[thread].arm(self.env.now + 2.0 * self.cluster.metadata_ms * 1e6)
                return
        if thread.kind == READ:
            self._read_on(thread)
            return
        osc, thread.unit = self._following(thread)
        thread.since_ns = self.env.now
        if thread.unit in osc.fresh or osc.has_room:
            self._accept(osc, thread)
            self._to_pump(osc)
        else:
            osc.blocked.append(thread)

    def _accept(self, osc: Osc, thread: Thread) -> None:
        osc.write(thread.unit)
        end_ns = self.env.now + self._call_ns
        self.latency[WRITE, bin_of(end_ns - thread.since_ns)] += 1
        self._calls[thread].arm(end_ns)

    def _read_on(self, thread: Thread) -> None:
        """The thread asks for what it may read ahead; once it has all, it goes on."""
        while thread.left and thread.asked < self.cluster.readahead:
            osc, unit = self._following(thread)
            if unit in osc.fresh:
                osc.hits[READ] += 1
                continue
            thread.asked += 1
            osc.reads.append((thread, unit, self.env.now))
            self._to_pump(osc)
        if not thread.left and not thread.asked:
            self._calls[thread].arm(self.env.now + self._call_ns)

    def _following(self, thread: Thread) -> tuple[Osc, int]:
        row, server = divmod(thread.first + thread.following, self.cluster.servers)
        thread.following += 1
        thread.left -= 1
        return self.oscs[thread.client * self.cluster.servers + server], (thread.base + row) % self._units

    def _begin_operation(self, thread: Thread) -> None:
        load, key, number = self.load, thread.key, thread.operations
        thread.operations += 1
        place = place_of_operation(key, number, self.cluster.servers * self._units)
        thread.base, thread.first = divmod(place, self.cluster.servers)
        thread.following, thread.left = 0, 1
        if thread.place < load.readers:
            thread.kind = READ
        elif load.pattern == RANDOM:
            thread.kind = READ if is_read(key, number, self._read_share) else WRITE
        elif load.pattern == FILES:
            thread.stage = (thread.stage + 1) % 4
            thread.kind = READ if thread.stage == READ_FILE else WRITE
            lengths = {APPEND: appended_units(self._tables, key, number), DELETE: 0}
            thread.left = lengths.get(thread.stage, load.file_units)
        else:
            thread.kind, thread.left, thread.first = WRITE, 1 << 60, 0
            thread.base = self._units * thread.place // load.threads

    # interface

    def advance(self, until_s):
        self.env.run_to(until_s * 1e9)

    def _set_limits(self, window, gap_ns):
        for osc in self.oscs:
            osc.gate.window, osc.gate.gap_ns = window, gap_ns
            self._pump(osc)

    def set_read_share(self, share):
        self._read_share = share

    def reading(self):
        now, oscs, servers = self.env.now, self.oscs, self.servers
        counters = [server.disk.counters for server in servers]
        columns = ("dirty", "bytes", "rpcs", "hits", "accepted", "ack_ns", "send_ns", "process_ns", "least_process_ns")
        names = ("came", "done", "bytes", "commands", "expired")
        return Reading(
            now * 1e-9,
            self.events,
            np.array([osc.gate.in_flight for osc in oscs]),
            *(np.array([getattr(osc, name) for osc in oscs]) for name in columns),
            np.array([self._ping(osc) for osc in oscs]),
            *(np.array([getattr(disk, name) for disk in counters]) for name in names),
            np.array([server.disk.busy_ns() for server in servers]),
            np.array([disk.moving_ns for disk in counters]),
            np.array([server.busy for server in servers]),
            np.array([len(server.waiting) for server in servers]),
            self.latency.copy(),
        )

    def _ping(self, osc: Osc) -> float:
        """Round trip of an empty message: it waits for both links each way."""
        client, server = self.hosts[self.cluster.servers + osc.client], self.hosts[osc.server]
        waits = [
            max(out.free_ns - self.env.now, into.free_ns - self.env.now, 0.0)
            for out, into in ((client.out, server.into), (server.out, client.into))
        ]
        return 2.0 * (self.cluster.latency_us * 1e3) + sum(waits)
