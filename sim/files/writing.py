"""Writing files so that nothing is ever half-written: a temporary name beside the target, then a rename.

A rename replaces whatever has the target's name. Therefore only a regular file may have it: a device, a FIFO or a
socket would be lost, and of a symbolic link the rename would replace the link and not its target.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from pmtwin.sim.common import system_errors
from pmtwin.sim.errors import InputError

_KINDS = {
    stat.S_IFLNK: "symbolic link",
    stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def check_writable(path: str | os.PathLike, field: str = "output") -> Path:
    """The path, if a file can be written there; call it before long work.

    Raises:
        InputError: no file can be created, or a directory, a symbolic link, a device or another special file has the
            name.
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise InputError(field, str(path), "the name of a file; this is a directory")
        parent = path.parent
        if not parent.is_dir():
            fault = f"cannot be made: there is no directory {str(parent)!r}"
            raise InputError(field, str(path), "a file in an existing directory", wrong=fault)
        if os.path.lexists(path):
            mode = os.lstat(path).st_mode
            if not stat.S_ISREG(mode):
                kind = _KINDS.get(stat.S_IFMT(mode), "special file")
                raise InputError(field, str(path), f"a new file, or a regular one to be replaced; this is a {kind}")
            if not os.access(path, os.W_OK):
                raise InputError(field, str(path), "a writable file")
        handle, trial = _temporary(path)  # a check of permissions is not enough: in /proc even root can create nothing
        os.close(handle)
        os.remove(trial)
    except OSError as error:
        raise _unwritable(field, path, error) from error
    return path


def check_folder(folder: str | os.PathLike, field: str = "output") -> None:
    """Raise the error of `make_folder`, if any, without making the folder; call it before long work."""
    folder = Path(folder)  # not normalised: after a symbolic link, `..` is the parent of the link's target
    parents = (parent for parent in (folder, *folder.parents) if parent.name != "..")
    absent = [parent for parent in parents if not os.path.exists(parent)]
    try:
        make_folder(folder, field)
    finally:
        for parent in absent:
            if os.path.isdir(parent):
                parent.rmdir()


def make_folder(folder: str | os.PathLike, field: str = "output") -> Path:
    """Make a folder and its parents, unless they exist; returns its path.

    Args:
        field: name of the option, for errors.

    Raises:
        InputError: the folder cannot be made or written.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InputError(field, str(folder), "a folder", wrong="is a file") from error
    except OSError as error:
        allowed = system_errors.remedy(error, "a folder that can be made")
        fault = f"cannot be made ({system_errors.reason(error)})"
        raise InputError(field, str(folder), allowed, wrong=fault) from error
    if not os.access(folder, os.W_OK):
        raise InputError(field, str(folder), "a folder that can be written")
    return folder


def write_atomically(
    path: str | os.PathLike, write: Callable[[IO], object], mode: str = "w", field: str = "output"
) -> Path:
    """Call `write(file)` on a temporary file beside `path`, then rename it to `path`.

    At the return, content and name are on the medium.

    Raises:
        InputError: the path cannot be written; no file is left behind.
    """
    path = check_writable(path, field)
    temporary = None
    try:
        handle, temporary = _temporary(path)
        encoding, newline = (None, None) if "b" in mode else ("utf-8", "")
        with os.fdopen(handle, mode, encoding=encoding, newline=newline) as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())  # before the rename: a power cut must not leave the name on an empty file
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)  # mkstemp makes files private; results are for sharing
        os.replace(temporary, path)
        temporary = None
        sync_folder(path.parent)
    except OSError as error:
        _remove(temporary)
        raise _unwritable(field, path, error) from error
    except BaseException:
        _remove(temporary)
        raise
    return path


def sync_folder(folder: Path) -> None:
    """Write the names of a folder's files to the medium, so that a new or changed name survives a power cut.

    Raises:
        OSError: the folder cannot be opened, or its medium failed.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # EINVAL: a file system without a medium
            raise
    finally:
        os.close(handle)


def write_text(path: str | os.PathLike, text: str, field: str = "output") -> Path:
    """Write a text, atomically."""
    return write_atomically(path, lambda file: file.write(text), field=field)


def write_json(path: str | os.PathLike, value: object, field: str = "output") -> Path:
    """Write `value` as indented JSON, atomically.

    Raises:
        ValueError: the value has NaN or an infinity.
    """
    text = json.dumps(value, indent=1, allow_nan=False) + "\n"
    return write_text(path, text, field)


def _temporary(path: Path) -> tuple[int, str]:
    """(handle, name) of a new file beside `path`, whose name begins with that of `path`, within 255 characters."""
    return tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:32]}.", suffix=".part")


def _unwritable(field: str, path: Path, error: OSError) -> InputError:
    allowed = system_errors.remedy(error, "a writable file")
    return InputError(field, str(path), allowed, wrong=f"cannot be written ({system_errors.reason(error)})")


def _remove(path: str | None) -> None:
    if path is not None and os.path.exists(path):
        os.remove(path)
