"""`pmtwin bench scaling`: how wall-clock time grows with requests and replicas, and falls with workers.

Each series is sampled in turn; an exponent e says that time grows with the size to the power of e. It is fitted to each
round by itself, and stated as the median of the rounds with the least and the most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pmtwin.bench import SEED, Request
from pmtwin.bench.timing import Sample, Work, sample_in_turn
from pmtwin.console.output import counted, print_table
from pmtwin.console.progress import progress
from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware
from pmtwin.scenarios.nvm_middleware.model.pools import WindowSpec
from pmtwin.scenarios.nvm_middleware.model.replicas import Replicas
from pmtwin.scenarios.nvm_middleware.phases import phase_workload
from pmtwin.sim.common.threads import usable_processors
from pmtwin.sim.numerics.statistics import spread

POOLS = (10, 10)
WARM_UP_WINDOWS = 3


class Series(NamedTuple):
    """Sizes of something, and what to time for each.

    Fields:
        name: what has these sizes.
        sizes: ascending.
        work: size -> work, warmed up; a unit of it is the whole work once.
    """

    name: str
    sizes: tuple[int, ...]
    work: Callable[[int], Work]


def series() -> list[Series]:
    """Requests of a window, replicas on one worker, and workers of the most replicas."""
    replicas = (1, 4, 16, 64)
    workers = tuple(2**k for k in range(usable_processors().bit_length()))
    return [
        Series("requests", (500, 2_000, 8_000, 32_000), lambda requests: _windows(1, 1, requests)),
        Series("replicas", replicas, lambda count: _windows(count, 1)),
        Series("workers", workers, lambda threads: _windows(replicas[-1], threads)),
    ]


def _windows(count: int, threads: int, requests: int = 5_000) -> Work:
    """A window of each of so many replicas in phase 1."""
    window = WindowSpec(requests)
    middlewares = [Middleware(phase_workload(1), seed=SEED + place, window=window) for place in range(count)]
    for middleware in middlewares:
        middleware.start(*POOLS)
    together = Replicas(threads)

    def work() -> int:
        together.run_windows(middlewares)
        return 1

    for _ in range(WARM_UP_WINDOWS):
        work()
    return work


def measure(request: Request) -> dict:
    """Time every size of every series.

    Returns:
        `seconds` of a sample; `series`, name -> `sizes`, `wall_s` (`median`, `min`, `max` of each size) and `exponent`
        (the same over rounds; None for a series of one size).
    """
    every = series()
    with progress(desc="samples", total=request.repeats * sum(len(contender.sizes) for contender in every)) as bar:
        rows = {
            name: _row(sizes, sample_in_turn({str(size): work(size) for size in sizes}, *request[1:], bar.update))
            for name, sizes, work in every
        }
    return {"seconds": request.seconds, "series": rows}


def _row(sizes: tuple[int, ...], samples: dict[str, list[Sample]]) -> dict:
    walls = np.array([[sample.wall_s / sample.units for sample in samples[str(size)]] for size in sizes])
    exponents = None
    if len(sizes) > 1:
        exponents = spread(np.polyfit(np.log(sizes), np.log(walls), 1)[0].tolist())
    return {"sizes": list(sizes), "wall_s": [spread(row) for row in walls.tolist()], "exponent": exponents}


def show(report: dict) -> None:
    """Print times and exponents as a table."""
    print(f"scaling: wall-clock time; median of {counted(report['repeats'], 'sample')} (least to most)")
    rows = [
        (name, size, *(1e3 * wall[key] for key in ("median", "min", "max")))
        for name, row in report["series"].items()
        for size, wall in zip(row["sizes"], row["wall_s"], strict=True)
    ]
    print_table(rows, ("number of", "", "ms", "least", "most"))
    for name, row in report["series"].items():
        exponent = row["exponent"]
        if exponent is None:
            print(f"{name}: one size only, no exponent")
        else:
            low, high = exponent["min"], exponent["max"]
            print(f"{name}: time goes with the power {exponent['median']:.2f} ({low:.2f} to {high:.2f})")
