"""Capability: settings, the controlled numbers that a policy may jump to and that commands search."""

from __future__ import annotations

from typing import ClassVar

from pmtwin.scenarios.system import Setting
from pmtwin.sim.control import NO_SETTINGS, Settings


class WithSettings:
    """A scenario whose controlled numbers are declared.

    Class attributes:
        settings: the controlled numbers, their values and the actions on them; `NO_SETTINGS`: there are none.
        initial_setting: setting at the beginning of an episode.
        search_warmup_windows: windows that a search runs at least, at each setting, before those that count: until a
            cache is full.
    """

    settings: ClassVar[Settings] = NO_SETTINGS
    initial_setting: ClassVar[Setting] = ()
    search_warmup_windows: ClassVar[int] = 0

    @property
    def resize_cost(self) -> float:
        """Loss of a window's reward for each step of 1 by which a number of the setting changed before it."""
        return 0.0
