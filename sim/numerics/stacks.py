"""States of several alike, stacked: each array with one more axis in front, over tuples of any depth.

A compiled function that has one of many states cannot choose it from a list: numba knows one type for all of them. It
takes it from the stack, as views: `one_of(stack, number)`.
"""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import overload


def stacked(states: list):
    """The stack of states of one kind: arrays of the same shape, in tuples and named tuples of any depth."""
    first = states[0]
    if isinstance(first, np.ndarray):
        return np.stack(states)
    parts = [stacked(list(fields)) for fields in zip(*states, strict=True)]
    return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)


def one_of(stack, number):
    """One of the states, whose arrays are views of the stack; in compiled code too."""
    if isinstance(stack, np.ndarray):
        return stack[number]
    parts = [one_of(part, number) for part in stack]
    return type(stack)(*parts) if hasattr(stack, "_fields") else tuple(parts)


@overload(one_of, jit_options={"_nrt": False, "forceinline": True})  # type: ignore[typeddict-unknown-key]  # numba has it
def _one_of(stack, number):
    names = {"__name__": __name__}
    return eval(f"lambda stack, number: {_expression(stack, 'stack', names)}", names)


_NAMED = types.NamedTuple | types.NamedUniTuple
_Stack = types.Array | types.Tuple | types.UniTuple | _NAMED


def _expression(kind: _Stack, stack: str, names: dict) -> str:
    """Text of one of the states of a stack, of a type; the named tuples that it makes are put among the names."""
    if isinstance(kind, types.Array):
        return f"{stack}[number]"
    parts = "".join(f"{_expression(part, f'{stack}[{place}]', names)}, " for place, part in enumerate(kind.types))
    if not isinstance(kind, _NAMED):
        return f"({parts})"
    name = kind.instance_class.__name__
    names[name] = kind.instance_class
    return f"{name}({parts})"
