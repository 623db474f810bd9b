"""Mixes of reads and writes: the fit of the effect, and the errors of predicted mixes and latencies under load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pmtwin.calibrate.effects.fit import EffectFit, fit_effect
from pmtwin.calibrate.effects.fitting import Fitting, Measured
from pmtwin.calibrate.effects.mix_rows import FIGURE_6_SIZE_BYTES, FIGURE_6_THREADS, LoadRow, MixRow
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.sim.device.effects.mixes import Mixes, mixed_bandwidth_mib_s
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.device.intervals import COVERAGE
from pmtwin.sim.device.points import MIXED
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile

MIN_MIXES = 4
"""Smallest number of mixes with one kind of write for a fit of the parameters of mixing."""

STARTS = {"interference": 0.2, "overlap": 0.05}


def inner(rows: Sequence[MixRow], operation: str) -> list[MixRow]:
    """The rows in which threads read and others write by `operation`."""
    return [row for row in rows if 0.0 < row.write_share < 1.0 and row.write_operation == operation]


class MixesFitting(Fitting):
    """Fitting to tables of mixes; mixes of the device's own files are fitted by `MediaQueueFitting`."""

    effect = Mixes()
    closes = "mixes of reads and writes (predicted by one queue at the media)"
    of_each_operation = False

    def fit(self, operation: str, profile: Profile, measured: Measured) -> dict | None:
        mixed = inner(measured.mixes, operation)
        return fit_mixes(mixed) if len(mixed) >= MIN_MIXES and "load" in profile.parameters else None


def fit_mixes(rows: Sequence[MixRow]) -> dict:
    """The entry of one write operation. Each row is compared with the pure bandwidths of its own benchmark.

    So a benchmark with faster accesses, pure ones too, does not count as an effect of mixing.
    """
    fit = _fit(rows)
    boxes = [
        {"pattern": pattern}
        | {name: _range([getattr(row, name) for row in rows if row.pattern == pattern]) for name in Mixes.axes}
        for pattern in sorted({row.pattern for row in rows})
    ]
    return fit.entry(boxes, len(rows))


def _range(values: Sequence[float]) -> list[float]:
    return [min(values), max(values)]


def _fit(rows: Sequence[MixRow]) -> EffectFit:
    """The fit to mixes; all rows of a write ratio are kept aside together."""
    share, read, write, total = (
        np.array([getattr(row, name) for row in rows]) for name in ("write_share", "pure_read", "pure_write", "total")
    )

    def log_bandwidth(mix: Mapping[str, float], index: np.ndarray) -> np.ndarray:
        x = share[index]
        return np.log(sum(mixed_bandwidth_mib_s(1.0 - x, x, read[index], write[index], mix)))

    return fit_effect(STARTS, log_bandwidth, total, groups=share)


def score_mixes(profile: Profile, rows: Sequence[MixRow]) -> dict[str, dict] | None:
    """Errors of `predict` on mixes whose write ratio the fit of mixing had not seen, by write operation.

    Returns:
        operation -> {"points"; "predict": [median, mean, 90th percentile] of the absolute error of total bandwidth in
        %; "own_ends": the same if the benchmark's own pure bandwidths were known; "pure_over_predicted": {"read",
        "write"}, those pure bandwidths over the predicted ones; "time_per_access": the error of the time that a thread
        spends on an access, where it was measured}; None without mixes.
    """
    scores = {}
    for operation, entry in (profile.effects or {}).get(Mixes.name, {}).items():
        mixes = inner(rows, operation)
        if not mixes or "load" not in profile.parameters:
            continue
        bandwidth, time = _unseen_errors(profile, operation, entry, mixes)
        known = np.isfinite(bandwidth)
        if not np.any(known):
            continue
        scores[operation] = {
            "points": int(known.sum()),
            "predict": ape(bandwidth[known]),
            "own_ends": entry["errors_percent"][0],
            "pure_over_predicted": _pure_over_predicted(profile, mixes),
        }
        if np.any(np.isfinite(time)):
            scores[operation]["time_per_access"] = ape(time[np.isfinite(time)])
    return scores or None


def _pure_over_predicted(profile: Profile, mixes: Sequence[MixRow]) -> dict[str, float]:
    """Median ratio of the benchmark's pure bandwidths to the profile's prediction for the same accesses, local node."""
    local = [row for row in mixes if row.node == "local"] or list(mixes)
    ratios = {}
    for side, share in (("read", 0.0), ("write", 1.0)):
        predicted = predict(profile, points_of_mixes([replace(row, write_share=share) for row in local]))
        pure = np.array([getattr(row, f"pure_{side}") for row in local])
        ratios[side] = round(float(np.median(pure / predicted["bandwidth_mib_s"])), 3)
    return ratios


