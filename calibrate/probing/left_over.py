"""Partly written results that a killed probe can leave, identified by name and owner."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path


def left_over_files(output: Path) -> Iterator[Path]:
    """Partly written files of the result `output`, found without following links or opening files.

    No other probe of the same result may run: its file would be among them.
    """
    part = re.compile(re.escape(f".{output.name[:32]}.") + r"\w{8}\.part")
    try:
        files = [(path, path.lstat()) for path in sorted(output.parent.iterdir()) if part.fullmatch(path.name)]
    except OSError:  # the probe itself says what is wrong with the folder
        return
    for path, status in files:
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid():
            yield path
