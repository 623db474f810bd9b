"""What was measured beside the plain sweep: strides, fences, the far NUMA node, reads among writes.

A profile holds for each effect and operation its parameters, the range they were fitted on and the half-width of the
90 % interval. What is not there was not identified, and asking for it says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device import law
from pmtwin.sim.device.fences import FENCE_PARAMETERS
from pmtwin.sim.device.mixes import MIX_PARAMETERS
from pmtwin.sim.device.strides import STRIDE_PARAMETERS
from pmtwin.sim.errors import InputError, unknown_name

STRIDES, FENCES, REMOTE, MIXES = "strides", "fences", "remote", "mixes"

EFFECTS: dict[str, tuple[str, ...]] = {
    STRIDES: tuple(STRIDE_PARAMETERS),
    FENCES: tuple(FENCE_PARAMETERS),
    REMOTE: ("time_factor",),
    MIXES: tuple(MIX_PARAMETERS),
}

_WHAT = {
    STRIDES: "the cost of strides",
    FENCES: "the cost of fences",
    REMOTE: "the cost of the far NUMA node",
    MIXES: "the cost of reads among writes",
}


def effect_of(effects: Mapping | None, name: str, operation: str, profile: str) -> Mapping:
    """The entry of one effect on one operation.

    Raises:
        InputError: the data behind the profile does not identify it.
    """
    known = (effects or {}).get(name, {})
    if operation not in known:
        of = ", ".join(known) or "no operation"
        allowed = f"what profile {profile} identifies: {_WHAT[name]} of {of}"
        raise InputError(f"{_WHAT[name]} (operation)", operation, allowed)
    return known[operation]


def outside(entry: Mapping, pattern: str, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """True where a point lies outside all boxes that an effect was fitted on.

    Args:
        columns: of the box's axes, arrays of one shape.
    """
    inside = np.zeros(next(iter(columns.values())).shape, dtype=bool)
    for box in entry["fitted_range"]:
        within = np.full(inside.shape, box["pattern"] == pattern)
        for name, values in columns.items():
            low, high = box.get(name, (-np.inf, np.inf))
            within &= (values >= low) & (values <= high)
        inside |= within
    return ~inside


def check_effects(effects: object, where: str) -> None:
    """Raise `InputError` unless every entry is an effect on an operation with all its parameters."""
    if effects is None:
        return
    if not isinstance(effects, dict):
        raise InputError("effects", type(effects).__name__, f"an object with some of {', '.join(EFFECTS)}", where)
    for name, operations in effects.items():
        if name not in EFFECTS:
            raise unknown_name("effects", name, EFFECTS, where)
        for operation, entry in operations.items():
            if operation not in law.OPERATIONS:
                raise unknown_name(f"effects.{name}", operation, law.OPERATIONS, where)
            _check_entry(f"effects.{name}.{operation}", entry, EFFECTS[name], where)


def _check_entry(field: str, entry: dict, parameters: tuple[str, ...], where: str) -> None:
    for key in ("parameters", "fitted_range", "log_half_width"):
        if not isinstance(entry, dict) or key not in entry:
            raise InputError(field, "no " + key, "parameters, fitted_range and log_half_width", where)
    for name in parameters:
        value = entry["parameters"].get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
            raise InputError(f"{field}.{name}", value, "a finite number of at least 0", where)
