"""Files that a killed probe may leave, identified by name, owner and content."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

_REGION = re.compile(r"\.pmtwin-probe-(\d+)")
"""Name of the region, for a moment and empty, where a file system has no files without a name."""


def left_over_files(directory: Path, output: Path) -> Iterator[Path]:
    """Files of killed probes: regions that never lost their name, and halves of the result.

    Args:
        directory: that is probed; nothing in it is followed or opened.
        output: the result, of which no other probe may run.
    """
    part = re.compile(re.escape(f".{output.name[:32]}.") + r"\w{8}\.part")
    for path in _probe_files(directory):
        match = _REGION.fullmatch(path.name)
        if match and path.lstat().st_size == 0 and not Path(f"/proc/{match[1]}").exists():
            yield path
    for path in _probe_files(output.parent):
        if part.fullmatch(path.name):
            yield path


def _probe_files(folder: Path) -> list[Path]:
    """Regular files of this user."""
    try:
        files = [(path, path.lstat()) for path in sorted(folder.iterdir()) if path.name.startswith(".")]
    except OSError:  # the probe itself says what is wrong with the directory
        return []
    return [path for path, status in files if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid()]
