"""Throughput and latency of many points with 90 % intervals, from the posterior samples of a store's law.

An interval holds one measured configuration: the spread of the joint samples and the law's own error, which was
inferred with them. Outside the operations, threads, sizes and records that were measured, the error is that of points
which fits had not seen; on other cores, or beside another device, the spread of machines comes on top. No store was
measured from another node: of threads there the error of remote accesses comes on top, and of threads on both nodes how
many directory entries a media write may hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from pmtwin.sim.device.access_profile import outside_counts
from pmtwin.sim.device.effects.directory import MOST_ENTRIES, stating_entries
from pmtwin.sim.device.effects.remote import BOTH, LOCAL
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.numerics.statistics import NORMAL_90
from pmtwin.sim.store.counts import COUNTED_AS, StorePoint
from pmtwin.sim.store.device_times import remote_log_half_width
from pmtwin.sim.store.file import HARDWARE, MODEL_ERROR, PERCENTILES, RANGES, StoreFile
from pmtwin.sim.store.law import place, solve
from pmtwin.sim.store.work import Samples

ENDS = {"low": 0.05, "high": 0.95}
STORE_COLUMNS = tuple(
    f"{name}{end}_{unit}"
    for name, unit in (("throughput", "ops"), *((f"latency_{kind}", "ns") for kind in ("mean", *PERCENTILES)))
    for end in ("", "_low", "_high")
)
STORE_COLUMNS += ("extrapolated",)
"""Columns of a prediction, in the order of `pmtwin predict`."""
STORE_SHOWN = ("throughput", "latency_mean", "latency_p99")
"""Quantities in the printed table, by default."""

STRATA = 40
"""Number of equally likely normal deviates that represent the error, in place of random numbers."""


def predict_store(
    profile: Profile, store: StoreFile, points: Sequence[StorePoint], dimms: Sequence[float]
) -> dict[str, np.ndarray]:
    """Predict all points on a device, for a closed loop of threads and uniformly drawn keys.

    Args:
        points, dimms: shape (n,) each.

    Returns:
        Arrays of shape (n,): `throughput_ops`, `latency_mean_ns`, `latency_p50_ns`, `latency_p99_ns` (medians over the
        samples), each with the ends of its 90 % interval (`throughput_low_ops`, `latency_mean_low_ns`, ...), and
        `extrapolated`.

    Raises:
        InputError: the profile lacks counts or times of the device that a point needs.
    """
    samples = store.fit_beside(profile.name).samples
    placed = [place(profile, point, modules) for point, modules in zip(points, dimms, strict=True)]
    solution = solve(placed, samples)
    outside = np.array([_is_outside(profile, store, point) for point in points])
    elsewhere = np.array([_is_another_machine(profile, store, point) for point in points])
    remote = np.array([point.numa != LOCAL for point in points])
    further = np.hypot(store.outside_log_sd * outside, store.machine_log_sd * elsewhere)
    further = np.hypot(further, remote_log_half_width(profile) / NORMAL_90 * remote)
    further = np.hypot(further, _of_entries(profile, samples, points, dimms) / NORMAL_90)
    spread = np.hypot(samples[MODEL_ERROR], further[:, None])
    result = _with_ends("throughput", "ops", np.log(solution.throughput_ops), spread)
    log_mean = np.log(solution.latency_ns)
    result |= _with_ends("latency_mean", "ns", log_mean, spread)
    for name in PERCENTILES:
        ratios = [store.latency_over_mean[point.operation][name] for point in points]
        value, log_sd = (np.array([[ratio[key]] for ratio in ratios]) for key in ("value", "log_sd"))
        result |= _with_ends(f"latency_{name}", "ns", log_mean + np.log(value), np.hypot(spread, log_sd))
    return result | {"extrapolated": outside | elsewhere | remote}


def _of_entries(profile: Profile, samples: Samples, points: Sequence[StorePoint], dimms: Sequence[float]) -> np.ndarray:
    """Half-widths of the log throughput between one and all directory entries of streamed reads in a media write."""
    half = np.zeros(len(points))
    both = [index for index, point in enumerate(points) if point.numa == BOTH]
    if both:
        least, most = (
            solve([place(stated, points[index], dimms[index]) for index in both], samples).throughput_ops
            for stated in (replace(profile, effects=stating_entries(profile.effects, n)) for n in (1.0, MOST_ENTRIES))
        )
        half[both] = 0.5 * np.median(np.log(most / least), axis=1)
    return half


def _with_ends(name: str, unit: str, logs: np.ndarray, spread: np.ndarray) -> dict[str, np.ndarray]:
    """Median and ends of the interval of a quantity, in the columns `NAME_UNIT`, `NAME_low_UNIT`, `NAME_high_UNIT`.

    Args:
        logs: logarithms of the samples, shape (points, samples).
        spread: standard deviation of the normal error that is added to each.
    """
    deviates = np.array([NormalDist().inv_cdf((stratum + 0.5) / STRATA) for stratum in range(STRATA)])
    blurred = (logs[..., None] + spread[..., None] * deviates).reshape(len(logs), -1)
    ends = {f"{name}_{end}_{unit}": np.exp(np.quantile(blurred, level, axis=1)) for end, level in ENDS.items()}
    return {f"{name}_{unit}": np.exp(np.median(logs, axis=1))} | ends


def _is_outside(profile: Profile, store: StoreFile, point: StorePoint) -> bool:
    """Whether the operation, its threads, records or sizes lie outside the measured ones."""
    box = store.fitted_range.get(point.operation)
    if box is None or any(not box[name][0] <= getattr(point, name) <= box[name][1] for name in RANGES):
        return True
    return bool(outside_counts(profile.access_profile, COUNTED_AS[point.operation], np.array(point.value_bytes)))


def _is_another_machine(profile: Profile, store: StoreFile, point: StorePoint) -> bool:
    """Whether the machine differs from the measured ones in its device, cores or threads per core."""
    if profile.name not in store.fits:
        return True
    ends = {name: [end for box in store.fitted_range.values() for end in box[name]] for name in HARDWARE}
    return any(not min(ends[name]) <= getattr(point, name) <= max(ends[name]) for name in HARDWARE)
