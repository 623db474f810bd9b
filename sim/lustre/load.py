"""What the threads of the clients do: operations on units of a fixed size, which lie in stripes over all servers."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option

RANDOM, FILES, STREAM = "random", "files", "stream"
PATTERNS = (RANDOM, FILES, STREAM)

GROUP_BYTES = 128 << 20
"""Data that lie together on a disk: a block group of ext4, which servers of Lustre keep objects in."""


@dataclass(frozen=True, kw_only=True)
class Load(Options):
    """Threads of each client.

    Patterns: `random` (one unit at a random place each time, read or written), `files` (a loop: create a file and write
    it, append to one, read one, delete one and stat one) and `stream` (writes in order without end).
    """

    title = "load"

    pattern: str = option(RANDOM, "what a thread does", choices=PATTERNS, metavar="NAME")
    read_share: float = option(0.5, "reads among the operations at random places", low=0.0, high=1.0, metavar="P")
    threads: int = option(5, "threads of a client", low=1, high=1024, metavar="N")
    readers: int = option(
        0, "threads of a client, among these, that do nothing but read at random places", low=0, high=1024, metavar="N"
    )
    unit_bytes: int = option(8192, "size of a read or write, in bytes", low=512, high=1 << 24, metavar="B")
    data_gb: float = option(100.0, "data of all clients together, in GB", low=1e-3, high=1e6, metavar="GB")
    spread: float = option(
        1.0, "share of each disk over which its data lie, in pieces of 128 MiB; 0: one after the other (assumed)",
        low=0.0, high=1.0, metavar="P",
    )  # fmt: skip
    file_units: int = option(100, "units of a file", low=1, high=10**6, metavar="N")

    def check_units(self, rpc_bytes: int, region_bytes: int) -> None:
        """Refuse units larger than an RPC or a region.

        Raises:
            InputError: naming `unit_bytes`.
        """
        most = min(rpc_bytes, region_bytes)
        if self.unit_bytes > most:
            raise InputError(
                "unit_bytes", self.unit_bytes, f"at most {most} B: the largest RPC, and the data on a disk"
            )

    def places(self, clients: int, region_bytes: int, disk_bytes: float) -> tuple[int, int]:
        """(units of a piece, bytes from the begin of a piece to that of the next) of the data on a disk."""
        piece = max(GROUP_BYTES // self.unit_bytes, 1)
        pieces = -(-clients * (region_bytes // self.unit_bytes) // piece)
        return piece, max(piece * self.unit_bytes, int(self.spread * disk_bytes) // pieces)


def address_of(place: int, piece: int, stride: int, unit_bytes: int) -> int:
    """Address on a disk of a unit; `place`: its number among all units of that disk."""
    return place // piece * stride + place % piece * unit_bytes
