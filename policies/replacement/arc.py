"""ARC (Megiddo and Modha, FAST 2003): a list of recent and one of frequent lines, balanced by their ghosts.

Lists of the paper: T1 has the lines used once, T2 those used more than once; B1 and B2 are ghosts of pages evicted from
T1 and T2. The target p (`STATE.target`) is the wanted length of T1. T1 and B1 have at most n pages, all four lists 2 n.
"""

from __future__ import annotations

from pmtwin.policies.replacement.ghosts import NOWHERE, forget_oldest, recall, remember
from pmtwin.policies.replacement.lines import join_list, leave_list, oldest
from pmtwin.sim.compiling import njit

ONCE, OFTEN = 0, 1
"""T1 and T2; as ghosts B1 and B2."""


@njit(cache=True, _nrt=False, inner=True)
def hit(order, line):
    """The line is used: it becomes the newest of T2."""
    leave_list(order, line)
    join_list(order, OFTEN, line)


@njit(cache=True, _nrt=False, inner=True)
def miss(order, page):
    """A page is not cached: if it has a ghost, the target moves (cases II and III)."""
    state = order.state[0]
    once, often = state.ghosts[ONCE], state.ghosts[OFTEN]
    state.came_from = recall(order, page)
    if state.came_from == ONCE:
        state.target = min(float(state.lines), state.target + max(1.0, often / once))
    elif state.came_from == OFTEN:
        state.target = max(0.0, state.target - max(1.0, once / often))


@njit(cache=True, _nrt=False, inner=True)
def admit(order, line):
    """A page is put into the line."""
    join_list(order, ONCE if order.state[0].came_from == NOWHERE else OFTEN, line)


@njit(cache=True, _nrt=False, inner=True)
def victim(order, pins):
    """The line to clear (REPLACE of the paper); from the other list if all lines of the first are pinned."""
    state = order.state[0]
    once = float(state.size[ONCE])
    too_long = once > state.target or (state.came_from == OFTEN and once == state.target)
    number = ONCE if (state.size[ONCE] > 0 and too_long) or state.size[OFTEN] == 0 else OFTEN
    line = oldest(order, number, pins)
    return line if line < state.lines else oldest(order, OFTEN if number == ONCE else ONCE, pins)


@njit(cache=True, _nrt=False, inner=True)
def evict(order, line, page):
    """The page of the line leaves and becomes a ghost; for a new page without a ghost, lists are trimmed (case IV)."""
    state, number = order.state[0], order.lines[line].tag
    remembered = True
    if state.came_from == NOWHERE:
        if state.size[ONCE] + state.ghosts[ONCE] >= state.lines:
            if state.ghosts[ONCE] > 0:
                forget_oldest(order, ONCE)
            else:
                remembered = False
        elif state.size[ONCE] + state.size[OFTEN] + state.ghosts[ONCE] + state.ghosts[OFTEN] >= 2 * state.lines:
            forget_oldest(order, OFTEN)
    leave_list(order, line)
    if remembered:
        remember(order, number, page)
