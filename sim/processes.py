"""Processes side by side: Joblib's, which look for files where the process that starts them does."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from joblib import Parallel


def processes(jobs: int, return_as: str = "list") -> Parallel:
    """Joblib's `Parallel` with this many processes, 1 for none.

    Joblib keeps processes for later work, in the folder they were started in, and a relative path (of a user's policy,
    a profile) would be looked for there. With the folder among their arguments, those of another folder are replaced.
    """
    from joblib import Parallel

    return Parallel(n_jobs=jobs, return_as=return_as, initializer=os.chdir, initargs=(os.getcwd(),))
