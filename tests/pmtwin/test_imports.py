"""How modules import one another (docs/design.md, "Rooms")."""

from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module

import pytest

from tests.pmtwin.source_imports import TYPES, Import, imports, modules


@pytest.fixture(scope="module")
def sources():
    return {name: path.read_text(encoding="utf-8") for name, path in modules().items()}


def imported(one: Import, known) -> str:
    """The module that an import loads: `from package import name` may mean a module, or a name loaded lazily."""
    whole = f"{one.module}.{one.name}"
    return whole if whole in known else homes(one.module).get(one.name, one.module)


@cache
def homes(package: str) -> dict[str, str]:
    """Name -> module, of what a package loads when it is first asked for."""
    lazy = package in modules() and "lazy_names(" in modules()[package].read_text(encoding="utf-8")
    return getattr(import_module(package), "_HOMES", {}) if lazy else {}


def circle(sources) -> list[str]:
    """Modules each of which imports the next, the last of which is the first; none where there is no such circle."""
    graph = {
        name: {imported(one, sources) for one in imports(source) if one.where != TYPES and one.is_ours}
        for name, source in sources.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_modules_import_one_another_in_a_circle(sources):
    """None of a circle can be read, tested or loaded without the others."""
    assert len(sources) > 500
    assert circle(sources) == []


@pytest.mark.parametrize(
    ("back", "found"),
    [
        ("from pmtwin.b import name", True),
        ("from pmtwin import b", True),
        ("def act():\n    import pmtwin.b", True),
        ("class A:\n    def act(self):\n        from pmtwin.b import name", True),
        ("if TYPE_CHECKING:\n    from pmtwin.b import name", False),
        ("from pmtwin.c import name", False),
    ],
)
def test_a_circle_is_found_wherever_the_imports_stand(back, found):
    circled = circle({"pmtwin.a": back, "pmtwin.b": "import pmtwin.a", "pmtwin.c": ""})
    assert circled == (["pmtwin.a", "pmtwin.b", "pmtwin.a"] if found else []) or set(circled) == {
        "pmtwin.a",
        "pmtwin.b",
    }
