"""Ghosts: evicted pages that are remembered for a while, in up to two lists, and forgotten oldest first."""

from __future__ import annotations

from pmtwin.policies.replacement.directory import enter, find, leave
from pmtwin.policies.replacement.lines import ENDS, append, unlink
from pmtwin.sim.compiling import njit

NOWHERE = -1
"""Result of `recall` for a page without a ghost."""


@njit(cache=True, _nrt=False, inner=True)
def remember(order, number, page):
    """Append a page to a list of ghosts; requires a free place."""
    room = order.ghosts.size - ENDS - 1
    ghost = order.ghosts[room + ENDS].next
    unlink(order.ghosts, ghost)
    append(order.ghosts, room + number, ghost)
    order.ghosts[ghost].tag = number
    order.state[0].ghosts[number] += 1
    enter(order.remembered, ghost, page)


@njit(cache=True, _nrt=False, inner=True)
def forget(order, ghost):
    """Free the place of a ghost."""
    unlink(order.ghosts, ghost)
    append(order.ghosts, order.ghosts.size - 1, ghost)
    order.state[0].ghosts[order.ghosts[ghost].tag] -= 1
    leave(order.remembered, ghost)


@njit(cache=True, _nrt=False, inner=True)
def forget_oldest(order, number):
    """Free the place of the oldest ghost of a list that is not empty."""
    forget(order, order.ghosts[order.ghosts.size - ENDS - 1 + number].next)


@njit(cache=True, _nrt=False, inner=True)
def recall(order, page):
    """Remove the ghost of a page; returns the number of its list, or `NOWHERE` if there is none."""
    ghost = find(order.remembered, page)
    if ghost < 0:
        return NOWHERE
    number = order.ghosts[ghost].tag
    forget(order, ghost)
    return number
