"""No module of the device imports one that imports it again: not at the top, not in a function, not for a type."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pmtwin.sim.device as device

PACKAGE, FOLDER = device.__name__, Path(device.__file__).parent


def modules() -> dict[str, Path]:
    result = {}
    for path in FOLDER.rglob("*.py"):
        parts = path.relative_to(FOLDER).with_suffix("").parts
        result[".".join((PACKAGE, *(part for part in parts if part != "__init__")))] = path
    return result


def imports_of(path: Path, known: dict[str, Path]) -> set[str]:
    """Modules among `known` that a file names in any import statement."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports name the package in full"
            submodules = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= submodules & set(known) or {node.module}
    return names & set(known)


def test_imports_go_one_way():
    known = modules()
    graph = {name: imports_of(path, known) for name, path in known.items()}
    assert len(graph) > 25 and sum(map(len, graph.values())) > 60  # the imports were found
    TopologicalSorter(graph).prepare()  # CycleError names the circle
