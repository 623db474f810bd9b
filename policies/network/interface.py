"""Observations and actions of a trained network: the arguments of its training environment, stored in its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pmtwin.policies.base import PolicyContext
from pmtwin.sim.control import shown_measures
from pmtwin.sim.errors import InputError

MOST_WINDOWS = 100


@dataclass(frozen=True)
class Interface:
    """Inputs of a network besides an observation's columns, and the meaning of its outputs.

    Args:
        measures: names of the measures of each window that are inputs.
        windows: number of windows in an input, newest first.
        jumps: whether the outputs are values of settings: those of the first number's choices, then those of the
            second's, and so on. Otherwise the outputs are values of numbered actions.
    """

    measures: tuple[str, ...] = ()
    windows: int = 1
    jumps: bool = False

    @classmethod
    def from_origin(cls, origin: Mapping[str, Any], file: str) -> Interface:
        """The interface stated in a file's origin.

        Raises:
            InputError: for an entry that `to_dict` cannot have written.
        """
        entry = origin.get("interface", {})
        try:
            interface = cls(tuple(entry.get("measures", ())), entry.get("windows", 1), entry.get("jumps", False))
        except (AttributeError, TypeError) as error:
            raise InputError("interface", entry, "measures, windows and jumps", file) from error
        for field, value, fits, allowed in (
            ("measures", interface.measures, all(isinstance(name, str) for name in interface.measures), "names"),
            ("windows", interface.windows, _is_count(interface.windows), f"a whole number from 1 to {MOST_WINDOWS}"),
            ("jumps", interface.jumps, isinstance(interface.jumps, bool), "true or false"),
        ):
            if not fits:
                raise InputError(f"interface: {field}", value, allowed, file)
        return interface

    @classmethod
    def showing_measures(cls, context: PolicyContext, measures: bool, windows: int, jumps: bool) -> Interface:
        """The interface of an environment with these arguments, in the scenario of `context`."""
        names = tuple(measure.name for measure in shown_measures(context.measures, context.goals)) if measures else ()
        return cls(names, windows, jumps)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; empty for the default interface: columns of one window, numbered actions."""
        if self == Interface():
            return {}
        return {"measures": list(self.measures), "windows": self.windows, "jumps": self.jumps}

    def observation_size(self, context: PolicyContext) -> int:
        """Number of inputs."""
        return self.windows * (context.observation_size + len(self.measures))

    def outputs(self, context: PolicyContext) -> int:
        """Number of outputs.

        Raises:
            InputError: for a scenario without numbered actions, or without settings to jump to.
        """
        if not self.jumps:
            return context.action_count
        if context.settings is None:
            raise InputError("jumps", True, f"in a scenario with settings; {context.scenario} has none")
        return sum(context.settings.widths)

    def check_measures(self, context: PolicyContext, file: str) -> None:
        """Raise `InputError` for a measure that the scenario does not have."""
        known = [measure.name for measure in shown_measures(context.measures, context.goals)]
        for name in self.measures:
            if name not in known:
                raise InputError("measure", name, f"one of scenario {context.scenario}: {', '.join(known)}", file)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_WINDOWS
