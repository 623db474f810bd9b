"""Workloads of the paper (section 4.3): random reads and writes in five mixes, a file server, sequential writers."""

from __future__ import annotations

from typing import NamedTuple

from pmtwin.scenarios.contexts import Contexts
from pmtwin.sim.lustre.load import FILES, RANDOM, STREAM

UNIT_BYTES = 1 << 20
"""Reads and writes of the file server (assumed), and of the sequential writers, as published."""

MIXES = ((9, 1), (4, 1), (1, 1), (1, 4), (1, 9))


class Workload(NamedTuple):
    """What the threads of a client do.

    Fields:
        pattern: of `pmtwin.sim.lustre.load`. threads: of a client. read_share: at random places.
    """

    pattern: str
    threads: int
    read_share: float = 0.0


WORKLOADS = {
    **{f"random-{reads}-{writes}": Workload(RANDOM, 5, reads / (reads + writes)) for reads, writes in MIXES},
    "file-server": Workload(FILES, 32),
    "sequential-write": Workload(STREAM, 5),
}

CONTEXTS = Contexts("workload", tuple(WORKLOADS))
