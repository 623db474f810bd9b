"""The whole calibration of one operation: fit, cross-validation, residual, intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from threadpoolctl import threadpool_limits

from pmtwin.calibrate.bootstrap import bootstrap_logs, intervals
from pmtwin.calibrate.conformal import BETWEEN, KINDS, NEW_SIZE, LocalInterval, OutsideInterval
from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.mechanism import MechanismFit
from pmtwin.calibrate.multistart import fit_best
from pmtwin.calibrate.residual import ResidualProcess, cells_of, configurations_of_knots, coordinates_of
from pmtwin.calibrate.residual_few import residual_process
from pmtwin.calibrate.rivals import brackets, spread
from pmtwin.calibrate.settings import fit_settings
from pmtwin.calibrate.validation import (
    Unseen,
    configuration_folds,
    curve_folds,
    earned_cells,
    keep_aside,
    thread_folds,
    with_cells,
)

STEPS_PER_OCTAVE = 8
"""Thread counts per octave at which an interval is tabulated."""


@dataclass(frozen=True)
class OperationCalibration:
    """The calibration of one operation.

    Args:
        configurations: the fitted configurations.
        fit: the mechanism.
        unseen_configurations: errors on configurations that were kept aside; None without intervals.
        unseen_threads: errors on thread counts that were kept aside and lie between other measured ones; None without
            intervals, or if there are none.
        unseen_curves: errors on curves (all thread counts of a size) that were kept aside, inside the other data; None
            likewise.
        beyond_threads: errors on thread counts that were kept aside and lie outside the other data; None likewise.
        earned, earned_between: (pattern, DIMMs) -> whether the residual is used at measured thread counts, by its
            errors on unseen configurations; and at counts between them, by its errors on unseen thread counts.
        parameter_intervals: name -> (low, high) of 90 %; empty without intervals.
        residual_cells, interval_cells: as in the profile.
        outside: intervals outside the data.
        coverage: kind of kept-aside data (`conformal.KINDS`) -> share of the errors inside their interval, out of fold.
        half_widths: kind -> half-widths of the intervals of log bandwidth, out of fold.
        deviations: deviations of the parameters' logarithms in bootstrap replicates, shape (replicates, parameters).
    """

    configurations: Configurations
    fit: MechanismFit
    unseen_configurations: Unseen | None
    unseen_threads: Unseen | None
    unseen_curves: Unseen | None
    beyond_threads: Unseen | None
    earned: dict[tuple[str, float], bool]
    earned_between: dict[tuple[str, float], bool]
    parameter_intervals: dict[str, tuple[float, float]]
    residual_cells: list[dict]
    interval_cells: list[dict]
    outside: OutsideInterval | None
    coverage: dict[str, float]
    half_widths: dict[str, np.ndarray]
    deviations: np.ndarray | None


def calibrate_operation(
    operation: str,
    configurations: Configurations,
    bootstrap: int,
    seed: np.random.SeedSequence,
    media: str = "pmem",
    prefetchers: bool | None = None,
) -> OperationCalibration:
    """Fit one operation.

    Args:
        media, prefetchers: as of `pmtwin.calibrate.settings.fit_settings`.
        bootstrap: replicates for the parameters' intervals; 0: only the mechanism is fitted, without cross-validation,
            residual and intervals.
    """
    with threadpool_limits(1):  # with such small matrices, threads of the linear algebra only wait for each other
        fit = fit_best(operation, configurations, fit_settings(configurations, media, prefetchers))
        return _calibrate(operation, configurations, bootstrap, seed, fit)


def _calibrate(
    operation: str, configurations: Configurations, bootstrap: int, seed: np.random.SeedSequence, fit: MechanismFit
) -> OperationCalibration:
    if bootstrap == 0:
        return OperationCalibration(configurations, fit, None, None, None, None, {}, {}, {}, [], [], None, {}, {}, None)
    fold_seed, bootstrap_seed, curve_seed = seed.spawn(3)
    folds = configuration_folds(len(configurations), np.random.default_rng(fold_seed))
    by_configuration = keep_aside(operation, configurations, fit, folds)
    between = list(thread_folds(configurations.threads))
    by_threads = keep_aside(operation, configurations, fit, between) if between else None
    folds = curve_folds(configurations, np.random.default_rng(curve_seed))
    by_curve = keep_aside(operation, configurations, fit, folds)
    earned = earned_cells(configurations, by_configuration)
    earned_between = earned_cells(configurations, by_threads, by_configuration)
    by_configuration = with_cells(by_configuration, configurations, earned)
    by_threads, beyond = _inside_and_outside(by_threads and with_cells(by_threads, configurations, earned_between))
    of_curves, _ = _inside_and_outside(with_cells(by_curve, configurations, earned))
    inside, _ = _inside_and_outside(by_configuration)
    kinds = zip(KINDS, (inside or by_configuration, by_threads, of_curves), strict=True)
    judged = {name: errors for name, errors in kinds if errors}
    outside = OutsideInterval(by_threads or by_configuration, beyond)
    interval = LocalInterval(configurations, judged)
    aside = {**judged, "configurations": by_configuration}
    half_widths = {name: _of_all(aside[name], half, outside) for name, half in interval.half_widths_.items()}
    process = residual_process(fit, configurations)
    logs = bootstrap_logs(configurations, fit, bootstrap, bootstrap_seed)
    return OperationCalibration(
        configurations=configurations,
        fit=fit,
        unseen_configurations=by_configuration,
        unseen_threads=by_threads,
        unseen_curves=of_curves,
        beyond_threads=beyond,
        earned=earned,
        earned_between=earned_between,
        parameter_intervals=intervals(fit, logs),
        deviations=logs - logs.mean(axis=0),
        residual_cells=_residual_cells(configurations, process, earned, earned_between),
        interval_cells=_interval_cells(configurations, fit, process, interval),
        outside=outside,
        coverage={name: float(np.mean(np.abs(aside[name].full) <= half)) for name, half in half_widths.items()},
        half_widths=half_widths,
    )


def _inside_and_outside(unseen: Unseen | None) -> tuple[Unseen | None, Unseen | None]:
    """(errors inside the rest of the data, errors outside it); None for none."""
    if unseen is None:
        return None, None
    inside, beyond = unseen.take(unseen.outside == 0), unseen.take(unseen.outside > 0)
    return inside if len(inside) else None, beyond if len(beyond) else None


def _of_all(unseen: Unseen, inside: np.ndarray, outside: OutsideInterval) -> np.ndarray:
    """Half-widths of all errors; `inside`: those of the errors inside the data or, if there are none, of all."""
    half = outside.log_half_width(unseen.outside)
    half[unseen.outside == 0 if inside.size < len(unseen) else slice(None)] = inside
    return half


def _residual_cells(
    configurations: Configurations,
    process: ResidualProcess,
    earned: dict[tuple[str, float], bool],
    earned_between: dict[tuple[str, float], bool],
) -> list[dict]:
    cells = []
    for cell, new_count in _cells(configurations):
        key = cell["pattern"], cell["dimms"]
        used = np.where(new_count, earned_between[key], earned[key])
        if np.any(used):
            cells.append(cell | {"log_ratio": np.round(process.table(cell) * used, 4).tolist()})
    return cells


def _interval_cells(
    configurations: Configurations, fit: MechanismFit, process: ResidualProcess, interval: LocalInterval
) -> list[dict]:
    cells = []
    for cell, _ in _cells(configurations):
        cell = cell | {"access_size_bytes": _with_middles(cell["access_size_bytes"])}
        cell = cell | {"threads": _with_counts_between(cell["threads"])}
        knots, shape = configurations_of_knots(cell, fit.operation)
        half = _knot_half_widths(configurations, knots, fit, process, interval)
        cells.append(cell | {"half_width": np.round(half.reshape(shape), 4).tolist()})
    return cells


def _knot_half_widths(
    configurations: Configurations,
    knots: Configurations,
    fit: MechanismFit,
    process: ResidualProcess,
    interval: LocalInterval,
) -> np.ndarray:
    def log_bandwidth(threads: np.ndarray) -> np.ndarray:
        points = replace(knots, threads=threads)
        return fit.log_bandwidth(points) + process.predict(coordinates_of(points))[0]

    points = coordinates_of(knots)
    mean, deviation = process.predict(points)
    around = brackets(configurations, knots)
    mechanism = fit.log_bandwidth(knots)
    rival_spread = spread(log_bandwidth, knots.threads, around, mechanism, mechanism + mean)
    new_size = ~np.isin(knots.access_size_bytes, configurations.access_size_bytes)
    kind = np.where(around.between, BETWEEN, np.where(new_size, NEW_SIZE, 0))
    return interval.half_widths(points, deviation, kind, np.where(around.between, rival_spread, 0.0))


def _with_middles(sizes: list[float]) -> list[float]:
    """Access sizes, and the geometric mean of each pair of neighbours with a ratio of 2 or more."""
    middles = {float(round((low * high) ** 0.5)) for low, high in pairwise(sizes) if high >= 2.0 * low}
    return sorted({*sizes, *middles})


def _with_counts_between(threads: list[float]) -> list[float]:
    """Thread counts, and eight per octave between them: the spread of rival explanations is not linear there."""
    steps = range(1, int(STEPS_PER_OCTAVE * np.log2(threads[-1])))
    between = {float(round(2.0 ** (step / STEPS_PER_OCTAVE))) for step in steps}
    return sorted({*threads, *(count for count in between if threads[0] < count < threads[-1])})


def _cells(configurations: Configurations) -> Iterator[tuple[dict, np.ndarray]]:
    """(cell, mask of its thread counts that were not measured) for each cell of the tables."""
    for cell in cells_of(configurations):
        finer = cell | {"threads": _with_gaps(cell["threads"])}
        yield finer, ~np.isin(finer["threads"], cell["threads"])


def _with_gaps(threads: list[float]) -> list[float]:
    """Thread counts, and in each gap between two of them the first, the last and the middle (geometric mean) one.

    The interval widens fast near a measured count: a single knot in the middle would make it too narrow.
    """
    inner = {
        float(count)
        for low, high in pairwise(threads)
        for count in (low + 1, round((low * high) ** 0.5), high - 1)
        if low < count < high
    }
    return sorted({*threads, *inner})
