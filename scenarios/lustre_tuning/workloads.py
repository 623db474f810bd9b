"""Workloads of the paper (section 4.3): random reads and writes in five mixes, a file server, sequential writers."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.scenarios.contexts import Contexts
from pmtwin.sim.lustre.load import FILES, RANDOM, STREAM

UNIT_BYTES = 1 << 20
"""Reads and writes of the file server (assumed), and of the sequential writers, as published."""

MIXES = ((9, 1), (4, 1), (1, 1), (1, 4), (1, 9))


@dataclass(frozen=True)
class Workload:
    """What the threads of a client do.

    Args:
        pattern: of `pmtwin.sim.lustre.load`. threads: of a client. read_share: at random places.
        readers: threads among these that do nothing but read at random places.
        spread: of the data over the disks; None: that of the options.
        reads_wait: whether the objective's latency is that of reads alone: calls that write return from the cache.
        target_ms: latency beyond which the objective falls; None: that at Lustre's default.
        latency_weight: of the objective under this workload; None: that of the options.
    """

    pattern: str
    threads: int
    read_share: float = 0.0
    readers: int = 0
    spread: float | None = None
    reads_wait: bool = False
    target_ms: float | None = None
    latency_weight: float | None = None


OF_WORKLOADS = ("latency_weight", "spread")
"""Options that a workload may replace by a value of its own."""

WORKLOADS = {
    **{f"random-{reads}-{writes}": Workload(RANDOM, 5, reads / (reads + writes)) for reads, writes in MIXES},
    "file-server": Workload(FILES, 32),
    "sequential-write": Workload(STREAM, 5),
}

TARGET_MS = 1000.0

CONTENDED = {
    "contended-scratch": Workload(RANDOM, 5, spread=0.0, latency_weight=0.0),
    "contended-staging": Workload(RANDOM, 5, readers=2, spread=0.0, latency_weight=0.0),
    "contended-mail": Workload(RANDOM, 5, readers=2, reads_wait=True, target_ms=TARGET_MS, latency_weight=1.0),
    "contended-archive": Workload(RANDOM, 5, readers=4, reads_wait=True, target_ms=TARGET_MS, latency_weight=1.0),
}
"""Loads that want opposite settings, each with its objective (`--reward objective`). Threads write but for the readers.

Scratch data lie together on the disks, and nobody waits for them: only throughput counts, which a rate limit cuts. Mail
and archive lie all over the disks, and a read should take a second at most: the writes beside it must be held back.
"""

WORKLOADS |= CONTENDED

CONTEXTS = Contexts("workload", tuple(WORKLOADS), only_chosen=tuple(CONTENDED))
