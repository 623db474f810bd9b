"""Evidence of the shipped profile, and its refit to the data beside the checkout."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import numpy as np

from pmtwin.calibrate.readers import read_sources
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from pmtwin.sim.device.profile import Profile, load_profile

SWEEP = "lattester_bandwidth.csv"


def run(profile_name: str, data: Path | None, bootstrap: int, seed: int, jobs: int = 1) -> dict:
    """The record of the shipped profile and, with data, a re-fit of its law.

    Args:
        data: folder of measurements, or None.
        bootstrap: replicates for the intervals; 0 fits the law alone, without cross-validation.

    Returns:
        `shipped`: name, device, sources, configurations, noise floor, errors by operation. `refit`: None without data,
        else `same_data` (SHA-256 of the sweep), `bootstrap`, `errors_percent`, and by operation the largest and the
        median difference of the law's bandwidth to the shipped one over the measured configurations, in %.
    """
    profile = load_profile(profile_name)
    record = deepcopy(profile.record)  # the caller may change what it is given; the profile is everybody's
    shipped = {name: record.get(name) for name in ("sources", "configurations", "noise_floor_percent")}
    shipped |= {"name": profile.name, "device": profile.device, "errors_percent": record.get("errors_percent", {})}
    return {"shipped": shipped, "refit": _refit(profile, data, bootstrap, seed, jobs)}


def _refit(profile: Profile, data: Path | None, bootstrap: int, seed: int, jobs: int) -> dict | None:
    if data is None or not (data / SWEEP).is_file():
        return None
    from pmtwin.calibrate.build import calibrate

    measurements, _ = read_sources([data / SWEEP])
    refitted = calibrate(measurements, profile.name, profile.device, seed=seed, bootstrap=bootstrap, jobs=jobs)
    c = refitted.configurations
    differences = {}
    for operation in refitted.profile.parameters:
        percent = np.empty(0)
        for pattern in ("random", "sequential"):
            rows = c.take((c.operation == operation) & (c.pattern == pattern))
            at = (operation, pattern, rows.access_size_bytes, rows.threads, rows.dimms, rows.power_w)
            ratio = bandwidth_mib_s(refitted.profile, *at) / bandwidth_mib_s(profile, *at)
            percent = np.concatenate([percent, 100.0 * np.abs(ratio - 1.0)])
        differences[operation] = {"median_percent": float(np.median(percent)), "max_percent": float(percent.max())}
    hashes = {source["name"]: source["sha256"] for source in profile.record.get("sources", [])}
    return {
        "same_data": all(hashes.get(source.name) == source.sha256 for source in measurements.sources),
        "bootstrap": bootstrap,
        "errors_percent": refitted.profile.record["errors_percent"],
        "differences": differences,
    }
