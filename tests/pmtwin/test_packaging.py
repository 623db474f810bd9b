"""What an installation holds: every folder with Python in it, through the links, and every file beside it."""

import configparser
import os
import re
from pathlib import Path, PurePath

import pmtwin

TOP = Path(__file__).resolve().parents[2]
NOT_INSTALLED = {".cpp", ".h", ".hpp", ".inc", ".txt", ".in", ".cmake", ".md", ".sh"}
"""Sources of the native parts, which `make build` builds from a checkout."""


def setup() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(TOP / "setup.cfg")
    return parser


def folders_through_links() -> list[tuple[Path, list[str]]]:
    walked = os.walk(TOP / "pmtwin", followlinks=True)
    return [(Path(folder), files) for folder, _, files in walked if "__pycache__" not in folder]


def test_each_room_is_linked_by_a_relative_link():
    links = {path.name: os.readlink(path) for path in (TOP / "pmtwin").iterdir() if path.is_symlink()}
    rooms = {path.parent.name for path in TOP.glob("*/__init__.py")} - {"pmtwin", "studies", "tests"}
    assert links == {name: f"../{name}" for name in rooms}
    assert os.readlink(TOP / "src" / "pmtwin") == "../pmtwin"


def test_an_editable_install_adds_one_name():
    """Setuptools puts the folder of a `src` layout on the path, which type checkers follow; it holds nothing else."""
    assert setup()["options"]["package_dir"].split() == ["=", "src"]
    assert [path.name for path in (TOP / "src").iterdir() if path.suffix != ".egg-info"] == ["pmtwin"]


def test_every_folder_with_python_in_it_is_a_package():
    """`packages = find:` skips a folder without `__init__.py`, and the wheel then lacks it."""
    assert setup()["options"]["packages"] == "find:"
    lacking = [
        str(folder)
        for folder, files in folders_through_links()
        if any(file.endswith(".py") for file in files) and "__init__.py" not in files
    ]
    assert lacking == []


def within_package(file: Path) -> Path:
    """The path of a file below the innermost package around it, which is what patterns of data are held against."""
    package = next(folder for folder in file.parents if (folder / "__init__.py").is_file())
    return PurePath("/", file.relative_to(package))


def test_data_below_a_package_needs_a_pattern_with_its_folder():
    template = within_package(TOP / "figures" / "page" / "templates" / "page.html")
    assert template == PurePath("/templates/page.html")
    assert template.match("/templates/*.html") and not template.match("/*.html")


def test_every_data_file_is_installed():
    patterns = [f"/{pattern.strip()}" for pattern in setup()["options.package_data"]["*"].split(",")]
    left_out = [
        str(folder / file)
        for folder, files in folders_through_links()
        for file in files
        if Path(file).suffix not in {".py", *NOT_INSTALLED}
        and not any(within_package(folder / file).match(pattern) for pattern in patterns)
    ]
    assert left_out == []


def versions_of_the_changelog() -> list[tuple[str, str]]:
    """Version and date of each section, the newest first."""
    return re.findall(r"^## \[(\S+)\] - (.+)$", (TOP / "CHANGELOG.md").read_text(), re.MULTILINE)


def test_the_changes_begin_with_the_present_version():
    (version, date), *_ = versions_of_the_changelog()
    assert pmtwin.__version__ == version + (".dev0" if date == "unreleased" else "")
    assert "py.typed" in os.listdir(TOP / "pmtwin")


def test_the_version_to_cite_is_the_last_released_one():
    version, date = next(entry for entry in versions_of_the_changelog() if entry[1] != "unreleased")
    assert f'\nversion: {version}\ndate-released: "{date}"\n' in (TOP / "CITATION.cff").read_text()
