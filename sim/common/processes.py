"""Parallel worker processes, by Joblib, with the same working directory as the process that starts them."""

from __future__ import annotations

import os
import signal
import subprocess
import warnings
from typing import IO, TYPE_CHECKING, AnyStr

if TYPE_CHECKING:
    from joblib import Parallel

SILENT = "ignore:resource_tracker:UserWarning"
"""Filter of Python's warnings (`PYTHONWARNINGS`) for those of Joblib's resource tracker."""


def pipes_of(process: subprocess.Popen[AnyStr]) -> tuple[IO[AnyStr], IO[AnyStr]]:
    """(standard input, standard output) of a program that was started with pipes.

    Raises:
        ValueError: the program was started without pipes.
    """
    if process.stdin is None or process.stdout is None:
        raise ValueError("the program was started without pipes")
    return process.stdin, process.stdout


def processes(jobs: int, return_as: str = "list") -> Parallel:
    """Joblib's `Parallel` with `jobs` worker processes; 1: no further process.

    Joblib reuses workers, which keep the working directory of their start and would resolve relative paths (of a user's
    policy, a profile) there. With the directory among the arguments, it replaces workers of another directory.
    """
    from joblib import Parallel

    # Joblib warns about unfinished tasks of an interrupted command
    warnings.filterwarnings("ignore", message=r"\d+ tasks .*(not used|cancelled)", category=UserWarning)
    if jobs != 1:
        _start_silent_tracker()
    return Parallel(n_jobs=jobs, return_as=return_as, initializer=_begin, initargs=(os.getcwd(), os.getpid()))


def _begin(folder: str, parent: int) -> None:
    """Begin a worker. Its import of this package makes it end with its parent, also where it never gets a task."""
    if os.getppid() != parent:  # killed while the worker started
        os.kill(os.getpid(), signal.SIGKILL)
    os.chdir(folder)


def _start_silent_tracker() -> None:
    """Start Joblib's resource tracker, which removes what a killed process has left, without its warnings about it."""
    from joblib.externals.loky.backend import resource_tracker

    name = "PYTHONWARNINGS"
    filters = os.environ.get(name)
    os.environ[name] = ",".join(filter(None, (filters, SILENT)))  # the last filter counts first
    try:
        resource_tracker.ensure_running()
    finally:
        if filters is None:
            del os.environ[name]
        else:
            os.environ[name] = filters
