"""Statistics of requests as in Table 4, for one workload or trace."""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.hybrid_storage.workloads.drawing import KB, US
from pmtwin.sim.hybrid.stream import Stream, paged


def statistics(stream: Stream) -> dict[str, float]:
    """Share of reads in percent, mean size in KiB, mean gap in us, footprint in pages, and how much of it is reused.

    Returns:
        Keys: `requests`, `threads`, `read_percent`, `size_kb`, `gap_us`, `pages`, `accesses_per_page`, and
        `sequential`, the share of requests that begin where the one before of their thread ends.
    """
    requests = paged(stream)
    order = np.argsort(stream.thread, kind="stable")
    begin, end, thread = (column[order] for column in (stream.offset, stream.offset + stream.size, stream.thread))
    follows = (begin[1:] == end[:-1]) & (thread[1:] == thread[:-1])
    return {
        "requests": len(stream.size),
        "threads": stream.threads,
        "read_percent": 100.0 * float(1.0 - stream.write.mean()),
        "size_kb": float(stream.size.mean()) / KB,
        "gap_us": float(stream.gap_ns.mean()) / US,
        "pages": len(requests.home),
        "accesses_per_page": float(requests.pages.sum() / len(requests.home)),
        "sequential": float(follows.sum() / len(stream.size)),
    }
