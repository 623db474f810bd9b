"""Time of a get or put: the store's software, its chain of dependent reads, its bytes, its flushes and fences.

    T = c1 S(s, t) + c2 D(s) L + c3 max(0, s / B_load(s, t) - L)                                  (get)
        + c4 F(s) / B_store_clwb(s, t) + c5 N(s) / B_ntstore(s, t) + c6 R(s) P                    (put, in addition)

- S: time of the software (memory in the caches, no flushes);
- from the access profile: D the dependent reads, R the rounds, F and N the flushed and streamed bytes without one line
  for each round;
- from the device's profile: the idle latencies L of a load and P of a flushed store, and the bandwidths B of one of t
  threads (`pmtwin.sim.device.payloads`).

With more threads than cores, T is multiplied by t / cores. The factors c are fitted to a few value sizes and thread
counts by relative error. They are not negative, and a prior (`FACTOR_SPREAD`, noise `TIME_NOISE`) keeps them near 1,
since terms that depend on the size in the same way could otherwise have any shares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from scipy.optimize import nnls

from pmtwin.sim.device import payloads
from pmtwin.sim.device.access_profile import count_at, written_bytes
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError

OPERATIONS = ("get", "put")
TERMS = {
    "get": ("software", "chain", "payload_load"),
    "put": ("software", "chain", "payload_load", "flushed", "streamed", "rounds"),
}
_NAME = re.compile(r"kv/(?P<operation>\w+)/(?P<heat>hot|cold)/value:(?P<size>\d+)/(?:[^/]*/)*threads:(?P<threads>\d+)$")
_LEAST_ACCESS_BYTES = 64
FACTOR_SPREAD = 0.5
TIME_NOISE = 0.1


@dataclass(frozen=True)
class Times:
    """Medians over the repetitions of one run of `pmtwin-kv-time`.

    Args:
        cold: (operation, value size in bytes, threads) -> ns of one operation of one thread.
        hot: the same with memory in the caches.
        spread: (operation, value size, threads) -> largest over smallest repetition.
    """

    cold: Mapping[tuple[str, int, int], float]
    hot: Mapping[tuple[str, int, int], float]
    spread: Mapping[tuple[str, int, int], float]


def times_of(document: Any, where: str) -> Times:
    """Times of gets and puts from Google Benchmark's JSON.

    Raises:
        InputError: the document has no such cases.
    """
    cold: dict[tuple[str, int, int], list[float]] = {}
    hot: dict[tuple[str, int, int], list[float]] = {}
    allowed = "a file that pmtwin-kv-time wrote, with cases kv/..."
    try:
        for case in document["benchmarks"]:
            match = _NAME.match(case.get("run_name", case.get("name", "")))
            if match and case.get("run_type") == "iteration":
                times = hot if match["heat"] == "hot" else cold
                key = match["operation"], int(match["size"]), int(match["threads"])
                times.setdefault(key, []).append(float(case["operation_ns"]))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError("times", where, allowed) from error
    if not cold and not hot:
        raise InputError("times", where, allowed)
    return Times(
        {key: median(values) for key, values in cold.items()},
        {key: median(values) for key, values in hot.items()},
        {key: max(values) / min(values) for key, values in cold.items()},
    )


Software = Mapping[int, Mapping[int, float]]


@dataclass(frozen=True)
class TimeModel:
    """A fitted model of one operation.

    Args:
        operation: get or put.
        profile: the memory, with an access profile.
        software: threads that run at once -> value size in bytes -> fitted software time in ns.
        cores: cores of the machine.
        factors: factors of the terms in `TERMS[operation]`.
    """

    operation: str
    profile: Profile
    software: Software
    cores: int
    factors: np.ndarray

    def predict_ns(self, size: int, threads: int) -> float:
        """Time in ns of an operation on a value of `size` bytes, with `threads` threads."""
        return float(self._terms(size, threads) @ self.factors)

    def _terms(self, size: int, threads: int) -> np.ndarray:
        return terms(self.operation, self.profile, self.software, self.cores, size, threads)


def terms(operation: str, profile: Profile, software: Software, cores: int, size: int, threads: int) -> np.ndarray:
    """The terms of an operation in ns, in the order of `TERMS[operation]`."""
    busy = min(threads, cores)
    access = _counts_of(profile)

    def count(name: str) -> float:
        return float(count_at(access, operation, name, float(size)))

    def ns_per_byte(instruction: str) -> float:
        bytes_each = np.array([float(max(size, _LEAST_ACCESS_BYTES))])
        dimms = profile.fitted_range[instruction][0]["dimms"]
        return float(
            payloads.ns_per_byte(profile, np.array([instruction]), bytes_each, np.array([float(busy)]), dimms)[0]
        )

    running = sorted(software)
    software_time = float(np.interp(busy, running, [software_ns(software[n], size) for n in running]))
    idle = profile.idle_latency_ns
    behind_first_line = max(0.0, size * ns_per_byte("load") - idle["load", "random"])
    values = [software_time, count("dependent_reads") * idle["load", "random"], behind_first_line]
    if operation == "put":
        written = written_bytes(access, operation, float(size))
        values.append(float(written.flushed) * ns_per_byte("store_clwb"))
        values.append(float(written.streamed) * ns_per_byte("ntstore"))
        values.append(count("rounds") * idle["store_clwb", "random"])
    return np.array(values) * max(1.0, threads / cores)


def _counts_of(profile: Profile) -> dict:
    if profile.access_profile is None:
        raise InputError("profile", profile.name, "a profile with an access profile")
    return profile.access_profile


def software_ns(software: Mapping[int, float], size: int) -> float:
    """Time in ns at a value size: linear between the measured sizes, and continued above the largest."""
    sizes = np.array(sorted(software), dtype=float)
    times = np.array([software[int(measured)] for measured in sizes])
    if size > sizes[-1] and sizes.size > 1:
        return float(times[-1] + (size - sizes[-1]) * (times[-1] - times[-2]) / (sizes[-1] - sizes[-2]))
    return float(np.interp(size, sizes, times))


def fit(
    operation: str,
    profile: Profile,
    times: Times,
    software: Times,
    cores: int,
    sizes: Sequence[int],
    threads: Sequence[int],
) -> TimeModel:
    """The model of an operation, fitted to the given sizes and thread counts only.

    Args:
        software: hot times without flushes, at the same sizes and thread counts.

    Raises:
        InputError: a size or thread count was not measured, or the profile has no access profile.
    """
    _counts_of(profile)
    keys = [(operation, size, n) for size in sizes for n in threads]
    missing = [
        f"{size} x {n}" for _, size, n in keys if not {(operation, size, n)} <= times.cold.keys() & software.hot.keys()
    ]
    if missing:
        raise InputError("value size", ", ".join(missing), "sizes and thread counts that were measured")
    fitted = {
        min(n, cores): {size: software.hot[operation, size, n] / max(1.0, n / cores) for size in sizes} for n in threads
    }
    measured = np.array([times.cold[key] for key in keys])
    rows = np.array([terms(operation, profile, fitted, cores, size, n) for _, size, n in keys]) / measured[:, None]
    prior = np.eye(rows.shape[1]) * (TIME_NOISE / FACTOR_SPREAD)
    factors, _ = nnls(np.concatenate([rows, prior]), np.concatenate([np.ones(measured.size), prior.sum(axis=1)]))
    return TimeModel(operation, profile, fitted, cores, factors)


def unseen(model: TimeModel, times: Times, threads: Sequence[int]) -> list[dict]:
    """Predictions and measurements at all measured points whose size and thread count were both not in the fit.

    Args:
        threads: thread counts of the fit.
    """
    points, fitted = [], next(iter(model.software.values()))
    for (operation, size, n), measured in sorted(times.cold.items()):
        if operation == model.operation and size not in fitted and n not in threads:
            predicted = model.predict_ns(size, n)
            points.append(
                {
                    "operation": operation,
                    "value_bytes": size,
                    "threads": n,
                    "measured_ns": measured,
                    "predicted_ns": predicted,
                    "error_percent": 100.0 * (predicted / measured - 1.0),
                    "spread": times.spread[operation, size, n],
                }
            )
    return points
