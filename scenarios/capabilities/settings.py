"""Capability: settings, which are the numbers that policies control and commands search."""

from __future__ import annotations

from typing import ClassVar

from pmtwin.scenarios.system import Setting
from pmtwin.sim.control import NO_SETTINGS, Settings


class WithSettings:
    """A scenario with controlled numbers.

    Class attributes:
        settings: the controlled numbers, their values and the actions on them; `NO_SETTINGS`: there are none.
        initial_setting: setting at the beginning of an episode.
        search_warmup_windows: smallest number of windows that a search runs at each setting before those that count,
            for example until a cache is full.
    """

    settings: ClassVar[Settings] = NO_SETTINGS
    initial_setting: ClassVar[Setting] = ()
    search_warmup_windows: ClassVar[int] = 0

    @property
    def window_seconds(self) -> float | None:
        """Length of a window on the system's clock, in seconds, for rules by the minute; None where it varies."""
        return None

    @property
    def resize_cost(self) -> float:
        """Reduction of a window's reward for each step by which a number of the setting changed before the window."""
        return 0.0
