"""How many records the driver keeps for a class of requests (`middleware/replay/key_space.h`)."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.load.workload import SIZE_BINS, ClassWorkload

BLOCK = 4096
"""Requests of a trace that are handed over at once."""


def records(load: ClassWorkload, keys: int) -> dict[int, int]:
    """Size of a value in bytes -> records of that size that the driver stores, about.

    Its keys are shared by the sizes that occur in a block of the trace; a size that comes later gets as many.

    Args:
        keys: of the class.
    """
    if not load.clients:
        return {}
    shares: dict[int, float] = {}
    for writes, share in ((False, 1.0 - load.write_ratio), (True, load.write_ratio)):
        sizes, counts = np.unique(np.rint(load.sizes(writes)), return_counts=True)
        for size, count in zip(sizes, counts, strict=True):
            shares[int(size)] = shares.get(int(size), 0.0) + share * count / SIZE_BINS
    shares = {size: share for size, share in shares.items() if share > 0.0}
    expected = sum(1.0 - (1.0 - min(share, 1.0)) ** BLOCK for share in shares.values())
    return dict.fromkeys(shares, max(1, keys // max(1, int(expected))))
