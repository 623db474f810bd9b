"""Interactive requests with the statistics of the Azure Functions blob trace 2020 (thesis section 4.1.3).

The constants come from `azure_fit.fit_blob_statistics` on the published curves of AzureFunctionsBlobDataset2020
(CC-BY), restricted to accesses below 1 KB as in the thesis. The offered rate is a parameter: the trace's 37 accesses/s
are no load for this device.

The burstiness is the median, over blobs, of the coefficient of variation of the time between accesses to one blob:
0.749. That the replayed clients together vary like one blob is assumed.
"""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.nvm_middleware.workloads.azure_fit import BlobStatistics
from pmtwin.sim.load.workload import ClassWorkload

BLOB_STATISTICS = BlobStatistics(
    read_sizes=(
        (8, 2), (10, 58), (17, 1), (21, 2), (27, 164), (29, 1), (41, 2), (80, 1), (163, 2), (298, 2), (316, 6),
        (336, 1), (453, 2), (481, 6), (511, 1), (689, 2), (876, 1), (988, 2),
    ),
    write_sizes=(
        (2, 9), (8, 68), (16, 2), (17, 11), (32, 6), (34, 2), (39, 3), (59, 2), (63, 70), (75, 2), (154, 2),
        (249, 2), (356, 3), (511, 21), (542, 42), (576, 4), (611, 3), (649, 2), (876, 2),
    ),
    write_ratio=0.17,
    interarrival_cov=0.749,
)  # fmt: skip
"""Sizes in bytes with how many of the 256 equally likely sizes they take; mean 66 bytes read, 189 bytes written."""

INTERARRIVAL_COV = BLOB_STATISTICS.interarrival_cov


def blob_class(
    clients: int = 200, rate_ops: float | None = 150_000.0, statistics: BlobStatistics = BLOB_STATISTICS
) -> ClassWorkload:
    """The interactive class of the trace.

    Args:
        clients: client threads that replay it.
        rate_ops: offered operations/s of all clients together; None replays without pause.
        statistics: of another trace (`azure_trace.trace_statistics`); the shipped constants by default.
    """
    return ClassWorkload(
        clients=clients,
        write_ratio=statistics.write_ratio,
        read_sizes_bytes=_expand(statistics.read_sizes),
        write_sizes_bytes=_expand(statistics.write_sizes),
        rate_ops=rate_ops,
        interarrival_cov=statistics.interarrival_cov,
    )


def _expand(runs: tuple[tuple[int, int], ...]) -> np.ndarray:
    sizes, counts = zip(*runs, strict=True)
    return np.repeat(np.array(sizes, dtype=float), counts)
