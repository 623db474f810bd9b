"""Events of a replacement policy for compiled code, resolved by the type of the policy's state.

An `Order` belongs to a shipped policy, a branch of one kernel (`dispatch.py`). A `CompiledState` has the functions of a
user's policy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from pmtwin.policies.replacement import dispatch
from pmtwin.policies.replacement.lines import is_pinned
from pmtwin.sim.compiling import INNER, njit
from pmtwin.sim.decisions.kind import REPLACEMENT
from pmtwin.sim.decisions.state import function_of, is_state_type
from pmtwin.sim.decisions.whole_number import whole_number

NO_VICTIM = next(event.refusal for event in REPLACEMENT.events if event.name == "victim")
"""Error for a user's `victim` that returns no line, or a pinned one."""

WHOLE = [event.name for event in REPLACEMENT.events if event.whole]
"""Events whose answer is a whole number."""

_COMPILED_ALONE = "can be called from compiled code only"
_INLINE: Any = {**INNER, "forceinline": True, "_nrt": False}  # numba's stubs do not know `_nrt`


def _event(name: str) -> Callable:
    """The function of an event for compiled code: takes the state of a policy and the arguments of the event."""
    branches = getattr(dispatch, name)

    def event(order, *arguments):
        raise TypeError(_COMPILED_ALONE)

    @overload(event, jit_options=_INLINE)
    def by_type(order, *arguments):
        if is_state_type(order):
            function = function_of(order, name)
            if name in WHOLE:
                return lambda order, *arguments: whole_number(function(order.arrays, *arguments))
            return lambda order, *arguments: function(order.arrays, *arguments)
        return lambda order, *arguments: branches(order.state[0].kind, order, *arguments)

    return event


hit = _event("hit")
"""(order, line): a cached page is requested."""

miss = _event("miss")
"""(order, page): a page is requested that is not cached."""

victim = _event("victim")
"""(order, pins): the line of a full cache to clear, called after `miss`; `evict` clears it.

`pins` are `pmtwin.policies.replacement.lines.Pins`, with at least one line free; None: no line is pinned."""

evict = _event("evict")
"""(order, line, page): the page of a line leaves, whichever policy chose it."""

admit = _event("admit")
"""(order, line): the requested page is put into a free line."""


def expect(order, next_use):
    """Note the number of the next request for the requested page; called before `hit` and `miss`."""
    raise TypeError(_COMPILED_ALONE)


def check_victim(order, line, lines, pins):
    """Refuse a line outside the cache or pinned, returned by a user's `victim`, before anything is written there."""
    raise TypeError(_COMPILED_ALONE)


@overload(expect, jit_options=_INLINE)
def _expect(order, next_use):
    if is_state_type(order):
        return lambda order, next_use: None
    return lambda order, next_use: _note_next_use(order, next_use)


@overload(check_victim, jit_options=_INLINE)
def _check_victim(order, line, lines, pins):
    if is_state_type(order):
        return lambda order, line, lines, pins: _check(line, lines, pins)
    return lambda order, line, lines, pins: None


@njit(cache=True, _nrt=False, inner=True)
def _note_next_use(order, next_use):
    order.state[0].next_use = next_use


@njit(cache=True, _nrt=False, inner=True)
def _check(line, lines, pins):
    if line < 0 or line >= lines or is_pinned(pins, line):
        raise ValueError(NO_VICTIM)
