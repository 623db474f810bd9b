"""The reference: a page for each package, with its public names from their docstrings, and its modules.

The pages follow the folders: they are made anew with every site, and name no room.
"""

from __future__ import annotations

import ast
import importlib
from dataclasses import dataclass, field
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PACKAGE = Path(__file__).resolve().parents[2] / "pmtwin"
FOLDER = "reference"


@dataclass
class Package:
    """A folder with Python files, as its sources tell."""

    name: str
    """Such as `pmtwin.sim.device`."""

    modules: dict[str, str]
    """Module -> first line of its docstring."""

    homes: dict[str, str] = field(default_factory=dict)
    """Public name -> where it comes from, such as `pmtwin.sim.errors.InputError`."""

    @property
    def page(self) -> str:
        return f"{FOLDER}/{'/'.join(self.name.split('.'))}/index.md"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the reference into the navigation, before what stands last."""
    packages = _packages(PACKAGE, PACKAGE.name)
    config.extra["packages"] = packages
    config.nav.insert(-2, {"Reference": _navigation(PACKAGE.name, packages)})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each package."""
    packages = config.extra["packages"]
    owners = _owners(packages)
    for package in packages.values():
        files.append(File.generated(config, package.page, content=_page(package, packages, owners)))
    return files


def _packages(folder: Path, name: str) -> dict[str, Package]:
    """The package in a folder and those below it, by their names."""
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    sources = sorted(path for path in folder.glob("*.py") if not path.stem.startswith("__"))
    package = Package(name, {path.stem: _first_line(path) for path in sources}, _homes(name, tree))
    result = {name: package}
    for below in sorted(folder.iterdir()):
        if (below / "__init__.py").is_file():
            result |= _packages(below, f"{name}.{below.name}")
    return result


def _first_line(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n\n")[0].replace("\n", " ")


def _homes(name: str, tree: ast.Module) -> dict[str, str]:
    """The public names of a package: those of `_HOMES`, or of `__all__` with what its imports say."""
    package = importlib.import_module(name)
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    origins = {alias.asname or alias.name: f"{node.module}.{alias.name}" for node in imports for alias in node.names}
    origins |= {public: f"{home}.{public}" for public, home in getattr(package, "_HOMES", {}).items()}
    return {public: origins[public] for public in getattr(package, "__all__", ()) if public in origins}


def _defined(path: str, packages: dict[str, Package]) -> str:
    """Where a name is defined, however many packages pass it on."""
    home, _, name = path.rpartition(".")
    passed_on = packages[home].homes.get(name, path) if home in packages else path
    return path if passed_on == path else _defined(passed_on, packages)


def _owners(packages: dict[str, Package]) -> dict[str, str]:
    """Definition -> the package whose page describes it: the nearest of those that have it as a public name."""
    owners: dict[str, str] = {}
    for package in sorted(packages.values(), key=lambda package: package.name.count(".")):
        for path in package.homes.values():
            defined = _defined(path, packages)
            if defined not in owners or defined.startswith(f"{package.name}."):
                owners[defined] = package.name
    return owners


def _navigation(name: str, packages: dict[str, Package]) -> list:
    """The page of a package, and the same of those below it."""
    below = [each for each in packages if each.rpartition(".")[0] == name]
    return [
        packages[name].page,
        *({each.rpartition(".")[2]: _navigation(each, packages)} for each in below),
    ]


def _page(package: Package, packages: dict[str, Package], owners: dict[str, str]) -> str:
    docstring = "options: {members: false, show_root_heading: false, show_root_toc_entry: false}"
    parts = [f"# {package.name}", f"::: {package.name}\n    {docstring}"]
    described = {name: _defined(path, packages) for name, path in package.homes.items()}
    if described:
        parts.append("## Names")
    for name, path in described.items():
        if not _has_docstring_place(path):
            parts.append(f"### {name}\n\nDefined in `{path.rpartition('.')[0]}`.")
        elif owners[path] == package.name:
            parts.append(f"::: {path}")
        else:
            parts.append(f"### {name}\n\nDescribed in [{owners[path]}][{path}].")
    below = [each for each in packages if each.rpartition(".")[0] == package.name]
    if below:
        rows = (f"| [{each.rpartition('.')[2]}]({_below(each)}) | {_summary(each)} |" for each in below)
        parts.append("## Packages\n\n| package | content |\n|---|---|\n" + "\n".join(rows))
    if package.modules:
        rows = (f"| `{name}` | {_cell(line)} |" for name, line in package.modules.items())
        parts.append("## Modules\n\n| module | content |\n|---|---|\n" + "\n".join(rows))
    return "\n\n".join(parts) + "\n"


def _has_docstring_place(path: str) -> bool:
    """Whether a name is defined by itself: not one of several in an assignment, `HIT, FILLED = -1, -2`."""
    home, _, name = path.rpartition(".")
    module = PACKAGE.joinpath(*home.split(".")[1:])
    source = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        targets = getattr(node, "targets", [getattr(node, "target", node)])
        if name in {getattr(target, "id", getattr(target, "name", None)) for target in targets}:
            return True
    return False


def _below(name: str) -> str:
    return f"{name.rpartition('.')[2]}/index.md"


def _summary(name: str) -> str:
    return _cell(_first_line(PACKAGE.joinpath(*name.split(".")[1:], "__init__.py")))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
