"""`functools.cache` for functions whose arguments are classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


def cache_of_classes(function: Callable[_P, _Result]) -> Callable[_P, _Result]:
    """`functools.cache`, declared with the function's own types: type checkers do not accept a class as hashable."""
    return cache(function)  # type: ignore[return-value]  # declared for hashable arguments
