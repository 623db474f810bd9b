"""What a result depends on besides its settings: the code of the rooms behind it, and the versions it computes with."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from functools import cache
from pathlib import Path

SUFFIXES = (".py", ".json", ".cpp", ".h")
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "simpy")


def digest(value: object) -> str:
    """SHA-256 of plain values, as 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, allow_nan=False).encode()).hexdigest()


@cache
def code(place: str) -> str:
    """Digest of the sources of a package or a module, by dotted name."""
    spec = importlib.util.find_spec(place)
    if spec.submodule_search_locations:
        root = Path(next(iter(spec.submodule_search_locations)))
        files = sorted(path for path in root.rglob("*") if path.suffix in SUFFIXES)
    else:
        root = Path(spec.origin).parent
        files = [Path(spec.origin)]
    found = hashlib.sha256()
    for path in files:
        found.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


@cache
def data(folder: str | None, names: tuple[str, ...]) -> dict[str, str | None]:
    """SHA-256 of files of measurements; None for one that is not there."""
    found: dict[str, str | None] = dict.fromkeys(names)
    for name in names:
        if folder is not None and (Path(folder) / name).is_file():
            found[name] = hashlib.sha256((Path(folder) / name).read_bytes()).hexdigest()
    return found


def versions() -> dict[str, str | None]:
    """Versions of the packages whose arithmetic the results hold."""
    from pmtwin.machine import versions as installed

    found = installed()
    return {name: found[name] for name in ("python", *PACKAGES)}
