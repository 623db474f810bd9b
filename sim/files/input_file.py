"""Opening a user's file, whatever has its name: a plain or a compressed file, or a pipe as `<(zcat FILE)`.

What a file is follows from its first bytes, not from its name. Compressed content is decompressed while it is read.
Content that no reader takes (an archive, a workbook, a web page saved under the name of a table) is refused by name.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import shutil
import stat
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pmtwin.sim.errors import InputError

try:
    from compression import zstd  # Python 3.14
except ImportError:
    zstd = None

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
"""Ends of the names of compressed files, which decide nothing but how to call a file."""

_GZIP, _BZIP2, _XZ, _ZSTD = b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
"""What follows `BZh` and a digit: a block, or the end of an empty file."""

_FOREIGN = (
    (b"PK\x03\x04", "a ZIP archive or a workbook of Excel"),
    (b"\xd0\xcf\x11\xe0", "a workbook of Excel"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x04\x22\x4d\x18", "compressed by lz4"),
    (b"\x1f\x9d", "compressed by compress"),
    (b"LZIP", "compressed by lzip"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\x89HDF", "an HDF5 file"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3", "a database of SQLite"),
    (b"\x93NUMPY", "an array of NumPy"),
    (b"\x7fELF", "a program"),
)
_PAGES = (b"<!doctype", b"<html", b"<head", b"<body", b"<?xml")
_TAR, _TAR_AT = b"ustar", 257

_MOST_LAYERS = 4
"""Compressions within one another that are undone."""

WAIT_SECONDS = 5.0
"""For which a FIFO in the file system may be without a writer."""

_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, *([zstd.ZstdError] if zstd else []))

Kept = dict[tuple[int, int], BinaryIO]
"""Device and inode of a pipe -> a temporary file with what it gave."""

_unnamed: Kept = {}
"""Of pipes as `<(zcat FILE)`: each has one content, for as long as the process lives."""

_of_reader: list[Kept] = []
"""Of FIFOs in the file system, while one reader is at work."""


@contextmanager
def one_reader() -> Iterator[None]:
    """All openings of a FIFO within get what the first one got, as a command may need it twice; its next writer's
    content is the next reader's."""
    _of_reader.append(_of_reader[-1] if _of_reader else {})
    try:
        yield
    finally:
        kept = _of_reader.pop()
        while not _of_reader and kept:
            kept.popitem()[1].close()


def open_content(path: str | os.PathLike, field: str, allowed: str, kept: Kept | None = None) -> io.BufferedReader:
    """The content of a file, decompressed, from its beginning: a pipe, too, can be opened again.

    Args:
        field: the user's name of it, for errors.
        allowed: which file that should be, for errors.
        kept: of a reader that opens a FIFO several times outside `one_reader`: the same dictionary each time.

    Raises:
        InputError: it cannot be read, is a device or a folder, or has content of another kind. Errors while it is read
            come from `reading`.
    """
    with reading(path, field, allowed):
        return _unpacked(_Layer(_opened(path, field, allowed, kept)), path, field, allowed)


def content_of(path: str | os.PathLike, field: str, allowed: str = "a readable file") -> bytes:
    """The whole content; arguments and errors as of `open_content`."""
    with reading(path, field, allowed), open_content(path, field, allowed) as file:
        return file.read()


def rest_of(stream: BinaryIO, name: str, field: str, allowed: str = "readable content") -> bytes:
    """What an open stream, as the standard input, still gives, decompressed; errors as of `open_content`."""
    with reading(name, field, allowed):
        return _unpacked(_Layer(io.BytesIO(stream.read())), name, field, allowed).read()


@contextmanager
def reading(path: str | os.PathLike, field: str, allowed: str) -> Iterator[None]:
    """Errors of a file while it is read are the user's: truncated, damaged, on a failing medium."""
    try:
        yield
    except _DAMAGE as error:
        raise InputError(field, str(path), f"{allowed}, whole", wrong=f"is truncated or damaged ({error})") from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            wrong = f"does not fit {tempfile.gettempdir()}, where what a pipe gives is kept"
            raise InputError(field, str(path), f"{allowed}; TMPDIR=FOLDER names another folder", wrong=wrong) from error
        if error.errno is None:  # of bz2
            wrong = f"is truncated or damaged ({error})"
            raise InputError(field, str(path), f"{allowed}, whole", wrong=wrong) from error
        raise InputError(field, str(path), allowed, wrong=f"cannot be read ({error.strerror})") from error
    except ValueError as error:
        if isinstance(error, InputError | UnicodeError):
            raise
        raise InputError(field, str(path), allowed, wrong=f"cannot be read ({error})") from error  # a NUL in the name


