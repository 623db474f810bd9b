"""What is loaded with a module, read from the sources."""

import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from tests.pmtwin.source_imports import FILE, Import, imports, modules

COMPILED = re.compile(r"^(@njit\b|\w+ = njit\()", re.MULTILINE)
"""Loads numba (`pmtwin.sim.compiling`)."""

SMALL = {"compression", "markupsafe", "msgspec"}
"""Packages that are loaded in less than 30 ms, or not at all before Python 3.14."""

NOT_COUNTED = {"pmtwin", *sys.stdlib_module_names, *SMALL}


def imported(one: Import, known: Mapping[str, object]) -> str:
    """The module that an import loads: `from package import name` may mean a module, or a name loaded lazily."""
    whole = f"{one.module}.{one.name}"
    return whole if whole in known else homes(one.module).get(one.name, one.module)


@cache
def homes(package: str) -> dict[str, str]:
    """Name -> module, of what a package loads when it is first asked for."""
    lazy = package in modules() and "lazy_names(" in modules()[package].read_text(encoding="utf-8")
    return getattr(import_module(package), "_HOMES", {}) if lazy else {}


def parents(module: str) -> list[str]:
    """The packages that a module lies in."""
    parts = module.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


class Loading:
    """What modules load.

    Args:
        sources: name -> source, of modules of ours.
    """

    def __init__(self, sources: Mapping[str, str]):
        self._sources = sources
        self._direct = {name: self._imported(source) for name, source in sources.items()}
        self.of = cache(self._of)

    def _of(self, *names: str) -> frozenset[str]:
        """All that is loaded with modules, themselves too: modules of ours, and packages or modules of others."""
        found, left = set[str](), list(names)
        while left:
            module = left.pop()
            if module not in found:
                found.add(module)
                left += [*parents(module), *self._direct.get(module, ())]
        return frozenset(filter(self._counts, found))

    def _imported(self, source: str) -> list[str]:
        named = [imported(one, self._sources) for one in imports(source) if one.where == FILE]
        return [*named, "numba"] if COMPILED.search(source) else named

    def _counts(self, module: str) -> bool:
        return module in self._sources or module.split(".")[0] not in NOT_COUNTED
