"""How modules import one another (docs/design.md, "Rooms, and who may know whom")."""

import re
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.pmtwin.loading import Loading, imported
from tests.pmtwin.source_imports import FUNCTION, TYPES, imports, modules

MODULES_OF_OURS = 5
"""Take about as many milliseconds to load. An import of fewer, and of no package of others, stands at the top."""

STARTS = re.compile(
    r"pmtwin(\.__main__|(\.scenarios\.\w+)?\.commands\.\w+|\.scenarios\.\w+\.(scenario|listings|validation\.measured)"
    r"|\.policies\.\w+|\.policies\.training\.(\w+_)?options)?"
)
"""What is loaded for a help text, a list or `import pmtwin`: beyond it modules of ours are loaded in any case."""


@pytest.fixture(scope="module")
def sources():
    return {name: path.read_text(encoding="utf-8") for name, path in modules().items()}


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


def misplaced(sources) -> list[str]:
    """Imports inside functions that save no start-up time: file, line and module."""
    loading = Loading(sources)
    of_starts = loading.of(*filter(STARTS.fullmatch, sources))
    return [
        f"{name}:{one.line} {imported(one, sources)}"
        for name, source in sources.items()
        for one in imports(source)
        if one.where == FUNCTION and not saves(loading, name, imported(one, sources), sources, name in of_starts)
    ]


def saves(loading, name, target, sources, at_start) -> bool:
    """Whether who loads the file, but calls no function, is spared a package of others, or some modules of ours."""
    spared = loading.of(target) - loading.of(name) - before(loading, name)
    ours = spared & set(sources)
    return bool(spared - ours) or (at_start and len(ours) >= MODULES_OF_OURS)


def before(loading, name) -> frozenset[str]:
    """What is loaded before a module: all but `pmtwin --help` come through the door, and to its parts by a scenario.

    `pmtwin list` loads a scenario's listings, and no scenario.
    """
    if name in loading.of("pmtwin.__main__", "pmtwin.cli"):
        return frozenset()
    of_scenario = re.match(r"pmtwin\.scenarios\.\w+\.(?!listings$)", name)
    scenario = loading.of(f"{of_scenario[0]}scenario") if of_scenario else frozenset()
    return loading.of("pmtwin.config.door") | (frozenset() if name in scenario else scenario)


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
    assert set(circled) == ({"pmtwin.a", "pmtwin.b"} if found else set())


def test_an_import_inside_a_function_saves_start_up_time(sources):
    """What is named here belongs to the top of its file."""
    assert misplaced(sources) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import scipy.stats", False),
        ("import pmtwin.kernel", False),
        ("import pmtwin.many", False),
        ("import pmtwin.few", True),
        ("import os", True),
        ("import numpy", True),  # which the door has loaded
        ("from pmtwin.config.door import declare", True),
    ],
)
def test_an_import_that_saves_none_is_found(source, found):
    many = {f"pmtwin.m{number}": "" for number in range(MODULES_OF_OURS)}
    known = many | {
        "pmtwin.many": "\n".join(f"import {name}" for name in many),
        "pmtwin.few": "import pmtwin.m0",
        "pmtwin.kernel": "@njit(cache=True)\ndef run():\n    pass",
        "pmtwin.config.door": "import numpy",
        "pmtwin.commands.act": f"def run():\n    {source}",
    }
    assert [line.split()[0] for line in misplaced(known)] == (["pmtwin.commands.act:2"] if found else [])
