"""Processes side by side: Joblib's, which look for files where the process that starts them does."""

from __future__ import annotations

import os
import subprocess
import warnings
from typing import IO, TYPE_CHECKING, AnyStr

if TYPE_CHECKING:
    from joblib import Parallel


def pipes_of(process: subprocess.Popen[AnyStr]) -> tuple[IO[AnyStr], IO[AnyStr]]:
    """Standard input and output of a program that was started with a pipe for each.

    Raises:
        ValueError: it was started without.
    """
    if process.stdin is None or process.stdout is None:
        raise ValueError("the program was started without pipes")
    return process.stdin, process.stdout


def processes(jobs: int, return_as: str = "list") -> Parallel:
    """Joblib's `Parallel` with this many processes, 1 for none.

    Joblib keeps processes for later work, in the folder they were started in, and a relative path (of a user's policy,
    a profile) would be looked for there. With the folder among their arguments, those of another folder are replaced.
    """
    from joblib import Parallel

    # an interrupted command has no use for results that were under way
    warnings.filterwarnings("ignore", message=r"\d+ tasks .*(not used|cancelled)", category=UserWarning)
    return Parallel(n_jobs=jobs, return_as=return_as, initializer=os.chdir, initargs=(os.getcwd(),))
