"""Who may import whom (docs/design.md): a policy that can reach the simulator is no policy for the real middleware."""

import ast
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
ROOMS = ("sim", "calibrate", "policies", "middleware", "scenarios", "figures", "pmtwin")
ALLOWED = {
    "sim": set(),
    "calibrate": {"sim"},
    "policies": {"sim.errors", "sim.files", "sim.json_file"},
    "middleware": {"sim"},
    "scenarios": {"sim", "middleware"},
    "figures": set(ROOMS),
    "pmtwin": set(ROOMS),
}


def imported(source: str) -> set[str]:
    """The modules of our rooms that a source imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name for name in names if name.split(".")[0] in ROOMS}


def trespasses(room: str, source: str) -> list[str]:
    """The imports of a source that its room may not have."""
    allowed = ALLOWED[room] | {room}
    return sorted(
        name for name in imported(source) if not any(name == home or name.startswith(f"{home}.") for home in allowed)
    )


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room):
    found = {path.name: trespasses(room, path.read_text(encoding="utf-8")) for path in (TOP / room).rglob("*.py")}
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("room", "source", "found"),
    [
        ("policies", "from sim.middleware import Middleware", ["sim.middleware"]),
        ("policies", "def act():\n    import scenarios.phases", ["scenarios.phases"]),
        ("policies", "from sim.errors import InputError\nimport numpy", []),
        ("sim", "from calibrate import fit", ["calibrate"]),
        ("scenarios", "import pmtwin", ["pmtwin"]),
    ],
)
def test_a_trespass_is_found(room, source, found):
    assert trespasses(room, source) == found
