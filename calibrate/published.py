"""What a bandwidth sweep does not tell about the device, from publications, each with its source.

`pmtwin calibrate` puts these into every profile; values marked "assumed" were measured for another operation, or read
off a curve that only bounds them.
"""

from __future__ import annotations

from sim.device.law import OPERATIONS
from sim.device.tail import Tail

_FIGURE_2 = "Yang et al., FAST'20, figure 2"

IDLE_LATENCY_NS: dict[tuple[str, str], float] = {
    ("load", "random"): 305.0,
    ("load", "sequential"): 169.4,
    ("ntstore", "random"): 90.4,
    ("ntstore", "sequential"): 90.4,
    ("store_clwb", "random"): 62.3,
    ("store_clwb", "sequential"): 62.3,
    ("store", "random"): 62.3,
    ("store", "sequential"): 62.3,
}

QUEUE_LINE_NS: dict[str, float] = dict.fromkeys(OPERATIONS, 45.1)
"""Fitted to the latency under load of FAST'20, figure 6: 165.2 + 45.1 rho / (2 (1 - rho)) ns, 1.4/2.5/7.8 % error."""

TAIL = Tail(
    write_body_sigma=0.0851,
    stall_ns=46_100.0,
    stall_sd_ns=4_100.0,
    stall_probability=1.0 / 16_000.0,
    rare_stall_low_ns=9_000.0,
    rare_stall_high_ns=16_000.0,
    rare_stall_probability=1e-6,
    stall_region_bytes=43_260.0,
)

SOURCES: dict[str, dict[str, str]] = {
    "idle_latency_ns.load": {"origin": "published", "source": _FIGURE_2},
    "idle_latency_ns.ntstore": {"origin": "published", "source": f"{_FIGURE_2}; one pattern measured, both used"},
    "idle_latency_ns.store_clwb": {"origin": "published", "source": f"{_FIGURE_2}; one pattern measured, both used"},
    "idle_latency_ns.store": {"origin": "assumed", "source": f"{_FIGURE_2}, as store + clwb"},
    "queue_line_ns": {"origin": "published", "source": "fitted to FAST'20, figure 6 (one curve for all operations)"},
    "tail.write_body_sigma": {"origin": "published", "source": "fitted to FAST'20, figure 3, if the mean is 271 ns"},
    "tail.stall_ns": {"origin": "published", "source": "fitted to FAST'20, figure 3"},
    "tail.stall_region_bytes": {"origin": "published", "source": "fitted to FAST'20, figure 3"},
    "tail.stall_probability": {"origin": "published", "source": "FAST'20, figure 3: every 16,000 writes to 64 KiB"},
    "tail.rare_stall_ns": {"origin": "published", "source": "FAST'20, figure 3: 9 to 16 us at hot spots of any size"},
    "tail.rare_stall_probability": {"origin": "assumed", "source": "FAST'20, figure 3 bounds it below 1e-5"},
}
