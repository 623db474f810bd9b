"""Reading JSON files: all readers of JSON refuse the same damage with the same error."""

from __future__ import annotations

import json
import os
from typing import Any

from pmtwin.sim.errors import InputError
from pmtwin.sim.files.input_file import content_of

ALLOWED = "a JSON file"

TOO_DEEP = "is too deeply nested"
TOO_MANY_DIGITS = "holds a number of too many digits"
"""Faults for which a parser raises `RecursionError`, and `ValueError` (a whole number of thousands of digits)."""


def read_json(path: str | os.PathLike, field: str, allowed: str = ALLOWED) -> Any:
    """The value in a JSON file.

    Args:
        path: of the file.
        field: name of the option, for errors.
        allowed: the expected file in words, for errors.

    Raises:
        InputError: the file cannot be read, or as `parse_json`.
    """
    return parse_json(content_of(path, field, allowed), field, str(path), allowed)


def parse_json(content: bytes | str, field: str, where: str, allowed: str = ALLOWED) -> Any:
    """The value of a JSON text.

    Args:
        where: name of the file, for errors. field, allowed: as of `read_json`.

    Raises:
        InputError: the text is no JSON, is truncated, not in UTF-8, too deeply nested, or has too long a number.
    """
    try:
        return json.loads(content)
    except RecursionError:
        wrong = TOO_DEEP
    except UnicodeDecodeError:
        wrong = "is no text in UTF-8"
    except json.JSONDecodeError as error:
        wrong = json_fault(error)
    except ValueError:
        wrong = TOO_MANY_DIGITS
    raise InputError(field, where, allowed, wrong=wrong)


def json_fault(error: json.JSONDecodeError, begin: int = 0) -> str:
    """The fault of a text that is no JSON, in words with its line; `begin`: index of the value in the text."""
    text = error.doc.rstrip()
    if not text:
        return "is empty"
    if text[begin:].lstrip()[:1] not in tuple('{["'):
        return f"is no JSON from line {error.lineno} on"
    if error.pos >= len(text) or error.msg.startswith("Unterminated"):
        return f"is cut off at its end, line {error.lineno}"
    return f"is no JSON in line {error.lineno}, column {error.colno}"
