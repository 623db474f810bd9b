"""Opening a user's file: a plain file, a compressed one, or a pipe such as `<(zcat FILE)`.

The first bytes of a file, not its name, determine what it is. Compressed content is decompressed while it is read.
Content that no reader accepts (an archive, a workbook, a web page under the name of a table) is refused by its kind.
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
"""Suffixes of compressed files; they only matter for names in messages."""

_GZIP, _BZIP2, _XZ, _ZSTD = b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
"""Bytes after `BZh` and a digit: of a block, or of the end of an empty file."""

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
"""Largest number of nested compressions."""

WAIT_SECONDS = 5.0
"""Time to wait for a writer of a FIFO in the file system."""

_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, *([zstd.ZstdError] if zstd else []))

Kept = dict[tuple[int, int], BinaryIO]
"""(device, inode) of a pipe -> temporary file with its content."""

_unnamed: Kept = {}
"""Contents of pipes such as `<(zcat FILE)`, kept as long as the process lives."""

_of_reader: list[Kept] = []
"""Contents of FIFOs in the file system, for each active `one_reader`."""


@contextmanager
def one_reader() -> Iterator[None]:
    """Context manager: opening a FIFO again within it gives the same content, since a command may read a file twice.

    Content of the FIFO's next writer goes to the next reader.
    """
    _of_reader.append(_of_reader[-1] if _of_reader else {})
    try:
        yield
    finally:
        kept = _of_reader.pop()
        while not _of_reader and kept:
            kept.popitem()[1].close()


def open_content(path: str | os.PathLike, field: str, allowed: str, kept: Kept | None = None) -> io.BufferedReader:
    """The decompressed content of a file, from its beginning; a pipe, too, can be opened several times.

    Args:
        field: name of the option, for errors.
        allowed: the expected file in words, for errors.
        kept: contents of FIFOs, for a reader that opens one several times outside `one_reader`: the same dictionary
            each time.

    Raises:
        InputError: the file cannot be read, is a device or a folder, or has content that no reader accepts. For errors
            while its content is read, use `reading`.
    """
    with reading(path, field, allowed):
        return _unpacked(_Layer(_opened(path, field, allowed, kept)), path, field, allowed)


def shareable(path: str | os.PathLike) -> Path:
    """The path by which other processes of this user read the same content, as long as this process lives.

    That of a file is itself. Of a pipe that this process has read it is the temporary copy: a worker process has no
    `/dev/fd/63`, and a FIFO gives its content to one reader.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return Path(path)
    key = (status.st_dev, status.st_ino)
    for kept in (_unnamed, *_of_reader[-1:]) if stat.S_ISFIFO(status.st_mode) else ():
        if key in kept:
            return Path(_copy_in(os.getpid(), kept[key]))
    return Path(path)


def content_of(path: str | os.PathLike, field: str, allowed: str = "a readable file") -> bytes:
    """The whole content of a file; arguments and errors as of `open_content`."""
    with reading(path, field, allowed), open_content(path, field, allowed) as file:
        return file.read()


def rest_of(stream: BinaryIO, name: str, field: str, allowed: str = "readable content") -> bytes:
    """The remaining content of an open stream, such as standard input, decompressed; errors as of `open_content`."""
    with reading(name, field, allowed):
        return _unpacked(_Layer(io.BytesIO(stream.read())), name, field, allowed).read()


@contextmanager
def reading(path: str | os.PathLike, field: str, allowed: str) -> Iterator[None]:
    """Context manager: an error while a file is read (truncated, damaged, failing medium) becomes an `InputError`."""
    try:
        yield
    except _DAMAGE as error:
        raise InputError(field, str(path), f"{allowed}, whole", wrong=f"is truncated or damaged ({error})") from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            wrong = f"does not fit into {tempfile.gettempdir()}, which holds the content of pipes"
            raise InputError(field, str(path), f"{allowed}; TMPDIR=FOLDER names another folder", wrong=wrong) from error
        if error.errno is None:  # from bz2
            wrong = f"is truncated or damaged ({error})"
            raise InputError(field, str(path), f"{allowed}, whole", wrong=wrong) from error
        if str(path) == "-" and error.errno == errno.ENOENT:
            allowed += "; standard input is /dev/stdin"
        raise InputError(field, str(path), allowed, wrong=f"cannot be read ({error.strerror})") from error
    except ValueError as error:
        if isinstance(error, InputError | UnicodeError):
            raise
        raise InputError(field, str(path), allowed, wrong=f"cannot be read ({error})") from error  # a NUL in the name


def plain_suffix(path: str | os.PathLike) -> str:
    """The suffix of a file's name, such as `.csv`, without that of a compression."""
    path = Path(path)
    return (path.with_suffix("") if path.suffix in COMPRESSIONS else path).suffix


def foreign_kind(head: bytes) -> str:
    """Kind of a content that no reader accepts, by its first bytes; empty for any other content."""
    for mark, kind in _FOREIGN:
        if head.startswith(mark):
            return kind
    if head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        return "a tar archive"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return "a web page or XML" if start.startswith(_PAGES) else ""


class _Layer(io.BufferedReader):
    """A file or a decompressor; closing it also closes the file below, which decompressors leave open."""

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
        named = os.path.exists(os.path.realpath(path))  # False for `/dev/fd/63`
        kept = (_of_reader[-1] if _of_reader else kept) if named else _unnamed
        return _pipe(path, (status.st_dev, status.st_ino), named, kept, field, allowed)
    raise InputError(field, str(path), f"{allowed}, or a pipe", wrong="is a device or a socket")


def _pipe(
    path: str | os.PathLike, key: tuple[int, int], named: bool, kept: Kept | None, field: str, allowed: str
) -> io.RawIOBase:
    """The content of a pipe, copied to a temporary file: the pipe itself can be read only once."""
    if kept is None or key not in kept:
        with open(path, "rb", opener=_open_now) as pipe:
            head = _first_bytes(pipe, path, named, field, allowed)
            os.set_blocking(pipe.fileno(), True)
            content = tempfile.TemporaryFile(prefix="pmtwin-pipe-", buffering=0)  # noqa: SIM115 - open while kept
            content.write(head)
            shutil.copyfileobj(pipe, content)
        content.seek(0)
        if kept is None:
            return content
        kept[key] = content
    return io.FileIO(_copy_in("self", kept[key]))


def _copy_in(process: int | str, content: BinaryIO) -> str:
    """Path of a process's open file, which has no name of its own."""
    return f"/proc/{process}/fd/{content.fileno()}"


def _open_now(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # otherwise opening a FIFO blocks until it has a writer


def _first_bytes(pipe: BinaryIO, path: str | os.PathLike, named: bool, field: str, allowed: str) -> bytes:
    """The bytes that a pipe has at once; none if its writer is slow. A FIFO gets `WAIT_SECONDS` to find a writer.

    Args:
        named: whether the pipe is a FIFO in the file system.
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
                field, str(path), f"{allowed}, or a pipe with a writer", wrong="is a pipe without a writer"
            )
        time.sleep(0.01)


def _decompressor(head: bytes, path: str | os.PathLike, field: str, allowed: str):
    """The class or function that opens compressed content; None for other content."""
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
