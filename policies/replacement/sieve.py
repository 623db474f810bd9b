"""SIEVE (Zhang and others, NSDI 2024): a hand goes from old to new and evicts the first line not used since it passed.

Lines stay where they are when they are used; the hand goes on from where it was, and at the newest line begins again at
the oldest.
"""

from __future__ import annotations

from pmtwin.policies.replacement.lines import ENDS, append, is_pinned, unlink
from pmtwin.sim.compiling import njit


@njit(cache=True, _nrt=False)
def admit(order, line):
    """A page comes into the line: it is the newest."""
    order.lines[line].count = 0
    append(order.lines, order.lines.size - ENDS, line)


@njit(cache=True, _nrt=False)
def hit(order, line):
    """The line is used."""
    order.lines[line].count = 1


@njit(cache=True, _nrt=False)
def victim(order, pins):
    """The line that goes: the hand stops there. It passes a line that must stay as one that was used."""
    lines, state = order.lines, order.state[0]
    end, hand = lines.size - ENDS, state.hand
    while hand == end or lines[hand].count > 0 or is_pinned(pins, hand):
        lines[hand].count = 0
        hand = lines[hand].next
    state.hand = hand
    return hand


@njit(cache=True, _nrt=False)
def evict(order, line):
    """The page of the line leaves; a hand that points to it moves on."""
    state = order.state[0]
    if state.hand == line:
        state.hand = order.lines[line].next
    unlink(order.lines, line)
