"""Additional cost of mixing reads and streamed writes from the remote node.

FAST'20 figure 17, four threads over six modules: from the remote node reads and non-temporal stores alone keep 91 and
44 % of the local bandwidth, mixes of both keep 17 to 34 %. One thread keeps 77 % or more, except for writes alone.
PerMA-Bench's 64 B stores with flushes (16 threads) lose nothing: only streamed writes do. No measurement with more than
four threads is published.
"""

from __future__ import annotations

import numpy as np

WRITE_SHARES = (0.0, 0.2, 0.25, 1.0 / 3.0, 0.5, 1.0)
SHAPE = (0.0, 0.37, 1.0, 1.0, 0.45, 0.0)
"""Additional time of a mix, relative to the worst mix: four threads, beyond the factors of reads and writes alone."""

FEW_THREADS, MANY_THREADS = 1.0, 4.0
"""Bounds between which the additional time of a mix grows from 0 to its full value."""


def mix_factors(factor: float, most: int) -> np.ndarray:
    """Factors on the time of a payload in a mix, beyond the factors of reads or writes alone.

    Args:
        factor: factor of the worst mix with many threads; 1 from the local node.
        most: greatest number of threads.

    Returns:
        Shape (most + 1, most + 1): at [N, w] the factor for N threads of which w write.
    """
    threads = np.arange(most + 1, dtype=float)[:, None]
    share = np.arange(most + 1, dtype=float) / np.maximum(threads, 1.0)
    grown = np.clip((threads - FEW_THREADS) / (MANY_THREADS - FEW_THREADS), 0.0, 1.0)
    return 1.0 + (factor - 1.0) * grown * np.interp(share, WRITE_SHARES, SHAPE)
