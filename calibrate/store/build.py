"""Fit of a store's law to measured operations, its validation on left-out parts, and the errors of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import joblib
import numpy as np

from pmtwin.calibrate.store.cuts import Cut, cuts_of
from pmtwin.calibrate.store.measurements import Measured
from pmtwin.calibrate.store.posterior import MACHINE_LOG_SD, Posterior, Problem, sample_posterior
from pmtwin.sim.common.processes import processes
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.load.workload import OPERATIONS
from pmtwin.sim.parameters.store_law import STORE_PARAMETERS
from pmtwin.sim.store.file import HARDWARE, MODEL_ERROR, PERCENTILES, RANGES, StoreFile, StoreFit
from pmtwin.sim.store.prediction import predict_store

SAMPLES = 200
LEAST_ROWS = 3
OUTSIDE_LOG_SD = 0.12
"""Error of points outside the measured ranges, as a standard deviation of log throughput, where no left-out part on the
same machine determines it."""

RATIO_LOG_SD = {"p50": 0.1, "p99": 0.3}
"""Standard deviations of the logarithm of (percentile / mean), which differs between operations and between one thread
and many. The two measured operations differ by 4 % (p50) and 37 % (p99)."""

_UNMEASURED = {"p50": 0.95, "p99": 2.35}
"""(percentile / mean) for operations without measured percentiles: geometric means of pmemkv_bench's two operations."""


@dataclass(frozen=True)
class StoreCalibration:
    """A fitted store and how well it predicts.

    Args:
        store: the fit, with its errors in the record.
        fitted: profile -> rows of all measured points with their predictions.
        left_out: name of a cut -> such rows of the points that the fit to the others did not see.
    """

    store: StoreFile
    fitted: dict[str, list[dict]]
    left_out: dict[str, list[dict]]


def calibrate_store(
    profiles: Sequence[Profile],
    measured: Sequence[Measured],
    name: str,
    software: str,
    seed: int = 0,
    validate: bool = True,
    jobs: int = 1,
    progress: Callable[[Iterable, int], Iterable] = lambda results, total: results,
    record: dict | None = None,
) -> StoreCalibration:
    """Fit a store's law to measured operations; the result depends on the seed, not on the number of `jobs`.

    Args:
        profiles: candidates for the profile of the measured device, with counts of the store (`pmtwin probe --kv`).
            Each has its own fit, since the inferred number of reads depends on the time of a read.
        measured: the measured operations.
        name, software: name of the fit, and the measured software.
        seed: of the first fit; each further fit adds 1.
        validate: whether parts are left out and predicted by further fits, with the first profile.
        jobs: number of processes.
        progress: wraps the iterable of fits; its second argument is their number.
        record: further entries of the file's record.

    Raises:
        InputError: too few rows, or a profile without the counts or times that the rows need.
    """
    if len(measured) < LEAST_ROWS:
        raise InputError("measurements", f"{len(measured)} rows", f"at least {LEAST_ROWS}")
    everything = Cut("all", tuple(measured), ())
    cuts = cuts_of(measured) if validate else []
    wanted = [(profile, everything) for profile in profiles] + [(profiles[0], cut) for cut in cuts]
    work = (joblib.delayed(_fit)(*each, seed + number) for number, each in enumerate(wanted))
    results = list(progress(processes(jobs, "generator")(work), len(wanted)))
    fits = {profile.name: _store_fit(result) for profile, result in zip(profiles, results, strict=False)}
    like = StoreFile(name, software, 0.0, MACHINE_LOG_SD, fits, _latency_over_mean(measured), _ranges(measured))
    left_out = {
        cut.name: _comparison(
            profiles[0],
            replace(like, fits={profiles[0].name: _store_fit(result)}, fitted_range=_ranges(cut.kept)),
            cut.left_out,
        )
        for cut, result in zip(cuts, results[len(profiles) :], strict=True)
    }
    unseen = [row["error_percent"] for cut in cuts if cut.same_machine for row in left_out[cut.name]]
    outside = float(np.sqrt(np.mean(np.log1p(np.array(unseen) / 100.0) ** 2))) if unseen else OUTSIDE_LOG_SD
    store = replace(like, outside_log_sd=float(f"{outside:.4g}"))
    fitted = {profile.name: _comparison(profile, store, measured) for profile in profiles}
    errors = {f"fitted, {name}": errors_of(rows) for name, rows in fitted.items()}
    errors |= {f"unseen, {cut}": errors_of(rows) for cut, rows in left_out.items()}
    acceptance = [round(result.acceptance, 4) for result in results]
    record = (record or {}) | {"seed": seed, "rows": len(measured), "acceptance": acceptance, "errors": errors}
    return StoreCalibration(replace(store, record=record), fitted, left_out)


