"""Lines of waiting ones, first come, first served, in compiled code: each knows who is behind it.

`lines` is any record or tuple of arrays with `front` and `back`, of each line, and `behind`, of each who can wait in
one of them at a time; -1 is nobody.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.compiling import njit

NOBODY = -1


class Lines(NamedTuple):
    """Lines of their own arrays.

    Fields:
        front, back: shape (lines,), int32. behind: shape (who can wait,), int32.
    """

    front: np.ndarray
    back: np.ndarray
    behind: np.ndarray


def empty_lines(lines: int, members: int) -> Lines:
    """Empty lines; `members`: number of requests that can wait in them."""
    return Lines(*(np.full(size, NOBODY, np.int32) for size in (lines, lines, members)))


@njit(cache=True, _nrt=False, forceinline=True)
def join_line(lines, line, member):
    """Wait behind all others."""
    lines.behind[member] = NOBODY
    if lines.front[line] == NOBODY:
        lines.front[line] = member
    else:
        lines.behind[lines.back[line]] = member
    lines.back[line] = member


@njit(cache=True, _nrt=False, forceinline=True)
def leave_line(lines, line):
    """Removes the request at the head of a line and returns it; `NOBODY` where the line is empty."""
    member = lines.front[line]
    if member != NOBODY:
        lines.front[line] = lines.behind[member]
    return member
