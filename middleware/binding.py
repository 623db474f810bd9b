"""Finds the native module where `make build` puts it, or in the folder that PMTWIN_NATIVE names."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from pmtwin.sim.common.native_parts import how_to_complete, how_to_get, native_folder
from pmtwin.sim.errors import MissingDependencyError

NAME = "_pmtwin_native"
FOLDER = native_folder()
LATEST = "ScratchFolder"
"""What the module has since its interface changed last."""

NEEDS = "a C++ compiler, CMake, pybind11 and the headers of Python"


def path() -> Path | None:
    """The module's file, or None: it is not built, or was built for another Python."""
    candidates = (FOLDER / f"{NAME}{suffix}" for suffix in importlib.machinery.EXTENSION_SUFFIXES)
    return next((file for file in candidates if file.is_file()), None)


@cache
def load() -> ModuleType:
    """The native module.

    Raises:
        MissingDependencyError: it is not built, does not load, or was built from older sources.
    """
    file = path()
    if file is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise MissingDependencyError(f"the real middleware is not built for Python {version}: {how_to_get(NEEDS)}")
    spec = importlib.util.spec_from_file_location(NAME, file)
    if spec is None or spec.loader is None:
        raise MissingDependencyError(
            f"the real middleware does not load: {file} is no module; {how_to_complete(NEEDS)}"
        )
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError as error:
        raise MissingDependencyError(f"the real middleware does not load: {error}; {how_to_complete(NEEDS)}") from error
    if not hasattr(module, LATEST):
        raise MissingDependencyError(f"the real middleware was built from older sources: {how_to_complete(NEEDS)}")
    return module
