"""Studies outlive moves of what they import, and a page that names one names one that is there."""

import re
from importlib import import_module
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
NAMES = sorted(path.stem for path in TOP.glob("studies/*.py") if path.stem != "__init__")
PAGES = [*TOP.glob("docs/*.md"), TOP / "README.md", TOP / "CONTRIBUTING.md"]


@pytest.mark.parametrize("name", NAMES)
def test_a_study_finds_all_that_it_imports(name):
    import_module(f"studies.{name}")


def test_the_pages_name_studies_that_can_be_run():
    named = {name for page in PAGES for name in re.findall(r"-m studies\.([a-z]\w*)", page.read_text(encoding="utf-8"))}
    assert len(named) > 5
    runnable = {name for name in NAMES if "__main__" in (TOP / f"studies/{name}.py").read_text(encoding="utf-8")}
    assert named <= runnable
