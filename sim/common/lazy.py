"""Names that are imported at their first use, so that `pmtwin --help` does not import numba."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def object_at(place: str) -> Any:
    """The object that `module:name` names; the module is imported now."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def lazy_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package (PEP 562).

    Args:
        package: name of the package.
        homes: public name -> module that defines it.
    """

    def get(name: str) -> Any:  # `object` would be an error at every use for type checkers
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    def names() -> list[str]:
        return sorted([*vars(importlib.import_module(package)), *homes])

    return get, names
