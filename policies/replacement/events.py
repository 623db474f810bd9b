"""The events of a replacement policy in compiled code, by the type of its state.

The shipped policies, whose state is an `Order`, are branches of one kernel (`dispatch.py`); a `CompiledState` has the
functions of a user's policy.
"""

from __future__ import annotations

from numba.extending import overload

from pmtwin.policies.replacement import dispatch
from pmtwin.policies.replacement.lines import is_pinned
from pmtwin.sim.compiling import njit
from pmtwin.sim.decisions.state import function_of, is_state_type

NO_VICTIM = "it names a line that is not of the cache, or is pinned"
"""The error of a user's `victim`."""

_COMPILED_ALONE = "in compiled code alone"


def hit(order, line):
    """The page of the line is used."""
    raise TypeError(_COMPILED_ALONE)


def miss(order, page):
    """A page is wanted that is not cached."""
    raise TypeError(_COMPILED_ALONE)


def victim(order, pins):
    """The line of a full cache that goes, after `miss`; it stays until `evict`.

    Args:
        order: state of the policy.
        pins: `pmtwin.policies.replacement.lines.Pins`, which leave a line to name; None: any line may go.
    """
    raise TypeError(_COMPILED_ALONE)


def evict(order, line, page):
    """The page of a line leaves, whoever chose it."""
    raise TypeError(_COMPILED_ALONE)


def admit(order, line):
    """The missing page comes into a free line."""
    raise TypeError(_COMPILED_ALONE)


def expect(order, next_use):
    """Number of the request that next wants the page that is asked for; told before every event."""
    raise TypeError(_COMPILED_ALONE)


def check_victim(order, line, lines, pins):
    """Refuse a line that a user's policy must not name, before anything is written there."""
    raise TypeError(_COMPILED_ALONE)


@overload(hit, jit_options={"forceinline": True, "_nrt": False})
def _hit(order, line):
    if is_state_type(order):
        function = function_of(order, "hit")
        return lambda order, line: function(order.arrays, line)
    return lambda order, line: dispatch.hit(order.state[0].kind, order, line)


@overload(miss, jit_options={"forceinline": True, "_nrt": False})
def _miss(order, page):
    if is_state_type(order):
        function = function_of(order, "miss")
        return lambda order, page: function(order.arrays, page)
    return lambda order, page: dispatch.miss(order.state[0].kind, order, page)


@overload(victim, jit_options={"forceinline": True, "_nrt": False})
def _victim(order, pins):
    if is_state_type(order):
        function = function_of(order, "victim")
        return lambda order, pins: function(order.arrays, pins)
    return lambda order, pins: dispatch.victim(order.state[0].kind, order, pins)


@overload(evict, jit_options={"forceinline": True, "_nrt": False})
def _evict(order, line, page):
    if is_state_type(order):
        function = function_of(order, "evict")
        return lambda order, line, page: function(order.arrays, line, page)
    return lambda order, line, page: dispatch.evict(order.state[0].kind, order, line, page)


@overload(admit, jit_options={"forceinline": True, "_nrt": False})
def _admit(order, line):
    if is_state_type(order):
        function = function_of(order, "admit")
        return lambda order, line: function(order.arrays, line)
    return lambda order, line: dispatch.admit(order.state[0].kind, order, line)


@overload(expect, jit_options={"forceinline": True, "_nrt": False})
def _expect(order, next_use):
    if is_state_type(order):
        return lambda order, next_use: None
    return lambda order, next_use: _note_next_use(order, next_use)


@overload(check_victim, jit_options={"forceinline": True, "_nrt": False})
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
