"""Register of the readers. A file is read by the first reader that recognises its content, whatever its name."""

from __future__ import annotations

import csv
import difflib
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pmtwin.calibrate.context import Context, join_contexts
from pmtwin.calibrate.effect_files import tells_of_effects
from pmtwin.calibrate.measurements import Dropped, Measurements, Source, join
from pmtwin.calibrate.readers.cells import with_plain_numbers
from pmtwin.calibrate.readers.cleaning import COPY, Tally
from pmtwin.calibrate.readers.copies import without_copies
from pmtwin.calibrate.readers.document import Document, ReadOptions, open_document
from pmtwin.calibrate.readers.plausibility import check_unit_of_table, plausible
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.files.header import Header, is_comment, misplaced_header
from pmtwin.sim.files.input_file import plain_suffix
from pmtwin.sim.files.input_text import other_separator

SUFFIXES = (".csv", ".json", ".txt", ".out", ".log")
"""Suffixes of the files that are read in a folder, also compressed; a file that is named itself may have any suffix."""


@dataclass(frozen=True)
class Reader:
    """A reader of one format.

    Args:
        name: of the format.
        marks: columns by which a table of the format is recognised; empty for formats that are no table.
        recognises: whether a document is of this format.
        looks: sign of the format, for errors.
        read: (document, options) -> cleaned measurements; raises `InputError` if no row is usable or the unit is wrong.
        beside_others: whether it also reads its part of a document of another format.
    """

    name: str
    marks: tuple[str, ...]
    recognises: Callable[[Document], bool]
    looks: str
    read: Callable[[Document, ReadOptions], Measurements]
    beside_others: bool = False


MOST_OF_A_HEADER, MOST_LINES_BEFORE_HEADER = 100_000, 50
"""Characters and lines at the beginning of a table in which the header is searched."""

OF_SEVERAL_MACHINES = {"permabench-table"}
"""Formats whose files may hold several machines."""

_READERS: dict[str, Reader] = {}
_FOREIGN: list[tuple[Callable[[Document], bool], str]] = []


def register(name: str, marks: tuple[str, ...]) -> Callable:
    """Decorator: make a function (table, options) the reader of tables that have all the columns `marks`."""

    def add(read: Callable) -> Callable:
        def recognises(document: Document) -> bool:
            return not document.is_json and set(marks) <= set(_header(document))

        looks = f"columns {', '.join(marks)}"

        def read_table(document: Document, options: ReadOptions) -> Measurements:
            document.table.require_columns(marks)  # a quote may make another header of the first line
            table, copies = without_copies(document.table)
            measurements, tally = read(with_plain_numbers(table), options), Tally(document.path)
            for place in copies:
                tally.drop(COPY, place=place)
            for error in document.table.broken:
                tally.fault(error)
            unread = tally.dropped(usable=len(table.rows))
            return replace(measurements, dropped=Dropped(measurements.dropped).add(unread))

        _READERS[name] = Reader(name, marks, recognises, looks, read_table)
        return read

    return add


def register_document(
    name: str, recognises: Callable[[Document], bool], looks: str, beside_others: bool = False
) -> Callable:
    """Decorator: make a function (document, options) the reader of documents that `recognises` accepts.

    Args:
        beside_others: whether it also reads its part of a document of another format.
    """

    def add(read: Callable) -> Callable:
        _READERS[name] = Reader(name, (), recognises, looks, read, beside_others)
        return read

    return add


def register_foreign(recognises: Callable[[Document], bool], told: str) -> None:
    """Register an output of a known tool that no reader reads.

    Args:
        recognises: whether a document is such an output.
        told: text for the error: what the document is, and what to do instead.
    """
    _FOREIGN.append((recognises, told))


def reader_names() -> list[str]:
    """Formats that can be read."""
    return sorted(_READERS)


def read_sources(
    paths: Sequence[str | os.PathLike], options: ReadOptions | None = None
) -> tuple[Measurements, list[str]]:
    """(All measurements of files and folders, names of files that were left out: unreadable files of folders, copies).

    Raises:
        InputError: a file that cannot be read, a named file of an unknown format, or nothing usable at all.
    """
    options = options or ReadOptions()
    documents: dict[str, Document] = {}  # by their hash
    parts: list[Measurements] = []
    skipped: list[str] = []
    for document, reader in _documents(paths, skipped):
        parts.append(_read(reader, document, options))
        documents[parts[-1].sources[0].sha256] = document
    if not parts:
        raise InputError("source", ", ".join(map(str, paths)), f"at least one file of {', '.join(reader_names())}")
    parts, copies = _without_copies(parts)
    media = join_contexts([*(part.context for part in parts), Context(options.media)]).media
    if media != options.media:  # a file states the kind of memory, which others are then read by
        stated = replace(options, media=media)
        for place, part in enumerate(parts):
            if not part.context.media:
                document = documents[part.sources[0].sha256]
                parts[place] = _read(_known_reader_of(document), document, stated)
    parts = [_checked(part, media, options) for part in parts]
    formats = {name for part in parts for source in part.sources for name in source.reader.split(", ")}
    if options.machine is not None and not formats & OF_SEVERAL_MACHINES:
        reason = f"does not go with files of {', '.join(sorted(formats))}, each of one machine; remove it"
        raise ConflictError("machine", options.machine, reason)
    measurements = join(parts)
    return replace(
        measurements, context=join_contexts([measurements.context, Context(options.media)])
    ), skipped + copies