def errors_of(rows: Sequence[dict]) -> dict[str, float]:
    """Absolute errors in %, share of points within their 90 % interval, and median half-width of the intervals in %."""
    errors = np.abs([row["error_percent"] for row in rows])
    return {
        "points": len(rows),
        "median_percent": round(float(np.median(errors)), 2),
        "mean_percent": round(float(np.mean(errors)), 2),
        "worst_percent": round(float(np.max(errors)), 2),
        "held": round(float(np.mean([row["low_ops"] <= row["measured_ops"] <= row["high_ops"] for row in rows])), 3),
        "half_width_percent": round(
            float(np.median([50.0 * (row["high_ops"] - row["low_ops"]) / row["predicted_ops"] for row in rows])), 2
        ),
    }


def _fit(profile: Profile, cut: Cut, seed: int) -> Posterior:
    return sample_posterior(Problem(profile, cut.kept), SAMPLES, seed)


def _comparison(profile: Profile, store: StoreFile, measured: Sequence[Measured]) -> list[dict]:
    """A row for each measured point: its measured and predicted throughput, the interval, and the error in %."""
    predicted = predict_store(profile, store, [each.point for each in measured], [each.dimms for each in measured])
    names = {"predicted_ops": "throughput_ops", "low_ops": "throughput_low_ops", "high_ops": "throughput_high_ops"}
    rows = []
    for index, each in enumerate(measured):
        numbers = {name: float(predicted[column][index]) for name, column in names.items()}
        rows.append(
            {"machine": each.machine, **each.point._asdict(), "measured_ops": each.throughput_ops, **numbers}
            | {"error_percent": 100.0 * (numbers["predicted_ops"] / each.throughput_ops - 1.0)}
        )
    return rows


def _store_fit(posterior: Posterior) -> StoreFit:
    columns = posterior.columns()
    return StoreFit(
        parameters={name: _entry(name, columns[name]) for name in STORE_PARAMETERS},
        samples={name: columns[name] for name in (*STORE_PARAMETERS, MODEL_ERROR)},
    )


def _ranges(measured: Sequence[Measured]) -> dict[str, dict[str, tuple[float, float]]]:
    """Operation -> column -> (least, greatest) measured value."""
    ranges = {}
    for operation in OPERATIONS:
        points = [each.point for each in measured if each.point.operation == operation]
        if points:
            columns = {name: [float(getattr(point, name)) for point in points] for name in (*RANGES, *HARDWARE)}
            ranges[operation] = {name: (min(values), max(values)) for name, values in columns.items()}
    return ranges


def _entry(name: str, values: np.ndarray) -> dict:
    low, value, high = (float(f"{number:.5g}") for number in np.quantile(values, [0.05, 0.5, 0.95]))
    parameter = STORE_PARAMETERS[name]
    return {"value": value, "low": low, "high": high, "origin": parameter.origin, "source": parameter.source}


def _latency_over_mean(measured: Sequence[Measured]) -> dict[str, dict]:
    return {operation: _ratios(operation, measured) for operation in OPERATIONS}


def _ratios(operation: str, measured: Sequence[Measured]) -> dict[str, dict]:
    """(percentile / mean) of single operations, from the measurements; else an assumed, typical value."""
    by_name = {}
    for name in PERCENTILES:
        ratios = [
            each.latency_over_mean[name]
            for each in measured
            if each.point.operation == operation and name in each.latency_over_mean
        ]
        value = float(np.exp(np.mean(np.log(ratios)))) if ratios else _UNMEASURED[name]
        by_name[name] = {
            "value": float(f"{value:.4g}"),
            "log_sd": RATIO_LOG_SD[name] if ratios else 1.5 * RATIO_LOG_SD[name],
            "origin": "inferred" if ratios else "assumed",
            "source": "single operations of one thread" if ratios else "as the operations that were measured",
        }
    return by_name
