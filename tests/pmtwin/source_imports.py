"""The modules of the project, and what each imports where; read from the sources, so that nothing is loaded."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).resolve().parents[2]
FOLDERS = ("sim", "policies", "calibrate", "middleware", "scenarios", "figures", "pmtwin")

FILE, FUNCTION, TYPES = "file", "function", "types"
"""Where an import stands: it is run when the file is loaded, when a function is called, or never."""


class Import(NamedTuple):
    """`from module import name`, or `import module` with an empty name."""

    module: str
    name: str
    where: str
    line: int

    @property
    def is_ours(self) -> bool:
        return self.module.split(".")[0] == "pmtwin"


@cache
def modules() -> dict[str, Path]:
    """Name -> file, of all modules; each folder at the top is reached once."""
    files = {}
    for folder in FOLDERS:
        for path in (TOP / folder).rglob("*.py"):
            parts = path.relative_to(TOP).with_suffix("").parts
            if folder == "pmtwin" and (TOP / parts[0] / parts[1]).is_symlink():
                continue
            parts = parts if folder == "pmtwin" else ("pmtwin", *parts)
            files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files


@cache
def imports(source: str) -> list[Import]:
    """The imports of a source, wherever in it."""
    return list(_imports(ast.parse(source), FILE))


def _imports(node: ast.AST, where: str) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom) and child.module and child.level == 0:
            yield from (Import(child.module, alias.name, where, child.lineno) for alias in child.names)
        elif isinstance(child, ast.Import):
            yield from (Import(alias.name, "", where, child.lineno) for alias in child.names)
        elif isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            yield from _imports(child, TYPES)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _imports(child, FUNCTION if where == FILE else where)
        else:
            yield from _imports(child, where)
