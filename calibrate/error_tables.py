"""Errors of a calibrated operation, on its own data and on data kept aside, for the profile's record and the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pmtwin.calibrate.calibration import OperationCalibration
from pmtwin.calibrate.conformal import OutsideInterval
from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.calibrate.validation import Unseen
from pmtwin.sim.device.intervals import too_wide

KNEES = 0.75
"""Quantile of the distance between rival explanations from which a thread count counts as a knee."""

Classes = tuple[tuple[float, float, str], ...]
"""(lower end, upper end, name) of each class."""

SIZE_CLASSES: Classes = ((0, 256, "below 256 B"), (256, 4096, "256 B to 4 KiB"), (4096, 65536, "4 to 64 KiB"))
SIZE_CLASSES += ((65536, np.inf, "64 KiB and more"),)
THREAD_CLASSES: Classes = ((0, 2, "1 thread"), (2, 5, "2 to 4"), (5, 13, "5 to 12"), (13, np.inf, "13 and more"))

_COLUMNS = {"mechanism": "mechanism", "predict": "full"}


def errors_of_all(operations: Mapping[str, OperationCalibration]) -> dict[str, list[float]] | None:
    """Errors in % on the kept-aside configurations of all operations; None without cross-validation."""
    unseen = [each.unseen_configurations for each in operations.values() if each.unseen_configurations]
    if not unseen:
        return None
    return {name: ape(np.concatenate([getattr(errors, key) for errors in unseen])) for name, key in _COLUMNS.items()}


def fit_errors(each: OperationCalibration) -> np.ndarray:
    """Logarithm of predicted over measured bandwidth on the fitted configurations, without the residual."""
    return each.fit.log_bandwidth(each.configurations) - np.log(each.configurations.bandwidth_mib_s)


def error_table(each: OperationCalibration) -> dict:
    """Errors in % ([median, mean, 90th percentile]) of one operation: on its own data and on data kept aside."""
    fit = {"configurations": len(each.configurations), "mechanism": ape(fit_errors(each))}
    table: dict[str, Any] = {"fit": fit}
    unseen = each.unseen_configurations
    if unseen is None:
        return table
    aside = (unseen, each.unseen_threads, each.unseen_curves)
    for key, judged in zip(("unseen_configurations", "unseen_thread_counts", "unseen_curves"), aside, strict=True):
        if judged is not None:
            table[key] = {
                "configurations": judged.index.size,
                "mechanism": ape(judged.mechanism),
                "predict": ape(judged.full),
            }
    if each.unseen_threads is not None:
        table["unseen_knees"] = _knees(each.unseen_threads, each.half_widths["thread_counts"])
    if each.beyond_threads is not None and each.outside is not None:
        table["extrapolated_thread_counts"] = _extrapolated(each.beyond_threads, each.outside)
    table["coverage_90"] = {key: round(value, 3) for key, value in each.coverage.items()}
    table["median_half_width"] = {
        key: round(100.0 * float(np.median(value)), 2) for key, value in each.half_widths.items()
    }
    half = each.half_widths["configurations"]
    if wide := int(np.sum(too_wide(np.exp(-half), np.exp(half)))):
        table["too_wide"] = wide
    for key, earned in (("residual_used", each.earned), ("residual_used_between_thread_counts", each.earned_between)):
        table[key] = {f"{pattern}, {dimms:g} DIMM": used for (pattern, dimms), used in earned.items()}
    table["by_region"] = _regions(each.configurations.take(unseen.index), unseen.full)
    return table


def _knees(unseen: Unseen, half: np.ndarray) -> dict:
    """Errors at knees: the quarter of kept-aside thread counts with the largest distance between rivals."""
    is_knee = unseen.spread >= np.quantile(unseen.spread, KNEES)
    return {
        "configurations": int(is_knee.sum()),
        "mechanism": ape(unseen.mechanism[is_knee]),
        "predict": ape(unseen.full[is_knee]),
        "coverage_90": round(float(np.mean(np.abs(unseen.full[is_knee]) <= half[is_knee])), 3),
        "median_half_width": round(100.0 * float(np.median(half[is_knee])), 2),
    }


def _extrapolated(beyond: Unseen, outside: OutsideInterval) -> dict:
    """Errors of the mechanism at kept-aside thread counts that lie outside the rest of the data."""
    inside = np.abs(beyond.mechanism) <= outside.log_half_width(beyond.outside)
    return {
        "configurations": beyond.index.size,
        "mechanism": ape(beyond.mechanism),
        "coverage_90": round(float(np.mean(inside)), 3),
    }


def regions_of(c: Configurations) -> Iterator[tuple[str, str, np.ndarray]]:
    """(name of a size class, name of a thread class, mask of the configurations in both) for each pair of classes."""
    for smallest, above, size in SIZE_CLASSES:
        of_size = (c.access_size_bytes >= smallest) & (c.access_size_bytes < above)
        for fewest, more, threads in THREAD_CLASSES:
            yield size, threads, of_size & (c.threads >= fewest) & (c.threads < more)


def _regions(c: Configurations, errors: np.ndarray) -> list[dict]:
    """Errors of `predict` on kept-aside configurations by size class and thread class."""
    return [
        {"access_size": size, "threads": threads, "configurations": int(inside.sum()), "predict": ape(errors[inside])}
        for size, threads, inside in regions_of(c)
        if np.any(inside)
    ]
