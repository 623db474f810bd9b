"""`functools.cache` for functions of classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_Known = TypeVar("_Known")


def cache_of_classes(function: Callable[_P, _Known]) -> Callable[_P, _Known]:
    """`functools.cache`, with the types of the arguments: checkers take the hash of objects for that of their class."""
    return cache(function)  # type: ignore[return-value]  # its arguments are any that can be hashed
