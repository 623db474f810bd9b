"""The fixed geometry of Optane DC persistent memory, and parameters as functions of the number of DIMMs.

Yang et al., "An Empirical Guide to the Behavior and Use of Scalable Persistent Memory", FAST'20, section 2.
"""

from __future__ import annotations

import numpy as np

CACHE_LINE_BYTES = 64
"""Bytes that a core moves at a time."""

MEDIA_LINE_BYTES = 256
"""The XPLine: bytes that the media read and write at a time."""

INTERLEAVING_CHUNK_BYTES = 4096
"""Consecutive chunks of this size lie on consecutive DIMMs of an interleaved set."""

FULL_SET_DIMMS = 6
"""DIMMs of one socket of the published machines; parameters are for one DIMM and for this many."""

MOST_DIMMS = 16
"""Largest accepted number of modules of one socket; beyond six, the power law of `between_one_and_full` continues."""

MIB = float(1 << 20)


def cache_lines(access_size_bytes: np.ndarray | float) -> np.ndarray:
    """Cache lines that one aligned access touches (at least one)."""
    return np.ceil(access_size_bytes / CACHE_LINE_BYTES)


def media_line_use(access_size_bytes: np.ndarray, line_bytes: float = MEDIA_LINE_BYTES) -> np.ndarray:
    """Share of its media lines' bytes that an isolated access uses: A / (256 ceil(A / 256)), in (0, 1]."""
    return access_size_bytes / (line_bytes * np.ceil(access_size_bytes / line_bytes))


def between_one_and_full(single: float, full: float, dimms: np.ndarray) -> np.ndarray:
    """A positive parameter for `dimms` DIMMs: geometric between its values for one DIMM and for a full set.

    Only one and six DIMMs were measured; other numbers follow a power of the number of DIMMs.
    """
    weight = np.log(dimms) / np.log(FULL_SET_DIMMS)
    return single * (full / single) ** weight
