"""What a result depends on besides its settings: code, the built middleware, measurements, versions of packages."""

from __future__ import annotations

import hashlib
import inspect
import json
from functools import cache
from pathlib import Path

from pmtwin.pipeline.sources import data_beside, file_of, sources
from pmtwin.scenarios.scenario import Scenario

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "simpy")


def digest(value: object) -> str:
    """SHA-256 of plain values, as 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, allow_nan=False).encode()).hexdigest()


@cache
def code(name: str, leave_out: tuple[str, ...] = ()) -> str:
    """Digest of a module or a whole package by dotted name, and of all that they import (`pmtwin.pipeline.sources`)."""
    modules = sources(name, leave_out)
    found = hashlib.sha256()
    for module in sorted(modules):
        found.update(module.encode() + b"\0" + modules[module].read_bytes() + b"\0")
    for path in sorted({beside for file in modules.values() for beside in data_beside(file)}):
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


@cache
def source(name: str) -> str | None:
    """Digest of one module's own source; None without one."""
    path = file_of(name)
    return None if path is None else hashlib.sha256(path.read_bytes()).hexdigest()


def scenario(problem: Scenario) -> str:
    """Digest of the file that declares a scenario; what it imports is in the code of the steps, if it is of ours."""
    return hashlib.sha256(Path(inspect.getfile(type(problem))).read_bytes()).hexdigest()


@cache
def native() -> str | None:
    """Digest of the built middleware, whatever it was compiled from; None if there is none."""
    from pmtwin.middleware import binding

    path = binding.path()
    return None if path is None else hashlib.sha256(path.read_bytes()).hexdigest()


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
