"""The environment that a command finds itself in: checked, or put right, once before anything else.

The streams are those of `pmtwin.console.standard_streams`; the number of processors is that of
`pmtwin.sim.common.threads`, the place of compiled code that of `pmtwin.sim.compiling.functions`.
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
    """Within it a command can run.

    Raises:
        InputError: nothing can: the current folder was removed, or a variable breaks a package that we stand on.
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
    """Numba fails on a number that it cannot use, in the middle of the work."""
    name = "NUMBA_NUM_THREADS"
    value = os.environ.get(name, "1")
    if not (value.strip().isdecimal() and int(value) > 0):
        raise InputError(f"environment variable {name}", value, f"a whole number from 1; or unset {name}")


def _enable_compiling() -> None:
    """Numba reads the variable when it is imported, which is later."""
    if os.environ.get(DISABLING, "0").strip() not in ("", "0"):
        message(f"environment variable {DISABLING} is set aside: the simulator runs compiled only")
        del os.environ[DISABLING]


@contextmanager
def _workers_apart() -> Iterator[None]:
    """A worker process begins as `python -m ...`, which looks for modules in the current folder first: a file there of
    the name random.py would be taken for Python's."""
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
    """Where the user made warnings errors (PYTHONWARNINGS=error), those of other packages show and end no work."""
    if not any(option.startswith("e") for option in sys.warnoptions):
        yield
        return
    with warnings.catch_warnings():
        warnings.filters = [
            ("default" if action == "error" else action, message, category, module, line)
            for action, message, category, module, line in warnings.filters
        ]
        yield
