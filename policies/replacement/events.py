"""The events of a replacement policy in compiled code, by the type of its state.

The shipped policies, whose state is an `Order`, are branches of one kernel (`dispatch.py`); a `CompiledState` has the
functions of a user's policy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from pmtwin.policies.replacement import dispatch
from pmtwin.policies.replacement.lines import is_pinned
from pmtwin.sim.compiling import njit
from pmtwin.sim.decisions.kind import REPLACEMENT
from pmtwin.sim.decisions.state import function_of, is_state_type
from pmtwin.sim.decisions.whole_number import whole_number

NO_VICTIM = next(event.refusal for event in REPLACEMENT.events if event.name == "victim")
"""The error of a user's `victim`."""

WHOLE = [event.name for event in REPLACEMENT.events if event.whole]

_COMPILED_ALONE = "in compiled code alone"
_INLINE: Any = {"forceinline": True, "_nrt": False}  # numba's stubs do not know `_nrt`


def _event(name: str) -> Callable:
    """An event as compiled code calls it, with the state of a policy and what the event tells."""
    branches = getattr(dispatch, name)

    def called(order, *told):
        raise TypeError(_COMPILED_ALONE)

    @overload(called, jit_options=_INLINE)
    def by_type(order, *told):
        if is_state_type(order):
            function = function_of(order, name)
            if name in WHOLE:
                return lambda order, *told: whole_number(function(order.arrays, *told))
            return lambda order, *told: function(order.arrays, *told)
        return lambda order, *told: branches(order.state[0].kind, order, *told)

    return called


hit = _event("hit")
"""(order, line): the page of the line is used."""

miss = _event("miss")
"""(order, page): a page is wanted that is not cached."""

victim = _event("victim")
"""(order, pins): the line of a full cache that goes, after `miss`; it stays until `evict`.

`pins` are `pmtwin.policies.replacement.lines.Pins`, which leave a line to name; None: any line may go."""

evict = _event("evict")
"""(order, line, page): the page of a line leaves, whoever chose it."""

admit = _event("admit")
"""(order, line): the missing page comes into a free line."""


def expect(order, next_use):
    """Number of the request that next wants the page that is asked for; told before every event."""
    raise TypeError(_COMPILED_ALONE)


def check_victim(order, line, lines, pins):
    """Refuse a line that a user's policy must not name, before anything is written there."""
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


@njit(cache=True, _nrt=False)
def _note_next_use(order, next_use):
    order.state[0].next_use = next_use


@njit(cache=True, _nrt=False)
def _check(line, lines, pins):
    if line < 0 or line >= lines or is_pinned(pins, line):
        raise ValueError(NO_VICTIM)
