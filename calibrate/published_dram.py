"""What a bandwidth sweep does not tell about DRAM, from publications: see `calibrate.published` for Optane."""

from __future__ import annotations

from sim.device.law import OPERATIONS
from sim.device.tail import Tail

_FIGURE_2 = "Yang et al., FAST'20, figure 2, DRAM"

IDLE_LATENCY_NS: dict[tuple[str, str], float] = {
    ("load", "random"): 101.5,
    ("load", "sequential"): 81.4,
    ("ntstore", "random"): 86.9,
    ("ntstore", "sequential"): 86.9,
    ("store_clwb", "random"): 57.3,
    ("store_clwb", "sequential"): 57.3,
    ("store", "random"): 57.3,
    ("store", "sequential"): 57.3,
}

QUEUE_LINE_NS: dict[str, float] = dict.fromkeys(OPERATIONS, 8.6)
"""Fitted to the DRAM curve of FAST'20, figure 6: 88.2 + 8.6 rho / (2 (1 - rho)) ns, peak 59.0 GB/s, 0.4 % median."""

TAIL = Tail(
    write_body_sigma=0.105,
    stall_ns=0.0,
    stall_sd_ns=0.0,
    stall_probability=0.0,
    rare_stall_low_ns=0.0,
    rare_stall_high_ns=0.0,
    rare_stall_probability=0.0,
)

SOURCES: dict[str, dict[str, str]] = {
    "idle_latency_ns.load": {"origin": "published", "source": _FIGURE_2},
    "idle_latency_ns.ntstore": {"origin": "published", "source": f"{_FIGURE_2}; one pattern measured, both used"},
    "idle_latency_ns.store_clwb": {"origin": "published", "source": f"{_FIGURE_2}; one pattern measured, both used"},
    "idle_latency_ns.store": {"origin": "assumed", "source": f"{_FIGURE_2}, as store + clwb"},
    "queue_line_ns": {"origin": "published", "source": "fitted to FAST'20, figure 6, DRAM (one for all operations)"},
    "tail.write_body_sigma": {"origin": "assumed", "source": "as Optane's (FAST'20, section 3.3)"},
    "tail.stall_probability": {"origin": "published", "source": "FAST'20, section 3.3: wear levelling is Optane's own"},
    "tail.rare_stall_probability": {"origin": "assumed", "source": "none: refresh is in the body"},
}
