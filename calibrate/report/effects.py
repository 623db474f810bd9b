"""The report's table of effects: strides, fences, the far node, mixes."""

from __future__ import annotations

import math
from collections.abc import Mapping

HEADER = ("effect", "operation", "configurations", "error of unseen ones (%)", "added half-width", "parameters")


def effect_rows(effects: Mapping[str, Mapping[str, Mapping]] | None) -> list[tuple]:
    """Rows below `HEADER`; of strides, errors below and from one interleaving chunk on."""
    rows = []
    for name, operations in (effects or {}).items():
        for operation, entry in operations.items():
            errors = "; ".join(" / ".join(f"{value:.1f}" for value in part) for part in entry.get("errors_percent", ()))
            widths = ", ".join(f"{100 * math.expm1(half):.0f} %" for half in entry["log_half_width"])
            rows.append((name, operation, entry["configurations"], errors, widths, _parameters(entry)))
    return rows


def _parameters(entry: Mapping) -> str:
    return ", ".join(
        f"{name} {value:.3g}" + (" (?)" if name in entry["not_identified"] else "")
        for name, value in entry["parameters"].items()
    )
