"""Tables that a user wrote, in TOML or JSON."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pmtwin.sim.errors import InputError
from pmtwin.sim.json_file import read_json


def read_table(path: str | Path, field: str, form: str = "TOML or JSON") -> dict:
    """The table in a file: JSON where its name ends in `.json`, TOML otherwise.

    Args:
        field: the user's name of it, for errors.
        form: the expected form, for errors.

    Raises:
        InputError: the file cannot be read, or holds no table.
    """
    path = Path(path)
    content = read_json(path, field) if path.suffix == ".json" else _toml(path, field, form)
    if not isinstance(content, dict):
        raise InputError(field, str(path), form)
    return content


def _toml(path: Path, field: str, form: str) -> dict:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(field, str(path), f"a readable file ({error.strerror})") from error
    except ValueError as error:  # of TOML and of UTF-8
        raise InputError(field, str(path), f"{form} ({error})") from error
