"""Rules of an operator for what a policy may do to a running system: an action checker stands before the policy.

Beside the bounds of `OnlineLimits` there are forbidden combinations, and the number of steps that a parameter may make
in a minute. `never` names what must not be reached; it is not checked while a policy runs, but proven beforehand
(`pmtwin.policies.reachable`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pmtwin.policies.base import Setting
from pmtwin.policies.online_limits import clipped, towards
from pmtwin.sim.control import Settings
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.files.table_file import read_table

FIELD = "rules"
RANGE, STEPS, FORBIDDEN, NEVER, SYSTEM = "range", "steps_per_minute", "forbidden", "never", "system"
KEYS = (SYSTEM, RANGE, STEPS, FORBIDDEN, NEVER)
FORM = "a TOML file with any of the tables [range], [steps_per_minute], [[forbidden]] and [[never]]"
MINUTE_S = 60.0
ROUNDING_S = 1e-6
"""Difference of times that is taken for rounding: multiples of a window's length are not exact."""
NO_LIMIT = 10**9


@dataclass(frozen=True)
class Region:
    """A combination: parameter -> (lowest, highest) value; a setting lies in it if all of them do."""

    ranges: Mapping[str, tuple[float, float]]

    def contains(self, names: Sequence[str], setting: Setting) -> bool:
        """Whether a setting lies in it."""
        values = dict(zip(names, setting, strict=True))
        return all(low <= values[name] <= high for name, (low, high) in self.ranges.items())

    def __str__(self):
        return ", ".join(f"{name} {low:g} to {high:g}" for name, (low, high) in self.ranges.items())


@dataclass(frozen=True)
class ActionRules:
    """What a policy may do.

    Args:
        settings: the parameters.
        bounds: lowest and highest setting.
        forbidden: combinations that no action may lead to.
        steps: for each parameter the largest number of steps to next values within a minute.
        never: combinations that must not be reachable.
    """

    settings: Settings
    bounds: tuple[Setting, Setting]
    forbidden: tuple[Region, ...] = ()
    steps: tuple[int, ...] = ()
    never: tuple[Region, ...] = ()

    @classmethod
    def none(cls, settings: Settings) -> ActionRules:
        """Rules that allow every setting."""
        return cls(settings, (settings.low, settings.high), steps=(NO_LIMIT,) * len(settings.names))

    @classmethod
    def read(cls, path: str | Path, settings: Settings) -> ActionRules:
        """The rules in a file.

        Raises:
            InputError: for a file that cannot be read, an unknown key or parameter, or a value that is not accepted.
        """
        table = table_of(path)
        low, high = list(settings.low), list(settings.high)
        for name, stated in _parameters(table, RANGE, settings, path).items():
            place, (least, most) = settings.names.index(name), _range(f"{RANGE}: {name}", stated, path)
            inside = [value for value in settings.levels[place] if least <= value <= most]
            if not inside:
                allowed = f"a range with one of the values {settings.low[place]} to {settings.high[place]}"
                raise InputError(f"{RANGE}: {name}", stated, allowed, str(path))
            low[place], high[place] = inside[0], inside[-1]
        steps = [NO_LIMIT] * len(settings.names)
        for name, count in _parameters(table, STEPS, settings, path).items():
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                raise InputError(f"{STEPS}: {name}", count, "a whole number from 1 on", str(path))
            steps[settings.names.index(name)] = count
        forbidden, never = (_regions(table, key, settings, path) for key in (FORBIDDEN, NEVER))
        return cls(settings, (tuple(low), tuple(high)), forbidden, tuple(steps), never)

    def refusal(self, setting: Setting) -> str:
        """Why no action may lead to a setting; empty if one may."""
        if setting != clipped(setting, self.bounds):
            return "outside the range"
        hit = next((region for region in self.forbidden if region.contains(self.settings.names, setting)), None)
        return "" if hit is None else f"forbidden: {hit}"

    def starts(self, initial: Setting, most: int) -> list[Setting]:
        """All settings at which a run may begin (`start_refusal`).

        Args:
            initial: the setting that the system has. most: settings that are looked at.

        Raises:
            InputError: if there are none, or more than `most` settings within the ranges.
        """
        inside = self.settings.within(*self.bounds)
        if len(inside) > most:
            allowed = f"ranges with at most {most:,} settings to search"
            raise InputError(FIELD, f"{len(inside):,} settings", allowed)
        starts = [setting for setting in inside.all() if not self.start_refusal(initial, setting)]
        if not starts:
            raise InputError(FIELD, "0 settings", "one setting or more at which a run may begin")
        return starts

    def record(self) -> dict[str, Any]:
        """The rules as plain values."""
        names = self.settings.names
        return {
            RANGE: {name: list(ends) for name, *ends in zip(names, *self.bounds, strict=True)},
            STEPS: {name: most for name, most in zip(names, self.steps, strict=True) if most < NO_LIMIT},
            FORBIDDEN: [{name: list(ends) for name, ends in region.ranges.items()} for region in self.forbidden],
        }

    def after(self, setting: Setting, action: Any, left: Sequence[int] | None = None) -> Setting:
        """The setting after an action and the check: that of the action, or of a part of a jump, or as before.

        Args:
            setting: the setting in force. action: number of a move, or a setting to jump to; () changes nothing.
            left: steps that each parameter may still make; None: `steps`, those of a whole minute.
        """
        if isinstance(action, tuple) and not action:
            return setting
        target, left = self.settings.after(setting, action), self.steps if left is None else left
        ends = self.settings.places(setting), self.settings.places(target)
        moves = zip(*ends, left, strict=True)
        near = self.settings.at([now + min(max(end - now, -most), most) for now, end, most in moves])
        return setting if self.refusal(near) or (near != target and not isinstance(action, tuple)) else near

    def step_towards(self, setting: Setting, target: Setting, left: Sequence[int]) -> Setting:
        """The setting after one allowed step of each parameter towards a target; the setting itself if there is none.

        Where both parameters together may not move, one of them alone is tried.
        """
        ends = self.settings.places(setting), self.settings.places(target)
        both = towards(*ends, 1)
        single = [
            tuple(b if k == j else a for j, (a, b) in enumerate(zip(ends[0], both, strict=True)))
            for k in range(len(both))
        ]
        for places in (both, *single):
            after = self.after(setting, self.settings.at(places), left)
            if after != setting:
                return after
        return setting

    @property
    def limits_steps(self) -> bool:
        """Whether some parameter has a limit of steps a minute, so that time matters."""
        return any(most < NO_LIMIT for most in self.steps)

    def start_refusal(self, initial: Setting, first: Setting) -> str:
        """Why a run may not begin at a setting; empty if it may.

        Args:
            initial: the setting that the system has. first: that of the first window.
        """
        if reason := self.refusal(first):
            return reason
        ends = zip(self.settings.places(initial), self.settings.places(first), strict=True)
        far = [
            f"{name} {abs(b - a)} steps away, allowed {most} a minute"
            for name, (a, b), most in zip(self.settings.names, ends, self.steps, strict=True)
            if abs(b - a) > most
        ]
        return f"too far from {self.settings.written(initial)}: {', '.join(far)}" if far else ""

    def check_start(self, initial: Setting, first: Setting, field: str = "start") -> None:
        """Raise `InputError` if a run may not begin at a setting; arguments as for `start_refusal`."""
        if reason := self.start_refusal(initial, first):
            allowed = "a setting within the rules"
            raise InputError(field, self.settings.written(first), allowed, wrong=f"is {reason}")

    def start_near(self, setting: Setting, initial: Setting) -> Setting:
        """The start of a simulated episode in the place of one that the rules refuse.

        It lies at the end of the range, or is the setting that the system has, where that end is forbidden.
        """
        inside = clipped(setting, self.bounds)
        return initial if self.refusal(inside) else inside

    def reached(self, setting: Setting) -> Region | None:
        """The combination that must not be reached and that a setting lies in; None if there is none."""
        return next((region for region in self.never if region.contains(self.settings.names, setting)), None)


