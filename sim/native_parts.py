"""Paths of the native parts (the probe, the real middleware, the programs of `pmtwin bench`), and how to get them."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "PMTWIN_NATIVE"
CHECKOUT = Path(__file__).resolve().parents[1]
"""The folder of the sources; in an installation without a checkout it has no `Makefile`."""


def native_folder() -> Path:
    """The folder that PMTWIN_NATIVE names, or `build/native` of the checkout."""
    named = os.environ.get(VARIABLE)
    return Path(named).absolute() if named else CHECKOUT / "build" / "native"


def how_to_get(needs: str) -> str:
    """Instructions that a user follows to get a native part.

    Args:
        needs: what its build rests on, as a list in words.
    """
    if named := os.environ.get(VARIABLE):
        return (
            f"{VARIABLE}: {named!r} lacks it; allowed: the folder build/native of a checkout in which `make build` "
            f"built it (that needs {needs})"
        )
    if (CHECKOUT / "Makefile").is_file():
        return f"`make build` builds it where {needs} are installed, and says what it leaves out"
    return (
        f"pip installs no native parts: run `make build` in a checkout of pmtwin, where {needs} are installed, and set "
        f"{VARIABLE} to the folder build/native in it"
    )
