"""Listings of the scenario for `pmtwin list`: the paper's traces and mixes, and what it claims."""

from __future__ import annotations

from pmtwin.scenarios.hybrid_storage.published import ASSUMED, CLAIMS, ORDERS, TABLE_1, TABLE_2, TABLE_4, TABLE_5
from pmtwin.scenarios.listing import Listing


def _workloads() -> list[dict]:
    """Rows of Tables 4 and 5 with one set of keys."""
    traces = {**TABLE_4, **ASSUMED}
    rows = [
        {"name": name, "suite": each.suite, "read_percent": each.read_percent, "size_kb": each.size_kb,
         "gap_us": each.gap_us, "threads": [name], "place": "Table 4" if name in TABLE_4 else "assumed",
         "note": each.note}
        for name, each in traces.items()
    ]  # fmt: skip
    return rows + [
        {"name": name, "suite": "mix", "read_percent": None, "size_kb": None, "gap_us": None,
         "threads": list(mix.workloads), "place": "Table 5", "note": mix.note}
        for name, mix in TABLE_5.items()
    ]  # fmt: skip


def _claims() -> list[dict]:
    """Numbers of the paper, and comparisons without a number."""
    orders = [
        {"name": order.name, "claim": order.claim, "perf": None, "cost": None, "place": order.place} for order in ORDERS
    ]
    return [claim._asdict() for claim in CLAIMS] + orders


LISTINGS = {
    "block-workloads": Listing(
        "traces and mixes of the Harmonia paper, with the means that are drawn (hybrid-storage)",
        _workloads,
        titles={"read_percent": "reads in %", "size_kb": "mean KiB", "gap_us": "mean gap in us"},
        cells={"threads": ", ".join},
    ),
    "block-claims": Listing(
        "what the Harmonia paper publishes, with its place (hybrid-storage)",
        _claims,
    ),
    "block-features": Listing(
        "what the agents of the Harmonia paper see: its Table 1 (hybrid-storage)",
        lambda: [row._asdict() for row in TABLE_1],
    ),
    "block-agents": Listing(
        "hyperparameters of the agents of the Harmonia paper: its Table 2 (hybrid-storage)",
        lambda: [row._asdict() for row in TABLE_2],
        titles={"low": "least", "high": "most"},
    ),
}
