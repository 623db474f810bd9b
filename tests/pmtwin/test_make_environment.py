"""`make build` brings the environment up to date when what it was made from has changed, and otherwise does nothing.

A stand-in for the environment's Python says where `import pmtwin` leads to, and counts the installations.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PYTHON = """#!/bin/sh
case "$*" in
  *"pip install"*) echo "$*" >>installations ;;
  *"import sys, pmtwin"*) cat mapping ;;
esac
"""


@pytest.fixture
def tree(tmp_path):
    """A tree with an environment that was made in it."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(TOP / "scripts" / "make-environment", tmp_path / "scripts")
    for name in ("setup.cfg", "pyproject.toml"):
        shutil.copy(TOP / name, tmp_path)
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name, text in (("python", PYTHON), ("pmtwin", "#!/bin/sh\n")):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (tmp_path / "mapping").write_text(f"3.11\n0.2.0\n{tmp_path}/pmtwin/__init__.py\n")
    (tmp_path / ".venv" / ".installed").write_text(f"{tmp_path}\n")
    assert installations(tmp_path) == 1
    return tmp_path


def installations(tree: Path) -> int:
    """How often it was installed, once the script has run (again)."""
    command = ["bash", "scripts/make-environment", sys.executable]
    subprocess.run(command, cwd=tree, check=True, capture_output=True, text=True)
    return len((tree / "installations").read_text().splitlines())


def test_nothing_is_done_while_nothing_has_changed(tree):
    assert installations(tree) == 1


@pytest.mark.parametrize(
    "mapping",
    ["3.11\n0.2.0\n/another/checkout/pmtwin/__init__.py\n", "3.11\n0.3.0\n{}/pmtwin/__init__.py\n", ""],
    ids=["another folder", "another version", "not installed"],
)
def test_another_mapping_is_noticed(tree, mapping):
    (tree / "mapping").write_text(mapping.format(tree))
    assert installations(tree) == 2


def test_another_packaging_is_noticed(tree):
    with (tree / "setup.cfg").open("a") as file:
        file.write("# more\n")
    assert installations(tree) == 2
    assert installations(tree) == 2


def test_clean_leaves_the_links(tmp_path):
    shutil.copytree(TOP / "pmtwin", tmp_path / "pmtwin", symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(TOP / "Makefile", tmp_path)
    (tmp_path / "sim" / "__pycache__").mkdir(parents=True)
    subprocess.run(["make", "clean"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "pmtwin" / "sim").is_symlink() and (tmp_path / "sim").is_dir()
    assert not (tmp_path / "sim" / "__pycache__").exists()
