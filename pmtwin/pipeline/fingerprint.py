"""What a result depends on besides its settings: code, the built middleware, measurements, versions of packages."""

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
    """Digest of a module or a whole package by dotted name, and of all that they import (`pmtwin.pipeline.sources`)."""
    modules = sources(name, leave_out)
    digest = hashlib.sha256()
    for module in sorted(modules):
        digest.update(module.encode() + b"\0" + modules[module].read_bytes() + b"\0")
    for path in sorted({beside for file in modules.values() for beside in data_beside(file)}):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def source(name: str) -> str | None:
    """Digest of one module's own source; None without one."""
    path = file_of(name)
    return None if path is None else hashlib.sha256(path.read_bytes()).hexdigest()


def scenario(problem: Scenario) -> str:
    """Digest of a scenario's code and of all that it imports, but for figures, lists and validation that it names."""
    cls = type(problem)
    if cls.__module__.startswith("pmtwin."):
        return code(cls.__module__, cls.named_modules(measured=True))
    return _user_code(Path(inspect.getfile(cls)))


def policies(specs: Iterable[str], problem: Scenario) -> list:
    """What policies of a scenario are made of besides the code of ours: their files, and the code of a user's own."""
    controls = [make_policy(spec, problem) for spec in specs]
    made = [*controls, *(each for control in controls for each in control.inline.values())]
    users = [type(policy) for policy in made if not type(policy).__module__.startswith("pmtwin.")]
    files = [Path(name).read_bytes() for policy in made for name in policy.files]
    return [
        *(hashlib.sha256(content).hexdigest() for content in files),
        *(_user_code(Path(inspect.getfile(cls))) for cls in users),
    ]


def _user_code(path: Path) -> str:
    """Digest of a user's file, of the files beside it that it imports, and of the modules of ours that they do."""
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
    """Digest of the built middleware, whatever it was compiled from; None if there is none."""
    path = binding.path()
    return None if path is None else hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def data(folder: str | None, names: tuple[str, ...]) -> dict[str, str | None]:
    """SHA-256 of files of measurements; None for one that is not there."""
    digests: dict[str, str | None] = dict.fromkeys(names)
    for name in names:
        if folder is not None and (Path(folder) / name).is_file():
            digests[name] = hashlib.sha256((Path(folder) / name).read_bytes()).hexdigest()
    return digests


def versions() -> dict[str, str | None]:
    """Versions of the packages whose arithmetic the results hold."""
    result = installed()
    return {name: result[name] for name in ("python", *PACKAGES)}
