"""SIEVE (Zhang and others, NSDI 2024): a hand moves from old to new and evicts the first line unused since it passed.

Lines keep their order when they are used. The hand continues from where it stopped, and after the newest line returns
to the oldest.
"""

from __future__ import annotations

from pmtwin.policies.replacement.lines import ENDS, append, is_pinned, unlink
from pmtwin.sim.compiling import njit


@njit(cache=True, _nrt=False, inner=True)
def admit(order, line):
    """A page is put into the line: it becomes the newest."""
    order.lines[line].count = 0
    append(order.lines, order.lines.size - ENDS, line)


@njit(cache=True, _nrt=False, inner=True)
def hit(order, line):
    """The line is used."""
    order.lines[line].count = 1


@njit(cache=True, _nrt=False, inner=True)
def victim(order, pins):
    """The line to clear, where the hand stops. The hand treats pinned lines as used ones."""
    lines, state = order.lines, order.state[0]
    end, hand = lines.size - ENDS, state.hand
    while hand == end or lines[hand].count > 0 or is_pinned(pins, hand):
        lines[hand].count = 0
        hand = lines[hand].next
    state.hand = hand
    return hand


@njit(cache=True, _nrt=False, inner=True)
def evict(order, line):
    """The page of the line leaves; a hand that points to the line moves to the next one."""
    state = order.state[0]
    if state.hand == line:
        state.hand = order.lines[line].next
    unlink(order.lines, line)
