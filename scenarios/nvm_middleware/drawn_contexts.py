"""Workloads of the context sets `contended` and `random`: stated shares and ranges, fixed before any policy saw them.

Reasons and what the model says of them: docs/contexts.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from pmtwin.scenarios.nvm_middleware.workloads import azure_blob, svd
from pmtwin.sim.load.workload import ClassWorkload, Workload

CONTENDED_TOTAL_OPS = 360_000.0
CONTENDED_SHARES = (0.1, 0.5, 0.75, 0.9)
"""Share of the operations that the interactive class offers."""

RANDOM_SEED = 15
RANDOM_TRAINED, RANDOM_KEPT_ASIDE = 16, 8
RANDOM_RANGES = {
    "clients": (100, 400),
    "interactive_size_bytes": (32, 2_048),
    "batch_size_bytes": (1_024, 16_384),
    "write_ratio": (0.0, 0.9),
    "total_ops": (260_000.0, 420_000.0),
    "interactive_share": (0.15, 0.85),
}
"""Clients of a class (whole, uniform), sizes (log-uniform), shares of writes, rates and their split (uniform)."""


PRACTICE_RANGES = RANDOM_RANGES | {"total_ops": (200_000.0, 460_000.0), "interactive_share": (0.05, 0.95)}
"""Ranges of training: those of `random`, with loads and splits somewhat beyond, so that no test lies at an edge."""


def contended_workloads() -> dict[int, Workload]:
    """Number -> the classes of phase 1 of the thesis, their rates split in another way."""
    return {
        number: _workload(
            f"contended-{number}",
            (200, 200),
            (50, 8192),
            (0.2, 0.5),
            CONTENDED_TOTAL_OPS * np.array([share, 1 - share]),
        )
        for number, share in enumerate(CONTENDED_SHARES, 1)
    }


def random_workloads() -> dict[int, Workload]:
    """Number -> workload drawn from `RANDOM_RANGES`; the first `RANDOM_TRAINED` are for training."""
    rng = np.random.default_rng(RANDOM_SEED)
    numbers = range(1, RANDOM_TRAINED + RANDOM_KEPT_ASIDE + 1)
    return {number: _drawn(f"random-{number}", RANDOM_RANGES, rng) for number in numbers}


def practice_workload(rng: np.random.Generator) -> Workload:
    """A workload drawn from `PRACTICE_RANGES`, for training."""
    return _drawn("practice", PRACTICE_RANGES, rng)


def _drawn(name: str, ranges: Mapping[str, tuple[float, float]], rng: np.random.Generator) -> Workload:
    fewest, most = (int(end) for end in ranges["clients"])
    clients = rng.integers(fewest, most, size=2, endpoint=True)
    names = ("interactive_size_bytes", "batch_size_bytes")
    sizes = [round(float(np.exp(rng.uniform(*np.log(ranges[size]))))) for size in names]
    writes = rng.uniform(*ranges["write_ratio"], size=2)
    share = rng.uniform(*ranges["interactive_share"])
    rates = rng.uniform(*ranges["total_ops"]) * np.array([share, 1.0 - share])
    return _workload(name, clients, sizes, writes, rates)


def _workload(
    name: str, clients: Iterable[int], sizes: Iterable[int], writes: Iterable[float], rates: Iterable[float]
) -> Workload:
    """Workload of both classes, (interactive, batch) each."""
    covs = azure_blob.INTERARRIVAL_COV, svd.INTERARRIVAL_COV
    interactive, batch = (
        ClassWorkload(int(count), float(ratio), size, size, rate_ops=float(rate), interarrival_cov=cov)
        for count, size, ratio, rate, cov in zip(clients, sizes, writes, rates, covs, strict=True)
    )
    return Workload(name, interactive, batch)
