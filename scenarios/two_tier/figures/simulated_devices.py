"""Runs on a mapped NVMe and on shared disks, simulated: the subject of the paper's regressions (sections V-A and V-B).

The paper gives no parameter of these devices: the parameters here are assumed. A replayed LRU page cache decides
whether a request of the NVMe faults; threads share the host's processors and the device, and writers a lock. A stripe
crosses the network and then one of the disks. Other users take a share of both that differs from run to run; no
variable of a regression shows it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.policies.replacement import make_cache, replay
from pmtwin.sim.engines import start_network
from pmtwin.sim.stations import Clients, Network, Processors, ProcessorSharing, Queue, Servers
from pmtwin.sim.stations.station import Station


@dataclass(frozen=True)
class Nvme:
    """A file on an NVMe, mapped into memory.

    Args:
        fault_bytes: bytes read by a fault (the kernel's fault-around).
        memory_bytes: of the page cache.
        processors: of the host.
        request_ns, byte_ns: time of a processor for a request, and for each byte of it.
        lock_ns, lock_byte_ns: that a writer keeps others out; 1 % longer with each thread that waits for the lock.
        fault_ns, fault_byte_ns: of the device, alone.
        channels: faults at once at full speed. bytes_per_ns: of the device, at most.
        spread: standard deviation of the logarithm of what other users leave.
    """

    fault_bytes: int = 65_536
    memory_bytes: float = 64e9
    processors: int = 16
    request_ns: float = 1500.0
    byte_ns: float = 0.25
    lock_ns: float = 300.0
    lock_byte_ns: float = 0.05
    fault_ns: float = 80_000.0
    fault_byte_ns: float = 0.5
    channels: int = 32
    bytes_per_ns: float = 6.0
    spread: float = 0.1

    def time_s(self, columns: dict[str, float], write: bool, rng: np.random.Generator) -> float:
        """Time of a run with `threads`, `size_bytes`, `requests` and `range_bytes`, in seconds."""
        requests, size, threads = int(columns["requests"]), columns["size_bytes"], int(columns["threads"])
        transfers = self._faults(requests, int(size), columns["range_bytes"], write, rng) / requests
        stations: list[Station] = [Clients("threads", clients=threads)]
        if write:
            held = (self.lock_ns + self.lock_byte_ns * size) * (1.0 + 0.01 * threads)
            stations += [Queue("lock queue"), Servers("lock", servers=1, mean_ns=held)]
        stations.append(Processors("host", threads=self.processors, mean_ns=self.request_ns + self.byte_ns * size))
        alone = self.fault_ns + self.fault_byte_ns * self.fault_bytes
        most = min(self.channels, self.bytes_per_ns * alone / self.fault_bytes)
        mean, cov = transfers * alone * np.exp(self.spread * rng.standard_normal()), _cov(transfers)
        speed = tuple(float(min(together, most)) for together in range(1, self.channels + 1))
        stations.append(ProcessorSharing("NVMe", mean_ns=max(mean, 1e-3), cov=cov, speed=speed))
        return _end_s(stations, requests, rng)

    def _faults(self, requests: int, size: int, span: float, write: bool, rng: np.random.Generator) -> float:
        """Parts that are read, and with `write` written back, of random requests over `span` bytes."""
        parts, together = max(int(span // self.fault_bytes), 1), max(size // self.fault_bytes, 1)
        pages = rng.integers(max(parts // together, 1), size=requests) * together
        pages = (pages[:, None] + np.arange(together)).ravel() if together > 1 else pages
        room = int(self.memory_bytes // self.fault_bytes)
        faults = replay(make_cache("lru", min(room, parts, pages.size)), pages)
        return faults + (max(faults - room, 0) if write else 0)


@dataclass(frozen=True)
class Disks:
    """Shared disks behind a network; a file is read or written as a whole, in stripes.

    Args:
        position_ns: of a disk's head, before each stripe. byte_ns: of a disk. write_byte_ns: the same, writing.
        stream_ns: more positioning for each process that a disk serves besides.
        network_byte_ns: of one process. links: processes at full speed.
        spread: standard deviation of the logarithm of what other users leave.
    """

    position_ns: float = 4e6
    byte_ns: float = 6.0
    write_byte_ns: float = 8.0
    stream_ns: float = 5e4
    network_byte_ns: float = 1.0
    links: int = 10
    spread: float = 0.3

    def time_s(self, columns: dict[str, float], write: bool, rng: np.random.Generator) -> float:
        """Time of a run with `processes`, `disks`, `stripe_bytes` and `file_bytes`, in seconds."""
        stripe, processes, disks = columns["stripe_bytes"], int(columns["processes"]), int(columns["disks"])
        position = self.position_ns + self.stream_ns * processes / disks
        served = position + stripe * (self.write_byte_ns if write else self.byte_ns)
        speed = tuple(float(together) for together in range(1, self.links + 1))
        stations = [
            Clients("processes", clients=processes),
            ProcessorSharing("network", mean_ns=stripe * self.network_byte_ns, cov=0.2, speed=speed),
            Queue("queue"),
            Servers("disks", servers=disks, mean_ns=served * np.exp(self.spread * rng.standard_normal()), cov=0.5),
        ]
        return _end_s(stations, max(int(columns["file_bytes"] // stripe), 1), rng)


def _cov(transfers: float) -> float:
    """Coefficient of variation of an exponential time that comes with this probability, in the range of stations."""
    return float(min(np.sqrt(2.0 / min(max(transfers, 1e-9), 1.0) - 1.0), 10.0))


def _end_s(stations: list, requests: int, rng: np.random.Generator) -> float:
    run = start_network(Network(stations=tuple(stations)), seed=int(rng.integers(2**31)))
    return run.run_window(requests).end_ns * 1e-9
