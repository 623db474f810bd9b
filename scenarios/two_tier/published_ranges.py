"""Points over the ranges that the paper states for its regressions (section V): its lists, and round numbers between.

The paper does not list the values in its ranges of requests, addresses, stripes and files. The values here reproduce
the numbers of negative times that are known of its tables (247, 45, 177, 105).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np

THREADS, SIZES = (8, 16, 32, 64), (512, 4096, 8192, 65536, 262144)
REQUESTS, RANGES = (1e3, 1e4, 1e5, 1e6, 4e6), (5e8, 5e9, 5e10, 5e11)
PROCESSES, DISKS = (4, 8, 16, 32, 64, 128, 200), (1, 2, 4, 8)
STRIPES, FILES = (65_536, 524_288, 4_194_304, 67_108_864), (1e8, 1e9, 1e10, 1e11, 3.5e11)


def nvme_points() -> dict[str, np.ndarray]:
    """Variables of Tables I and II, each of shape (400,)."""
    return _columns(("threads", "size_bytes", "requests", "range_bytes"), product(THREADS, SIZES, REQUESTS, RANGES))


def hdd_points() -> dict[str, np.ndarray]:
    """Variables of Tables III and IV, each of shape (539,); files have at least one stripe on each disk."""
    names = ("processes", "disks", "stripe_bytes", "file_bytes")
    rows = [row for row in product(PROCESSES, DISKS, STRIPES, FILES) if row[3] >= row[1] * row[2]]
    columns = _columns(names, rows)
    return columns | {"stripes_per_disk": columns["file_bytes"] / (columns["disks"] * columns["stripe_bytes"])}


def _columns(names: tuple[str, ...], rows: Iterable[Sequence[float]]) -> dict[str, np.ndarray]:
    return dict(zip(names, np.array(list(rows), dtype=float).T, strict=True))


POINTS = {"nvme-write": nvme_points, "nvme-read": nvme_points, "hdd-write": hdd_points, "hdd-read": hdd_points}
"""Shipped regression -> function that returns points over its range."""
