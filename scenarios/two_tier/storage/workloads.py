"""Workloads of the paper's evaluation (section VI-B), by table or figure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pmtwin.scenarios.two_tier.storage.costs import Costs
from pmtwin.scenarios.two_tier.storage.mapping import BLOCK
from pmtwin.scenarios.two_tier.storage.options import LOCAL, READ_MODIFY_WRITE, StorageOptions
from pmtwin.scenarios.two_tier.storage.system import System
from pmtwin.sim.options import build


class Workload(NamedTuple):
    """A workload of the whole system.

    Fields:
        requests: number of requests.
        storage: options of the system.
        processes: numbers of processes of the published rows, or of the figure.
        threads: number of service threads of a process, k.
    """

    requests: int
    storage: Mapping[str, object]
    processes: tuple[int, ...]
    threads: int = 16

    def system(self, processes: int, costs: Costs) -> System:
        """The whole system with a number of processes."""
        return System(build(StorageOptions, self.storage), costs, processes, self.threads, self.requests)


_LOW_REUSE, _HIGH_REUSE = {"pages": 229_376}, {"pages": 32_768}
_WRITES, _PUBLISHED = {"operation": READ_MODIFY_WRITE}, (16, 32, 64, 128, 200, 512)
_THROUGHPUT = {"request_bytes": 128, "mapping": BLOCK, "locality": LOCAL}
_SCALING = (4, 8, 16, 32, 64, 128, 256)

WORKLOADS = {
    "table-vii": Workload(5_000_000, {**_LOW_REUSE, **_WRITES, "request_bytes": 512}, _PUBLISHED[:5]),
    "table-viii": Workload(8_000_000, {**_HIGH_REUSE, "request_bytes": 4096}, _PUBLISHED),
    "table-ix": Workload(
        8_000_000, {**_HIGH_REUSE, **_WRITES, "request_bytes": 65_536}, (16, 32, 64, 128, 256, 512)
    ),
    "figure-10-20gb": Workload(2_000_000, {**_THROUGHPUT, "pages": 38_147}, _SCALING, 64),
    "figure-10-40gb": Workload(4_000_000, {**_THROUGHPUT, "pages": 76_294}, _SCALING, 64),
    "figure-12-1kb": Workload(8_000_000, {**_HIGH_REUSE, **_WRITES, "request_bytes": 1024}, _PUBLISHED),
}  # fmt: skip
"""Name -> workload; 20 GB are 38,147 pages of 524,288 bytes."""
