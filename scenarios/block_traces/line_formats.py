"""Traces as text with an event in each line: logs of fio and the output of blkparse."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from pmtwin.scenarios.block_traces.left_out import OTHER, LeftOut
from pmtwin.scenarios.block_traces.requests import BLOCK_REQUESTS, Requests, checked
from pmtwin.scenarios.block_traces.volumes import Volumes
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.header import Header
from pmtwin.sim.files.input_text import check_text

Row = tuple[float, bool, int, int, str]
"""Time in us, whether it writes, offset and size in bytes, volume."""


class LineFormat(ABC):
    """A form of lines.

    Args:
        header: first line that is neither blank nor a comment.
        where: path of the file, for errors.
        apart: whether equal offsets on two volumes are different pages.
    """

    by_object = False
    allowed: str

    def __init__(self, header: Header, where: str, apart: bool):
        self.header, self._where, self._apart = header, where, apart

    @classmethod
    @abstractmethod
    def is_first(cls, line: str) -> bool:
        """Whether a trace of this form begins with the line."""

    @abstractmethod
    def row(self, line: str) -> Row | None:
        """The request of a line; None for another event.

        Raises:
            ValueError: for a line that cannot be read.
        """

    @abstractmethod
    def begin(self, lines: Sequence[str]) -> None:
        """Called with the first lines before they are read."""

    def blocks(self, lines: Iterator[str], known: Volumes, left_out: LeftOut) -> Iterator[Requests]:
        """The requests, a block at a time; arguments and errors as of `CsvFormat.blocks`."""
        first = start = self.header.number
        while block := list(islice(lines, BLOCK_REQUESTS)):
            if first == start:
                self.begin(block)
            read = [(number, self._checked_row(line, number, left_out)) for number, line in enumerate(block, first)]
            numbers = np.array([number for number, row in read if row is not None], int)
            requests = self._requests([row for _, row in read if row is not None], known)
            first += len(block)
            requests = checked(requests, self._where, "line", numbers, left_out)
            left_out.check(first - start)
            yield requests

    def _checked_row(self, line: str, number: int, left_out: LeftOut) -> Row | None:
        if not line.strip():
            return None
        try:
            check_text(line, number, self._where, "trace", "lines of text")
            row = self.row(line)
        except InputError as fault:
            left_out.add_unreadable(fault, f"line {number}")
            return None
        except (ValueError, OverflowError):
            wrong_line = InputError("line", line.strip()[:100], self.allowed, f"{self._where}, line {number}")
            left_out.add_unreadable(wrong_line, f"line {number}")
            return None
        if row is None:
            left_out.add(OTHER, 1, f"line {number}")
        return row

    def _requests(self, rows: list[Row], known: Volumes) -> Requests:
        time_us, write, offset, size, names = zip(*rows, strict=True) if rows else ((),) * 5
        volume = known.numbers([np.array(names)]) if rows else np.zeros(0, np.int64)
        return Requests(
            np.array(time_us, float),
            np.array(write, bool),
            np.array(offset, np.int64),
            np.array(size, np.int64),
            volume if self._apart else np.zeros(len(rows), np.int64),
        )


class FioLog(LineFormat):
    """What fio writes with `write_iolog`: version 2, or version 3 (from fio 3.31 on), in which each line has a time.

    In version 2 times pass in `wait` lines alone, which fio itself does not write: without them all times are 0.
    """

    allowed = "FILE ACTION OFFSET LENGTH, with a time in us before it in version 3"
    _START = re.compile(r"fio version (\d+) iolog\s*")
    _MANAGING, _NO_DATA = ("add", "open", "close"), ("sync", "datasync", "trim")

    def __init__(self, header: Header, where: str, apart: bool):
        super().__init__(header, where, apart)
        start = self._START.fullmatch(header.line)
        self._version = int(start.group(1)) if start else 0
        if self._version not in (2, 3):
            allowed = "fio version 2 iolog, fio version 3 iolog"
            raise InputError("first line", header.line.strip()[:100], allowed, where)
        self._waited_us = 0.0

    @classmethod
    def is_first(cls, line: str) -> bool:
        """Whether a trace of this form begins with the line."""
        return line.startswith("fio version ")

    def begin(self, lines: Sequence[str]) -> None:
        self._waited_us = 0.0

    def row(self, line: str) -> Row | None:
        if self._START.fullmatch(line):
            return None
        words = line.split()
        time_us = self._waited_us if self._version == 2 else float(words.pop(0))
        name, action, *numbers = words
        if action in self._MANAGING and not numbers:
            return None
        offset, size = map(int, numbers)
        if action == "wait" and self._version == 2:
            self._waited_us += offset
            return None
        if action in self._NO_DATA:
            return None
        if action not in ("read", "write"):
            raise ValueError(action)
        return time_us, action == "write", int(np.int64(offset)), int(np.int64(size)), name


class BlkparseText(LineFormat):
    """The default output of blkparse: its events Q (queued) are requests; without any D (issued), else C (done)."""

    allowed = "MAJOR,MINOR CPU SEQUENCE SECONDS PID ACTION RWBS SECTOR + SECTORS"
    _EVENT = re.compile(
        r"\s*(\d+,\d+)\s+\d+\s+\d+\s+(\d+\.\d+)\s+\d+\s+([A-Za-z]{1,2})\s+([A-Z]+)(?:\s+(-?\d+) \+ (-?\d+))?(?:\s.*)?"
    )
    _DEVICE = re.compile(r"\s*\d+,\d+\s")
    _SECTOR_BYTES = 512

    def __init__(self, header: Header, where: str, apart: bool):
        super().__init__(header, where, apart)
        self._action = "Q"

    @classmethod
    def is_first(cls, line: str) -> bool:
        """Whether a trace of this form begins with the line."""
        return cls._EVENT.fullmatch(line.rstrip()) is not None

    def begin(self, lines: Sequence[str]) -> None:
        events = (self._EVENT.fullmatch(line.rstrip()) for line in lines)
        actions = {event.group(3) for event in events if event}
        self._action = next((action for action in "QDC" if action in actions), "Q")

    def row(self, line: str) -> Row | None:
        event = self._EVENT.fullmatch(line.rstrip())
        if event is None:
            if self._DEVICE.match(line):
                raise ValueError(line)
            return None  # the summary at the end
        device, seconds, action, kind, sector, sectors = event.groups()
        if action != self._action or sector is None or "D" in kind or not ("R" in kind or "W" in kind):
            return None
        place, size = (int(np.int64(int(each) * self._SECTOR_BYTES)) for each in (sector, sectors))
        return float(seconds) * 1e6, "W" in kind, place, size, device


LINE_FORMATS = (FioLog, BlkparseText)
