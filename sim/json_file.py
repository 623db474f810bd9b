"""Reading JSON that somebody else may have written: every reader refuses the same damage in the same words."""

from __future__ import annotations

import json
import os
from pathlib import Path

from pmtwin.sim.errors import InputError


def read_json(path: str | os.PathLike, field: str, allowed: str = "a readable file") -> object:
    """The value in a JSON file.

    Args:
        path: of the file.
        field: the user's name of it, for errors.
        allowed: which file that should be, for errors.

    Raises:
        InputError: the file cannot be read, or as `parse_json`.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(field, str(path), f"{allowed} ({error.strerror})") from error
    return parse_json(content, field, str(path))


def parse_json(content: bytes | str, field: str, where: str) -> object:
    """The value of a JSON text.

    Raises:
        InputError: it is not whole, not in UTF-8, or nested more deeply than Python reads.
    """
    try:
        return json.loads(content)
    except RecursionError:
        raise InputError(field, where, "a whole JSON file (this one is too deeply nested)") from None
    except ValueError as error:
        raise InputError(field, where, f"a whole JSON file ({error})") from error
