"""The files behind a module are all those, and only those, that it imports or names."""

import pytest

from pmtwin.pipeline import fingerprint
from pmtwin.pipeline import sources as sources_module
from pmtwin.pipeline.sources import sources

FILES = {
    "__init__": "import toyroom.registration\nLAZY = {'Thing': 'toyroom.lazy'}\n",
    "registration": "ENTRY = 'toyroom.other:Class'\n",
    "step": "from toyroom.direct import a\nimport json, numpy\n",
    "direct": "def act():\n    from . import relative\n",
    "relative": "PLUGINS = f'toyroom.plugins.{name}'\nENTRY = 'toyroom.entry:Class'\nTEXT = 'see toyroom.other'\n",
    "plugins/__init__": "",
    "plugins/first": "",
    "entry": "",
    "other": "",
    "lazy": "",
    "named": "from toyroom import LAZY\n",
    "circle": "import toyroom.circle\n",
}


@pytest.fixture
def toyroom(tmp_path, monkeypatch):
    """Folder of a package."""
    for name, text in FILES.items():
        path = tmp_path / "toyroom" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    yield tmp_path / "toyroom"
    forget()


def forget():
    """Read the sources anew."""
    for function in (sources_module._top, sources_module._references, fingerprint.code):
        function.cache_clear()


@pytest.mark.parametrize(
    ("module", "behind"),
    [
        ("step", {"", "registration", "step", "direct", "relative", "plugins", "plugins.first", "entry"}),
        ("named", {"", "registration", "named", "lazy", "other"}),
        ("circle", {"", "registration", "circle"}),
    ],
)
def test_behind_a_module_is_what_it_imports_or_names(toyroom, module, behind):
    assert set(sources(f"toyroom.{module}")) == {f"toyroom.{name}".rstrip(".") for name in behind}


def test_behind_a_package_are_all_its_modules(toyroom):
    assert len(sources("toyroom")) == len(FILES)


def test_what_is_left_out_is_not_followed(toyroom):
    assert set(sources("toyroom.step", ["toyroom.relative"])) == {
        f"toyroom.{name}".rstrip(".") for name in ("", "registration", "step", "direct")
    }


def test_a_module_of_a_user_has_its_own_source(tmp_path, monkeypatch):
    (tmp_path / "toymodule.py").write_text("import numpy, pmtwin.policies\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert sources("toymodule") == {"toymodule": tmp_path / "toymodule.py"}
    assert sources("absent_module") == {}


@pytest.mark.parametrize(
    ("file", "follows"), [("relative.py", True), ("table.json", True), ("other.py", False), ("plugins/new.py", True)]
)
def test_the_key_follows_the_files_behind_the_module_alone(toyroom, file, follows):
    before = fingerprint.code("toyroom.step")
    path = toyroom / file
    path.write_text((path.read_text() if path.exists() else "") + "{}\n")
    forget()
    assert (fingerprint.code("toyroom.step") != before) == follows
