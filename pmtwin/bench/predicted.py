"""Predictions of a profile for measured accesses, and how many measurements lie inside the intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.intervals import TOO_WIDE, too_wide
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.ranges import usual_dimms
from pmtwin.sim.device.refusals import predict_known


class Access(NamedTuple):
    """Accesses of one thread."""

    operation: str
    pattern: str
    size_bytes: int

    def __str__(self) -> str:
        return f"{self.pattern} {self.operation}, {self.size_bytes} B, 1 thread"


def prediction(profile: Profile, access: Access, measured_mib_s: float) -> dict | None:
    """Predicted bandwidth in MiB/s with its 90 % interval, and whether the measured bandwidth is inside.

    Returns:
        None for an operation or pattern outside the profile's fit; for a prediction without an interval, its ends and
        `inside` are None.
    """
    same = access._asdict() | {"threads": 1.0, "dimms": usual_dimms(profile), "power_w": REFERENCE_POWER_W}
    same["access_size_bytes"] = float(same.pop("size_bytes"))
    columns = {name: np.array([value]) for name, value in (same | {"write_operation": ""}).items()}
    result, refused = predict_known(profile, columns)
    if refused[0]:
        return None
    value, low, high = (float(result[f"bandwidth_{end}mib_s"][0]) for end in ("", "low_", "high_"))
    if math.isnan(low) or math.isnan(high):
        return {"mib_s": value, "low": None, "high": None, "inside": None}
    return {"mib_s": value, "low": low, "high": high, "inside": low <= measured_mib_s <= high}


def prediction_text(entry: Mapping | None) -> tuple[str, str]:
    """(prediction with its interval, whether the measured value is inside) as texts."""
    if entry is None:
        return "", ""
    if entry["low"] is None:
        return f"{entry['mib_s']:,.0f}, no interval", "-"
    wide = f", {TOO_WIDE}" if too_wide(entry["low"], entry["high"]) else ""
    text = f"{entry['mib_s']:,.0f} [{entry['low']:,.0f}, {entry['high']:,.0f}]{wide}"
    return text, "yes" if entry["inside"] else "no"


def inside_text(entries: Sequence[Mapping]) -> str:
    """Text on the number of measured values inside their intervals."""
    judged = [entry["inside"] for entry in entries if entry["inside"] is not None]
    text = f"{sum(judged)} of {len(judged)} bandwidths of the independent loops lie inside the profile's 90 % intervals"
    return f"{text} for another session (predict --interval campaign)"
