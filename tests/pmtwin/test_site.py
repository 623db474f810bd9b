"""The site of `make docs`: every page is on it, links lead to where the site has a file, packages tell their names."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


def hook(name: str):
    """A hook of mkdocs.yml, loaded as mkdocs loads it."""
    pytest.importorskip("mkdocs", reason="mkdocs is not installed (make docs)")
    spec = importlib.util.spec_from_file_location(name, TOP / "scripts" / "site" / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_in_the_navigation():
    navigation = re.findall(r"(\S+\.md)$", (TOP / "mkdocs.yml").read_text(), re.MULTILINE)
    assert {path.name for path in (TOP / "docs").glob("*.md")} <= set(navigation)
    assert len(navigation) == len(set(navigation))


@pytest.mark.parametrize(
    ("page", "link", "leads_to"),
    [
        ("index.md", "docs/load.md#traces", "load.md#traces"),
        ("index.md", "LICENSE", "source/LICENSE.md"),
        ("load.md", "../CONTRIBUTING.md", "contributing.md"),
        ("load.md", "../sim/options.py", "source/sim/options.py.md"),
        ("load.md", "host.md", "host.md"),
        ("contributing.md", "https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_a_link_leads_to_the_page_of_its_file(page, link, leads_to):
    class Shown:
        class file:  # noqa: N801 - as mkdocs names it
            src_uri = page

    changed = hook("pages").on_page_markdown(
        f"[a]({link})\n\n```cpp\n[x](y)\n```\n", page=Shown, config=None, files=None
    )
    assert changed.startswith(f"[a]({leads_to})\n") and "[x](y)" in changed


def test_a_name_is_described_on_the_page_of_the_nearest_package():
    reference = hook("reference")
    packages = reference._packages(TOP / "pmtwin" / "sim", "pmtwin.sim")
    assert reference._owners(packages)["pmtwin.sim.errors.InputError"] == "pmtwin.sim"
    assert "::: pmtwin.sim.errors.InputError" in reference._page(
        packages["pmtwin.sim"], packages, reference._owners(packages)
    )


@pytest.mark.parametrize(
    ("command", "heading", "row"),
    [
        ("train", "## deep Q-network (--policy dqn)", "| `--atoms N` | atoms of the categorical head (default: 51) |"),
        ("list", "## options", "| `--help-all` | show the help with every option and exit |"),
        ("simulate", "## Scenario two-tier: disks", "| `--disks N` |"),
    ],
)
def test_each_option_of_a_command_is_on_its_page(command, heading, row):
    page = hook("commands")._page(command)
    assert row in page.partition(heading)[2]
