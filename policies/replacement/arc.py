"""ARC (Megiddo and Modha, FAST 2003): recent lines and frequent ones, each with ghosts that move the border between.

The lists of the paper: T1, T2 are lines used once and more than once since they came, B1, B2 ghosts of what left them;
p is the number of lines that T1 should have. T1 with B1 holds at most n pages, all four 2 n.
"""

from __future__ import annotations

from pmtwin.policies.replacement.ghosts import NOWHERE, forget_oldest, recall, remember
from pmtwin.policies.replacement.lines import join_list, leave_list, oldest
from pmtwin.sim.compiling import njit

ONCE, OFTEN = 0, 1
"""T1 and T2; as ghosts B1 and B2."""


@njit(cache=True, _nrt=False)
def hit(order, line):
    """The line is used once more: it is the last of T2 to go."""
    leave_list(order, line)
    join_list(order, OFTEN, line)


@njit(cache=True, _nrt=False)
def miss(order, page):
    """A page is not there: a ghost moves the border (cases II and III)."""
    state = order.state[0]
    once, often = state.ghosts[ONCE], state.ghosts[OFTEN]
    state.came_from = recall(order, page)
    if state.came_from == ONCE:
        state.target = min(float(state.lines), state.target + max(1.0, often / once))
    elif state.came_from == OFTEN:
        state.target = max(0.0, state.target - max(1.0, once / often))


@njit(cache=True, _nrt=False)
def admit(order, line):
    """A page comes into the line."""
    join_list(order, ONCE if order.state[0].came_from == NOWHERE else OFTEN, line)


@njit(cache=True, _nrt=False)
def victim(order, pins):
    """The line that goes (REPLACE of the paper); of the other list where all of one must stay."""
    state = order.state[0]
    once = float(state.size[ONCE])
    first = state.size[ONCE] > 0 and (once > state.target or (state.came_from == OFTEN and once == state.target))
    number = ONCE if first or state.size[OFTEN] == 0 else OFTEN
    line = oldest(order, number, pins)
    return line if line < state.lines else oldest(order, OFTEN if number == ONCE else ONCE, pins)


@njit(cache=True, _nrt=False)
def evict(order, line, page):
    """The page of the line leaves and is remembered; for a page without ghost others are forgotten (case IV)."""
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
