"""A measurement file as its bytes, its text, its table or its JSON value: formats are recognised by content."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pmtwin.calibrate.readers.posted import plain_table
from pmtwin.sim.errors import InputError, check_range, in_full
from pmtwin.sim.files.csv_table import Table, parse_table
from pmtwin.sim.files.input_file import content_of
from pmtwin.sim.files.input_text import decoded
from pmtwin.sim.files.json_file import TOO_DEEP, TOO_MANY_DIGITS, json_fault

_VALUE = re.compile(r"^\s*(?:\{|\[(?=\s*(?:[\[{\"\]]|-?[\d.eE+-]+\s*,|\Z)))|\{(?=\s*\"fio version\")", re.MULTILINE)
"""The begin of a JSON value; a time in brackets, before a line of a log, is none. fio's may follow its progress."""

_NEXT = re.compile(r"\s*[{\[]")
"""A value right behind another one."""

FIO = '"fio version"'


@dataclass(frozen=True)
class ReadOptions:
    """The user's statements about files that lack them.

    Args:
        dimms: modules of the device, where the file does not say; None: a full set.
        machine: which one, in a file of several.
        media: kind of memory, where the file does not say.
        accept_disturbed: whether a probe's repetitions of one thread count that other work disturbed.
    """

    dimms: int | None = None
    machine: str | None = None
    media: str = ""
    accept_disturbed: bool = False


@dataclass(frozen=True)
class Document:
    """Args:
    path: for errors.
    content: decompressed bytes.
    """

    path: str
    content: bytes

    @cached_property
    def text(self) -> str:
        """The content as text; `InputError` for a binary file."""
        return decoded(self.content, self.path, "source", "text (CSV, JSON or the output of a tool)")

    @cached_property
    def is_json(self) -> bool:
        """Whether the content begins like JSON. fio prints warnings, or its report for people, before it."""
        return bool(self._json_start)

    @property
    def is_json_alone(self) -> bool:
        """Whether nothing but JSON is in the content."""
        return self.is_json and self.text.lstrip().startswith(("{", "[")) and self.text.rstrip().endswith(("}", "]"))

    @cached_property
    def _json_start(self) -> re.Match | None:
        start = _VALUE.search(self.text)
        if start and (not self.text[: start.start()].strip() or FIO in self.text):
            return start
        return None

    @cached_property
    def json(self) -> Any:
        """The JSON value; `InputError` with file and line if the text is cut off or malformed, or holds unlike ones."""
        value, *more = self.json_values
        if any(other != value for other in more):
            allowed = "one JSON value; give each as a file of its own"
            raise InputError("source", f"{1 + len(more)} unlike JSON values", allowed, self.path)
        return value

    @property
    def json_copies(self) -> int:
        """How often the file repeats its JSON value."""
        return len(self.json_values) - 1

    @cached_property
    def json_values(self) -> list[object]:
        """All JSON values of the file, which fio's report for people may surround; errors as in `json`."""
        values, decoder, start = [], json.JSONDecoder(), self._json_start
        while start:
            try:
                begin = start.end() - 1
                value, end = decoder.raw_decode(self.text, begin)
                start = _NEXT.match(self.text, end) or _VALUE.search(self.text, end)
                between = self.text[end : start.start() if start else None].strip()
                if between and FIO not in self.text:
                    raise json.JSONDecodeError("Extra data", self.text, end)
            except json.JSONDecodeError as error:
                raise self._no_json(json_fault(error, begin)) from error
            except RecursionError:
                raise self._no_json(TOO_DEEP) from None
            except ValueError:
                raise self._no_json(TOO_MANY_DIGITS) from None
            values.append(value)
        return values

    def _no_json(self, wrong: str) -> InputError:
        allowed = "whole JSON of measurements; where it is cut off, fetch or write the file anew"
        return InputError("source", self.path, allowed, wrong=wrong)

    @cached_property
    def table(self) -> Table:
        """The table of comma-separated values, broken rows apart; `InputError` if it is none."""
        return parse_table(self.plain_text.encode(), self.path, "source", broken_rows=True)

    @cached_property
    def plain_text(self) -> str:
        """The text of a table without the marks of mails and forums."""
        return plain_table(self.text)


def open_document(path: str | os.PathLike) -> Document:
    """The document at a path, decompressed; `InputError` if it is empty or unreadable."""
    document = Document(str(path), content_of(path, "source", "a file of measurements"))
    if not document.text.strip():
        raise InputError("source", str(path), "a header line and at least one row", wrong="is empty")
    return document


MOST_THREADS = 1 << 16
"""Most threads of a measurement."""

LARGEST_SIZE_BYTES = 1 << 40
"""Largest size of an access. The law ends earlier; an access between the two is dropped and counted, not refused."""


def measured(field: str, value: object, where: str) -> float:
    """A program's number in JSON: text is none; the cleaning checks that it is finite.

    Raises:
        InputError: names field, value, allowed values and place.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(field, value, "a number", where)
    try:
        return float(value)
    except OverflowError:
        raise InputError(field, value, "a number that fits 64 bits", where) from None


def counter(field: str, value: object, where: str, low: float = 0.0, high: float = math.inf) -> float:
    """A finite number of JSON in a range, errors as those of `number`."""
    return number(field, measured(field, value, where), where, low, high)


def whole(field: str, value: object, where: str, high: int, read: Callable[..., float] = counter) -> float:
    """A whole number from 1 to `high`, read by `counter` or `number`; errors as theirs."""
    result = read(field, value, where)
    if not (1 <= result <= high and result.is_integer()):
        raise InputError(field, value, f"a whole number from 1 to {in_full(high)}", where)
    return result


def number(field: str, value: Any, where: str, low: float = 0.0, high: float = math.inf) -> float:
    """A finite number in a range, from a cell or a tool's text; of JSON's own numbers `counter` is stricter.

    Raises:
        InputError: names field, value, allowed values and place.
    """
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(field, value, "a number", where) from None
    if isinstance(value, bool) or not math.isfinite(result):
        raise InputError(field, value, "a finite number", where)
    check_range(field, result, low, high, where=where)
    return result


def require(field: str, value: object, keys: tuple[str, ...], where: str) -> dict:
    """`value` if it is an object with all the keys; `InputError` names the first that is missing."""
    if not isinstance(value, dict):
        raise InputError(field, value, _object_with(keys), where)
    for key in keys:
        if key not in value:
            raise InputError(f"{field}.{key}", None, f"the object has {', '.join(map(str, value)) or 'nothing'}", where)
    return value


def _object_with(keys: tuple[str, ...]) -> str:
    return f"an object with {', '.join(keys)}" if keys else "an object"
