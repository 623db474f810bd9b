"""`pmtwin bench kv`: gets and puts of pmemkv, and how well a model fitted to some of them predicts the others.

The memory is measured, calibrated and joined with the counts of `pmtwin-kv-count` to a profile; the model of
`calibrate.kv_times` is fitted to some value sizes and thread counts, and predicts the others with other thread counts.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from pmtwin.bench import Request
from pmtwin.calibrate import kv_times
from pmtwin.calibrate.access_profile import access_profile_of
from pmtwin.calibrate.build import calibrate
from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.console.output import message, print_table
from pmtwin.console.progress import progress
from pmtwin.machine import kv_programs, machine
from pmtwin.machine.native_programs import program
from pmtwin.sim.device.profile import Profile

FIT_SIZES = (64, 512, 4096, 32768, 262144)
UNSEEN_SIZES = (128, 256, 1024, 2048, 8192, 16384, 65536, 131072, 524288)
FIT_THREADS = (1, 3)
UNSEEN_THREADS = (2, 4)
WANTED_MEDIAN_PERCENT = 10.0
ORDER_SEED = 1
REPLICATES = 4
"""Bootstrap replicates of the memory's calibration: enough for the residual that corrects the bandwidths."""

COUNTED_SIZES = (0, 64, 512, 1024, 2048, 4096, 16384)
COUNTED_UNTRACED_SIZES = (32768, 65536, 262144)
"""Counts are linear between these and beyond; from 32 KiB on an undo log has many pieces. Tracing takes long there."""


def measure(request: Request) -> dict:
    """Measure, fit and predict; a median error above the wanted one is reported, and does not fail the command.

    Raises:
        InputError: if the directory cannot be used.
        MissingDependencyError: if the native programs were not built.
    """
    for name in (kv_programs.COUNT, kv_programs.TIME):
        program(name)
    message("pmtwin bench kv: counting what gets and puts ask of the memory (about a minute)")
    counts = _counts(request.path)
    message("pmtwin bench kv: timing them, and the memory beneath (about twenty seconds a round)")
    with progress(desc="rounds", total=request.repeats) as bar:
        cold, hot = _times(request, bar.update)
    validated = validate(counts, cold, hot, machine.cpu()["usable_threads"])
    return {"seconds": request.seconds, "path": request.path} | validated


def show(report: dict) -> None:
    """Print the prediction of each point, and the errors."""
    rows = []
    for point in report["points"]:
        measured, predicted = (f"{point[name]:.0f}" for name in ("measured_ns", "predicted_ns"))
        where = (point["operation"], point["value_bytes"], point["threads"])
        rows.append((*where, measured, predicted, f"{point['error_percent']:+.1f} %"))
    print_table(rows, ("operation", "value B", "threads", "measured ns", "predicted ns", "error"))
    for name, error in report["error_percent"].items():
        verdict = "within" if error["median"] <= WANTED_MEDIAN_PERCENT else "above"
        print(
            f"{name}: {error['points']} points that the fit has not seen, error median {error['median']} %, "
            f"mean {error['mean']} %, 90th percentile {error['p90']} %; {verdict} the wanted median of "
            f"{WANTED_MEDIAN_PERCENT:g} %"
        )


def _counts(directory: str) -> dict:
    traced = kv_programs.count(directory, COUNTED_SIZES)
    more = kv_programs.count(directory, COUNTED_UNTRACED_SIZES, traced=0)
    return traced | {"cases": traced["cases"] + more["cases"]}


def _times(request: Request, progress: Callable[[], object]) -> tuple[dict, dict]:
    """(times of gets and puts and of the memory below, times without flushes and with memory in the caches).

    Each round measures everything once, in a new store and with the sizes in a random order, so that an unfavourable
    placement of pages, or some ten seconds of other work on the memory, affects one sample among several and other
    sizes in every round.
    """
    cold, hot = [], []
    order, sizes = Random(ORDER_SEED), list(FIT_SIZES + UNSEEN_SIZES)
    threads = tuple(sorted(FIT_THREADS + UNSEEN_THREADS))
    for _ in range(request.repeats):
        order.shuffle(sizes)
        cold.append(kv_programs.time_cold(request.path, sizes, threads, request.seconds))
        hot.append(kv_programs.time_hot(request.path, FIT_SIZES, FIT_THREADS, 1, request.seconds))
        progress()
    return kv_programs.joined(cold), kv_programs.joined(hot)


def validate(counts: dict, cold: dict, hot: dict, cores: int) -> dict:
    """Fit, and compare predictions with the measurements outside the fit.

    Args:
        counts: output of `pmtwin-kv-count` at all sizes of the fit and the predictions.
        cold, hot: outputs of `pmtwin-kv-time`: beyond the caches, with the memory below; in the caches, without
            flushes.
        cores: number of cores of the machine.

    Returns:
        `points` with prediction and measurement, `error_percent` by operation and for all (points, median, mean, p90),
        `factors` by operation and term, and the data of their fit.
    """
    profile = _memory_profile(cold, access_profile_of(counts, kv_programs.COUNT))
    times, software = (kv_times.times_of(document, kv_programs.TIME) for document in (cold, hot))
    points, errors, factors = [], {}, {}
    for operation in kv_times.OPERATIONS:
        model = kv_times.fit(operation, profile, times, software, cores, FIT_SIZES, FIT_THREADS)
        judged = kv_times.unseen(model, times, FIT_THREADS)
        points += judged
        errors[operation] = _quantiles([abs(point["error_percent"]) for point in judged])
        factors[operation] = dict(zip(kv_times.TERMS[operation], model.factors.round(3).tolist(), strict=True))
    return {
        "fitted_value_bytes": list(FIT_SIZES),
        "fitted_threads": list(FIT_THREADS),
        "cores": cores,
        "idle_latency_ns": {
            operation: profile.idle_latency_ns[operation, "random"] for operation in ("load", "store_clwb")
        },
        "error_percent": errors | {"all": _quantiles([abs(point["error_percent"]) for point in points])},
        "factors": factors,
        "points": points,
    }


def _quantiles(errors: list[float]) -> dict[str, float]:
    median, high = np.quantile(errors, [0.5, 0.9])
    return {
        "points": len(errors),
        "median": round(float(median), 2),
        "mean": round(float(np.mean(errors)), 2),
        "p90": round(float(high), 2),
    }


def _memory_profile(cold: dict, access: dict) -> Profile:
    """Profile of the memory below the store, from the cases `memory/...` of the same run."""
    cases = [case for case in cold["benchmarks"] if case["name"].startswith("memory/")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.json"
        path.write_text(json.dumps(cold | {"benchmarks": cases}))
        measurements, _ = read_sources([path], ReadOptions())
    fitted = calibrate(measurements, "memory", "memory beneath the store", bootstrap=REPLICATES, jobs=1)
    return replace(fitted.profile, access_profile=access)
