"""Files that a module depends on: its source, all directly or indirectly imported modules, and their data.

The sources are read, nothing is imported. Only modules of the same top-level package count; for versions of other
packages see `fingerprint.versions`. A file imports a module by a statement anywhere in it, or by a name in a string
("pmtwin.sim.profiles", "module:Class"). Of a parent package of a module, only the `__init__` and its import statements
count, not the names in its strings.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

DATA = (".json", ".toml")
"""Suffixes of data files in the folder of a module, which it may read."""

_NAME = re.compile(r"(?P<module>[A-Za-z_]\w*(?:\.\w+)+)(?P<rest>\.|:\w+)?")


def sources(name: str, leave_out: Collection[str] = ()) -> dict[str, Path]:
    """Module -> file for a module or a whole package, by dotted name, and for everything that they import.

    Args:
        name: dotted name.
        leave_out: modules that are left out, with their imports.
    """
    top = name.partition(".")[0]
    paths: dict[str, Path] = {}
    by_name: set[str] = set()
    waiting = [(module, True) for module in _modules_in(name)]
    while waiting:
        module, named = waiting.pop()
        path = file_of(module)
        if path is None or module in leave_out or (module in paths and (module in by_name or not named)):
            continue
        paths[module] = path
        by_name |= {module} if named else set()
        waiting += [(parent, False) for parent in _parents(module)]
        statements, strings = _references(path, module)
        imported = [*statements, *strings] if named else statements
        waiting += [(each, named) for each in imported if each.partition(".")[0] == top]
    return paths


def imports(path: Path) -> list[str]:
    """Dotted names of the modules that statements of a file import."""
    return _references(path, path.stem)[0]


def data_beside(path: Path) -> list[Path]:
    """The data files in the folder of a module's file."""
    return sorted(other for other in path.parent.iterdir() if other.suffix in DATA)


def _parents(module: str) -> Iterator[str]:
    while "." in module:
        module = module.rpartition(".")[0]
        yield module


@cache
def _top(name: str) -> Path | None:
    """Path without suffix of a top-level package or module; None without a source."""
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:  # __main__
        return None
    places = spec.submodule_search_locations if spec else None
    if places:
        return Path(next(iter(places)))
    return Path(spec.origin).with_suffix("") if spec and spec.has_location and spec.origin else None


def file_of(module: str) -> Path | None:
    """Source file of a module; None if there is no such module."""
    first, *rest = module.split(".")
    top = _top(first)
    if top is None:
        return None
    place = top.joinpath(*rest)
    candidates = place / "__init__.py", place.with_name(f"{place.name}.py")
    return next((path for path in candidates if path.is_file()), None)


def _modules_in(name: str) -> Iterator[str]:
    """The module, and for a package all modules in it."""
    yield name
    path = file_of(name)
    if path is not None and path.name == "__init__.py":
        place = path.parent
        for path in sorted(place.rglob("*.py")):
            parts = path.relative_to(place).with_suffix("").parts
            yield ".".join((name, *(part for part in parts if part != "__init__")))


@cache
def _references(path: Path, module: str) -> tuple[list[str], list[str]]:
    """Modules that statements of a file import, and modules that its strings name."""
    statements: list[str] = []
    strings: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            statements += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            statements += _imported_from(node, path, module)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            strings += _named(node.value)
    return statements, strings


def _imported_from(node: ast.ImportFrom, path: Path, module: str) -> Iterator[str]:
    home = node.module or ""
    if node.level:
        package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
        home = ".".join([*package[: len(package) - node.level + 1], *filter(None, [home])])
    for alias in node.names:
        submodule = f"{home}.{alias.name}"
        yield home if file_of(submodule) is None else submodule


def _named(text: str) -> Iterator[str]:
    """Modules that a string names; a name with a dot at its end stands for all modules of the package."""
    match = _NAME.fullmatch(text)
    if match is not None:
        yield from _modules_in(match["module"]) if match["rest"] == "." else [match["module"]]
