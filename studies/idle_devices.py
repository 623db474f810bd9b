"""What lets pages move where requests come without a pause: `python -m studies.idle_devices`.

One thing at a time differs from the defaults of `pmtwin evaluate hybrid-storage`. Each cell has the mean latency over
that of Fast-Only, and in brackets the moves and the evictions of 1,000 requests. Second half measured; one seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pmtwin.figures.experiments.parallel import environment_seed
from pmtwin.scenarios.hybrid_storage.figures.experiments.runs import Case, Row, rows_of
from pmtwin.scenarios.hybrid_storage.options import HybridStorageOptions
from pmtwin.scenarios.hybrid_storage.published import TABLE_4
from pmtwin.scenarios.hybrid_storage.workloads.drawing import KB
from pmtwin.scenarios.hybrid_storage.workloads.shape import MEAN_REQUESTS
from pmtwin.sim.hybrid.stream import PAGE_BYTES

LENGTH, SEED = 60_000, 0
WORKLOADS, POLICIES = ("ssd-02", "YCSB-B"), ("write-lru", "lru-clean", "heat")
SMALLER = 8
BY_TIME = {"idle_measure": "time"}

STORAGES: Mapping[str, Mapping[str, Any]] = {
    "defaults": {},
    "idle below 50 %": {"idle_percent": 50.0},
    "idle below 100 %": {"idle_percent": 100.0},
    "idle for 0.1 ms": {"idle_ms": 0.1},
    "idle for 0.01 ms": {"idle_ms": 0.01},
    "idle by time": BY_TIME,
    "idle by time, below 50 %": {**BY_TIME, "idle_percent": 50.0},
    "idle by time, below 100 %": {**BY_TIME, "idle_percent": 100.0},
    "idle by time, for 0.01 ms": {**BY_TIME, "idle_ms": 0.01},
    "scan of 16 pages": {"scan": 16},
    "queue of 100": {"queue": 100},
    "reads promote": {"reads": "promote"},
    "full device refuses": {"full_device": "refuse"},
    "gaps paced": {"arrivals": "paced"},
    "layout home": {"layout": "home"},
    "layout home, idle below 50 %": {"layout": "home", "idle_percent": 50.0},
    "layout home, idle by time": {"layout": "home", **BY_TIME},
}
"""Name of a row -> options of the storage that differ."""

SHAPES: Mapping[str, Mapping[str, Any]] = {"skew 1.1": {"skew": 1.1}, "skew 0.7": {"skew": 0.7}}
"""Name of a row -> parameters of the requests that differ."""


def cases(workload: str) -> list[Case]:
    """The rows of a workload, one after another."""
    mean_pages = round(TABLE_4[workload].size_kb * KB / PAGE_BYTES)
    smaller = {"footprint_pages": MEAN_REQUESTS // SMALLER * mean_pages}
    shapes = {**SHAPES, f"footprint of 1/{SMALLER}": smaller}
    return [Case(name, workload, POLICIES, storage) for name, storage in STORAGES.items()] + [
        Case(name, workload, POLICIES, shape=shape) for name, shape in shapes.items()
    ]


def cell(row: Row) -> str:
    """Slowdown, moves and evictions of a run."""
    measured = LENGTH / 2 / 1000
    return f"{row['slowdown']:.2f} ({row['moves'] / measured:.0f} / {row['evictions'] / measured:.0f})"


def main() -> None:
    """The table."""
    heads = [f"{workload} `{policy}`" for workload in WORKLOADS for policy in POLICIES]
    print(f"| | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
    for several in zip(*(cases(workload) for workload in WORKLOADS), strict=True):
        cells = [
            cell(row)
            for case in several
            for row in rows_of(case, case.options(HybridStorageOptions(), LENGTH), environment_seed(SEED, 0))
        ]
        print(f"| {several[0].label} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
