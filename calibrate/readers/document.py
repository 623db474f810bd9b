"""A measurement file as bytes, text, table or JSON. Readers recognise their format by this content, not by a name."""

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
"""The beginning of a JSON value. A time in brackets before a log's line is none; fio's may follow its progress."""

_NEXT = re.compile(r"\s*[{\[]")
"""A value right behind another one."""

FIO = '"fio version"'


@dataclass(frozen=True)
class ReadOptions:
    """The user's statements about what a file does not say.

    Args:
        dimms: number of modules of the device; None: a full set.
        machine: name of the machine, in a file of several machines.
        media: kind of memory.
        accept_disturbed: whether a probe's repetitions of one thread count although other work disturbed them.
    """

    dimms: int | None = None
    machine: str | None = None
    media: str = ""
    accept_disturbed: bool = False


@dataclass(frozen=True)
class Document:
    """A measurement file.

    Args:
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
        """Whether the content begins like JSON. Before fio's JSON there may be warnings, or its report for people."""
        return bool(self._json_start)

    @property
    def is_json_alone(self) -> bool:
        """Whether the content begins and ends with JSON."""
        return self.is_json and self.text.lstrip().startswith(("{", "[")) and self.text.rstrip().endswith(("}", "]"))

    @cached_property
    def _json_start(self) -> re.Match | None:
        start = _VALUE.search(self.text)
        if start and (not self.text[: start.start()].strip() or FIO in self.text):
            return start
        return None

    @cached_property
    def json(self) -> Any:
        """The JSON value.

        Raises:
            InputError: names file and line; the text is cut off or malformed, or has several values that differ.
        """
        value, *more = self.json_values
        if any(other != value for other in more):
            allowed = "one JSON value; give each as a file of its own"
            raise InputError("source", f"{1 + len(more)} unlike JSON values", allowed, self.path)
        return value

    @property
    def json_copies(self) -> int:
        """Number of times that the file repeats its JSON value."""
        return len(self.json_values) - 1

    @cached_property
    def json_values(self) -> list[object]:
        """All JSON values of the file; fio's report for people may be around them. Errors as of `json`."""
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
        """The table of comma-separated values, with broken rows in `Table.broken`; `InputError` if it is no table."""
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
"""Largest size of an access that is no error. The law ends at a smaller size: accesses in between are dropped and
counted."""


def measured(field: str, value: object, where: str) -> float:
    """A number in a program's JSON, which may be infinite or NaN: the cleaning checks that. Text is refused.

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
    """A finite number in JSON, in a range (default: 0 or more). Text is refused; errors as of `number`."""
    return number(field, measured(field, value, where), where, low, high)


def whole(field: str, value: object, where: str, high: int, read: Callable[..., float] = counter) -> float:
    """A whole number from 1 to `high`. `read`: `counter` or `number`; errors as of these."""
    result = read(field, value, where)
    if not (1 <= result <= high and result.is_integer()):
        raise InputError(field, value, f"a whole number from 1 to {in_full(high)}", where)
    return result


def number(field: str, value: Any, where: str, low: float = 0.0, high: float = math.inf) -> float:
    """A finite number in a range (default: 0 or more), from a cell or a tool's text. For numbers in JSON see `counter`.

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
    """`value`, which must be an object with all the keys; `InputError` names the first missing key."""
    if not isinstance(value, dict):
        raise InputError(field, value, _object_with(keys), where)
    for key in keys:
        if key not in value:
            raise InputError(f"{field}.{key}", None, f"the object has {', '.join(map(str, value)) or 'nothing'}", where)
    return value


def _object_with(keys: tuple[str, ...]) -> str:
    return f"an object with {', '.join(keys)}" if keys else "an object"
