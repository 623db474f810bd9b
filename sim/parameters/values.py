"""Values of the twin's parameters: the defaults of `pmtwin.sim.parameters.table`, with the user's changes."""

from __future__ import annotations

from collections.abc import Mapping

from pmtwin.sim.errors import InputError, check_range, in_full, unknown_name
from pmtwin.sim.parameters.table import PARAMETERS

__all__ = ["PARAMETERS", "Resolved", "is_chosen", "resolve", "with_value"]


class Resolved(dict):
    """Values of all parameters; `chosen`: names of the parameters that were set, the others have their defaults."""

    chosen: frozenset[str] = frozenset()


def is_chosen(values: Mapping[str, float], name: str) -> bool:
    """Whether a value was set, rather than left at its default; True for a mapping that is not of `resolve`."""
    return not isinstance(values, Resolved) or name in values.chosen


def with_value(values: Mapping[str, float], name: str, value: float) -> Resolved:
    """A copy with one value replaced, and the same set of chosen names."""
    changed = Resolved({**values, name: value})
    changed.chosen = frozenset(values.chosen if isinstance(values, Resolved) else values)
    return changed


def resolve(overrides: Mapping[str, float] | None = None) -> Resolved:
    """The values of all parameters.

    Args:
        overrides: name -> value to set.

    Returns:
        name -> value, in the units of `PARAMETERS`.

    Raises:
        InputError: an unknown name, or a value that is NaN, outside `Parameter.limits`, between 0 and
            `Parameter.least_above_zero`, or not whole although it must be.
    """
    values = Resolved({name: parameter.default for name, parameter in PARAMETERS.items()})
    values.chosen = frozenset(overrides or ())
    for name, value in (overrides or {}).items():
        if name not in PARAMETERS:
            raise unknown_name("parameter", name, PARAMETERS)
        parameter = PARAMETERS[name]
        low, high = parameter.limits
        check_range(name, value, low, high, parameter.unit)
        least = parameter.least_above_zero
        if least is not None and 0.0 < value < least:
            raise InputError(name, value, f"0, or {in_full(least)} to {in_full(high)} {parameter.unit}".rstrip())
        if parameter.whole and value != round(value):
            raise InputError(name, value, f"a whole number from {in_full(low)} to {in_full(high)}")
        values[name] = value
    return values
