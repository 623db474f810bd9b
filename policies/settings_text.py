"""Text form of settings in the options of a policy; the scenario checks their bounds when a run starts."""

from __future__ import annotations

from pmtwin.policies.base import Setting
from pmtwin.sim.errors import InputError


def parse_setting(field: str, text: str) -> Setting:
    """`"9,8"` as whole numbers.

    Raises:
        InputError: for anything else.
    """
    try:
        numbers = [float(part) for part in text.split(",")]
        if not all(number.is_integer() for number in numbers):
            raise ValueError("not whole")
    except ValueError as error:
        raise InputError(field, text, "whole numbers with commas between them (N or N,N)") from error
    return tuple(int(number) for number in numbers)


def parse_bounds(field: str, text: str) -> tuple[Setting, Setting]:
    """`"2,2:16,16"` as the lowest and the highest setting.

    Raises:
        InputError: for anything else, or a lower number that is above its upper one.
    """
    settings = text.split(":")
    if len(settings) != 2:
        raise InputError(field, text, "LOWEST:HIGHEST, two settings (2,2:16,16)")
    lower, upper = (parse_setting(field, setting) for setting in settings)
    if len(lower) != len(upper) or any(low > high for low, high in zip(lower, upper, strict=True)):
        raise InputError(field, text, "LOWEST:HIGHEST, two settings, the lower one first (2,2:16,16)")
    return lower, upper


def written_bounds(bounds: tuple[Setting, Setting]) -> str:
    """Bounds as text that `parse_bounds` reads."""
    return ":".join(",".join(map(str, setting)) for setting in bounds)
