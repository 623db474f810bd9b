"""Digest the published curves of the Azure Functions blob trace 2020 into the constants of `azure_blob`.

The trace itself (44 million accesses) is described by distribution curves; each was read off a figure as, for every
pixel column, the lowest and highest share of accesses at or below that size. The curves are steps (most small accesses
have one of a few sizes), so a size distribution is read as the steps it has: no smoothing, no parametric family.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pmtwin.sim.errors import InputError
from pmtwin.sim.files.input_text import text_lines
from pmtwin.sim.files.json_file import read_json
from pmtwin.sim.load.workload import SIZE_BINS

SMALL_BYTES = 1024
"""The thesis keeps accesses of less than 1 KB (section 4.1.3)."""

COLUMN_RATIO = 1.0618
"""Neighbouring pixel columns of the size curves lie this factor apart; a wider gap is a hidden part of a curve."""


@dataclass(frozen=True)
class BlobStatistics:
    """Statistics of the trace: accesses below `SMALL_BYTES`, and the burstiness of the accesses to one blob.

    `read_sizes`, `write_sizes`: runs (size in bytes, how many of the `SIZE_BINS` equally likely sizes).
    """

    read_sizes: tuple[tuple[int, int], ...]
    write_sizes: tuple[tuple[int, int], ...]
    write_ratio: float
    interarrival_cov: float


def fit_blob_statistics(folder: str | Path) -> BlobStatistics:
    """Compute the constants from a folder with the digitised curves and `published_stats.json`.

    Raises:
        InputError: if a curve is missing or not in the expected form.
    """
    folder = Path(folder)
    read_fraction = read_json(folder / "published_stats.json", "curve")["read_fraction_fitted"]
    curves = {name: _read_curve(folder / f"cdf_size_access_{name}.csv") for name in ("all", "read", "write")}
    grid = np.unique(np.concatenate([sizes for sizes, _ in curves.values()]))
    grid = grid[grid < SMALL_BYTES]
    write = _step(curves["write"], grid)
    read = _fill_hidden(
        curves["read"], grid, (_step(curves["all"], grid) - (1 - read_fraction) * write) / read_fraction
    )
    small_reads, small_writes = read_fraction * read[-1], (1 - read_fraction) * write[-1]
    covs, cdf = _read_curve(folder / "cdf_blob_iat_cov.csv", column="cov")
    return BlobStatistics(
        read_sizes=equally_likely_runs(grid, read),
        write_sizes=equally_likely_runs(grid, write),
        write_ratio=round(float(small_writes / (small_reads + small_writes)), 3),
        interarrival_cov=round(float(np.interp(0.5, cdf, covs)), 3),
    )


def _read_curve(path: Path, column: str = "size_bytes") -> tuple[np.ndarray, np.ndarray]:
    """(values, share of accesses at or below, 0 to 1, never falling). Both have one entry per pixel column."""
    reader = csv.DictReader(text_lines(path, "curve"))
    try:
        rows = [(float(row[column]), float(row["cdf_pct_high"]) / 100.0) for row in reader]
    except InputError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("curve", str(path), f"columns {column}, cdf_pct_high with numbers") from error
    values, cdf = np.array(rows).T
    return values, np.minimum(np.maximum.accumulate(cdf), 1.0)


def _step(curve: tuple[np.ndarray, np.ndarray], grid: np.ndarray) -> np.ndarray:
    """The curve at the sizes of `grid`: the value of the last pixel column at or before each."""
    sizes, cdf = curve
    return np.concatenate([[0.0], cdf])[np.searchsorted(sizes, grid, side="right")]


def _fill_hidden(curve: tuple[np.ndarray, np.ndarray], grid: np.ndarray, substitute: np.ndarray) -> np.ndarray:
    """The curve on `grid`, with `substitute` where the curve is hidden below another one in its figure."""
    sizes, _ = curve
    before = np.searchsorted(sizes, grid, side="right") - 1
    after = np.minimum(before + 1, len(sizes) - 1)
    hidden = (sizes[after] / sizes[np.maximum(before, 0)] > COLUMN_RATIO**2) & (grid > sizes[np.maximum(before, 0)])
    return np.maximum.accumulate(np.where(hidden, substitute, _step(curve, grid)))


def equally_likely_runs(sizes: np.ndarray, cdf: np.ndarray | None = None) -> tuple[tuple[int, int], ...]:
    """`SIZE_BINS` equally likely sizes as runs (size in bytes, count), from the middles of equal shares of accesses.

    Args:
        sizes: observed sizes, or with `cdf` the sizes at which the distribution is known, rising.
        cdf: share of accesses at or below each of them; the last entry counts as all.
    """
    if cdf is None:
        sizes, cdf = np.sort(sizes), np.arange(1, len(sizes) + 1) / len(sizes)
    shares = (np.arange(SIZE_BINS) + 0.5) / SIZE_BINS * cdf[-1]
    chosen = np.maximum(np.rint(sizes[np.searchsorted(cdf, shares)]), 1).astype(int)
    values, counts = np.unique(chosen, return_counts=True)
    return tuple((int(value), int(count)) for value, count in zip(values, counts, strict=True))
