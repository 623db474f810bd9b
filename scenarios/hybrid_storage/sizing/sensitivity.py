"""What the assumed prices and endurances decide: results of a plan with each of them at half and at double."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pmtwin.scenarios.hybrid_storage.sizing.sheets import GIVEN, Sheets

FACTORS = (0.5, 2.0)


def sensitivity(sheets: Sheets, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Cost and cheapest policy by each assumed price, and years by each assumed endurance.

    Args:
        rows: policies that keep the goals, the best first (`search.row_of`).

    Returns:
        Rows with `device`, `assumed` (`usd_gb` or `endurance_tb`), its `value`, and lists for `factors` of that: of a
        price `cost_usd` of the best policy and the `cheapest` policy, of an endurance `years` of the best policy.
        Prices and endurances that the user gave, and devices that the best policy does not use, have no row.
    """
    result: list[dict[str, Any]] = []
    for device, sheet in zip(sheets.devices, sheets.rows, strict=True):
        name = device.name
        if sheet.priced != GIVEN and any(row["gb"][name] for row in rows):
            costs = [
                {row["policy"]: row["cost_usd"] + (factor - 1.0) * sheet.usd_gb * row["gb"][name] for row in rows}
                for factor in FACTORS
            ]
            result.append({
                "device": name, "assumed": "usd_gb", "value": sheet.usd_gb, "factors": list(FACTORS),
                "cost_usd": [cost[rows[0]["policy"]] for cost in costs],
                "cheapest": [min(cost, key=cost.__getitem__) for cost in costs],
            })  # fmt: skip
        years = rows[0]["years"][name]
        if sheet.rated != GIVEN and years is not None:
            result.append({
                "device": name, "assumed": "endurance_tb", "value": sheet.endurance_tb, "factors": list(FACTORS),
                "years": [factor * years for factor in FACTORS],
            })  # fmt: skip
    return result
