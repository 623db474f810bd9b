"""Standard input, output and error as they may be: closed (`>&-`), on a full disk, with no reader (`| head`), or unable
to show a letter. None of these is a reason to lose work."""

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
    """A descriptor that takes everything: after the first failure all goes to nowhere, also what C++ writes."""

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
    """What became of the standard streams.

    Attributes:
        descriptors: those of standard output and error that are guarded.
    """

    descriptors: dict[str, _Descriptor] = field(default_factory=dict)

    @property
    def lost(self) -> OSError | None:
        """Why standard output could not be written; None where all was written, or its reader went away."""
        output = self.descriptors.get("stdout")
        failure = output.failure if output else None
        return None if failure is None or failure.errno == errno.EPIPE else failure


@contextmanager
def guarded() -> Iterator[Streams]:
    """Within it printing never fails. Streams that a caller put in place (a notebook, a test) are left alone."""
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
    """A stream like the given one over the descriptor; it shows letters that its encoding lacks in another way."""
    errors = _SHOWN if stream.errors in ("strict", "surrogateescape", "backslashreplace") else stream.errors
    lines = stream.line_buffering or stream.write_through
    return io.TextIOWrapper(io.BufferedWriter(descriptor), stream.encoding, errors, line_buffering=lines)


def _open_closed() -> None:
    """Put nothing behind closed descriptors: the next file that is opened would become standard output or error."""
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
    """A letter that the encoding lacks as its escape (`\\xfc`); an unreadable byte of a file name as it is on disk."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letter = error.object[error.start]
    if "\udc80" <= letter <= "\udcff":
        return bytes([ord(letter) - 0xDC00]), error.start + 1
    return letter.encode("ascii", "backslashreplace"), error.start + 1
