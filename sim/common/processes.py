"""Parallel worker processes, by Joblib, with the same working directory as the process that starts them."""

from __future__ import annotations

import os
import subprocess
import warnings
from typing import IO, TYPE_CHECKING, AnyStr

if TYPE_CHECKING:
    from joblib import Parallel


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
    return Parallel(n_jobs=jobs, return_as=return_as, initializer=os.chdir, initargs=(os.getcwd(),))
