"""Mixes: some threads read, others write, and both share the time of the media."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.effects.effect import Effect

PARAMETERS = {
    "interference": "share of their speed that readers lose to the first writers, which they wait for behind",
    "overlap": "media time won where reads and writes overlap, over the time used, in a mix of halves",
}

FEW_WRITERS = 0.05
"""Share of writers at which half of their cost to the readers counts (`x0` below)."""


def mixed_bandwidth_mib_s(
    read_threads: np.ndarray,
    write_threads: np.ndarray,
    pure_read_mib_s: np.ndarray,
    pure_write_mib_s: np.ndarray,
    mix: Mapping[str, float],
) -> tuple[np.ndarray, np.ndarray]:
    """(read, write) bandwidth in MiB/s when all N = n_r + n_w threads share the media's time equally.

    Each thread gets 1/N of the media's time, in which it moves what the pure workload of all N threads would: R n_r / N
    and W n_w / N. A read behind a write waits longer than behind a read; the readers of a mix with a share x = n_w / N
    of writers lose a share c (1 - x)^2 x / (x + x0). As no thread waits for its own writes, the media serve reads
    meanwhile: both sides gain a share 4 g x (1 - x).

    Args:
        read_threads, write_threads: n_r and n_w, not negative, at least one of them positive.
        pure_read_mib_s, pure_write_mib_s: R and W, bandwidth if all N threads read, or write.
        mix: c (`interference`, 0 to 1) and g (`overlap`).
    """
    total = read_threads + write_threads
    x = write_threads / total
    read_factor = 1.0 - mix["interference"] * (1.0 - x) ** 2 * x / (x + FEW_WRITERS)
    gain = 1.0 + 4.0 * mix["overlap"] * x * (1.0 - x)
    return pure_read_mib_s * (1.0 - x) * read_factor * gain, pure_write_mib_s * x * gain


class Mixes(Effect):
    """Present in points with `read_threads` and `write_threads`; the effect has no column."""

    name = "mixes"
    parameters = PARAMETERS
    axes = ("access_size_bytes", "threads", "dimms")
    may_be_zero = tuple(PARAMETERS)
