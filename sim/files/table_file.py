"""A user's tables of keys and values, in TOML or JSON."""

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
"""Start of the messages of `tomllib` about faults in front of a value."""

_TWICE = ("Cannot", "Duplicate")
"""Start of its messages about repeated keys and tables (cannot overwrite, declare, mutate)."""

_PLACE = re.compile(r"\(at line (\d+), column \d+\)$")


def read_table(path: str | Path, field: str, form: str = FORM) -> dict:
    """The table in a file or a pipe, which may be compressed.

    It is JSON if the name ends in `.json` or the content begins with `{`, and TOML otherwise.

    Args:
        field: name of the option, for errors.
        form: the expected file in words, for errors.

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
    """The error about a line, from the message of `tomllib`."""
    line, where = lines[number - 1].strip(), f"{path}:{number}"
    key, equals, value = (part.strip() for part in line.partition("="))
    if fault.startswith(_TWICE):
        return InputError("line", line, "each key and each table once", where, "is there twice")
    if key and equals and not fault.startswith(_KEYS):
        return InputError(key, value, VALUES, where, "is no value of TOML")
    return InputError("line", line, "KEY = VALUE, [TABLE], or # and a comment", where, "is no TOML")
