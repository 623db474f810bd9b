"""Published latencies and tails by the kind of memory, each with its source.

`pmtwin calibrate` uses them for values that the files lack. Values with origin "assumed" were measured for another
operation, or are only bounded by a published curve. Latencies in ns.
"""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.device.law import OPERATIONS
from pmtwin.sim.device.tail import Tail

FIGURE_2, FIGURE_3, FIGURE_6 = (f"FAST'20, figure {number}" for number in (2, 3, 6))
"""Yang et al., "An Empirical Guide to the Behavior and Use of Scalable Persistent Memory"."""


@dataclass(frozen=True)
class Published:
    """Published values of a kind of memory.

    Args:
        idle_latency_ns: (operation, pattern) -> ns of one access on an idle device.
        queue_line_ns: operation -> time by which a media line delays those behind it under load.
        tail: distribution of single writes.
        sources: name of a value -> {"origin": "published" or "assumed", "source"}.
    """

    idle_latency_ns: dict[tuple[str, str], float]
    queue_line_ns: dict[str, float]
    tail: Tail
    sources: dict[str, dict[str, str]]


def _idle(random_load: float, sequential_load: float, ntstore: float, store_clwb: float) -> dict:
    """Idle latencies from figure 2, which has one latency of writes for both patterns; a cached store is assumed to be
    like a flushed one."""
    writes = {"ntstore": ntstore, "store_clwb": store_clwb, "store": store_clwb}
    loads = {("load", "random"): random_load, ("load", "sequential"): sequential_load}
    return loads | {(name, pattern): ns for name, ns in writes.items() for pattern in ("random", "sequential")}


def _sources(device: str, **tail_and_queue: tuple[str, str]) -> dict[str, dict[str, str]]:
    figure = f"Yang et al., {FIGURE_2}{device}"
    single = f"{figure}; one pattern measured, both used"
    entries = {
        "idle_latency_ns.load": ("published", figure),
        "idle_latency_ns.ntstore": ("published", single),
        "idle_latency_ns.store_clwb": ("published", single),
        "idle_latency_ns.store": ("assumed", f"{figure}, as store + clwb"),
        "queue_line_ns": ("published", f"fitted to {FIGURE_6}{device} (one curve for all operations)"),
    }
    entries |= {f"tail.{name}": entry for name, entry in tail_and_queue.items()}
    return {name: {"origin": origin, "source": source} for name, (origin, source) in entries.items()}


OPTANE = Published(
    idle_latency_ns=_idle(305.0, 169.4, 90.4, 62.3),
    # 165.2 + 45.1 rho / (2 (1 - rho)) ns, error 1.4/2.5/7.8 %
    queue_line_ns=dict.fromkeys(OPERATIONS, 45.1),
    tail=Tail(
        write_body_sigma=0.0851,
        stall_ns=46_100.0,
        stall_sd_ns=4_100.0,
        stall_probability=1.0 / 16_000.0,
        rare_stall_low_ns=9_000.0,
        rare_stall_high_ns=16_000.0,
        rare_stall_probability=1e-6,
        stall_region_bytes=43_260.0,
    ),
    sources=_sources(
        "",
        write_body_sigma=("published", f"fitted to {FIGURE_3}, if the mean is 271 ns"),
        stall_ns=("published", f"fitted to {FIGURE_3}"),
        stall_region_bytes=("published", f"fitted to {FIGURE_3}"),
        stall_probability=("published", f"{FIGURE_3}: every 16,000 writes to 64 KiB"),
        rare_stall_ns=("published", f"{FIGURE_3}: 9 to 16 us at hot spots of any size"),
        rare_stall_probability=("assumed", f"{FIGURE_3} bounds it below 1e-5"),
    ),
)

DRAM = Published(
    idle_latency_ns=_idle(101.5, 81.4, 86.9, 57.3),
    # 88.2 + 8.6 rho / (2 (1 - rho)) ns with a peak of 59.0 GB/s, error 0.4 % in the median
    queue_line_ns=dict.fromkeys(OPERATIONS, 8.6),
    tail=Tail(
        write_body_sigma=0.105,
        stall_ns=0.0,
        stall_sd_ns=0.0,
        stall_probability=0.0,
        rare_stall_low_ns=0.0,
        rare_stall_high_ns=0.0,
        rare_stall_probability=0.0,
    ),
    sources=_sources(
        ", DRAM",
        write_body_sigma=("assumed", "as Optane's (FAST'20, section 3.3)"),
        stall_probability=("published", "FAST'20, section 3.3: wear levelling is Optane's own"),
        rare_stall_probability=("assumed", "none: refresh is in the body"),
    ),
)

PUBLISHED = {"pmem": OPTANE, "dram": DRAM}
"""Published values by the kind of memory, in the readers' names."""
