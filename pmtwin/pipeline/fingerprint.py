"""Digests of the dependencies of results other than settings: code, built middleware, data, package versions."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from pmtwin.machine.machine import versions as installed
from pmtwin.middleware import binding
from pmtwin.pipeline.sources import data_beside, file_of, imports, sources
from pmtwin.policies import make_policy
from pmtwin.scenarios.scenario import Scenario

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "simpy")


def digest(value: object) -> str:
    """SHA-256 of plain values, as 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, allow_nan=False).encode()).hexdigest()


@cache
def code(name: str, leave_out: tuple[str, ...] = ()) -> str:
    """Digest of a module or package, by dotted name, with everything that it imports (`pmtwin.pipeline.sources`)."""
    modules = sources(name, leave_out)
    digest = hashlib.sha256()
    for module in sorted(modules):
        digest.update(module.encode() + b"\0" + modules[module].read_bytes() + b"\0")
    for path in sorted({beside for file in modules.values() for beside in data_beside(file)}):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def source(name: str) -> str | None:
    """Digest of the source of a single module; None without a source."""
    path = file_of(name)
    return None if path is None else hashlib.sha256(path.read_bytes()).hexdigest()


def scenario(problem: Scenario) -> str:
    """Digest of a scenario with everything it imports, except the figures, lists and validation that it names."""
    cls = type(problem)
    if cls.__module__.startswith("pmtwin."):
        return code(cls.__module__, cls.named_modules(measured=True))
    return _user_code(Path(inspect.getfile(cls)))


def policies(specs: Iterable[str], problem: Scenario) -> list:
    """Digests of policies beyond our code: of their files, and of the code of a user's policies."""
    controls = [make_policy(spec, problem) for spec in specs]
    made = [*controls, *(each for control in controls for each in control.inline.values())]
    users = [type(policy) for policy in made if not type(policy).__module__.startswith("pmtwin.")]
    files = [Path(name).read_bytes() for policy in made for name in policy.files]
    return [
        *(hashlib.sha256(content).hexdigest() for content in files),
        *(_user_code(Path(inspect.getfile(cls))) for cls in users),
    ]


def _user_code(path: Path) -> str:
    """Digest of a user's file, the files in its folder that it imports, and our modules that they import."""
    files, modules, waiting = set(), set(), [path.resolve()]
    while waiting:
        file = waiting.pop()
        if file in files:
            continue
        files.add(file)
        for module in imports(file):
            beside = file.parent.joinpath(*module.split(".")).with_suffix(".py")
            waiting += [beside] if beside.is_file() else []
            modules |= {module} if module.startswith("pmtwin.") else set()
    return digest(
        [*sorted(hashlib.sha256(file.read_bytes()).hexdigest() for file in files), *map(code, sorted(modules))]
    )


@cache
def native() -> str | None:
    """Digest of the built middleware's binary; None if it is not built."""
    path = binding.path()
    return None if path is None else hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def data(folder: str | None, names: tuple[str, ...]) -> dict[str, str | None]:
    """SHA-256 of files of measurements; None for a missing file."""
    digests: dict[str, str | None] = dict.fromkeys(names)
    for name in names:
        if folder is not None and (Path(folder) / name).is_file():
            digests[name] = hashlib.sha256((Path(folder) / name).read_bytes()).hexdigest()
    return digests


def versions() -> dict[str, str | None]:
    """Versions of the packages whose arithmetic affects results."""
    result = installed()
    return {name: result[name] for name in ("python", *PACKAGES)}
