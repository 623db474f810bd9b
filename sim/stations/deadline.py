"""The elevator above a disk: Linux's deadline scheduler (block/deadline-iosched.c of Linux 3.10, its defaults).

Requests of each kind wait sorted by address. They go to the drive in batches of rising addresses. Reads are first;
after two batches of reads that passed waiting writes, a batch of writes is next. A batch goes on where the last one
ended, unless that was of the other kind, the last address is passed, or the oldest request has waited for too long:
then it begins with the oldest. A request that touches a waiting one of its kind is merged with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.sim.options import Options, option

NOTHING = -1
"""In place of a command, or of a place among the waiting ones."""

DEADLINE = np.dtype([
    ("slots", "i8"), ("expire_ns", "f8", (2,)), ("starved", "i8"), ("batch", "i8"), ("most_bytes", "i8")
])  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Deadline(Options):
    """Parameters of Linux's deadline scheduler."""

    title = "disk scheduler"

    slots: int = option(
        128, "requests of a kind below a server at once, those in the drive too", low=1, high=4096, metavar="N"
    )
    read_expire_ms: float = option(500.0, "reads that wait for longer are next, in ms", low=0.0, high=1e9, metavar="MS")
    write_expire_ms: float = option(
        5000.0, "writes that wait for longer are next among writes, in ms", low=0.0, high=1e9, metavar="MS"
    )
    writes_starved: int = option(2, "batches of reads that may pass waiting writes", low=0, high=10**6, metavar="N")
    fifo_batch: int = option(16, "requests of a batch", low=1, high=10**6, metavar="N")
    command_kib: int = option(
        1024, "largest command that merged requests make, in KiB", low=4, high=1 << 20, metavar="KIB"
    )

    def record(self) -> np.ndarray:
        """The scheduler as a record, shape (1,), of `DEADLINE`."""
        record = np.zeros(1, DEADLINE)
        record["slots"], record["starved"], record["batch"] = self.slots, self.writes_starved, self.fifo_batch
        record["expire_ns"] = self.read_expire_ms * 1e6, self.write_expire_ms * 1e6
        record["most_bytes"] = self.command_kib * 1024
        return record
