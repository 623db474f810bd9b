"""A measurement file as its bytes, its text, its table or its JSON value: formats are recognised by content."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sim.device.table_file import Table, parse_table, read_bytes
from sim.errors import InputError, check_range


@dataclass(frozen=True)
class ReadOptions:
    """What the user says about files that do not tell it themselves.

    Args:
        dimms: modules of the device, where the file does not say; None: a full set.
        machine: which one, in a file of several.
        media: kind of memory, where the file does not say.
    """

    dimms: int | None = None
    machine: str | None = None
    media: str = ""


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
        allowed = "text (CSV, JSON or the output of a tool); this is a binary file"
        if b"\0" in self.content:
            raise InputError("source", self.path, allowed)
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError("source", self.path, allowed) from error

    @cached_property
    def is_json(self) -> bool:
        """Whether the content begins like JSON (fio may print warnings of its own before it)."""
        return self._json_start >= 0

    @cached_property
    def _json_start(self) -> int:
        lines = self.text.splitlines(keepends=True)
        offset = 0
        for line in lines:
            if line.startswith(("{", "[")):
                return offset
            if line.strip() and not line.startswith(("fio:", "note:", "warning:")):
                return -1
            offset += len(line)
        return -1

    @cached_property
    def json(self) -> object:
        """The JSON value; `InputError` with file and line if the text is cut off or malformed."""
        try:
            return json.loads(self.text[self._json_start :])
        except json.JSONDecodeError as error:
            line = error.lineno + self.text[: self._json_start].count("\n")
            raise InputError(
                "source", error.msg, "whole, well-formed JSON (truncated?)", f"{self.path}:{line}"
            ) from error

    @cached_property
    def table(self) -> Table:
        """The table of comma-separated values; `InputError` if it is none."""
        return parse_table(self.content, self.path, "source")


def open_document(path: str | os.PathLike) -> Document:
    """The document at a path, decompressed if its name ends in .gz; `InputError` if it is empty or unreadable."""
    document = Document(str(path), read_bytes(Path(path), "source"))
    if not document.text.strip():
        raise InputError("source", str(path), "a header line and at least one row; this file is empty")
    return document


def number(field: str, value: object, where: str, low: float = 0.0, high: float = math.inf) -> float:
    """A finite number in a range, from JSON or a cell of text.

    Raises:
        InputError: names field, value, what is allowed and where.
    """
    try:
        result = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(field, value, "a number", where) from None
    if isinstance(value, bool) or not math.isfinite(result):
        raise InputError(field, value, "a finite number", where)
    check_range(field, result, low, high, where=where)
    return result


def require(field: str, value: object, keys: tuple[str, ...], where: str) -> dict:
    """`value` if it is an object with all the keys; `InputError` names the first that is missing."""
    if not isinstance(value, dict):
        raise InputError(field, type(value).__name__, f"an object with {', '.join(keys)}", where)
    for key in keys:
        if key not in value:
            raise InputError(field, ", ".join(map(str, value)), f"an object with {key!r} in it", where)
    return value