def with_predicted_widths(profile: Profile, rows: Sequence[MixRow]) -> Profile:
    """The profile with intervals of mixes as wide as the errors of `predict` on mixes that the fit had not seen."""
    entries = (profile.effects or {}).get(Mixes.name, {})
    wider = {}
    for operation, entry in entries.items():
        errors = _unseen_errors(profile, operation, entry, inner(rows, operation))[0]
        errors = np.abs(errors[np.isfinite(errors)])
        width = round(float(np.quantile(errors, 0.9)), 4) if errors.size else 0.0
        wider[operation] = {**entry, "log_half_width": [max(width, *entry["log_half_width"])]}
    return replace(profile, effects={**(profile.effects or {}), Mixes.name: wider}) if wider else profile


def _unseen_errors(
    profile: Profile, operation: str, entry: Mapping, mixes: Sequence[MixRow]
) -> tuple[np.ndarray, np.ndarray]:
    """log(predicted / measured) of total bandwidth and of the time per access; NaN where nothing can be compared."""
    share = np.array([row.write_share for row in mixes])
    bandwidth, time = np.full(share.size, np.nan), np.full(share.size, np.nan)
    for aside in np.unique(share):
        training = [row for row in mixes if row.write_share != aside]
        parameters = _fit(training).parameters if training else entry["parameters"]
        effects = {**(profile.effects or {}), Mixes.name: {operation: {**entry, "parameters": parameters}}}
        chosen = np.flatnonzero(share == aside).tolist()
        predicted = predict(replace(profile, effects=effects), points_of_mixes([mixes[i] for i in chosen]))
        for errors, name, key in (
            (bandwidth, "bandwidth_mib_s", "total"),
            (time, "time_per_access_ns", "latency_ns"),
        ):
            errors[chosen] = np.log(predicted[name] / np.array([getattr(mixes[i], key) for i in chosen]))
    return bandwidth, time


def points_of_mixes(mixes: Sequence[MixRow]) -> dict[str, np.ndarray]:
    """Columns for `pmtwin.sim.device.prediction.predict`; the threads of a side may be no whole number."""
    share, threads = (np.array([getattr(row, name) for row in mixes]) for name in ("write_share", "threads"))
    columns = {name: np.array([getattr(row, name) for row in mixes]) for name in ("pattern", "write_operation")}
    columns |= {name: np.array([getattr(row, name) for row in mixes]) for name in ("access_size_bytes", "dimms")}
    return columns | {
        "operation": np.full(share.size, MIXED),
        "threads": threads,
        "read_threads": threads * (1.0 - share),
        "write_threads": threads * share,
        "power_w": np.full(share.size, REFERENCE_POWER_W),
        "remote": np.array([row.node == "remote" for row in mixes]),
    }


def score_loaded_latency(profile: Profile, rows: Sequence[LoadRow]) -> dict | None:
    """Errors of `read_latency_ns` beside sequential non-temporal stores that offer the bandwidths of the rows.

    Returns:
        {"points", "predict": [median, mean, 90th percentile] in %}, or None if nothing can be compared.
    """
    errors = _loaded_errors(profile, rows)
    return {"points": errors.size, "predict": ape(errors)} if errors.size else None


def with_latency_width(profile: Profile, rows: Sequence[LoadRow]) -> Profile:
    """The profile with an interval of the latency of sequential loads as wide as the errors of those under load."""
    errors = _loaded_errors(profile, rows)
    if not errors.size or profile.intervals is None:
        return profile
    width = round(float(np.quantile(np.abs(errors), COVERAGE)), 4)
    return replace(profile, intervals={**profile.intervals, "latency": {"load": {"sequential": width}}})


def _loaded_errors(profile: Profile, rows: Sequence[LoadRow]) -> np.ndarray:
    """log(predicted / measured) of the rows; empty if nothing can be compared."""
    patterns = {box["pattern"] for box in profile.fitted_range.get("ntstore", ())}
    if not rows or "sequential" not in patterns:
        return np.empty(0)
    predicted = under_load(profile, np.array([row.bandwidth_mib_s for row in rows]))
    errors = np.log(predicted["read_latency_ns"] / np.array([row.latency_ns for row in rows]))
    return errors if np.all(np.isfinite(errors)) else np.empty(0)


def under_load(profile: Profile, load_mib_s: np.ndarray) -> dict[str, np.ndarray]:
    """Predictions beside threads that write sequentially at these bandwidths, as in FAST'20, figure 6; shape (n,)."""
    same = load_mib_s.shape
    return predict(
        profile,
        {
            "operation": np.full(same, "ntstore"),
            "pattern": np.full(same, "sequential"),
            "access_size_bytes": np.full(same, FIGURE_6_SIZE_BYTES),
            "threads": np.full(same, FIGURE_6_THREADS - 1.0),
            "dimms": np.full(same, float(FULL_SET_DIMMS)),
            "power_w": np.full(same, REFERENCE_POWER_W),
            "offered_mib_s": load_mib_s,
        },
    )
