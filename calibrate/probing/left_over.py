"""Halves of a result that a killed probe may leave, identified by name and owner."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path


def left_over_files(output: Path) -> Iterator[Path]:
    """Halves of the result, of which no other probe may run; nothing is followed or opened."""
    part = re.compile(re.escape(f".{output.name[:32]}.") + r"\w{8}\.part")
    try:
        files = [(path, path.lstat()) for path in sorted(output.parent.iterdir()) if part.fullmatch(path.name)]
    except OSError:  # the probe itself says what is wrong with the folder
        return
    for path, status in files:
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid():
            yield path
