"""The pages tell the truth: every example runs, every command, file and link that they name is there.

In docs/extending.md a fenced block `python file=NAME` is a file, and is run as one; a block `bash` is a list of
commands, run in the folder of those files. Blocks of other languages are for reading.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pmtwin.cli import build_parser, command_names

TOP = Path(__file__).resolve().parents[2]
PAGES = [TOP / "README.md", *sorted((TOP / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(page: Path) -> list[tuple[str, str, str]]:
    """(language, file name or "", text) of each block of a page."""
    return FENCE.findall(page.read_text(encoding="utf-8"))


def run(command: list[str] | str, folder: Path) -> str:
    bin_folder = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(TOP)}
    done = subprocess.run(
        command, shell=isinstance(command, str), cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """A folder with the files of docs/extending.md."""
    folder = tmp_path_factory.mktemp("extending")
    for language, name, text in examples(TOP / "docs/extending.md"):
        if language == "python":
            assert name, f"a python block without a file name: {text[:60]}"
            (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("name", [name for _, name, _ in examples(TOP / "docs/extending.md") if name])
def test_an_example_file_runs(name, written):
    run([sys.executable, name], written)


@pytest.mark.parametrize("text", [text for kind, _, text in examples(TOP / "docs/extending.md") if kind == "bash"])
def test_an_example_command_prints_a_result(text, written):
    for line in text.replace("\\\n", " ").splitlines():
        assert run(line, written)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_a_page_are_accepted_by_their_parsers(page):
    lines = [
        line for kind, _, text in examples(page) if kind == "bash" for line in text.replace("\\\n", " ").splitlines()
    ]
    spans = re.findall(r"`(pmtwin [^`]+)`", page.read_text(encoding="utf-8"))
    for line in [line.split("#")[0].strip().removeprefix(".venv/bin/") for line in lines] + spans:
        program, *words = line.split()
        if program != "pmtwin" or not words:
            continue
        command = words[0]
        assert command in command_names(), line
        known = {
            option
            for action in build_parser(command)._subparsers._group_actions
            for option in _options(action, command)
        }
        assert [word for word in words if word.startswith("--") and word.split("=")[0] not in known] == [], line


def _options(action, command: str) -> set[str]:
    return set(action.choices[command]._option_string_actions)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_named_files_are_there(page):
    text = page.read_text(encoding="utf-8")
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    missing = [link for link in links if link and not (page.parent / link).exists()]
    named = re.findall(r"`((?:sim|calibrate|policies|scenarios|figures|pmtwin|tests|docs|scripts)/[\w./-]*)`", text)
    missing += [name for name in named if not (TOP / name).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_on_a_page_exist(page):
    targets = set(re.findall(r"^([a-z]+):", (TOP / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= targets
