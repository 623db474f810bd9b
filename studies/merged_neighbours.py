"""How often intervals of a mean hold it, of made-up series with the autocorrelation of CAPES' authors' log.

    python -m studies.merged_neighbours

A series is the sum of two first-order autoregressions, one that forgets within seconds and one within half a minute,
fitted to 0.59, 0.22, 0.20 and 0.02 at 1, 5, 10 and 60 s. Their memory is the time in which the slow one's falls to
1/e. Each has a true mean of 0. `merged` is
`pmtwin.sim.numerics.series`, its changepoints included; `plain` is Student's t on all values, as if independent.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from scipy.signal import lfilter

from pmtwin.sim.numerics.series import series_interval, steady_part
from pmtwin.sim.numerics.statistics import mean_interval
from studies.study import Study

LAGS, LOGGED = (1, 5, 10, 60), (0.59, 0.22, 0.20, 0.02)
FORGOTTEN = 500
"""First values of a series that are thrown away."""


def fitted() -> tuple[float, float, float]:
    """(share of the variance of the slow part, its autocorrelation, that of the quick part) nearest to the log's."""

    def missed(numbers: np.ndarray) -> np.ndarray:
        return autocorrelations(*numbers) - LOGGED

    return tuple(least_squares(missed, (0.3, 0.96, 0.4), bounds=((0, 0, 0), (1, 0.999, 0.95))).x.tolist())


def autocorrelations(share: float, slow: float, quick: float) -> np.ndarray:
    """Autocorrelations at `LAGS` of a sum of two autoregressions."""
    lags = np.array(LAGS, dtype=float)
    return share * slow**lags + (1.0 - share) * quick**lags


def made(length: int, seed: int, parts: tuple[float, float, float]) -> np.ndarray:
    """A series of mean 0 and variance 1."""
    share, slow, quick = parts
    noise = np.random.default_rng((seed, length)).normal(size=(2, length + FORGOTTEN))
    weights = np.sqrt([share, 1.0 - share])
    sums = (
        weight * lfilter([np.sqrt(1.0 - factor * factor)], [1.0, -factor], row)
        for weight, factor, row in zip(weights, (slow, quick), noise, strict=True)
    )
    return sum(sums)[FORGOTTEN:]  # type: ignore[index]  # arrays


def judged(length: int, seeds: range, progress: Callable[..., Iterable]) -> dict[str, Any]:
    """Shares of the series whose interval holds 0, and what was merged and left out."""
    parts, held, plain, merged, kept = fitted(), [], [], [], []
    for seed in progress(seeds, total=len(seeds), unit="series"):
        values = made(length, seed, parts)
        begin, end = steady_part(values)
        interval, usual = series_interval(values[begin:end]), mean_interval(values)
        plain.append(_holds(usual))
        kept.append((end - begin) / length)
        if interval["low"] is not None:
            held.append(_holds(interval))
            merged.append(interval["merged"])
    return {
        "length": length,
        "series": len(seeds),
        "merged": float(np.mean(held)),
        "plain": float(np.mean(plain)),
        "neighbours": float(np.median(merged)),
        "without": len(seeds) - len(held),
        "kept": float(np.mean(kept)),
    }


def _holds(interval: Any) -> bool:
    return interval["low"] <= 0.0 <= interval["high"]


def _run(args: argparse.Namespace, seeds: range, progress: Callable[..., Iterable]) -> dict[str, Any]:
    lengths = [judged(length, seeds, progress) for length in args.lengths]
    parts = fitted()
    return {
        "autocorrelation": dict(zip(LAGS, autocorrelations(*parts).tolist(), strict=True)),
        "memory_s": -1.0 / np.log(parts[1]),
        "lengths": lengths,
    }


def _text(result: dict) -> str:
    fits = ", ".join(f"{value:.2f} at {lag} s" for lag, value in result["autocorrelation"].items())
    rows = [
        f"{row['length']:,} values: the interval holds the mean in {row['merged']:.1%} of {row['series']:,} series, "
        f"{row['neighbours']:.0f} neighbours merged in the median, {row['kept']:.1%} of the values kept, "
        f"{row['without']} without an interval; as if independent {row['plain']:.1%}"
        for row in result["lengths"]
    ]
    return "\n".join([f"autocorrelation {fits}; a memory of {result['memory_s']:.0f} s", *rows])


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lengths", type=int, nargs="+", default=[600, 1800, 7200], help="values of a series")


STUDY = Study("studies.merged_neighbours", __doc__ or "", (1000, "series"), _configure, _run, _text)

if __name__ == "__main__":
    sys.exit(STUDY.main())
