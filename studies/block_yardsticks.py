"""What is possible on a fast and a slow block device: `python -m studies.block_yardsticks [TRACE ...]`.

First the drawn workloads beside Table 4, then the yardsticks by skew and capacity, then how far the bound by prices
lies below the exact flow, and the yardsticks of traces with their volumes together. Latencies over those of Fast-Only,
second half measured; one seed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pmtwin.scenarios.block_traces import TOGETHER
from pmtwin.scenarios.hybrid_storage.published import TABLE_4
from pmtwin.scenarios.hybrid_storage.workloads import Shape, recorded, statistics, workload
from pmtwin.scenarios.hybrid_storage.yardsticks import optimum, optimum_charged, oracle_epoch
from pmtwin.sim.hybrid.devices import devices_of
from pmtwin.sim.hybrid.stream import PAGE_BYTES, Paged, paged

LENGTH, SEED = 100_000, 0
SKEWS, SHARES = (0.7, 0.9, 1.3), (0.02, 0.1, 0.3)
WORKLOADS, CONFIGS = ("ssd-02", "LUN0", "YCSB-B"), ("perf", "cost")
SMALL = 10_000
"""Requests of the runs in which flow and prices are compared."""

TRACE_SHARES = (0.001, 0.01, 0.1)


def pages(requests: Paged, share: float) -> int:
    """Pages on the fast device."""
    return max(1, round(share * len(requests.home)))


def means() -> None:
    """Largest difference of a drawn mean from Table 4."""
    worst = 0.0
    for name, row in TABLE_4.items():
        drawn = statistics(workload(name, Shape(length=LENGTH), SEED))
        worst = max(
            worst, *(abs(drawn[key] / getattr(row, key) - 1.0) for key in ("read_percent", "size_kb", "gap_us"))
        )
    print(f"{len(TABLE_4)} workloads, {LENGTH:,} requests: means differ from Table 4 by {100 * worst:.3f} % at most\n")


def by_skew(config: str) -> None:
    """Yardsticks by workload, skew and capacity."""
    devices = devices_of(config)
    fast = ", ".join(f"{share:.0%}" for share in SHARES)
    print(f"{config}: optimum / charged / oracle of each epoch; fast device of {fast} of the pages")
    for name in WORKLOADS:
        for skew in SKEWS:
            requests = paged(workload(name, Shape(length=LENGTH, skew=skew), SEED))
            cells = []
            for share in SHARES:
                capacity = pages(requests, share)
                values = [
                    each(requests, *devices, capacity, LENGTH // 2) for each in (optimum, optimum_charged, oracle_epoch)
                ]
                cells.append(" / ".join(f"{value.over_fast_only:.2f}" for value in values))
            print(f"  {name:7} skew {skew}:  {'   '.join(cells)}", flush=True)
    print()


def moves_of_the_oracle() -> None:
    """Time of the oracle's moves, to the fast device and back, over the gaps between requests."""
    fast, slow = devices_of("perf")
    move_ns = sum(device.alone_ns(write, PAGE_BYTES) for device in (fast, slow) for write in (False, True))
    for name in WORKLOADS:
        requests = paged(workload(name, Shape(length=LENGTH), SEED))
        half = LENGTH // 2
        gaps_ns = requests.stream.gap_ns[half:].sum()
        moves = [oracle_epoch(requests, fast, slow, pages(requests, share), half).moves or 0 for share in SHARES]
        shown = ", ".join(f"{each * move_ns / gaps_ns:.2f}" for each in moves)
        print(f"{name}: moves of the oracle over all gaps, perf: {shown}")
    print()


def bound_below_flow() -> None:
    """How far the bound by prices lies below the flow."""
    for yardstick in (optimum, optimum_charged):
        below = []
        for config in CONFIGS:
            for name in WORKLOADS[::2]:
                requests = paged(workload(name, Shape(length=SMALL, footprint_pages=8_000), SEED))
                for share in SHARES:
                    arguments = (requests, *devices_of(config), pages(requests, share), SMALL // 2)
                    flow, bound = yardstick(*arguments, exact=10**9), yardstick(*arguments, exact=0)
                    below.append(100.0 * (1.0 - bound.mean_ns / flow.mean_ns))
        print(
            f"{yardstick.__name__}, {len(below)} cases: prices below the flow by {min(below):.2f} to {max(below):.2f} %"
        )
    print()


def of_trace(path: str) -> None:
    """Yardsticks of a trace, volumes together."""
    requests = paged(recorded(path, TOGETHER).stream)
    half = len(requests.stream.size) // 2
    for share in TRACE_SHARES:
        capacity = pages(requests, share)
        values = [
            each(requests, *devices_of("perf"), capacity, half) for each in (optimum, optimum_charged, oracle_epoch)
        ]
        shown = ", ".join(f"{value.over_fast_only:.3f} ({value.kind}, {value.method})" for value in values)
        print(f"{path}, {share:.1%} of {len(requests.home):,} pages: {shown}", flush=True)


def main(paths: Sequence[str]) -> None:
    """All tables."""
    means()
    for config in CONFIGS:
        by_skew(config)
    moves_of_the_oracle()
    bound_below_flow()
    for path in paths:
        of_trace(path)


if __name__ == "__main__":
    main(sys.argv[1:])
