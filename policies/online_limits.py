"""Limits for a policy that learns on a running system: options of `online-q`, and of commands that run it."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.policies.base import Setting
from pmtwin.policies.settings_text import parse_bounds, written_bounds
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option

MOST_WINDOWS = 10**6


@dataclass(frozen=True)
class OnlineLimits(Options):
    """Limits set by an operator. `step` limits jumps; a discrete action makes the move that the scenario declares."""

    bounds: tuple[tuple[int, ...], tuple[int, ...]] | None = option(
        None,
        "lowest and highest setting (default: the scenario's)",
        metavar="N,N:N,N",
        parse=parse_bounds,
        written=written_bounds,
    )
    step: int = option(4, "maximum change of a setting per window", low=1, high=10**6, metavar="N")
    fall_back_after: int = option(
        20,
        "consecutive windows below the service level before the fall-back",
        low=1,
        high=MOST_WINDOWS,
        metavar="N",
    )
    resume_after: int = option(
        5,
        "consecutive windows at the service level before the policy acts and learns again",
        low=1,
        high=MOST_WINDOWS,
        metavar="N",
    )


def check_within(setting: Setting, bounds: tuple[Setting, Setting]) -> None:
    """Raise `InputError` unless the fall-back setting lies within the bounds."""
    if len(setting) != len(bounds[0]) or setting != clipped(setting, bounds):
        text = ",".join(map(str, setting))
        raise InputError("fall_back", text, f"a setting within the bounds {written_bounds(bounds)}")


def clipped(setting: Setting, bounds: tuple[Setting, Setting]) -> Setting:
    """The setting within the bounds that is nearest."""
    return tuple(min(max(n, low), high) for n, low, high in zip(setting, *bounds, strict=True))


def towards(setting: Setting, target: Setting, step: int) -> Setting:
    """The setting after a step towards `target`, in which no number changes by more than `step`."""
    return tuple(n + min(max(end - n, -step), step) for n, end in zip(setting, target, strict=True))
