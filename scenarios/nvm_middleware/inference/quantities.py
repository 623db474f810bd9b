"""Names of the simulated quantities of a draw, shared by the evidence and the simulator."""

from __future__ import annotations

from pmtwin.scenarios.nvm_middleware import published

ALL_PHASES = "phases"
"""The windows of all four phases together."""

SECTION_4_2 = "section-4.2"

BEST_WINDOW = "phase-1/greatest reward"
"""Greatest reward of any window of any column of Table D.4."""

Pools = tuple[int, int] | None
"""None: no middleware."""

WINDOW_QUANTITIES = (
    "attainment",
    "met_share",
    "reward",
    "p99_us",
    *(f"throughput_{label}" for label in published.QUARTILES),
)
"""Quantities of the windows of one setting: share that meets both goals, within the twin's error and as simulated;
medians of reward and interactive p99; quantiles of throughput."""


def pools_text(pools: Pools) -> str:
    """Pools as on the command line."""
    return "none" if pools is None else f"{pools[0]},{pools[1]}"


def name_of(context: str, pools: Pools, quantity: str) -> str:
    """A quantity of a setting in a context."""
    return f"{context}/{pools_text(pools)}/{quantity}"
