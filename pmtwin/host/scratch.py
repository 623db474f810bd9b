"""A folder of one's own for a pool, also gone after a kill: then the next one made beside it removes it."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "pmtwin-host-"
OWNER = "owner"
"""A file that is locked (flock) while the process of its folder lives."""


@contextmanager
def scratch_folder(directory: str) -> Iterator[str]:
    """A new folder in `directory`, removed at the end; those of processes that are gone are removed first."""
    for folder in Path(directory).glob(PREFIX + "*"):
        _remove_if_abandoned(folder)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=directory) as folder:
        fresh = Path(folder, OWNER + ".new")  # whoever finds `owner` finds it locked as long as this process lives
        with fresh.open("x") as owner:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fresh.rename(Path(folder, OWNER))
            yield folder


def _remove_if_abandoned(folder: Path) -> None:
    try:
        if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
            return
        descriptor = os.open(folder / OWNER, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return  # not such a folder, or gone meanwhile
    with os.fdopen(descriptor) as owner:
        try:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return  # its process lives
        shutil.rmtree(folder, ignore_errors=True)
