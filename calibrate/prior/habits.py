"""Habits of benchmarks: a fence after each write, and prefetchers that read ahead.

Both are part of a profile's law, so devices measured by different benchmarks differ even where their memories do not.
Therefore each device of a family is converted to the habits of the new device's benchmark: the wait for a fence is
added to the first line of a write or removed from it, and the read-ahead of loads is switched on or off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pmtwin.calibrate.context import Context
from pmtwin.calibrate.prior.family import Family
from pmtwin.calibrate.readers.cleaning import FENCED, FENCED_WRITES
from pmtwin.sim.device.parameters import READ_AHEAD
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.read_ahead import LINES_AHEAD

FIRST_LINES = ("first_line_random_ns", "first_line_sequential_ns")


@dataclass(frozen=True)
class Habit:
    """How a benchmark measures.

    Args:
        fenced: whether a fence follows each write.
        prefetchers: whether the processor's prefetchers are on.
    """

    fenced: bool
    prefetchers: bool


@dataclass(frozen=True)
class View:
    """The family under one habit, as a device of one kind of memory sees it.

    Args:
        weight: probability of the view before any measurement.
    """

    family: Family
    kind: str
    weight: float


def habit_of(profile: Profile) -> Habit:
    """The habit of the benchmark that a profile rests on."""
    fenced = FENCED in profile.record.get("notes", ())
    return Habit(fenced, READ_AHEAD in profile.parameters.get("load", {}))


def views(family: Family, context: Context, kinds: Sequence[str]) -> dict[str, View]:
    """Views of the family by name, one for each kind of memory.

    Where the measurements do not say whether writes were fenced, a kind has two views, with fences and without. Their
    weights are then the shares of benchmarks with and without fences in the family.
    """
    profiles = [profile for members in family.kinds.values() for profile in members]
    share = float(np.mean([habit_of(profile).fenced for profile in profiles]))
    likely = {True: share, False: 1.0 - share} if context.fenced is None else {context.fenced: 1.0}
    views_by_name = {}
    for fenced, weight in likely.items():
        if weight == 0.0:
            continue
        converted = under(family, Habit(fenced, context.prefetchers is not False))
        for kind in kinds:
            name = kind if len(likely) == 1 else f"{kind}, {'fenced' if fenced else 'not fenced'}"
            views_by_name[name] = View(converted, kind, weight / len(kinds))
    return views_by_name


def under(family: Family, habit: Habit) -> Family:
    """The family as a benchmark with this habit would measure it."""
    profiles = [profile for members in family.kinds.values() for profile in members]
    wait_ns = {name: _fence_ns(profiles, name) for name in FENCED_WRITES}
    return Family(
        {kind: [_as(profile, habit, wait_ns) for profile in members] for kind, members in family.kinds.items()}
    )


def _fence_ns(profiles: Sequence[Profile], operation: str) -> float:
    """Median wait in ns for the fence after a write, over the profiles measured with fences; 0 if there are none."""
    waits = [
        profile.parameters[operation][FIRST_LINES[0]] - profile.parameters[operation]["further_line_ns"]
        for profile in profiles
        if operation in profile.parameters and habit_of(profile).fenced
    ]
    return max(float(np.median(waits)), 0.0) if waits else 0.0


def _as(profile: Profile, habit: Habit, wait_ns: dict[str, float]) -> Profile:
    has = habit_of(profile)
    parameters = {name: dict(values) for name, values in profile.parameters.items()}
    for name in parameters.keys() & set(FENCED_WRITES) if has.fenced != habit.fenced else ():
        for line in FIRST_LINES:
            fenced = parameters[name][line] + wait_ns[name]
            parameters[name][line] = fenced if habit.fenced else parameters[name]["further_line_ns"]
    if "load" in parameters and has.prefetchers != habit.prefetchers:
        parameters["load"].pop(READ_AHEAD, None)
        if habit.prefetchers:
            parameters["load"][READ_AHEAD] = LINES_AHEAD
    return replace(profile, parameters=parameters)
