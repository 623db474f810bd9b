"""Errors by region: the conditions and settings at which the twin is least accurate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.control import Settings
from pmtwin.validation.plan import PREDICTED

KEPT = 0.5
"""A side keeps the service level in a case if at least this share of windows does."""

KEPT_RULE = f"a side keeps it with an attainment of {100 * KEPT:.0f} % or more"
"""`KEPT` in words, beside statements that a case keeps or misses the service level."""

HALVINGS = 3
"""Numbers of halvings of the largest sum of a setting's numbers: the bounds between the ranges of sums."""


def regions(scenario: type[Scenario], entries: Sequence[dict], errors: Callable[[Sequence[dict]], dict]) -> list[dict]:
    """Errors by conditions, by the sum of the setting, and by whether the twin expects the service level to hold.

    Args:
        entries: `comparisons` of `comparison.compare`.
        errors: function that computes the errors of some entries.

    Returns:
        for each region: `kind`, `region`, `errors`.
    """
    settings = scenario.settings
    kinds: dict[str, Callable[[dict], Any]] = {
        "workload": lambda entry: (0, entry["workload"]),
        settings.unit or settings.noun: lambda entry: _size(settings, entry[settings.noun]),
        "service level": lambda entry: (
            (0, "kept, says the twin")
            if entry["attainment"][PREDICTED]["mean"] >= KEPT
            else (1, "missed, says the twin")
        ),
    }
    result = []
    for kind, label_of in kinds.items():
        labels = [label_of(entry) for entry in entries]
        for label in sorted({label for label in labels if label is not None}):
            part = [entry for entry, mine in zip(entries, labels, strict=True) if mine == label]
            result.append({"kind": kind, "region": label[1], "errors": errors(part)})
    return result


def _size(settings: Settings, setting: Sequence[int] | None) -> tuple[int, str] | None:
    """(order, label) of the range in which the sum of a setting's numbers lies; None without a fixed setting."""
    if setting is None:
        return None
    least, most = sum(settings.low), sum(settings.high)
    for halved in range(HALVINGS, -1, -1):
        end = most >> halved
        if sum(setting) <= end:
            return end, f"{least} to {end}"
        least = end + 1
    raise AssertionError("a setting lies within its bounds")
