"""Scenarios by name, or from a file: `nvm-middleware`, `FILE.py:NAME`."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
import traceback
from pathlib import Path

from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import InputError, unknown_name

SHIPPED = {"nvm-middleware": "pmtwin.scenarios.nvm_middleware:NvmMiddleware"}
"""Name -> module:class; imported when the scenario is asked for."""

FORM = "FILE.py:NAME"


def scenario_names() -> tuple[str, ...]:
    """The scenarios that come with pmtwin, sorted."""
    return tuple(sorted(SHIPPED))


def load_scenario(spec: str) -> type[Scenario]:
    """The scenario that a name, or FILE.py:NAME, means.

    Raises:
        InputError: for an unknown name, or a file that has no such scenario.
    """
    if ".py:" in spec:
        return _from_file(spec)
    if spec not in SHIPPED:
        raise unknown_name("scenario", spec, SHIPPED, shown=[*scenario_names(), FORM])
    module, _, name = SHIPPED[spec].partition(":")
    found = getattr(importlib.import_module(module), name)
    found.spec = spec
    return found


def blank(spec: str) -> Scenario:
    """The scenario without its options, which `pickle` brings after it."""
    cls = load_scenario(spec)
    return cls.__new__(cls)


def _from_file(spec: str) -> type[Scenario]:
    """The class of that name in the file, or the scenario that has the name."""
    file, _, name = spec.rpartition(":")
    path = Path(file)
    if not path.is_file():
        raise InputError("scenario", spec, f"{FORM} of a file that is there")
    module = _module(path.resolve(), spec)
    for each in vars(module).values():
        own = isinstance(each, type) and issubclass(each, Scenario) and each.__module__ == module.__name__
        if own and name in (each.__name__, getattr(each, "name", None)):
            each.spec = f"{path.resolve()}:{name}"
            return each
    raise InputError("scenario", spec, f"{FORM} with a subclass of pmtwin.scenarios.Scenario of that name in {path}")


def _module(path: Path, spec: str):
    """The file as a module, once a process; its name is the same in every process."""
    name = f"pmtwin_file_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}_{path.stem}"
    if name not in sys.modules:
        found = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(found)
        sys.modules[name] = module  # before it runs: dataclasses look themselves up there
        try:
            found.loader.exec_module(module)
        except Exception as error:
            del sys.modules[name]
            line = next((frame.lineno for frame in reversed(traceback.extract_tb(error.__traceback__))), 0)
            raise InputError("scenario", spec, f"a file that runs; {path}:{line}: {error!r}") from error
    return sys.modules[name]
