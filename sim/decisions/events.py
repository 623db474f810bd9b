"""Events of any kind of point as functions for compiled code and for Python, resolved by the type of the state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from pmtwin.sim.compiling import INNER
from pmtwin.sim.decisions.kind import Event
from pmtwin.sim.decisions.state import call_event, function_of, is_state_type
from pmtwin.sim.decisions.whole_number import whole_number

_INLINE: Any = {**INNER, "forceinline": True, "_nrt": False}  # numba's stubs do not know `_nrt`


def event_function(event: Event) -> Callable:
    """(state, *arguments) -> the answer of a policy's function for the event.

    In compiled code the state is a `CompiledState`; in Python it may also be an object with a method of that name.
    """
    name, whole = event.name, event.whole

    def called(state, *arguments):
        answer = call_event(state, name, *arguments)
        return whole_number(answer) if whole else answer

    @overload(called, jit_options=_INLINE)
    def by_type(state, *arguments):
        if not is_state_type(state):
            return None
        function = function_of(state, name)
        if whole:
            return lambda state, *arguments: whole_number(function(state.arrays, *arguments))
        return lambda state, *arguments: function(state.arrays, *arguments)

    return called
