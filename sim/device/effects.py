"""What was measured beside the plain sweep: strides, fences, the far NUMA node, reads among writes.

A profile holds for each effect and operation its parameters, the range they were fitted on and the half-width of the
90 % interval. What is not there was not identified, and asking for it says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct

from pmtwin.sim.device import law
from pmtwin.sim.device.fences import FENCE_PARAMETERS
from pmtwin.sim.device.mixes import MIX_PARAMETERS
from pmtwin.sim.device.strides import STRIDE_PARAMETERS
from pmtwin.sim.errors import InputError
from pmtwin.sim.typed_json import NotNegative, check_name, lacking, typed

STRIDES, FENCES, REMOTE, MIXES = "strides", "fences", "remote", "mixes"

EFFECTS: dict[str, tuple[str, ...]] = {
    STRIDES: tuple(STRIDE_PARAMETERS),
    FENCES: tuple(FENCE_PARAMETERS),
    REMOTE: ("time_factor",),
    MIXES: tuple(MIX_PARAMETERS),
}


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


class EntryForm(Struct):
    """One effect on one operation, in a profile."""

    parameters: dict[str, NotNegative]
    fitted_range: list[dict[str, Any]]
    log_half_width: Annotated[list[NotNegative], Meta(min_length=1)]

    def __post_init__(self) -> None:
        for index, box in enumerate(self.fitted_range):
            field = f"fitted_range[{index}]"
            if "pattern" not in box:
                raise lacking(field, "pattern")
            for name, value in box.items():
                if name == "pattern":
                    check_name(f"{field}.pattern", str(value), law.PATTERNS)
                elif typed(f"{field}.{name}", value, tuple[NotNegative, NotNegative], None)[0] > value[1]:
                    raise InputError(f"{field}.{name}", value, "[low, high], low first")


def check_effects(effects: Mapping[str, Mapping] | None, where: str) -> None:
    """Raise `InputError` unless every entry is an effect on an operation with all its parameters."""
    for name, operations in (effects or {}).items():
        check_name("effects", name, EFFECTS, where)
        for operation, entry in typed(f"effects.{name}", operations, dict[str, EntryForm], where).items():
            check_name(f"effects.{name}", operation, law.OPERATIONS, where)
            for parameter in EFFECTS[name]:
                if parameter not in entry.parameters:
                    raise lacking(f"effects.{name}.{operation}.parameters", parameter, where)
            if name == STRIDES and len(entry.log_half_width) != 2:
                field = f"effects.{name}.{operation}.log_half_width"
                raise InputError(field, entry.log_half_width, "[below, from] one interleaving chunk on", where)
