"""Errors of the shipped profile, and its refit to the data."""

from __future__ import annotations

from collections.abc import Sequence

from pmtwin.figures.drawing.numbers import number, percent
from pmtwin.figures.drawing.rendered import Rendered, Statement, Table

TARGETS = {"load": ((3, 4, 8), (4, 5, 9)), "ntstore": ((3, 4, 8), (4, 5, 9)), "store_clwb": ((2, 3, 5), (2, 3, 5))}
"""Errors in % (median, mean, 90th percentile) that the model is to stay below on unseen configurations, and on unseen
thread counts."""

SAME_PERCENT = 0.5
"""A re-fit whose law is nowhere further from the shipped one gives it again."""


def render(results: dict) -> Rendered:
    """Figures and tables from the values of the experiment `calibration`."""
    data = results["calibration"]
    shipped, refit = data["shipped"], data["refit"]
    rows = []
    for operation, errors in shipped["errors_percent"].items():
        unseen, threads = errors.get("unseen_configurations", {}), errors.get("unseen_thread_counts", {})
        difference = refit["differences"].get(operation) if refit else None
        rows.append(
            (
                operation,
                errors["fit"]["configurations"],
                _three(errors["fit"]["mechanism"]),
                _three(unseen.get("predict")),
                _three(threads.get("predict")),
                _share(errors.get("coverage_90", {}).get("configurations")),
                None if difference is None else f"{number(difference['max_percent'], 2)} %",
            )
        )
    header = (
        *("operation", "configurations", "law on its own data", "unseen configurations", "unseen thread counts"),
        *("inside the 90 % interval", "re-fit here: largest difference"),
    )
    note = (
        "Errors of bandwidth in %, median / mean / 90th percentile, by cross-validation with whole groups kept aside."
    )
    table = Table("calibration", f"The profile {shipped['name']}: errors on data kept aside", header, rows, note)
    return Rendered(tables=[table], statements=[*_accuracy(shipped), *_refit_statements(shipped, refit)])


def _three(values: Sequence[float] | None) -> str | None:
    return " / ".join(f"{value:.1f}" for value in values) if values else None


def _share(value: float | None) -> str | None:
    return None if value is None else percent(value)


def _accuracy(shipped: dict) -> list[Statement]:
    rows = []
    for operation, targets in TARGETS.items():
        errors = shipped["errors_percent"].get(operation, {})
        keys = ("unseen_configurations", "unseen_thread_counts")
        ours = [errors.get(key, {}).get("predict") for key in keys]
        if None in ours:
            continue
        pairs = [pair for mine, target in zip(ours, targets, strict=True) for pair in zip(mine, target, strict=True)]
        met = all(value <= bound for value, bound in pairs)
        text = [" / ".join(map(str, target)) for target in targets]
        rows.append(
            Statement(
                "target of the project",
                f"{operation}: at most {text[0]} % on unseen configurations, {text[1]} % on unseen thread counts",
                f"{_three(ours[0])} % and {_three(ours[1])} %",
                holds=met,
            )
        )
    return rows


def _refit_statements(shipped: dict, refit: dict | None) -> list[Statement]:
    if refit is None:
        return []
    largest = {operation: each["max_percent"] for operation, each in refit["differences"].items()}
    worst = max(largest, key=lambda operation: largest[operation])
    much = (
        f"bandwidths differ by at most {number(largest[worst], 2)} % ({worst})" if largest[worst] else "no difference"
    )
    same = "the same file" if refit["same_data"] else "another file than the shipped profile's"
    return [
        Statement(
            "shipped profile",
            f"the measurements give the shipped profile {shipped['name']} again",
            f"fitted here to {same}: {much}",
            holds=largest[worst] <= SAME_PERCENT,
        )
    ]
