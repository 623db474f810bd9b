"""Listing of what pmtwin ships, from the folders in the sources."""

from __future__ import annotations

from pathlib import Path


def modules(folder: Path, package: str, file: str) -> dict[str, str]:
    """Name -> dotted module, for each subfolder that has a file of that name, sorted; nothing is imported.

    A subfolder `page_cache` has the name `page-cache` for users.

    Args:
        folder: the folder of a package. package: its import name.
        file: name of the file, such as `listings.py`.
    """
    subfolders = sorted(path.parent.name for path in folder.glob(f"*/{file}"))
    return {name.replace("_", "-"): f"{package}.{name}.{file.removesuffix('.py')}" for name in subfolders}


def shipped(folder: Path, package: str, file: str) -> dict[str, str]:
    """Name -> `module:Class` for each subfolder that has a file, as `modules`: `page_cache` holds class `PageCache`."""
    classes = {name: "".join(part.capitalize() for part in name.split("-")) for name in modules(folder, package, file)}
    return {name: f"{package}.{name.replace('-', '_')}:{of_name}" for name, of_name in classes.items()}


VERSION = 2
"""Version of the environments; it changes when the meaning of actions or observations does."""


def environment_id(where: str, version: int = VERSION) -> str:
    """Gymnasium id of the environment of a scenario; `where`: the scenario's `module:Class`."""
    return f"pmtwin/{where.rpartition(':')[2]}-v{version}"
