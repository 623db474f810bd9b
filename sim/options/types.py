"""The types of options: whether a value fits a type, its conversion to the type, and the type in words."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any

TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
NUMBERS = {int: "a whole number", float: "a number"}
KINDS = {**NUMBERS, bool: "true or false", str: "a text", Path: "a path", Mapping: "a table"}
UNIONS = (typing.Union, types.UnionType)


def fits(kind: Any, value: Any) -> bool:
    """Whether a value fits a type; a whole float fits an integer. True for types unknown to this module."""
    origin, parameters = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin in UNIONS:
        return any(fits(member, value) for member in parameters)
    if origin is tuple:
        if not isinstance(value, tuple | list):
            return False
        kinds = [parameters[0]] * len(value) if parameters[-1] is ... else parameters
        return len(kinds) == len(value) and all(map(fits, kinds, value))
    if origin in NUMBERS:
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        return is_number and (origin is float or isinstance(value, Integral) or float(value).is_integer())
    if origin is Path:
        return isinstance(value, str | Path)
    return not isinstance(origin, type) or isinstance(value, origin)


def as_kind(kind: Any, value: Any) -> Any:
    """A value converted to a type that it fits: a whole float to an integer, a list to a tuple, a text to a path."""
    if value is None or not fits(kind, value):
        return value
    origin, parameters = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin in UNIONS:
        return as_kind(next(member for member in parameters if fits(member, value)), value)
    if origin is tuple:
        kinds = [parameters[0]] * len(value) if parameters[-1] is ... else parameters
        return tuple(map(as_kind, kinds, value))
    return origin(value) if origin is Path or (origin is int and isinstance(value, float)) else value


def described_kind(kind: Any) -> str:
    """A type in words, for errors: "a list, each a whole number"."""
    origin, parameters = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin in UNIONS:
        return " or ".join(map(described_kind, parameters))
    if origin is tuple:
        return f"a list, each {described_kind(parameters[0])}"
    return KINDS.get(origin) or f"a {getattr(origin, '__name__', origin)}"
