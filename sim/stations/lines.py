"""First-come, first-served waiting lines as linked lists, in compiled code.

Argument `lines` is any record or tuple with the arrays of `Lines`. A member waits in at most one line at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.compiling import njit

NOBODY = -1
"""In place of a member: there is none."""


class Lines(NamedTuple):
    """Waiting lines as a tuple of arrays.

    Fields:
        front, back: shape (lines,), int32: first and last member of each line.
        behind: shape (members,), int32: the next member behind each member.
    """

    front: np.ndarray
    back: np.ndarray
    behind: np.ndarray


def empty_lines(lines: int, members: int) -> Lines:
    """Empty lines, for members 0 to `members` - 1."""
    return Lines(*(np.full(size, NOBODY, np.int32) for size in (lines, lines, members)))


@njit(cache=True, _nrt=False, forceinline=True)
def join_line(lines, line, member):
    """Add a member at the end of a line."""
    lines.behind[member] = NOBODY
    if lines.front[line] == NOBODY:
        lines.front[line] = member
    else:
        lines.behind[lines.back[line]] = member
    lines.back[line] = member


@njit(cache=True, _nrt=False, forceinline=True)
def leave_line(lines, line):
    """Remove and return the member at the head of a line; `NOBODY` if the line is empty."""
    member = lines.front[line]
    if member != NOBODY:
        lines.front[line] = lines.behind[member]
    return member


@njit(cache=True, _nrt=False)
def remove_member(lines, line, member):
    """Remove a member that waits anywhere in a line."""
    before, behind = NOBODY, lines.front[line]
    while behind != member:
        before, behind = behind, lines.behind[behind]
    if before == NOBODY:
        lines.front[line] = lines.behind[member]
    else:
        lines.behind[before] = lines.behind[member]
    if lines.back[line] == member:
        lines.back[line] = before
