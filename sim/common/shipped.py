"""Shipped files of pmtwin, in folders: a file is listed because it is there."""

from __future__ import annotations

from pathlib import Path


def shipped(folder: Path, package: str, file: str) -> dict[str, str]:
    """Name -> `module:Class` of every folder below that has the file, sorted; nothing is imported.

    A folder `page_cache` holds the class `PageCache`, whose name for users is `page-cache`.

    Args:
        folder: what to look into.
        package: its import name.
        file: what such a folder has.
    """
    names = sorted(path.parent.name for path in folder.glob(f"*/{file}"))
    classes = {name: "".join(part.capitalize() for part in name.split("_")) for name in names}
    return {name.replace("_", "-"): f"{package}.{name}:{classes[name]}" for name in names}


VERSION = 2
"""Of the environments: the same actions mean the same in all that carry it."""


def environment_id(where: str, version: int = VERSION) -> str:
    """Gymnasium id of the environment of a scenario, `module:Class`."""
    return f"pmtwin/{where.rpartition(':')[2]}-v{version}"
