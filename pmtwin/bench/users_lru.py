"""LRU as a user's class (docs/inline-policies.md), for comparison with the shipped one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pmtwin.policies import Replacement
from pmtwin.policies.replacement import is_pinned

if TYPE_CHECKING:
    from pmtwin.policies.replacement.lines import Pins


class UsersLru(Replacement):
    """Evicts the line whose last use is longest ago; the lines form a ring, in which the oldest follows the end."""

    draws = False

    def arrays(self, lines: int, key: int):
        """Previous and next line of each line; the last entry is the end of the ring."""
        return np.arange(lines + 1), np.arange(lines + 1)

    @staticmethod
    def hit(arrays: tuple[np.ndarray, ...], line: int):
        """Make the line the newest."""
        before, after = arrays
        end = before.size - 1
        after[before[line]], before[after[line]] = after[line], before[line]
        before[line], after[line] = before[end], end
        after[before[end]] = line
        before[end] = line

    @staticmethod
    def admit(arrays: tuple[np.ndarray, ...], line: int):
        """Make the line the newest."""
        before, after = arrays
        end = before.size - 1
        before[line], after[line] = before[end], end
        after[before[end]] = line
        before[end] = line

    @staticmethod
    def victim(arrays: tuple[np.ndarray, ...], pins: Pins):
        """The oldest line that is not pinned."""
        _, after = arrays
        line = after[after.size - 1]
        while is_pinned(pins, line):
            line = after[line]
        return line

    @staticmethod
    def evict(arrays: tuple[np.ndarray, ...], line: int, page: int):
        """Remove the line from the ring."""
        before, after = arrays
        after[before[line]], before[after[line]] = after[line], before[line]
