"""Guard of standard input, output and error, so that no work is lost by a stream that is closed (`>&-`), on a full
disk, without a reader (`| head`), or unable to encode a character."""

from __future__ import annotations

import codecs
import errno
import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_NAMES = ("stdin", "stdout", "stderr")
_SHOWN = "pmtwin-shown"


class _Descriptor(io.FileIO):
    """A descriptor whose writes never fail: after the first failure all output is discarded, also that of C++ code."""

    failure: OSError | None = None

    def write(self, data) -> int:
        try:
            while (written := super().write(data)) is None:  # a pipe that does not wait and is full
                select.select([], [self.fileno()], [])
            return written
        except OSError as error:
            self.failure = error
            with open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), self.fileno())
            return len(data)


@dataclass
class Streams:
    """State of the standard streams.

    Attributes:
        descriptors: guarded descriptors of standard output and error.
    """

    descriptors: dict[str, _Descriptor] = field(default_factory=dict)

    @property
    def lost(self) -> OSError | None:
        """Error of writing standard output; None if all was written, or its reader has closed it."""
        output = self.descriptors.get("stdout")
        failure = output.failure if output else None
        return None if failure is None or failure.errno == errno.EPIPE else failure


@contextmanager
def guarded() -> Iterator[Streams]:
    """Context in which printing never fails; streams replaced by a caller (a notebook, a test) are not changed."""
    _open_closed()
    codecs.register_error(_SHOWN, _shown)
    before = {name: getattr(sys, name) for name in _NAMES}
    streams = Streams()
    for name in _NAMES[1:]:
        stream = before[name]
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8", errors=_SHOWN))  # noqa: SIM115
        elif stream is getattr(sys, f"__{name}__") and isinstance(stream, io.TextIOWrapper):
            stream.flush()
            streams.descriptors[name] = _Descriptor(stream.fileno(), "w", closefd=False)
            setattr(sys, name, _tolerant(stream, streams.descriptors[name]))
    try:
        yield streams
    finally:
        for name in _NAMES[1:]:
            if getattr(sys, name) is not before[name]:
                getattr(sys, name).flush()
                if before[name] is None:
                    getattr(sys, name).close()
                setattr(sys, name, before[name])


def _tolerant(stream: io.TextIOWrapper, descriptor: _Descriptor) -> io.TextIOWrapper:
    """A stream like `stream` on the descriptor, which replaces characters that its encoding lacks (`_shown`)."""
    errors = _SHOWN if stream.errors in ("strict", "surrogateescape", "backslashreplace") else stream.errors
    lines = stream.line_buffering or stream.write_through
    return io.TextIOWrapper(io.BufferedWriter(descriptor), stream.encoding, errors, line_buffering=lines)


def _open_closed() -> None:
    """Open /dev/null for closed descriptors, as the next opened file would become standard output or error."""
    for number in range(len(_NAMES)):
        try:
            os.fstat(number)
        except OSError:
            handle = os.open(os.devnull, os.O_RDWR)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            os.set_inheritable(number, True)


def _shown(error: UnicodeError) -> tuple[str | bytes, int]:
    """Replacement of a character that the encoding lacks: its escape (`\\xfc`), or the raw byte of a file name."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letter = error.object[error.start]
    if "\udc80" <= letter <= "\udcff":
        return bytes([ord(letter) - 0xDC00]), error.start + 1
    return letter.encode("ascii", "backslashreplace"), error.start + 1
