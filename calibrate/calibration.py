"""The whole calibration of one operation: fit, cross-validation, residual, intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrate.bootstrap import bootstrap_logs, intervals
from calibrate.conformal import LocalInterval
from calibrate.measurements import Configurations
from calibrate.mechanism import MechanismFit, fit_mechanism
from calibrate.residual import ResidualProcess, cells_of
from calibrate.validation import (
    Unseen,
    configuration_folds,
    earned_cells,
    keep_aside,
    thread_folds,
    with_cells,
)


@dataclass(frozen=True)
class OperationCalibration:
    """Everything known about one operation.

    Args:
        configurations: what it was fitted to.
        fit: the mechanism.
        unseen_configurations, unseen_threads: errors on data kept aside (None without intervals, or without inner
            thread counts).
        earned: (pattern, DIMMs) -> whether the residual is used there.
        parameter_intervals: name -> (low, high) of 90 %; empty without intervals.
        residual_cells, interval_cells: as in the profile.
        coverage: share of kept-aside configurations (and thread counts) inside their interval, out of fold.
        half_widths: of the kept-aside configurations' intervals of log bandwidth, out of fold.
    """

    configurations: Configurations
    fit: MechanismFit
    unseen_configurations: Unseen | None
    unseen_threads: Unseen | None
    earned: dict[tuple[str, float], bool]
    parameter_intervals: dict[str, tuple[float, float]]
    residual_cells: list[dict]
    interval_cells: list[dict]
    coverage: dict[str, float]
    half_widths: np.ndarray | None


def calibrate_operation(
    operation: str, configurations: Configurations, bootstrap: int, seed: np.random.SeedSequence
) -> OperationCalibration:
    """Fit one operation.

    Args:
        bootstrap: replicates for the parameters' intervals; 0 fits the mechanism alone, without any cross-validation,
            residual or interval.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # the matrices are small: threads of the linear algebra would only wait for each other
        return _calibrate(operation, configurations, bootstrap, seed)


def _calibrate(
    operation: str, configurations: Configurations, bootstrap: int, seed: np.random.SeedSequence
) -> OperationCalibration:
    fit = fit_mechanism(operation, configurations)
    if bootstrap == 0:
        return OperationCalibration(configurations, fit, None, None, {}, {}, [], [], {}, None)
    fold_seed, bootstrap_seed = seed.spawn(2)
    folds = configuration_folds(len(configurations), np.random.default_rng(fold_seed))
    by_configuration = keep_aside(operation, configurations, fit, folds)
    by_threads = keep_aside(operation, configurations, fit, thread_folds(configurations.threads))
    earned = earned_cells(configurations, by_threads, by_configuration)
    by_configuration = with_cells(by_configuration, configurations, earned)
    by_threads = by_threads and with_cells(by_threads, configurations, earned)
    known = LocalInterval(configurations, by_configuration)
    new = LocalInterval(configurations, by_threads) if by_threads else known
    logs = bootstrap_logs(configurations, fit, bootstrap, bootstrap_seed)
    return OperationCalibration(
        configurations=configurations,
        fit=fit,
        unseen_configurations=by_configuration,
        unseen_threads=by_threads,
        earned=earned,
        parameter_intervals=intervals(fit, logs),
        residual_cells=_residual_cells(configurations, fit, earned),
        interval_cells=_interval_cells(configurations, known, new),
        coverage={"configurations": known.coverage_, "thread_counts": new.coverage_},
        half_widths=known.half_widths_,
    )


def _residual_cells(
    configurations: Configurations, fit: MechanismFit, earned: dict[tuple[str, float], bool]
) -> list[dict]:
    log_ratio = np.log(configurations.bandwidth_mib_s) - fit.log_bandwidth(configurations)
    process = ResidualProcess(configurations, log_ratio)
    return [
        cell | {"log_ratio": np.round(process.table(cell, cell["pattern"] == "random"), 4).tolist()}
        for cell in cells_of(configurations)
        if earned[cell["pattern"], cell["dimms"]]
    ]


COARSE_SIZE_STEP = 2.0
"""Half-widths vary slowly: their tables keep sizes at least this factor apart."""


def _interval_cells(configurations: Configurations, known: LocalInterval, new: LocalInterval) -> list[dict]:
    cells = []
    for cell in cells_of(configurations):
        inside = (configurations.pattern == cell["pattern"]) & (configurations.dimms == cell["dimms"])
        coarse = cell | {"access_size_bytes": _thin(cell["access_size_bytes"])}
        coarse["measured_threads"] = _measured_threads(configurations.take(inside))
        coarse["half_width_measured"] = np.round(known.table(coarse), 4).tolist()
        coarse["half_width_unmeasured"] = np.round(new.table(coarse), 4).tolist()
        cells.append(coarse)
    return cells


def _thin(knots: list[float]) -> list[float]:
    kept = [knots[0]]
    for knot in knots[1:]:
        if knot >= COARSE_SIZE_STEP * kept[-1]:
            kept.append(knot)
    return kept if kept[-1] == knots[-1] else [*kept, knots[-1]]


def _measured_threads(c: Configurations) -> list[list]:
    """[thread count, [sizes measured with it]] of one cell."""
    return [
        [float(count), np.unique(c.access_size_bytes[c.threads == count]).tolist()] for count in np.unique(c.threads)
    ]
