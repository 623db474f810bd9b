"""LRU as a user writes it (docs/inline-policies.md), to be timed beside the shipped one."""

from __future__ import annotations

import numpy as np

from pmtwin.policies import Replacement
from pmtwin.policies.replacement import is_pinned


class UsersLru(Replacement):
    """The line that has not been used for longest goes: a ring of lines, the oldest behind its end."""

    draws = False

    def arrays(self, lines, key):
        """The line before each, and the line after; the end comes last."""
        return np.arange(lines + 1), np.arange(lines + 1)

    @staticmethod
    def hit(arrays, line):
        """It is the newest."""
        before, after = arrays
        end = before.size - 1
        after[before[line]], before[after[line]] = after[line], before[line]
        before[line], after[line] = before[end], end
        after[before[end]] = line
        before[end] = line

    @staticmethod
    def admit(arrays, line):
        """It is the newest."""
        before, after = arrays
        end = before.size - 1
        before[line], after[line] = before[end], end
        after[before[end]] = line
        before[end] = line

    @staticmethod
    def victim(arrays, pins):
        """The oldest that may go."""
        _, after = arrays
        line = after[after.size - 1]
        while is_pinned(pins, line):
            line = after[line]
        return line

    @staticmethod
    def evict(arrays, line, page):
        """It is in the ring no longer."""
        before, after = arrays
        after[before[line]], before[after[line]] = after[line], before[line]
