"""A stack of several states of the same kind: each array gets one more axis in front.

Compiled code cannot choose one of several states from a list. It takes one from the stack, as views of its arrays:
`one_of(stack, number)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from pmtwin.sim.compiling import INNER


def stacked(states: list):
    """The stack of states: arrays of the same shapes, in tuples and named tuples of any depth."""
    first = states[0]
    if isinstance(first, np.ndarray):
        return np.stack(states)
    parts = [stacked(list(fields)) for fields in zip(*states, strict=True)]
    return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)


def one_of(stack, number):
    """State `number` of a stack, whose arrays are views of the stack's; for Python and compiled code."""
    if isinstance(stack, np.ndarray):
        return stack[number]
    parts = [one_of(part, number) for part in stack]
    return type(stack)(*parts) if hasattr(stack, "_fields") else tuple(parts)


_INLINE: Any = {**INNER, "_nrt": False, "forceinline": True}  # numba's stubs do not know `_nrt`


@overload(one_of, jit_options=_INLINE)
def _one_of(stack, number):
    names = {"__name__": __name__}
    return eval(f"lambda stack, number: {_expression(stack, 'stack', names)}", names)


_NAMED = types.NamedTuple | types.NamedUniTuple
_Stack = types.Array | types.Tuple | types.UniTuple | _NAMED


def _expression(kind: _Stack, stack: str, names: dict) -> str:
    """Python expression for state `number` of a stack.

    Args:
        kind: numba type of the stack. stack: expression of the stack.
        names: gets the classes of the named tuples that the expression uses.
    """
    if isinstance(kind, types.Array):
        return f"{stack}[number]"
    parts = "".join(f"{_expression(part, f'{stack}[{place}]', names)}, " for place, part in enumerate(kind.types))
    if not isinstance(kind, _NAMED):
        return f"({parts})"
    name = kind.instance_class.__name__
    names[name] = kind.instance_class
    return f"{name}({parts})"
