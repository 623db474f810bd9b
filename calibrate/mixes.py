"""Errors of a profile on the mixes of reads and writes in its sources."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmtwin.calibrate.context import Mix
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.sim.device.points import MIXED
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile


def mix_errors(profile: Profile, mixes: Sequence[Mix]) -> dict | None:
    """{"points", "error_percent": [median, mean, 90th percentile]}, or None if nothing can be compared."""
    covered = [mix for mix in mixes if _is_known(profile, mix)]
    if not covered:
        return None
    errors = [np.log(predicted_mib_s(profile, mix) / mix.bandwidth_mib_s) for mix in covered]
    return {"points": len(covered), "error_percent": ape(np.array(errors))}


def _is_known(profile: Profile, mix: Mix) -> bool:
    boxes = [{box["pattern"] for box in profile.fitted_range.get(name, ())} for name in ("load", mix.write_operation)]
    return mix.pattern in boxes[0] and (mix.write_pattern or mix.pattern) in boxes[1]


def predicted_mib_s(profile: Profile, mix: Mix) -> float:
    """Predicted total bandwidth of a mix, in MiB/s.

    Reading and writing threads are a mix for `predict`; if each thread reads and writes, its accesses are sequential.
    """
    share = mix.write_ratio
    stated = {"access_size_bytes": mix.write_access_size_bytes, "pattern": mix.write_pattern}
    writes: dict[str, str | float] = {name: value for name, value in stated.items() if value is not None}
    if not mix.by_access:
        columns = {f"write_{name}": value for name, value in writes.items()}
        columns |= {"read_threads": mix.threads * (1.0 - share), "write_threads": mix.threads * share}
        return _predicted_side(profile, mix, MIXED, **columns, write_operation=mix.write_operation)
    read, write = _predicted_side(profile, mix, "load"), _predicted_side(profile, mix, mix.write_operation, **writes)
    return 1.0 / ((1.0 - share) / read + share / write)


def _predicted_side(profile: Profile, mix: Mix, operation: str, **columns: str | float) -> float:
    point = {name: getattr(mix, name) for name in ("pattern", "access_size_bytes", "threads", "dimms")}
    point |= {"operation": operation, "power_w": REFERENCE_POWER_W, **columns}
    return float(predict(profile, {name: np.array([value]) for name, value in point.items()})["bandwidth_mib_s"][0])
