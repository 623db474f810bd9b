"""Environment of a command's process, which is checked or corrected once, before anything else.

See `pmtwin.console.standard_streams` for the streams, `pmtwin.sim.common.threads` for the number of processors, and
`pmtwin.sim.compiling.functions` for the place of compiled code.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from pmtwin.console.output import message
from pmtwin.sim.compiling import DISABLING
from pmtwin.sim.errors import InputError


@contextmanager
def prepared() -> Iterator[None]:
    """Context in which a command can run.

    Raises:
        InputError: if the current folder was removed, or an environment variable has a value that breaks Numba.
    """
    _check_folder()
    _check_threads()
    _enable_compiling()
    with _workers_apart(), _shown_warnings():
        yield


def _check_folder() -> None:
    try:
        os.getcwd()
    except OSError as error:
        raise InputError(
            "the current folder", os.environ.get("PWD", "."), "an existing one: cd to it", wrong="was removed"
        ) from error


def _check_threads() -> None:
    """Check variables of thread counts, since Numba fails on an unusable number only in the middle of the work."""
    name = "NUMBA_NUM_THREADS"
    value = os.environ.get(name, "1")
    if not (value.strip().isdecimal() and int(value) > 0):
        raise InputError(f"environment variable {name}", value, f"a whole number from 1; or unset {name}")


def _enable_compiling() -> None:
    """Ignore the variable that disables compiling; Numba reads it when it is imported, which is later."""
    if os.environ.get(DISABLING, "0").strip() not in ("", "0"):
        message(f"environment variable {DISABLING} is set aside: the simulator runs compiled only")
        del os.environ[DISABLING]


@contextmanager
def _workers_apart() -> Iterator[None]:
    """Keep worker processes from importing modules of the current folder.

    They start as `python -m ...`, which would take a file random.py there for Python's module.
    """
    name = "PYTHONSAFEPATH"
    if os.environ.get(name):
        yield
        return
    os.environ[name] = "1"
    try:
        yield
    finally:
        del os.environ[name]


@contextmanager
def _shown_warnings() -> Iterator[None]:
    """Print warnings of other packages where the user made warnings errors (PYTHONWARNINGS=error)."""
    if not any(option.startswith("e") for option in sys.warnoptions):
        yield
        return
    with warnings.catch_warnings():
        warnings.filters = [
            ("default" if action == "error" else action, message, category, module, line)
            for action, message, category, module, line in warnings.filters
        ]
        yield
