"""A live system as a scenario: its parameters are the setting, its indicators the columns, its objective the reward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pmtwin.scenarios.live_system.declaration import Live
from pmtwin.scenarios.live_system.ticking import Ticking
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import System
from pmtwin.sim.control import HIGHER, LOG, Column, Measure, Settings
from pmtwin.sim.control.declared import LINEAR

OBJECTIVE = Measure("objective", "", "objective of the live system", HIGHER)

OCTAVES = 3
"""Factor, as a power of two, by which an indicator may leave the range of the first ticks before it is clipped."""

WIDE = 10
"""Ratio of the highest to the lowest value of a parameter from which its scale is logarithmic."""


def columns_of(live: Live, samples: Sequence[Mapping[str, float]]) -> tuple[Column, ...]:
    """Columns of a scenario: the parameters, then the indicators with bounds from the first ticks.

    Args:
        samples: indicators of the first ticks, one or more.
    """
    names = dict.fromkeys(name for sample in samples for name in sample if name not in live.settings.names)
    return (*_parameters(live.settings), *(_indicator(name, samples) for name in names))


def _parameters(settings: Settings) -> list[Column]:
    bounds = zip(settings.names, settings.low, settings.high, strict=True)
    return [
        Column(name, low, high if high > low else low + 1, scale=LOG if low > 0 and high >= WIDE * low else LINEAR)
        for name, low, high in bounds
    ]


def _indicator(name: str, samples: Sequence[Mapping[str, float]]) -> Column:
    values = np.array([sample[name] for sample in samples if name in sample])
    low, high = float(values.min()), float(values.max())
    if low >= 0.0:
        return Column(name, low / 2**OCTAVES, (high or 1.0) * 2**OCTAVES, scale=LOG)
    most = 2**OCTAVES * float(np.abs(values).max())
    return Column(name, -most, most)


def scenario_of(live: Live, columns: Sequence[Column]) -> Scenario:
    """The scenario of a live system with these columns."""

    def system(self: Scenario, conditions: Any, seed: int, device: int = 0, mode: str | None = None) -> System:
        return LiveSystem(live, tuple(columns))

    declared = {
        "name": live.name,
        "description": "a live system",
        "columns": tuple(columns),
        "measures": (OBJECTIVE,),
        "settings": live.settings,
        "initial_setting": live.initial,
        "sequential": True,
        "system": system,
    }
    return type("LiveScenario", (Scenario,), declared)()


class LiveSystem(System):
    """A live system between ticks: a window ends with the first tick that has indicators.

    Args:
        live: the system. columns: of an observation, as `columns_of` gives them.
    """

    def __init__(self, live: Live, columns: tuple[Column, ...]):
        self._live, self._columns, self._ticking = live, columns, Ticking(live)
        self._setting, self._level = live.initial, 0.0
        self._low, self._high = (np.array([getattr(column, end) for column in columns]) for end in ("low", "high"))
        self._last: dict[str, float] = {}

    def start(self, setting: tuple[int, ...]) -> None:
        """Set the parameters."""
        self._set(setting)

    def apply(self, action: Any) -> None:
        """Carry out a move, or set all parameters."""
        self._set(self._live.settings.after(self._setting, action))

    def run_window(self) -> None:
        """Wait for the next tick with indicators."""
        self._last = self._last | self._ticking.next()
        self._level = self._live.level(self._last)

    def setting(self) -> tuple[int, ...]:
        """The setting now."""
        return self._setting

    def observation(self) -> np.ndarray:
        """Parameters and indicators, within their bounds; an indicator that a tick lacks has its last value."""
        known = dict(zip(self._live.settings.names, self._setting, strict=True))
        values = [known.get(column.name, self._last.get(column.name, column.low)) for column in self._columns]
        return np.clip(np.array(values, dtype=float), self._low, self._high)

    def measures(self) -> Mapping[str, float]:
        """The objective of the last window."""
        return {OBJECTIVE.name: self._level}

    def _set(self, setting: Sequence[int]) -> None:
        """Set the parameters, also to the values that they have."""
        self._live.set(setting)
        self._setting = tuple(setting)
