"""What a profile predicts of accesses that another program measures, and how much of that lies in its intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.intervals import TOO_WIDE, too_wide
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.ranges import usual_dimms


class Access(NamedTuple):
    """Accesses of one thread."""

    operation: str
    pattern: str
    size_bytes: int

    def __str__(self) -> str:
        return f"{self.pattern} {self.operation}, {self.size_bytes} B, 1 thread"


def prediction(profile: Profile, access: Access, measured_mib_s: float) -> dict:
    """Bandwidth in MiB/s with its 90 % interval, and whether the measured one lies in it.

    Raises:
        InputError: an operation or pattern that the profile was not fitted to.
    """
    same = access._asdict() | {"threads": 1.0, "dimms": usual_dimms(profile), "power_w": REFERENCE_POWER_W}
    same["access_size_bytes"] = float(same.pop("size_bytes"))
    result = predict(profile, {name: np.array([value]) for name, value in (same | {"write_operation": ""}).items()})
    value, low, high = (float(result[f"bandwidth_{end}mib_s"][0]) for end in ("", "low_", "high_"))
    return {"mib_s": value, "low": low, "high": high, "inside": bool(low <= measured_mib_s <= high)}


def prediction_text(entry: Mapping | None) -> tuple[str, str]:
    """(prediction with its interval, whether the measured value is inside) of one entry."""
    if entry is None:
        return "", ""
    wide = f", {TOO_WIDE}" if too_wide(entry["low"], entry["high"]) else ""
    text = f"{entry['mib_s']:,.0f} [{entry['low']:,.0f}, {entry['high']:,.0f}]{wide}"
    return text, "yes" if entry["inside"] else "no"


def inside_text(entries: Sequence[Mapping]) -> str:
    """How many measured values lie inside their intervals."""
    inside = sum(entry["inside"] for entry in entries)
    return f"{inside} of {len(entries)} bandwidths of the independent loops lie inside the profile's 90 % intervals"
