"""Which reader takes which file: the first whose columns are all in the header."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from calibrate.measurements import Measurements, Source, join
from sim.device.table_file import Table, parse_table, read_bytes
from sim.errors import InputError

SUFFIXES = (".csv", ".csv.gz")


@dataclass(frozen=True)
class Reader:
    """Args:
    name: of the format.
    marks: columns that only this format has.
    read: table -> measurements, cleaned; raises `InputError` for what no cleaning mends.
    """

    name: str
    marks: tuple[str, ...]
    read: Callable[[Table], Measurements]


_READERS: dict[str, Reader] = {}


def register(name: str, marks: tuple[str, ...]) -> Callable:
    """Decorator: make a function the reader of a format."""

    def add(read: Callable[[Table], Measurements]) -> Callable[[Table], Measurements]:
        _READERS[name] = Reader(name, marks, read)
        return read

    return add


def reader_names() -> list[str]:
    """Formats that can be read."""
    return sorted(_READERS)


def read_sources(paths: Sequence[str | os.PathLike]) -> tuple[Measurements, list[str]]:
    """All measurements of files and folders, and the names of files in folders that no reader takes.

    Raises:
        InputError: a file that cannot be read, a named file of an unknown format, or nothing usable at all.
    """
    parts, skipped = [], []
    for path in map(Path, paths):
        if path.is_dir():
            files = [file for file in sorted(path.iterdir()) if file.name.endswith(SUFFIXES)]
            if not files:
                raise InputError("source", str(path), f"a folder with files that end in {' or '.join(SUFFIXES)}")
            taken = [_read(file, optional=True) for file in files]
            parts += [part for part in taken if part is not None]
            skipped += [file.name for file, part in zip(files, taken, strict=True) if part is None]
        else:
            parts.append(_read(path))
    if not parts:
        raise InputError("source", ", ".join(map(str, paths)), f"at least one file of {', '.join(reader_names())}")
    return join(parts), skipped


def _read(path: Path, optional: bool = False) -> Measurements | None:
    content = read_bytes(path, "source")
    table = parse_table(content, str(path), "source")
    reader = next((reader for reader in _READERS.values() if set(reader.marks) <= set(table.header)), None)
    if reader is None:
        if optional:
            return None
        raise InputError("source", _nearest_miss(table), _formats(), f"{path}:1")
    found = reader.read(table)
    source = Source(path.name, reader.name, hashlib.sha256(content).hexdigest(), len(table.rows), len(found))
    return Measurements(**{**vars(found), "sources": (source,)})


def _nearest_miss(table: Table) -> str:
    reader = max(_READERS.values(), key=lambda reader: len(set(reader.marks) & set(table.header)))
    missing = [name for name in reader.marks if name not in table.header]
    return f"a header without {', '.join(missing)}"


def _formats() -> str:
    return "; ".join(f"{reader.name} (columns {', '.join(reader.marks)})" for reader in _READERS.values())
