"""Listing of what pmtwin ships, from the folders in the sources."""

from __future__ import annotations

from pathlib import Path


def shipped(folder: Path, package: str, file: str) -> dict[str, str]:
    """Name -> `module:Class` for each subfolder that has a file, sorted; nothing is imported.

    A subfolder `page_cache` holds the class `PageCache`, whose name for users is `page-cache`.

    Args:
        folder: the folder of a package. package: its import name.
        file: name of the file that marks a subfolder.
    """
    names = sorted(path.parent.name for path in folder.glob(f"*/{file}"))
    classes = {name: "".join(part.capitalize() for part in name.split("_")) for name in names}
    return {name.replace("_", "-"): f"{package}.{name}:{classes[name]}" for name in names}


VERSION = 2
"""Version of the environments; it changes when the meaning of actions or observations does."""


def environment_id(where: str, version: int = VERSION) -> str:
    """Gymnasium id of the environment of a scenario; `where`: the scenario's `module:Class`."""
    return f"pmtwin/{where.rpartition(':')[2]}-v{version}"
