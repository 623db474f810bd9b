"""The report's tables of effects, and of the errors on mixes, latencies under load and the tail of writes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pmtwin.calibrate.report.widths import interval_text

HEADER: tuple[str, ...] = (
    "effect",
    "operation",
    "configurations",
    "bandwidth over the plain bandwidth",
    "error of unseen configurations (%)",
)
HEADER += ("added half-width", "parameters")


def effect_rows(effects: Mapping[str, Mapping[str, Mapping]] | None) -> list[tuple]:
    """Rows below `HEADER`. Strides have two errors: below one interleaving chunk, and from one on."""
    rows = []
    for name, operations in (effects or {}).items():
        for operation, entry in operations.items():
            errors = "; ".join(_three(part) for part in entry.get("errors_percent", ()))
            widths = ", ".join(f"{100 * math.expm1(half):.0f} %" for half in entry["log_half_width"])
            ratio = ratio_text(entry)
            rows.append((name, operation, entry["configurations"], ratio, errors, widths, _parameters(entry)))
    return rows


def ratio_text(entry: Mapping) -> str:
    """Median, and 5th and 95th percentile over the configurations: measured bandwidth over that of plain accesses."""
    if "bandwidth_over_plain" not in entry:
        return ""
    median, low, high = entry["bandwidth_over_plain"]
    return f"{median:.2f} ({low:.2f} to {high:.2f})"


LOAD_HEADER = ("prediction", "points", "median / mean / 90th percentile of the error (%)")


def load_rows(record: Mapping) -> list[tuple]:
    """Rows below `LOAD_HEADER`: errors on measured mixes, latencies under load, and percentiles of single writes."""
    rows = []
    for operation, entry in (record.get("errors_percent_mixes") or {}).items():
        name = f"reads mixed with {operation}"
        pure = entry["pure_over_predicted"]
        ends = f"(its pure reads {pure['read']:.2f}, writes {pure['write']:.2f} of the predicted ones)"
        rows.append((f"{name}: bandwidth at write ratios not seen {ends}", entry["points"], _three(entry["predict"])))
        rows.append(
            (f"{name}: the same, the benchmark's own pure ends given", entry["points"], _three(entry["own_ends"]))
        )
        if "time_per_access" in entry:
            rows.append((f"{name}: time per access", entry["points"], _three(entry["time_per_access"])))
    loaded = record.get("errors_percent_latency_under_load")
    if loaded:
        rows.append(("latency of a read beside a growing load of writes", loaded["points"], _three(loaded["predict"])))
    tail = record.get("errors_percent_tail") or {}
    for name in sorted(tail.keys() - {"points"}):
        rows.append((f"{name} of single writes, by size of the hot spot", tail["points"], _three(tail[name])))
    return rows


def _three(values: Sequence[float]) -> str:
    return " / ".join(f"{value:.1f}" for value in values)


def _parameters(entry: Mapping) -> str:
    return ", ".join(
        f"{name} {value:.3g}" + (" (?)" if name in entry["not_identified"] else _interval(entry, name))
        for name, value in entry["parameters"].items()
    )


def _interval(entry: Mapping, name: str) -> str:
    if ends := entry.get("interval_90", {}).get(name):
        low, high = ends
        return f" {interval_text(low, high, '.3g')}"
    return ""
