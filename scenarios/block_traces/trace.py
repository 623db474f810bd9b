"""A trace in a file, plain or compressed by gzip, read in blocks, any number of times."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pmtwin.scenarios.block_traces import csv_format, oracle_format
from pmtwin.scenarios.block_traces.requests import Requests
from pmtwin.sim.errors import InputError

GZIP = b"\x1f\x8b"
FORMS = "CSV with a header, or oracleGeneral of libCacheSim (by its name); plain or .gz"


class Trace:
    """A trace of block requests or of objects.

    Args:
        path: of the file: one of `FORMS`.

    Raises:
        InputError: for a file that cannot be read or has no known format.
    """

    def __init__(self, path: str | Path):
        self.path, self._name = Path(path), str(path)
        self._binary = oracle_format.NAME in self.path.name.lower()
        with self._open() as file:
            header = "" if self._binary else self._guarded(lambda: _text(file).readline())
        self.by_object = self._binary or csv_format.by_object(header)
        if not self._binary:
            csv_format.columns(header, self._name)

    def page_bytes(self, page_bytes: int) -> int:
        """Bytes of a page; an object is one page."""
        return 1 if self.by_object else page_bytes

    def blocks(self) -> Iterator[Requests]:
        """All requests, a block at a time.

        Raises:
            InputError: for a file that is truncated, or a request that cannot be read, with its place.
        """
        with self._open() as file:
            source = oracle_format.blocks(file, self._name) if self._binary else self._csv(file)
            while (block := self._guarded(lambda: next(source, None))) is not None:
                yield block

    def _csv(self, file: BinaryIO) -> Iterator[Requests]:
        return csv_format.blocks(_text(file), self._name)

    def _open(self) -> BinaryIO:
        try:
            with self.path.open("rb") as file:
                compressed = file.read(len(GZIP)) == GZIP
            return gzip.open(self.path) if compressed else self.path.open("rb")
        except OSError as error:
            raise InputError("trace", self._name, f"a readable file ({error.strerror})") from error

    def _guarded(self, read):
        """Result of `read`; a damaged file is an error of the user's."""
        try:
            return read()
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(
                "trace", self._name, f"a whole file; this one is truncated or damaged ({error})"
            ) from error
        except UnicodeDecodeError as error:
            raise InputError("trace", self._name, FORMS) from error


def _text(file: BinaryIO) -> io.TextIOWrapper:
    return io.TextIOWrapper(file, encoding="utf-8")