class StepBudget:
    """Steps that each parameter may still make, from those of the last minute.

    Args:
        rules: the rules.
    """

    def __init__(self, rules: ActionRules):
        self._rules = rules
        self._made: list[tuple[float, tuple[int, ...]]] = []

    def left(self, now_s: float) -> tuple[int, ...]:
        """Steps left at a time, in seconds of any clock that does not run back."""
        self._made = [(stamp, steps) for stamp, steps in self._made if now_s - stamp < MINUTE_S - ROUNDING_S]
        used = [sum(column) for column in zip(*(steps for _, steps in self._made), strict=True)]
        return tuple(max(most - (used[k] if used else 0), 0) for k, most in enumerate(self._rules.steps))

    def note(self, now_s: float, before: Setting, after: Setting) -> None:
        """Enter a change."""
        ends = zip(self._rules.settings.places(before), self._rules.settings.places(after), strict=True)
        self._made.append((now_s, tuple(abs(b - a) for a, b in ends)))


def table_of(path: str | Path) -> dict[str, Any]:
    """The table in a file of rules, with known keys.

    Raises:
        InputError: for a file that cannot be read, or an unknown key.
    """
    table = read_table(path, FIELD, FORM)
    for key in table:
        if key not in KEYS:
            raise unknown_name("key", key, KEYS, str(path))
    return table


def _parameters(table: Mapping[str, Any], key: str, settings: Settings, path: str | Path) -> Mapping[str, Any]:
    """The entries of a table of parameters, whose names are checked."""
    stated = table.get(key, {})
    if not isinstance(stated, Mapping):
        raise InputError(key, repr(stated), "a table: parameter -> value", str(path))
    for name in stated:
        if name not in settings.names:
            raise unknown_name(f"{key}: parameter", name, settings.names, str(path))
    return stated


def _regions(table: Mapping[str, Any], key: str, settings: Settings, path: str | Path) -> tuple[Region, ...]:
    stated = table.get(key, [])
    if not isinstance(stated, list):
        raise InputError(key, repr(stated), f"tables, each written [[{key}]]", str(path))
    regions = []
    for entry in stated:
        ranges = _parameters({key: entry}, key, settings, path)
        if not ranges:
            raise InputError(key, "an empty table", "one parameter or more", str(path))
        regions.append(Region({name: _range(f"{key}: {name}", value, path) for name, value in ranges.items()}))
    return tuple(regions)


def _range(field: str, stated: Any, path: str | Path) -> tuple[float, float]:
    """A value, or [lowest, highest]."""
    ends = stated if isinstance(stated, list) else [stated, stated]
    numbers = all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends)
    if not numbers or len(ends) != 2 or not ends[0] <= ends[1]:
        raise InputError(field, stated, "a number, or [lowest, highest]", str(path))
    return ends[0], ends[1]
