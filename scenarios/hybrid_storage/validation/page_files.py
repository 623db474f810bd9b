"""Files for the pages of a storage: without a name, of full size, with direct accesses where the file system has them.

A file without a name is gone when its last user ends, however that is. On a file system without such files it has a
name for an instant; what a process leaves that is killed just then, the next one removes.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pmtwin.machine import machine
from pmtwin.machine.medium import IN_MEMORY
from pmtwin.scenarios.hybrid_storage.files.content import fill_all
from pmtwin.scenarios.hybrid_storage.files.records import aligned_pages
from pmtwin.sim.common import system_errors
from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.stream import PAGE_BYTES

PREFIX = "pmtwin-pages-"
"""Begin of the name that a file has for an instant."""

PAGES_AT_ONCE = 1024
"""Pages that are written at once into a new file."""

LEFT_FREE = 0.05
"""Share of the memory that is left to others by files in memory."""


class PageFile(NamedTuple):
    """An open file.

    Fields:
        handle: its number in the system. folder: where it lies. kind: file system.
        direct: whether accesses are direct; otherwise `instead` says what they are, and why.
    """

    handle: int
    folder: Path
    kind: str
    direct: bool
    instead: str

    @property
    def words(self) -> str:
        """Where it lies, and how it is accessed."""
        return f"{self.folder} ({self.kind}; {'direct I/O' if self.direct else self.instead})"


def check_room(folder: Path, field: str, pages: int, files: int = 1) -> None:
    """Raise `InputError` unless so many files of this size fit into the folder, which exists.

    Args:
        field: name of the option.
    """
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(field, str(folder), "a folder that this user can write", wrong="cannot be written")
    there, needed = os.statvfs(folder), files * pages * PAGE_BYTES
    free = there.f_bavail * there.f_frsize
    if _kind(folder) in IN_MEMORY:
        import psutil

        free = min(free, int((1.0 - LEFT_FREE) * psutil.virtual_memory().available))
    if needed > free:
        allowed = f"a folder with {_mib(needed)} free, or fewer pages (--footprint-pages)"
        raise InputError(field, str(folder), allowed, wrong=f"is too small: {_mib(free)} are free")


@contextmanager
def page_file(folder: Path, field: str, pages: int) -> Iterator[PageFile]:
    """A new file with all pages, version 0; gone at the end.

    Raises:
        InputError: if it cannot be made.
    """
    try:
        _remove_left(folder)
        handle = _nameless(folder)
        try:
            os.posix_fallocate(handle, 0, pages * PAGE_BYTES)
            _fill(handle, pages)
            kind = _kind(folder)
            instead = _make_direct(handle, kind)
            yield PageFile(handle, folder, kind, not instead, instead)
        finally:
            os.close(handle)
    except OSError as error:
        allowed = system_errors.remedy(error, "a folder that this user can write")
        fault = f"does not take a file of {_mib(pages * PAGE_BYTES)} ({system_errors.reason(error)})"
        raise InputError(field, str(folder), allowed, wrong=fault) from error


def _kind(folder: Path) -> str:
    mount = machine.mount_of(str(folder))
    return "an unknown file system" if mount is None else mount.type


def _mib(size: float) -> str:
    return f"{size / (1 << 20):,.0f} MiB"


def _remove_left(folder: Path) -> None:
    """Remove names that killed processes left; no process needs the name of its file."""
    for path in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if path.is_file() and not path.is_symlink() and path.stat().st_uid == os.getuid():
                path.unlink()


def _nameless(folder: Path) -> int:
    """A new file without a name, open for reading and writing."""
    with suppress(OSError):  # a file system without them; another reason comes again
        return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    handle, name = tempfile.mkstemp(prefix=PREFIX, dir=folder)
    with suppress(FileNotFoundError):
        os.unlink(name)
    return handle


def _fill(handle: int, pages: int) -> None:
    """Write all pages, so that their blocks are there, and take them out of the page cache."""
    words = aligned_pages(min(pages, PAGES_AT_ONCE))
    for first in range(0, pages, len(words)):
        part = words[: pages - first]
        fill_all(part, first, np.uint64(0))
        left, offset = part.reshape(-1).view(np.uint8).data, first * PAGE_BYTES
        while left:
            count = os.pwrite(handle, left, offset)
            left, offset = left[count:], offset + count
    os.fsync(handle)
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)


def _make_direct(handle: int, kind: str) -> str:
    """Let accesses bypass the page cache; returns what they are instead, and why, or nothing."""
    flags = fcntl.fcntl(handle, fcntl.F_GETFL)
    with suppress(OSError):
        fcntl.fcntl(handle, fcntl.F_SETFL, flags | os.O_DIRECT)
        os.preadv(handle, [aligned_pages(1).data.cast("B")], 0)
        return ""
    fcntl.fcntl(handle, fcntl.F_SETFL, flags)
    if kind in IN_MEMORY:
        return "plain I/O: it lies in memory and has no direct I/O"
    return "plain I/O through the page cache: the file system has no direct I/O"
