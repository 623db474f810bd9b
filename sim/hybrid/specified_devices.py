"""A block device in SimPy: servers and a link, and how busy requests keep it."""

from __future__ import annotations

import simpy

from pmtwin.sim.hybrid.devices import BlockDevice
from pmtwin.sim.hybrid.options import BY_BANDWIDTH, CACHED, HybridOptions
from pmtwin.sim.hybrid.specified_pages import Access
from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment


class Device:
    """Servers for reads and for writes, and a link; requests come before moves."""

    def __init__(self, env: AbsoluteEnvironment, device: BlockDevice, options: HybridOptions):
        self._env, self._device, self._cached = env, device, options.hdd_writes == CACHED
        self._by_bandwidth = options.idle_measure == BY_BANDWIDTH
        self._servers = [simpy.PriorityResource(env, device.servers(write)) for write in (False, True)]
        self._link = simpy.PriorityResource(env, 1)
        self._head = -1
        self.written = self.read = self._present = 0
        self._since = self._busy = self._data_ns = self._rested = self.marked = 0.0
        self.idle = False

    def access(self, access: Access, priority: int, is_move: bool):
        """An access: a server for its latency, then the link for its data."""
        idle_ns = 0.0 if is_move or self._present else self._env.now - self._rested
        self._come(is_move, 1)
        with self._servers[access.write].request(is_move) as server:
            if not server.triggered:  # who waits comes to a device that is awake
                idle_ns = 0.0
            yield server
            yield self._env.at(self._env.now + self._latency_ns(access, idle_ns), priority)
        with self._link.request(is_move) as link:
            yield link
            self.written += access.size * access.write
            self.read += access.size * (not access.write)
            transfer_ns = self._device.transfer_ns(access.write, access.size)
            yield self._env.at(self._env.now + transfer_ns, priority)
            self._data_ns += 0.0 if is_move else transfer_ns
        self._come(is_move, -1)

    def _latency_ns(self, access: Access, idle_ns: float) -> float:
        write, device = access.write, self._device
        alone, at_once = (device.latency_ns(write, sequential, self._cached) for sequential in (False, True))
        latency = at_once + (alone - at_once) if access.start != self._head else at_once
        if not write or alone > at_once:  # a cached write leaves the head where it is
            self._head = access.start + access.size
        return latency + device.wake_ns(write, idle_ns)

    def _come(self, is_move: bool, change: int) -> None:
        if is_move:
            return
        if self._present == 0:
            self._since = self._env.now
        self._present += change
        if self._present == 0:
            self._busy += self._env.now - self._since
            self._rested = self._env.now

    @property
    def busy_ns(self) -> float:
        """Time with requests so far."""
        return self._busy + (self._env.now - self._since if self._present else 0.0)

    @property
    def measured_ns(self) -> float:
        """Time so far that tells whether it is idle: with requests, or of transfers for them that have ended."""
        return self._data_ns if self._by_bandwidth else self.busy_ns
