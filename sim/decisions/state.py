"""The state of what decides inside a simulation: arrays, with functions that compiled code finds by the state's type.

A function passed to compiled code as an argument would be compiled again in every process: numba keeps no such code on
disk. A type it does keep. So a state carries an empty array whose type has a name made from the functions' source: each
set of functions is a type of its own, in every process the same, and a file that changes is another type.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pmtwin.sim.compiling import njit

_FUNCTIONS: dict[str, Mapping[str, Callable]] = {}
"""Mark of a type -> event -> compiled function."""


class CompiledState(NamedTuple):
    """Arrays of a policy whose functions are compiled.

    Fields:
        arrays: what the functions read and change; at least one.
        mark: shape (0,); the name of the only field of its type stands for the functions.
    """

    arrays: tuple[np.ndarray, ...]
    mark: np.ndarray


def compiled_state(arrays: tuple[np.ndarray, ...], functions: Mapping[str, Callable]) -> CompiledState:
    """A state with its functions.

    Args:
        arrays: at least one.
        functions: event -> plain function of (arrays, ...), which numba can compile. All that it depends on is in its
            own file, or among the arrays.
    """
    mark = _mark(functions)
    if mark not in _FUNCTIONS:
        # a user's: they may allocate, and a wrong index would write anywhere
        _FUNCTIONS[mark] = {event: njit(function, _nrt=True, boundscheck=True) for event, function in functions.items()}
    return CompiledState(tuple(arrays), np.zeros(0, np.dtype([(mark, np.int8)])))


def function_of(kind: Any, event: str) -> Callable:
    """The compiled function of an event, for a state's numba type; for `overload`."""
    return _FUNCTIONS[_mark_of_type(kind)][event]


def is_state_type(kind: Any) -> bool:
    """Whether a numba type is that of a `CompiledState`."""
    return getattr(kind, "instance_class", None) is CompiledState


def _mark_of_type(kind: Any) -> str:
    return kind.types[1].dtype.members[0][0]


def _mark(functions: Mapping[str, Callable]) -> str:
    """A name that changes with the files of the functions."""
    digest = hashlib.sha256()
    for event, function in sorted(functions.items()):
        file = inspect.getsourcefile(function)
        digest.update(f"{event} {function.__qualname__} ".encode())
        digest.update(Path(file).read_bytes() if file and Path(file).is_file() else function.__code__.co_code)
    return f"functions_{digest.hexdigest()[:24]}"
