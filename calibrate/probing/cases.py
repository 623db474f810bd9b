"""What is measured: a case is one configuration of one kind, as the native probe is asked for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.readers.document import LARGEST_SIZE_BYTES, MOST_THREADS
from pmtwin.sim.device.law import OPERATIONS, PATTERNS
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.typed_json import check_name

BANDWIDTH, LATENCY, CHASE, MIXED = "bandwidth", "latency", "chase", "mixed"
NAMES = {
    "kind": (BANDWIDTH, LATENCY, CHASE),
    "operation": (*OPERATIONS, MIXED),
    "pattern": PATTERNS,
    "write_operation": ("", *OPERATIONS[1:]),
    "mix_by": ("", "threads", "accesses"),
    "numa": ("", "remote"),
}
"""What the fields of a case that are names may be."""


@dataclass(frozen=True)
class Case:
    """One case.

    Args:
        kind: bandwidth, latency (single accesses, timed one by one) or chase (each load names the next one's address).
        operation: load, ntstore, store_clwb, store; of a mix `mixed`.
        pattern: random or sequential.
        access_size_bytes: a multiple of 64.
        threads: at least 1.
        write_operation, write_ratio, mix_by: of a mix only; the ratio counts threads or accesses (`mix_by`).
        stride_bytes: from the start of one access to that of the next, 0 where they touch each other.
        fence_interval_bytes: after which a writing thread waits, 0 without fences.
        numa: "remote" for threads on the far NUMA node, "" for those near the memory.

    Raises:
        InputError: a name that no case has.
    """

    kind: str
    operation: str
    pattern: str
    access_size_bytes: Annotated[int, Meta(ge=1, le=LARGEST_SIZE_BYTES)]
    threads: Annotated[int, Meta(ge=1, le=MOST_THREADS)]
    write_operation: str = ""
    write_ratio: Annotated[float, Meta(ge=0, le=1)] = 0.0
    mix_by: str = ""
    stride_bytes: Annotated[int, Meta(ge=0, le=LARGEST_SIZE_BYTES)] = 0
    fence_interval_bytes: Annotated[int, Meta(ge=0, le=LARGEST_SIZE_BYTES)] = 0
    numa: str = ""

    def __post_init__(self) -> None:
        for name, known in NAMES.items():
            check_name(name, getattr(self, name), known)

    def to_json(self) -> dict:
        """The fields that say something, under the native probe's names."""
        return {name: value for name, value in asdict(self).items() if value not in ("", 0)}

    def to_entry(self) -> dict:
        """All fields: the arguments of the same case."""
        return asdict(self)

    @property
    def is_pure_bandwidth(self) -> bool:
        """Whether the law is fitted to it."""
        return self.kind == BANDWIDTH and self.operation != MIXED and not self.is_effect

    @property
    def is_effect(self) -> bool:
        """Whether it tells of strides, fences or the far node."""
        return bool(self.stride_bytes or self.fence_interval_bytes or self.numa)


def configurations_of(cases: list[Case], dimms: float) -> Configurations:
    """The configurations of pure cases of bandwidth, with bandwidths yet unknown (NaN), in the same order."""
    count = len(cases)
    return Configurations(
        operation=np.array([case.operation for case in cases], dtype=str),
        pattern=np.array([case.pattern for case in cases], dtype=str),
        dimms=np.full(count, float(dimms)),
        power_w=np.full(count, REFERENCE_POWER_W),
        threads=np.array([case.threads for case in cases], dtype=float),
        access_size_bytes=np.array([case.access_size_bytes for case in cases], dtype=float),
        bandwidth_mib_s=np.full(count, np.nan),
        effective_write_ratio=np.full(count, np.nan),
        replicates=np.zeros(count, dtype=int),
    )
