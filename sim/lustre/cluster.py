"""The machines of a parallel file system: servers with a disk each, clients, and the network between them."""

from __future__ import annotations

from dataclasses import dataclass, field

from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option
from pmtwin.sim.stations.deadline import Deadline
from pmtwin.sim.stations.hard_disk import GB, HardDisk

COMPILED, SIMPY = "compiled", "simpy"
ENGINES = (COMPILED, SIMPY)

MOST_WINDOW = 256
"""Largest window of RPCs in flight (`max_rpcs_in_flight` of Lustre 2.9)."""


@dataclass(frozen=True, kw_only=True)
class Cluster(Options):
    """Servers, clients and network (section 4.2 of the paper, where nothing else is said).

    Raises:
        InputError: for data that the disks have no room for.
    """

    title = "cluster"

    servers: int = option(4, "servers, with a disk each", low=1, high=64, metavar="N")
    clients: int = option(5, "clients, each with a connection (OSC) to each server", low=1, high=256, metavar="N")
    link_mb_s: float = option(
        125.0, "rate of a host's link in each direction, in MB/s", low=0.1, high=1e6, metavar="MB/S"
    )
    latency_us: float = option(
        90.0,
        "time of a message beside its transfer, in us (half of the authors' median ping)",
        low=0.0,
        high=1e7,
        metavar="US",
    )
    request_bytes: int = option(
        512, "size of a request or an answer without data, in bytes (assumed)", low=1, high=1 << 20, metavar="B"
    )
    server_threads: int = option(128, "RPCs that a server works on at once (assumed)", low=1, high=4096, metavar="N")
    dirty_mb: float = option(
        32.0, "dirty data that an OSC may have, in MiB, those in flight included (assumed)", low=0.01, high=1e5,
        metavar="MIB",
    )  # fmt: skip
    rpc_kib: int = option(1024, "largest RPC, in KiB", low=4, high=1 << 20, metavar="KIB")
    readahead: int = option(
        4, "units that a thread which reads in order has asked for at once (assumed)", low=1, high=1024, metavar="N"
    )
    call_us: float = option(
        20.0, "time of a client's own software for each call (assumed)", low=0.1, high=1e7, metavar="US"
    )
    copy_mb_s: float = option(
        2000.0, "rate at which a client copies data from and to its cache, in MB/s (assumed)", low=1.0, high=1e6,
        metavar="MB/S",
    )  # fmt: skip
    metadata_ms: float = option(
        1.0, "time to delete a file, or to stat one, in ms (assumed)", low=0.0, high=1e6, metavar="MS"
    )
    foreign_gap_s: float = option(
        10.0, "mean time between two bursts of foreign traffic at a server's link, in s (fitted to the authors' log)",
        low=1e-3, high=1e9, metavar="S",
    )  # fmt: skip
    foreign_s: float = option(
        2.0, "mean length of such a burst, which takes the whole link, in s (fitted); 0: no foreign traffic",
        low=0.0, high=1e6, metavar="S",
    )  # fmt: skip
    hard_disk: HardDisk = field(default_factory=HardDisk)
    deadline: Deadline = field(default_factory=Deadline)

    def check_data(self, data_gb: float) -> None:
        """Refuse data that the disks have no room for.

        Raises:
            InputError: naming `data_gb`.
        """
        room = self.servers * self.hard_disk.disk_gb
        if data_gb > room:
            raise InputError("data_gb", data_gb, f"at most {room:g} GB, what {self.servers} disks hold")

    @property
    def oscs(self) -> int:
        """Connections of all clients."""
        return self.clients * self.servers

    def region_bytes(self, data_gb: float) -> int:
        """Bytes of a client's data on each server."""
        return int(data_gb * GB) // self.oscs
