"""The state of a policy or a question inside a simulation: arrays, and functions that the state's type determines.

numba does not cache code on disk for a function that is passed as an argument; every process would compile it again. It
does cache code by type. So a state carries an empty array whose type has a name that is a digest of the functions: each
set of functions has a type, the same in every process, and changed functions have another type.
"""

from __future__ import annotations

import hashlib
import sys
import sysconfig
from collections.abc import Callable, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.errors import InputError

INSTALLED = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
"""Folders of Python and of installed packages: the content of a module in them follows from its version."""

_FUNCTIONS: dict[str, Mapping[str, Callable]] = {}
"""Mark (name of the digest) -> event -> compiled function."""


class CompiledState(NamedTuple):
    """Arrays of a policy or a question whose functions are compiled.

    Fields:
        arrays: one or more, which the functions read and change.
        mark: shape (0,); the name of the only field of its dtype identifies the functions.
    """

    arrays: tuple[np.ndarray, ...]
    mark: np.ndarray

    def __reduce__(self):
        return _restored, (self.arrays, self.mark.dtype.names[0])


def compiled_state(arrays: tuple[np.ndarray, ...], functions: Mapping[str, Callable]) -> CompiledState:
    """A state with its functions.

    Args:
        arrays: one or more.
        functions: event -> plain function of (arrays, ...) that numba can compile.
    """
    mark = _mark(functions)
    if mark not in _FUNCTIONS:
        # a user's functions may allocate, and without checks a wrong index would write anywhere
        _FUNCTIONS[mark] = {event: njit(function, _nrt=True, boundscheck=True) for event, function in functions.items()}
    return CompiledState(tuple(arrays), np.zeros(0, np.dtype([(mark, np.int8)])))


def call_event(state: Any, event: str, *arguments: Any) -> Any:
    """Call the function of an event, of any kind, from Python; returns its answer.

    Args:
        state: a `CompiledState`, or an object with a method of the event's name.
    """
    if isinstance(state, CompiledState):
        return _FUNCTIONS[state.mark.dtype.names[0]][event](state.arrays, *arguments)  # type: ignore[index]  # a record has names
    return getattr(state, event)(*arguments)


def _restored(arrays: tuple[np.ndarray, ...], mark: str) -> CompiledState:
    """The copy of a state, or a state that this process has pickled."""
    if mark not in _FUNCTIONS:
        allowed = "a state that this process has pickled"
        raise InputError("state of a policy", mark, allowed, wrong="was pickled by another process")
    return CompiledState(arrays, np.zeros(0, np.dtype([(mark, np.int8)])))


def function_of(kind: Any, event: str) -> Callable:
    """The compiled function of an event, from the numba type of a state; for use in `overload`."""
    return _FUNCTIONS[_mark_of_type(kind)][event]


def is_state_type(kind: Any) -> bool:
    """Whether a numba type is the type of a `CompiledState`."""
    return getattr(kind, "instance_class", None) is CompiledState


def _mark_of_type(kind: Any) -> str:
    return kind.types[1].dtype.members[0][0]


def _mark(functions: Mapping[str, Callable]) -> str:
    """A digest of all that numba builds into the functions: their code, their files, and the values they refer to."""
    digest, seen = hashlib.sha256(), set[int | str]()
    for event, function in sorted(functions.items()):
        digest.update(f"{event} ".encode())
        _add_function(digest, function, seen)
    return f"functions_{digest.hexdigest()[:24]}"


def _add_function(digest: Any, function: Callable, seen: set[int | str]) -> None:
    if id(function) in seen:
        return
    seen.add(id(function))
    code = function.__code__
    if not _is_ours(function.__module__):
        _add_file(digest, code.co_filename, seen)
    digest.update(f"{function.__module__}.{function.__qualname__} {function.__defaults__} ".encode())
    _add_code(digest, code)
    for cell in function.__closure__ or ():
        _add_value(digest, cell.cell_contents, seen)
    for name in code.co_names:
        if name in function.__globals__:
            digest.update(f"{name} ".encode())
            _add_value(digest, function.__globals__[name], seen)


def _add_code(digest: Any, code: CodeType) -> None:
    digest.update(code.co_code + repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _add_code(digest, constant)
        else:
            digest.update(repr(constant).encode())


def _add_value(digest: Any, value: Any, seen: set[int | str]) -> None:
    """Add a value that a function refers to. pmtwin's own sources are left out: the cache's folder depends on them."""
    value = getattr(value, "py_func", value)  # a compiled function's plain one
    if isinstance(value, np.ndarray):
        digest.update(f"{value.dtype} {value.shape} ".encode() + value.tobytes())
    elif isinstance(value, FunctionType):
        digest.update(f"{value.__module__}.{value.__qualname__} ".encode())
        # the values in a closure are not in the function's source
        if value.__closure__ or not (value.__module__ or "").startswith(("pmtwin.", "numpy.", "numba.")):
            _add_function(digest, value, seen)
    elif isinstance(value, ModuleType):
        _add_module(digest, value, seen)
    elif isinstance(value, tuple | list):
        digest.update(f"{type(value).__qualname__} {len(value)} ".encode())
        for part in value:
            _add_value(digest, part, seen)
    else:
        # the repr of a class, an enumeration or a record type does not show its content; its file does
        kind = value if isinstance(value, type) else type(value)
        digest.update(f"{value!r} ".encode())
        if kind.__module__ in sys.modules:
            _add_module(digest, sys.modules[kind.__module__], seen)


def _add_module(digest: Any, module: ModuleType, seen: set[int | str]) -> None:
    """Add name and version of an installed module, or the content of a user's module."""
    digest.update(f"{module.__name__} {getattr(module, '__version__', '')} ".encode())
    if not _is_ours(module.__name__):
        _add_file(digest, getattr(module, "__file__", None) or "", seen)


def _add_file(digest: Any, name: str, seen: set[int | str]) -> None:
    """Add the content of a user's file, once; the file of an installed module is left out."""
    path = Path(name)
    if name not in seen and path.suffix == ".py" and path.is_file() and not any(map(path.is_relative_to, INSTALLED)):
        seen.add(name)
        digest.update(path.read_bytes())


def _is_ours(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] == "pmtwin"
