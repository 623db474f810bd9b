"""Who may import whom (docs/design.md): a policy that can reach the simulator is no policy for the real middleware."""

import ast
import re
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
ROOMS = ("sim", "calibrate", "policies", "middleware", "scenarios", "figures")
PLAIN = (
    *(
        "checkpoint",
        "compiling",
        "control",
        "decisions",
        "draws",
        "errors",
        "files",
        "forecast",
        "json_file",
        "lazy",
        "option_text",
        "option_types",
        "options",
        "processes",
        "settings",
    ),
    *("normalization", "standard_output", "statistics", "user_files", "window_history"),
)
"""Files of `sim` that know no simulator."""

ALLOWED = {
    "sim": set(),
    "calibrate": {"sim", "figures.page", "figures.style"},  # its report
    "policies": {f"sim.{name}" for name in PLAIN},
    "middleware": {"sim"},
    "scenarios": {"sim", "middleware", "policies.replacement", "policies.points"},  # what decides inside the windows
    "figures": {*ROOMS, "bench", "pipeline", "report"},
}
"""Below `pmtwin.`; the package itself, with the command line, may import every room."""


def imported(source: str) -> set[str]:
    """The modules of ours that a source imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            whole = node.module == "pmtwin"
            names |= {f"pmtwin.{alias.name}" for alias in node.names} if whole else {node.module}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name for name in names if name.split(".")[0] == "pmtwin"}


def trespasses(room: str, source: str) -> list[str]:
    """The imports of a source that its room may not have."""
    allowed = [f"pmtwin.{name}" for name in ALLOWED[room] | {room}]
    return sorted(
        name for name in imported(source) if not any(name == home or name.startswith(f"{home}.") for home in allowed)
    )


def is_apart(path: Path) -> bool:
    """Whether a file of a scenario's folder is part of what uses the scenario."""
    return {"commands", "figures"} & set(path.parts) or "inference" in path.parts[1:] or path.name == "measured.py"


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room):
    """A scenario's own figures, inference, commands and measured side, in its folder, may import all."""
    paths = [path for path in (TOP / room).rglob("*.py") if not is_apart(path.relative_to(TOP / room))]
    result = {path.name: trespasses(room, path.read_text(encoding="utf-8")) for path in paths}
    assert {name: names for name, names in result.items() if names} == {}


@pytest.mark.parametrize(
    ("room", "source", "found"),
    [
        ("policies", "from pmtwin.sim.middleware import Middleware", ["pmtwin.sim.middleware"]),
        (
            "policies",
            "def act():\n    import pmtwin.scenarios.nvm_middleware.phases",
            ["pmtwin.scenarios.nvm_middleware.phases"],
        ),
        ("policies", "from pmtwin.sim.errors import InputError\nimport numpy", []),
        ("sim", "from pmtwin.calibrate import fit", ["pmtwin.calibrate"]),
        ("scenarios", "import pmtwin", ["pmtwin"]),
    ],
)
def test_a_trespass_is_found(room, source, found):
    assert trespasses(room, source) == found


def test_the_picture_of_the_rooms_has_the_folders_that_there_are():
    """If this fails: make rooms."""
    loader = SourceFileLoader("make_rooms", str(TOP / "scripts" / "make-rooms"))
    script = module_from_spec(spec_from_loader("make_rooms", loader))
    loader.exec_module(script)
    drawn = re.search(script.PLACE, script.PAGE.read_text(encoding="utf-8"))[0]
    assert folders(drawn) == folders(script.tree())


def folders(picture: str) -> list[str]:
    return re.findall(r"^ *[\w-]+/", picture, re.MULTILINE)
