"""How long a get or put takes: the store's software, its chain of dependent reads, its bytes, its flushes and fences.

    T = c1 S(s) + c2 D(s) L + c3 s / B_load(s, t)                                                 (get)
        + c4 64 F(s) / B_store_clwb(s, t) + c5 N(s) / B_ntstore(s, t) + c6 R(s) P                 (put, in addition)

with S the software's time (memory in the caches, no flushes), and from the access profile D the dependent reads, F the
flushed lines, N the streamed bytes, R the rounds; from the device's profile the idle latencies L of a load and P of a
flushed store, and the bandwidths B of one of t threads as the simulator takes them (`sim.payloads`). With more threads
than cores all of it takes t / cores times as long. The factors c are at least 0 and fitted to a few value sizes and
thread counts, by relative error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from scipy.optimize import nnls

from sim import payloads
from sim.access_profile import CACHE_LINE_BYTES, count_at
from sim.device.profile import Profile
from sim.errors import InputError

OPERATIONS = ("get", "put")
TERMS = {
    "get": ("software", "chain", "payload_load"),
    "put": ("software", "chain", "payload_load", "flushed", "streamed", "rounds"),
}
_NAME = re.compile(r"kv/(?P<operation>\w+)/(?P<heat>hot|cold)/value:(?P<size>\d+)/(?:[^/]*/)*threads:(?P<threads>\d+)$")
_LEAST_ACCESS_BYTES = 64


@dataclass(frozen=True)
class Times:
    """Medians over the repetitions of one run of `pmtwin-kv-time`.

    Args:
        cold: (operation, value size in bytes, threads) -> ns of one operation of one thread.
        hot: (operation, value size in bytes) -> ns with memory in the caches.
        spread: (operation, value size, threads) -> largest over smallest repetition.
    """

    cold: Mapping[tuple[str, int, int], float]
    hot: Mapping[tuple[str, int], float]
    spread: Mapping[tuple[str, int, int], float]


def times_of(document: object, where: str) -> Times:
    """Times of gets and puts from Google Benchmark's JSON.

    Raises:
        InputError: no such cases in it.
    """
    cold, hot = {}, {}
    cases = document.get("benchmarks", []) if isinstance(document, dict) else []
    for case in cases:
        match = _NAME.match(case.get("run_name", case.get("name", "")))
        if match and case.get("run_type") == "iteration":
            operation, size, threads = match["operation"], int(match["size"]), int(match["threads"])
            if match["heat"] == "hot":
                hot.setdefault((operation, size), []).append(float(case["operation_ns"]))
            else:
                cold.setdefault((operation, size, threads), []).append(float(case["operation_ns"]))
    if not cold and not hot:
        raise InputError("times", where, "a file that pmtwin-kv-time wrote, with cases kv/...")
    return Times(
        {key: median(values) for key, values in cold.items()},
        {key: median(values) for key, values in hot.items()},
        {key: max(values) / min(values) for key, values in cold.items()},
    )


@dataclass(frozen=True)
class TimeModel:
    """A fitted model of one operation.

    Args:
        operation: get or put.
        profile: the memory, with an access profile.
        software: value size in bytes -> ns, of the sizes that the model was fitted to.
        cores: of the machine.
        factors: of the terms in `TERMS[operation]`.
    """

    operation: str
    profile: Profile
    software: Mapping[int, float]
    cores: int
    factors: np.ndarray

    def predict_ns(self, size: int, threads: int) -> float:
        """Time in ns of one operation of one of `threads` threads on values of `size` bytes."""
        return float(self._terms(size, threads) @ self.factors)

    def _terms(self, size: int, threads: int) -> np.ndarray:
        return terms(self.operation, self.profile, self.software, self.cores, size, threads)


def terms(
    operation: str, profile: Profile, software: Mapping[int, float], cores: int, size: int, threads: int
) -> np.ndarray:
    """The terms of an operation in ns, in the order of `TERMS[operation]`."""
    busy = min(threads, cores)
    access = profile.access_profile

    def count(name: str) -> float:
        return float(count_at(access, operation, name, float(size)))

    def ns_per_byte(instruction: str) -> float:
        bytes_each = np.array([float(max(size, _LEAST_ACCESS_BYTES))])
        dimms = profile.fitted_range[instruction][0]["dimms"]
        return float(
            payloads.ns_per_byte(profile, np.array([instruction]), bytes_each, np.array([float(busy)]), dimms)[0]
        )

    software_ns = _between_and_beyond(software, size)
    idle = profile.idle_latency_ns
    values = [software_ns, count("dependent_reads") * idle["load", "random"], size * ns_per_byte("load")]
    if operation == "put":
        values.append(CACHE_LINE_BYTES * count("flushed_lines") * ns_per_byte("store_clwb"))
        values.append(count("streamed_bytes") * ns_per_byte("ntstore"))
        values.append(count("rounds") * idle["store_clwb", "random"])
    return np.array(values) * max(1.0, threads / cores)


def _between_and_beyond(software: Mapping[int, float], size: int) -> float:
    """Time in ns at a size: linear in the logarithms between known sizes, by the last bytes' cost above the largest."""
    known = np.array(sorted(software), dtype=float)
    times = np.array([software[int(each)] for each in known])
    if size > known[-1] and known.size > 1:
        return float(times[-1] + (size - known[-1]) * (times[-1] - times[-2]) / (known[-1] - known[-2]))
    return float(np.exp(np.interp(np.log(max(size, 1)), np.log(np.maximum(known, 1.0)), np.log(times))))


def fit(
    operation: str,
    profile: Profile,
    times: Times,
    software: Times,
    cores: int,
    sizes: Sequence[int],
    threads: Sequence[int],
) -> TimeModel:
    """The model of an operation, fitted to the given sizes and thread counts alone.

    Args:
        software: hot times without flushes.

    Raises:
        InputError: one of them was not measured, or the profile has no access profile.
    """
    if profile.access_profile is None:
        raise InputError("profile", profile.name, "a profile with an access profile")
    missing = [str(size) for size in sizes if (operation, size) not in software.hot]
    missing += [f"{size} x {n}" for size in sizes for n in threads if (operation, size, n) not in times.cold]
    if missing:
        raise InputError("value size", ", ".join(missing), "sizes and thread counts that were measured")
    own = {size: software.hot[operation, size] for size in sizes}
    measured = np.array([times.cold[operation, size, n] for size in sizes for n in threads])
    rows = np.array([terms(operation, profile, own, cores, size, n) for size in sizes for n in threads])
    factors, _ = nnls(rows / measured[:, None], np.ones(measured.size))
    return TimeModel(operation, profile, own, cores, factors)


def unseen(model: TimeModel, times: Times, threads: Sequence[int]) -> list[dict]:
    """Prediction beside measurement at every measured size and thread count that was in no part of the fit.

    Args:
        threads: the thread counts that the model was fitted to.
    """
    points = []
    for (operation, size, n), measured in sorted(times.cold.items()):
        if operation == model.operation and size not in model.software and n not in threads:
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
