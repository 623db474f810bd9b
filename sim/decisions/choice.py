"""The events of a choice, `decide` and `observe`, as both engines call them.

Compiled code calls the functions that belong to the state's type (`state.py`). Python calls the same compiled
functions, so that both engines get the same bits, or the methods of a policy in plain Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from pmtwin.sim.compiling import INNER, njit
from pmtwin.sim.decisions.state import CompiledState, function_of, is_state_type
from pmtwin.sim.decisions.whole_number import whole_number


def decide(state: Any, features: np.ndarray, mask: np.ndarray) -> int:
    """The number of the action that a policy chooses.

    Args:
        state: a `CompiledState`, or an object with a method `decide`.
        features: float64, shape (features of the point,); overwritten after the call, so a policy must copy it.
        mask: bool, shape (actions,), True where the action is possible; shape (0,) where all always are.

    Raises:
        TypeError: the answer is no whole number.
    """
    if isinstance(state, CompiledState):
        return int(_decide(state, features, mask))
    return whole_number(state.decide(features, mask))


def observe(state: Any, features: np.ndarray, action: int, reward: float) -> None:
    """Give a policy the reward of an earlier decision.

    Args:
        state: as for `decide`.
        features, action: of that decision.
        reward: in the unit that the decision point states.
    """
    if isinstance(state, CompiledState):
        _observe(state, features, np.int64(action), float(reward))
        return
    state.observe(features, action, reward)


@overload(decide, jit_options=INNER, inline="always")
def _decide_by_type(state, features, mask):
    if is_state_type(state):
        function = function_of(state, "decide")
        return lambda state, features, mask: whole_number(function(state.arrays, features, mask))
    return None


@overload(observe, jit_options=INNER, inline="always")
def _observe_by_type(state, features, action, reward):
    if is_state_type(state):
        function = function_of(state, "observe")
        return lambda state, features, action, reward: function(state.arrays, features, action, reward)
    return None


@njit(cache=True, _nrt=False)
def _decide(state, features, mask):
    return decide(state, features, mask)


@njit(cache=True, _nrt=False)
def _observe(state, features, action, reward):
    observe(state, features, action, reward)
