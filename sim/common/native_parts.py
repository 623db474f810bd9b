"""Paths of the native parts (the probe, the real middleware, the programs of `pmtwin bench`), and how to get them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

VARIABLE = "PMTWIN_NATIVE"
CHECKOUT = Path(__file__).resolve().parents[2]
"""The folder of the sources; in an installation without a checkout it has no `Makefile`."""

_PARTS = ("pmtwin-*", "_pmtwin_native*")
_HOME = "CMAKE_HOME_DIRECTORY:INTERNAL="


def native_folder() -> Path:
    """The folder that PMTWIN_NATIVE names, or `build/native` of the checkout."""
    named = os.environ.get(VARIABLE)
    return Path(named).absolute() if named else CHECKOUT / "build" / "native"


def how_to_get(needs: str) -> str:
    """Instructions to a user who lacks a native part.

    Args:
        needs: what its build requires, as a list in words.
    """
    folder = native_folder()
    if folder.is_dir() and any(any(folder.glob(name)) for name in _PARTS):
        return f"{folder} has native parts, but not this one; {how_to_complete(needs)}"
    if named := os.environ.get(VARIABLE):
        fault = "has no native parts" if folder.is_dir() else "is no folder"
        return (
            f"{VARIABLE}: {named!r} {fault}; allowed: the folder build/native of a checkout after `make build` (that "
            f"needs {needs})"
        )
    if (CHECKOUT / "Makefile").is_file():
        return f"`make build` builds it where {needs} are installed, and says what it leaves out"
    return (
        f"pip installs no native parts: run `make build` in a checkout of pmtwin, where {needs} are installed, and set "
        f"{VARIABLE} to the folder build/native in it"
    )


def how_to_complete(needs: str) -> str:
    """Instructions to a user whose build left out a native part: what was left out, and how to run the build again.

    Args:
        needs: as for `how_to_get`.
    """
    folder = native_folder()
    with suppress(OSError):
        if left_out := (folder.parent / f"{folder.name}-left-out").read_text().splitlines():
            return f"`make build` left out {'; '.join(left_out)}; run it in {_checkout(folder)} once that is there"
    return f"run `make build` in {_checkout(folder)} to its end, which builds what is absent (it needs {needs})"


def _checkout(folder: Path) -> str:
    """The checkout from which a folder was built, as recorded by CMake."""
    with suppress(OSError):
        for line in (folder / "CMakeCache.txt").read_text().splitlines():
            if line.startswith(_HOME):
                return line.removeprefix(_HOME)
    return "its checkout"