def _documents(paths: Sequence[str | os.PathLike], skipped: list[str]) -> Iterator[tuple[Document, Reader]]:
    """The documents of files and folders with their readers; files of folders that cannot be read go to `skipped`.

    Raises:
        InputError: a named file that cannot be read, or is of an unknown format; a folder without a file to read.
    """
    for path in map(Path, paths):
        if not os.path.isdir(path):
            document = open_document(path)
            yield document, _known_reader_of(document)
            continue
        files = [file for file in sorted(path.iterdir()) if plain_suffix(file) in SUFFIXES]
        if not files:
            raise InputError("source", str(path), f"a folder with files that end in {' or '.join(SUFFIXES)}")
        for file in files:
            try:
                document = open_document(file)
            except InputError as error:  # one file of a folder never costs the others
                skipped.append(f"{file.name} ({error.wrong})")
                continue
            if reader := _reader_of(document):
                yield document, reader
            else:
                skipped.append(file.name)


def _reader_of(document: Document) -> Reader | None:
    return next((reader for reader in _READERS.values() if reader.recognises(document)), None)


def _known_reader_of(document: Document) -> Reader:
    reader = _reader_of(document)
    if reader is None:
        raise InputError("source", document.path, _formats(), wrong=f"has no known format ({_nearest_miss(document)})")
    return reader


def _read(reader: Reader, document: Document, options: ReadOptions) -> Measurements:
    digest = hashlib.sha256(document.content).hexdigest()
    measurements, names = reader.read(document, options), [reader.name]
    for other in _READERS.values():
        if other.beside_others and other is not reader and not document.is_json_alone and other.recognises(document):
            measurements = join([measurements, other.read(document, options)])
            names.append(other.name)
    return replace(measurements, sources=(Source(Path(document.path).name, ", ".join(names), digest, 0, 0),))


def _checked(part: Measurements, media: str, options: ReadOptions) -> Measurements:
    """The plausible measurements of one file, with its rows counted."""
    (source,) = part.sources
    part = plausible(part, media, options.dimms)
    if source.reader in _READERS and _READERS[source.reader].marks:
        check_unit_of_table(part, source.name)
    rows = len(part) + sum(part.dropped.values()) + part.context.other_rows
    return replace(part, sources=(replace(source, rows=rows, usable=len(part)),))


def _without_copies(parts: Sequence[Measurements]) -> tuple[list[Measurements], list[str]]:
    """A file that counted twice would look like two measurements that agree: the noise like none."""
    first: dict[str, tuple[str, Measurements]] = {}
    copies = []
    for part in parts:
        (source,) = part.sources
        name, _ = first.setdefault(source.sha256, (source.name, part))
        if first[source.sha256][1] is not part:
            copies.append(f"{source.name} (same content as {name})")
    return [part for _, part in first.values()], copies


def _header(document: Document) -> list[str]:
    return _names(_first_line(document))


def _names(line: str) -> list[str]:
    try:
        return [name.strip() for name in next(csv.reader([line]), [])]
    except csv.Error:  # a line of more characters than a cell may have
        return []


def _first_line(document: Document) -> str:
    lines = document.plain_text.lstrip()[:MOST_OF_A_HEADER].splitlines()
    return next((line for line in lines if line.strip() and not is_comment(line)), "")


def _misplaced_header(document: Document, tables: Sequence[Reader]) -> str:
    """Text for the error of a table whose header is in a later line, or in upper or lower case; "" for others."""
    lines = document.plain_text.lstrip("\ufeff")[:MOST_OF_A_HEADER].splitlines()
    comments = [(number, line) for number, line in enumerate(lines, start=1) if is_comment(line)]
    if told := misplaced_header(Header("", 0, comments), iter(lines), [each.marks for each in tables], exact=True):
        return told
    for number, line in enumerate(lines[:MOST_LINES_BEFORE_HEADER], start=1):
        names = _names(line)
        lower = {name.lower(): name for name in names}
        for reader in tables:
            if {mark.lower() for mark in reader.marks} <= set(lower):
                other = [f"{lower[mark.lower()]!r} is {mark}" for mark in reader.marks if mark not in names]
                return f"names of columns are in other letters, in line {number}: {', '.join(other)}"
    return ""


def _nearest_miss(document: Document) -> str:
    """Text for the error of a file that no reader recognises."""
    if told := next((told for recognises, told in _FOREIGN if recognises(document)), ""):
        return told
    if document.is_json:
        document.json  # noqa: B018 - a cut-off file is named as such
        return "JSON of another kind"
    header = _header(document)
    tables = [reader for reader in _READERS.values() if reader.marks]
    if told := _misplaced_header(document, tables):
        return told
    if name := other_separator(_first_line(document)):
        return f"{name} between the columns, where commas are read"
    if any(name in reader.marks for reader in tables for name in header):
        document.table  # noqa: B018 - so is a cut-off table
    if tells_of_effects(header):
        return "measurements of strides, fences or mixes alone: give the file with --effects, beside a sweep"
    reader = max(tables, key=lambda reader: len(set(reader.marks) & set(header)) / len(reader.marks))
    missing = [name for name in reader.marks if name not in header]
    if len(missing) == len(reader.marks):
        return "text without the marks of any format"
    near = {name: difflib.get_close_matches(name, header, n=1, cutoff=0.5) for name in missing}
    hints = ", ".join(name + (f" (has {close[0]!r})" if close else "") for name, close in near.items())
    return f"a header without {hints}, which a table of {reader.name} has"


def _formats() -> str:
    tables = ", ".join(reader.name for reader in _READERS.values() if reader.marks)
    others = "; ".join(f"{reader.name} ({reader.looks})" for reader in _READERS.values() if not reader.marks)
    return f"{others}; a table with the columns of {tables} (docs/calibrate-a-device.md)"
