"""Tables that a user wrote, in TOML or JSON."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from pmtwin.sim.errors import InputError
from pmtwin.sim.files.input_file import content_of, plain_suffix
from pmtwin.sim.files.input_text import decoded
from pmtwin.sim.files.json_file import TOO_DEEP, TOO_MANY_DIGITS, parse_json

FORM = "a TOML or a JSON file"
JSON = 'JSON such as {"KEY": 280000, "TABLE": {"KEY": "text"}}'
VALUES = 'a number such as 280000, "text" in quotes, true, false, or a list such as [1, 2]'

_KEYS = ("Expected '=' after", "Invalid initial character for a key", "Invalid statement")
"""Faults of a line before its value, as `tomllib` begins them."""

_TWICE = ("Cannot", "Duplicate")
"""Cannot overwrite, declare, mutate: a key or a table that is there."""

_PLACE = re.compile(r"\(at line (\d+), column \d+\)$")


def read_table(path: str | Path, field: str, form: str = FORM) -> dict:
    """The table in a file: JSON where it begins so or its name says so, TOML otherwise; also compressed, or a pipe.

    Args:
        field: the user's name of it, for errors.
        form: the expected form, for errors.

    Raises:
        InputError: the file cannot be read, or holds no table.
    """
    text = decoded(content_of(path, field, form), path, field, form)
    is_json = plain_suffix(path) == ".json" or text.lstrip().startswith("{")  # a table of TOML begins with `[`
    content = parse_json(text, field, str(path), JSON) if is_json else _toml(text, str(path), field, form)
    if not isinstance(content, dict):
        raise InputError(field, str(path), form, wrong="holds no table of keys")
    return content


def _toml(text: str, path: str, field: str, form: str) -> dict:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        if place is None:
            raise InputError(field, path, form, wrong="ends before its last value is whole") from error
        raise _line_error(text.split("\n"), int(place[1]), str(error), path) from error
    except RecursionError:
        raise InputError(field, path, form, wrong=TOO_DEEP) from None
    except ValueError:
        raise InputError(field, path, form, wrong=TOO_MANY_DIGITS) from None


def _line_error(lines: list[str], number: int, fault: str, path: str) -> InputError:
    """What is wrong in a line, in the user's words."""
    line, where = lines[number - 1].strip(), f"{path}:{number}"
    key, equals, value = (part.strip() for part in line.partition("="))
    if fault.startswith(_TWICE):
        return InputError("line", line, "each key and each table once", where, "is there twice")
    if key and equals and not fault.startswith(_KEYS):
        return InputError(key, value, VALUES, where, "is no value of TOML")
    return InputError("line", line, "KEY = VALUE, [TABLE], or # and a comment", where, "is no TOML")
