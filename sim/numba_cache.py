"""Where numba keeps what it compiled: a folder named after the sources that it was compiled from.

Numba recompiles a cached function when its own file changes, but not when a compiled function of another file does that
was inlined into it: after an edit of `draws.py` the cached kernel of `engines/compiled.py` would go on with the old
numbers. Here every change of a source that uses numba leads to another folder, and a stale one is never looked at.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
ROOMS = (TOP / "sim", TOP / "policies")
"""The folders whose sources have functions that numba compiles."""

PREFIX = "pmtwin-"
VARIABLE = "NUMBA_CACHE_DIR"
KEPT = 4
"""Caches of earlier sources that stay, for those who go back and forth between two versions."""

_NAME = re.compile(re.escape(PREFIX) + "[0-9a-f]{16}")


def source_digest(folders: Iterable[Path]) -> str:
    """Sixteen hexadecimal digits that change with any source below `folders` that mentions numba."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            content = path.read_bytes()
            if b"numba" in content:
                digest.update(f"{path.relative_to(folder.parent)} {len(content)}\n".encode())
                digest.update(content)
    return digest.hexdigest()[:16]


def use_own_folder(folders: Iterable[Path] = ROOMS) -> Path:
    """Make numba keep its cache in the folder of the present sources; call it before anything is compiled.

    A folder that the user named in NUMBA_CACHE_DIR is respected: ours goes below it. Child processes inherit it.
    """
    folder = _base() / f"{PREFIX}{source_digest(folders)}"
    if not folder.is_dir():
        _prune(folder.parent)
    os.environ[VARIABLE] = str(folder)
    if "numba" in sys.modules:  # imported before us: it has read the environment already
        sys.modules["numba"].config.CACHE_DIR = str(folder)
    return folder


def is_cold() -> bool:
    """Whether nothing has been compiled from the present sources yet: the first use of the engine takes seconds."""
    return not Path(os.environ[VARIABLE]).is_dir()


def _prune(base: Path) -> None:
    """Remove all but the `KEPT` folders that were compiled into last: each edit would leave some megabytes behind.

    A process that still runs on older sources compiles again what it misses.
    """

    def last_used(folder: Path) -> float:
        try:
            return folder.stat().st_mtime
        except OSError:  # another process was faster
            return 0.0

    try:
        ours = [entry for entry in base.iterdir() if _NAME.fullmatch(entry.name) and entry.is_dir()]
    except OSError:
        return
    for folder in sorted(ours, key=last_used, reverse=True)[KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)


def _base() -> Path:
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).parent if Path(named).name.startswith(PREFIX) else Path(named)
    if os.access(Path(__file__).parent, os.W_OK):
        return Path(__file__).parent / "__pycache__"
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    if os.access(home if home.is_dir() else home.parent, os.W_OK):
        return home / "pmtwin"
    return Path(tempfile.gettempdir()) / f"pmtwin-{os.getuid()}"


use_own_folder()
