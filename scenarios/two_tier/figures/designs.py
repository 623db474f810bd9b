"""Designs of runs over the ranges of the paper's regressions, each run simulated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pmtwin.scenarios.two_tier.figures.simulated_devices import Disks, Nvme
from pmtwin.scenarios.two_tier.published_ranges import (
    DISKS,
    FILES,
    PROCESSES,
    RANGES,
    REQUESTS,
    SIZES,
    STRIPES,
    THREADS,
)

MOST_REQUESTS = int(REQUESTS[-1])


def nvme_run(rng: np.random.Generator, write: bool, most: int) -> dict[str, float]:
    """A random point of Tables I and II with its time; `most`: requests."""
    columns = {
        "threads": float(rng.choice(THREADS)),
        "size_bytes": float(rng.choice(SIZES)),
        "requests": np.floor(_log_uniform(rng, REQUESTS[0], min(most, REQUESTS[-1]))),
        "range_bytes": _log_uniform(rng, RANGES[0], RANGES[-1]),
    }
    return columns | {"time_s": Nvme().time_s(columns, write, rng)}


def hdd_run(rng: np.random.Generator, write: bool, most: int) -> dict[str, float]:
    """A random point of Tables III and IV with its time, of at most `most` stripes and of one on each disk at least."""
    while True:
        disks, stripe = float(rng.choice(DISKS)), 2.0 ** rng.integers(np.log2(STRIPES[0]), np.log2(STRIPES[-1]) + 1)
        size = _log_uniform(rng, FILES[0], FILES[-1])
        if disks <= size / stripe <= most:
            break
    columns = {
        "processes": float(rng.choice(PROCESSES)),
        "disks": disks,
        "stripes_per_disk": size / (disks * stripe),
        "stripe_bytes": stripe,
        "file_bytes": size,
    }
    return columns | {"time_s": Disks().time_s(columns, write, rng)}


def _log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


RUNS: dict[str, Callable] = {"nvme-write": nvme_run, "nvme-read": nvme_run, "hdd-write": hdd_run, "hdd-read": hdd_run}
"""Shipped regression -> draws a run of its kind."""


def design(
    name: str, runs: int, seed: np.random.SeedSequence, most: int = MOST_REQUESTS, on_run: Callable = lambda: None
) -> dict[str, np.ndarray]:
    """Columns of the regression of that name and `time_s`, each of shape (runs,).

    Args:
        most: requests of a run.
    """
    rows = []
    for child in seed.spawn(runs):
        rows.append(RUNS[name](np.random.default_rng(child), name.endswith("write"), most))
        on_run()
    return {column: np.array([row[column] for row in rows]) for column in rows[0]}