def plain_suffix(path: str | os.PathLike) -> str:
    """The end of a file's name, as `.csv`, without that of a compression."""
    path = Path(path)
    return (path.with_suffix("") if path.suffix in COMPRESSIONS else path).suffix


def foreign_kind(head: bytes) -> str:
    """What content that no reader takes is, by its first bytes; empty for any other."""
    for mark, kind in _FOREIGN:
        if head.startswith(mark):
            return kind
    if head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        return "a tar archive"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return "a web page or XML" if start.startswith(_PAGES) else ""


class _Layer(io.BufferedReader):
    """A file, or what decompresses one; with it is closed what it reads from, which decompressors leave open."""

    def __init__(self, raw: io.RawIOBase | io.BufferedIOBase, below: io.BufferedIOBase | None = None):
        super().__init__(raw)
        self._below = below

    def close(self) -> None:
        super().close()
        if self._below is not None:
            self._below.close()


def _unpacked(file: _Layer, path: str | os.PathLike, field: str, allowed: str) -> _Layer:
    try:
        for _ in range(_MOST_LAYERS):
            opener = _decompressor(file.peek()[:10], path, field, allowed)
            if opener is None:
                break
            file = _Layer(opener(file), file)
        if kind := foreign_kind(file.peek()):
            raise InputError(field, str(path), f"{allowed}; unpack or export it first", wrong=f"is {kind}")
    except BaseException:
        file.close()
        raise
    return file


def _opened(path: str | os.PathLike, field: str, allowed: str, kept: Kept | None) -> io.RawIOBase:
    status = os.stat(path)
    if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
        return io.FileIO(path)
    if stat.S_ISFIFO(status.st_mode):
        named = os.path.exists(os.path.realpath(path))  # not so `/dev/fd/63`
        kept = (_of_reader[-1] if _of_reader else kept) if named else _unnamed
        return _pipe(path, (status.st_dev, status.st_ino), named, kept, field, allowed)
    raise InputError(field, str(path), f"{allowed}, or a pipe", wrong="is a device or a socket")


def _pipe(
    path: str | os.PathLike, key: tuple[int, int], named: bool, kept: Kept | None, field: str, allowed: str
) -> io.RawIOBase:
    """A pipe gives its content once; from a temporary file it can be read as often as a file."""
    if kept is None or key not in kept:
        with open(path, "rb", opener=_open_now) as pipe:
            first = _first_bytes(pipe, path, named, field, allowed)
            os.set_blocking(pipe.fileno(), True)
            content = tempfile.TemporaryFile(prefix="pmtwin-pipe-", buffering=0)  # noqa: SIM115 - open while kept
            content.write(first)
            shutil.copyfileobj(pipe, content)
        content.seek(0)
        if kept is None:
            return content
        kept[key] = content
    return io.FileIO(f"/proc/self/fd/{kept[key].fileno()}")


def _open_now(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # a FIFO without a writer would be waited for without end


def _first_bytes(pipe: BinaryIO, path: str | os.PathLike, named: bool, field: str, allowed: str) -> bytes:
    """What a pipe has at once: nothing if it has a writer that is slow. A FIFO is given time to find a writer.

    Args:
        named: whether it is a FIFO in the file system.
    """
    until = time.monotonic() + (WAIT_SECONDS if named else 0.0)
    while True:
        try:
            content = os.read(pipe.fileno(), 1 << 16)
        except BlockingIOError:
            return b""
        if content or not named:
            return content
        if time.monotonic() > until:
            raise InputError(
                field, str(path), f"{allowed}, or a pipe with a writer", wrong="is a pipe that nobody writes into"
            )
        time.sleep(0.01)


def _decompressor(head: bytes, path: str | os.PathLike, field: str, allowed: str):
    """What opens compressed content; None for any other."""
    if head.startswith(_GZIP):
        return lambda file: gzip.GzipFile(fileobj=file)
    if head.startswith(_BZIP2) and head[4:10] in _BZIP2_BLOCKS:
        return bz2.BZ2File
    if head.startswith(_XZ):
        return lzma.LZMAFile
    if head.startswith(_ZSTD):
        if zstd:
            return zstd.ZstdFile
        wrong = "is compressed by zstd, which this Python cannot read"
        raise InputError(field, str(path), f"{allowed}; decompress it: zstd -d {path}", wrong=wrong)
    return None
