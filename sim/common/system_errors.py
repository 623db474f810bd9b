"""Errors of the operating system in plain words: the reason and the remedy."""

from __future__ import annotations

import errno

_WORDS: dict[int | None, tuple[str, str]] = {
    errno.ENOSPC: ("no space is left there", "a place with room; or make room there"),
    errno.EDQUOT: ("this user's quota is used up there", "a place with room; or make room there"),
    errno.EROFS: ("the file system is read-only", "a place that can be written"),
    errno.EACCES: (
        "this user has no permission",
        "a place where this user has it; or change it there (ls -ld shows it)",
    ),
    errno.EPERM: (
        "this user has no permission",
        "a place where this user has it; or change it there (ls -ld shows it)",
    ),
    errno.ENOENT: ("there is no such file or folder", "an existing one"),
    errno.ENOTDIR: ("a part of the path is a file, not a folder", "a path through folders"),
    errno.EISDIR: ("it is a folder", "a file"),
    errno.ENAMETOOLONG: ("the name is too long", "a shorter name"),
    errno.ELOOP: ("its symbolic links lead in a circle", "a file or folder without such a link"),
    errno.EIO: ("its device failed", "a place on another device"),
    errno.EFBIG: ("the file would be larger than this process may write", "a higher limit (ulimit -f)"),
    errno.EMFILE: ("too many files are open", "a higher limit (ulimit -n)"),
    errno.ENFILE: ("too many files are open on this machine", "fewer programs at once"),
    errno.EAGAIN: ("no further process or thread may start", "fewer at once (--jobs 1), or a higher limit (ulimit -u)"),
    errno.ENOEXEC: (
        "it is no program for this machine, or not whole",
        "one that was built here to the end: make build",
    ),
    errno.ENOMEM: ("no memory is left", "fewer processes at once (--jobs 1), or a machine with more memory"),
}


def reason(error: OSError) -> str:
    """The reason of the error, in words."""
    return _WORDS[error.errno][0] if error.errno in _WORDS else error.strerror or str(error)


_OF_THE_NAME = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.ELOOP)


def remedy(error: OSError, usual: str = "") -> str:
    """What the system would accept; empty if that is not known.

    Args:
        usual: what the name should be; it is returned if the fault lies in the name.
    """
    if usual and (error.errno in _OF_THE_NAME or error.errno not in _WORDS):
        return usual
    return _WORDS.get(error.errno, ("", ""))[1]


def sentence(error: OSError) -> str:
    """The error in one line, in the form of all errors of pmtwin: what is wrong, and what is allowed."""
    name = error.filename if error.filename2 is None else error.filename2  # of a rename: the new name
    subject = (
        "a file without a name" if name is None else f"file {str(name)!r}" if isinstance(name, int) else repr(name)
    )
    allowed = f"; allowed: {remedy(error)}" if remedy(error) else ""
    return f"{subject} cannot be used: {reason(error)}{allowed}"
