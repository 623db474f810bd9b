"""Python files of a user, loaded once per process, under a module name that is the same in every process."""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import re
import sys
import traceback
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from pmtwin.sim.common.standard_output import aside
from pmtwin.sim.errors import FAILURES, InputError, MissingDependencyError, fault_of

FORM = "FILE.py:NAME"
LARGEST = 1_000_000
"""Bytes of a file in which `files_with_class` looks."""


class _Unkept(SourceFileLoader):
    """A loader that writes no compiled file into a user's folder."""

    def set_data(self, path, data, *, _mode=0o666):
        return


def split_file(spec: str) -> tuple[str, str] | None:
    """(FILE.py, text after its colon); None for a spec without a file."""
    file, mark, name = spec.partition(".py:")
    return (f"{file}.py", name) if mark else None


def file_and_name(spec: str, field: str) -> tuple[str, str]:
    """`split_file` of a spec that must name a file.

    Raises:
        InputError: the spec names no file.
    """
    parts = split_file(spec)
    if parts is None:
        raise InputError(field, spec, FORM, wrong="names no Python file")
    return parts


def load_file(file: str, field: str, spec: str) -> ModuleType:
    """The file as a module.

    Args:
        file: path of the file.
        field, spec: name and value of the option, for errors.

    Raises:
        InputError: the file does not exist, or fails when it is loaded.
    """
    path = Path(file)
    if not path.is_file():
        allowed = f"{FORM} of an existing file{_meant(path)}"
        raise InputError(field, spec, allowed, wrong="names a file that does not exist")
    path = path.resolve()
    name = f"pmtwin_file_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}_{path.stem}"
    if name not in sys.modules:
        loader = _Unkept(name, str(path))
        module_spec = importlib.util.spec_from_file_location(name, path, loader=loader)
        module = importlib.util.module_from_spec(module_spec)  # type: ignore[arg-type]  # a loader always has a spec
        sys.modules[name] = module  # before the file runs: dataclasses look up their module
        try:
            with aside():
                loader.exec_module(module)
        except InputError as error:
            del sys.modules[name]
            where = place_of(error, path)
            raise error.renamed(f"{field} {spec}: {error.field}", where) from error
        except FAILURES as error:
            del sys.modules[name]
            fault = f"fails at {place_of(error, path)}: {fault_of(error)}"
            raise InputError(field, spec, "a file that runs", wrong=fault) from error
    return sys.modules[name]


def _meant(path: Path) -> str:
    """End of an error about a file that is not there: the file of its folder with the nearest name, if one is near."""
    names = [file.name for file in path.parent.glob("*.py")] if path.parent.is_dir() else []
    near = difflib.get_close_matches(path.name, names, n=1)
    return f" (did you mean {str(path.with_name(near[0]))!r}?)" if near else ""


def files_with_class(name: str, folder: Path) -> list[str]:
    """Names of the Python files of a folder that define a class; no file is run."""
    defined = re.compile(rf"^class {re.escape(name)}\b", re.MULTILINE)
    files = [path for path in sorted(folder.glob("*.py")) if path.is_file() and path.stat().st_size < LARGEST]
    return [path.name for path in files if defined.search(path.read_text(encoding="utf-8", errors="replace"))]


def made_by(spec: str, field: str, kind: type, what: str = "") -> Any:
    """The object of a spec FILE.py:NAME: NAME itself, or its result when called without arguments.

    Args:
        field: name of the option, for errors.
        kind: required class of the object.
        what: the class in words; its name by default.

    Raises:
        InputError: the file does not load, has no such object, or the call fails.
        MissingDependencyError: the call needs what is not on this machine.
    """
    file, name = file_and_name(spec, field)
    module, what = load_file(file, field, spec), what or f"a {kind.__name__}"
    if not hasattr(module, name):
        allowed = f"{FORM} with the name of {what}, or of a function without arguments that returns one"
        raise InputError(field, spec, allowed, wrong=f"names nothing in {file}")
    value = getattr(module, name)
    if callable(value) and not isinstance(value, kind):
        try:
            with aside():
                value = value()
        except InputError as error:
            raise error.renamed(f"{field} {spec}: {error.field}") from error
        except MissingDependencyError:
            raise
        except FAILURES as error:
            fault = f"fails at {place_of(error, Path(file).resolve(), getattr(module, name))}: {fault_of(error)}"
            raise InputError(field, spec, f"a function without arguments that returns {what}", wrong=fault) from error
    if not isinstance(value, kind):
        fault = f"gives an object of type {type(value).__name__}"
        raise InputError(field, spec, f"{what}, or a function that returns one", wrong=fault)
    return value


def place_of(error: BaseException, path: Path | None = None, called: Any = None) -> str:
    """FILE:LINE of the last line that ran before an error, in the file `path` or, if that is None, in any file.

    Args:
        called: the called function; its first line is the place if the call itself failed (a wrong number of
            arguments).
    """
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    within = [frame for frame in frames if path is None or Path(frame.filename) == path]
    code = getattr(called, "__code__", None)
    if not within and code is not None:
        return f"{code.co_filename}:{code.co_firstlineno}"
    frame = (within or frames)[-1]
    return f"{frame.filename}:{frame.lineno}"
