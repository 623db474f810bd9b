"""A workload from a recorded trace: CSV with a row for each request, read once from beginning to end.

The clients of the model draw their requests, so a trace gives what these are drawn from: of each class the rate, the
burstiness, the shares of operations and the sizes, over the whole trace; and the rate of each class in every `WINDOW`
requests, which the windows of a run follow one after the other (`pmtwin.sim.load.Replay`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.block_traces.left_out import NO_SIZE, LeftOut
from pmtwin.sim.errors import ConflictError, InputError, in_full
from pmtwin.sim.files.header import Header, misplaced_header, read_header
from pmtwin.sim.files.input_text import cells_of, check_commas, check_text, text_lines
from pmtwin.sim.load import Replay
from pmtwin.sim.load.replay import LEAST_FACTOR
from pmtwin.sim.load.workload import CLASSES, GET, MAX_VALUE_BYTES, OPERATIONS, SIZE_BINS, ClassWorkload, Workload

FIELD = "workload"
COLUMNS = ("timestamp", "class", "operation", "size")
NAMES = {name: name for name in OPERATIONS} | {"put": "put_update"}
"""Names of operations in a trace."""

ALLOWED = "a trace: CSV with a row for each request"
HEADER = f"{', '.join(COLUMNS)}: a trace with a row for each request"

MOST_SECONDS = 1e11
"""Beyond the year 5000 since 1970: such a time is in milliseconds or less."""

WINDOW = 5_000
"""Requests of the trace that make a window: those of a window by default."""

CLIENTS = 200
"""Client threads of a class, which no trace states: as in phase 1 of Appendix C of the thesis."""

CHECKED_LINES = 1 << 16
"""After so many lines, and at the end, it is checked that few of them were unreadable."""

MOST_COV = 10.0
MOST_DIGITS = 30
"""Of a size, with zeros before it: Python refuses to read thousands."""

FINE_BYTES = 1024
"""Sizes below are counted exactly, above in steps of a 512th of the power of two below them."""


class Request(NamedTuple):
    """A row: when, in seconds; number of the class; operation of `OPERATIONS`; bytes of the value, 0 for none."""

    seconds: float
    class_index: int
    operation: str
    size_bytes: int


@dataclass
class ClassStatistics:
    """Statistics of a class, in memory that does not grow with its requests."""

    operations: Counter = field(default_factory=Counter)
    sizes: tuple[Counter, Counter] = field(default_factory=lambda: (Counter(), Counter()))
    windows: list[int] = field(default_factory=list)
    last: float | None = None
    gaps: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    variations: list[float] = field(default_factory=lambda: [0.0, 0.0])

    def add(self, request: Request) -> None:
        """Adds a request."""
        self.operations[request.operation] += 1
        if request.size_bytes:
            self.sizes[request.operation != GET][_stepped(request.size_bytes)] += 1
        if self.last is not None:
            gap = request.seconds - self.last
            self.gaps = [self.gaps[0] + 1, self.gaps[1] + gap, self.gaps[2] + gap * gap]
        self.last = request.seconds

    def end_window(self, before: int) -> None:
        """Burstiness is measured within windows: a rate that changes is none."""
        self.windows.append(self.operations.total() - before)
        count, total, squares = self.gaps
        if count > 1 and total > 0:
            mean = total / count
            self.variations[0] += count * max(squares / count / mean**2 - 1.0, 0.0)
            self.variations[1] += count
        self.gaps = [0.0, 0.0, 0.0]


def trace_workload(path: str | Path, clients: Mapping[str, int] | None = None) -> Workload:
    """The workload of a trace.

    Args:
        path: CSV, also compressed or a pipe, with the columns `COLUMNS`: seconds, from any origin, that never go back;
            a class of `CLASSES`; an operation of `NAMES`; bytes of the value.
        clients: class -> client threads; `CLIENTS` of each class that has requests otherwise.

    Raises:
        InputError: naming file, line, column and value; a trace without any time in it.
    """
    path, classes = Path(path), (ClassStatistics(), ClassStatistics())
    first: float | None = None
    last = opened = 0.0
    seconds: list[float] = []
    before, count = [0, 0], 0
    left_out = LeftOut()
    for request in _requests(path, left_out):
        if first is None:
            first = opened = request.seconds
        if count and count % WINDOW == 0 and request.seconds > opened:
            _end_window(classes, before)
            seconds.append(request.seconds - opened)
            opened = request.seconds
        classes[request.class_index].add(request)
        last, count = request.seconds, count + 1
    if first is None or not last > first:
        said = f" (left out: {left_out})" if left_out.rows else ""
        wrong = ("has one time only" if count else "has no requests") + said
        raise InputError(FIELD, str(path), "a trace with requests at two times or more", wrong=wrong)
    left = count - sum(before)
    if last > opened and (left >= WINDOW or not seconds):  # another window that is not full does not inform the rate
        _end_window(classes, before)
        seconds.append((last - opened) * left / (left - 1))  # requests end with no gap
    rates = [sum(totals.windows) / sum(seconds) for totals in classes]
    given = dict(clients or {})
    for name, totals in zip(CLASSES, classes, strict=True):
        if name in given and not totals.operations:
            raise ConflictError(
                f"{FIELD}: {name}.clients", given[name], f"has no use: {path} has no {name} requests; remove it"
            )
    interactive, batch = (
        _load(totals, rate, given.get(name, CLIENTS))
        for name, totals, rate in zip(CLASSES, classes, rates, strict=True)
    )
    of_each = (_factors(totals, rate, seconds) for totals, rate in zip(classes, rates, strict=True))
    factors = tuple(zip(*of_each, strict=True))
    parts = (Replay(factors),) if len(factors) > 1 else ()
    notes = {"source": str(path), "requests": count, "assumed": "client threads", "left_out": str(left_out)}
    return Workload(path.name.split(".")[0], interactive, batch, notes=notes, tied=False, parts=parts)


def _end_window(classes: tuple[ClassStatistics, ...], before: list[int]) -> None:
    for c, statistics in enumerate(classes):
        statistics.end_window(before[c])
        before[c] = statistics.operations.total()


def _factors(totals: ClassStatistics, rate_ops: float, seconds: Sequence[float]) -> list[float]:
    """Rate of a class in each window over its mean rate; 1 for a class without requests."""
    if not rate_ops:
        return [1.0] * len(seconds)
    return [max(count / span / rate_ops, LEAST_FACTOR) for count, span in zip(totals.windows, seconds, strict=True)]


def _load(statistics: ClassStatistics, rate_ops: float, clients: int) -> ClassWorkload:
    total = statistics.operations.total()
    if not total or not rate_ops:
        return ClassWorkload(clients=0, write_ratio=0.0, read_sizes_bytes=1, write_sizes_bytes=1)
    writes = total - statistics.operations[GET]
    weighted, gaps = statistics.variations
    read, write = (
        _equally_likely(sizes or other or Counter([1])) for sizes, other in (statistics.sizes, statistics.sizes[::-1])
    )
    return ClassWorkload(
        clients=clients,
        write_ratio=writes / total,
        read_sizes_bytes=read,
        write_sizes_bytes=write,
        rate_ops=rate_ops,
        interarrival_cov=min(math.sqrt(weighted / gaps), MOST_COV) if gaps else 1.0,
        insert_share=statistics.operations["put_insert"] / writes if writes else 0.0,
        remove_share=statistics.operations["remove"] / writes if writes else 0.0,
    )


def _equally_likely(sizes: Counter) -> np.ndarray:
    """Shape (SIZE_BINS,): the means of equal shares of the requests, so that the mean size is the trace's."""
    values = np.array(sorted(sizes), dtype=float)
    counts = np.array([sizes[value] for value in values], dtype=float)
    upto = np.concatenate(([0.0], np.cumsum(counts)))
    bytes_upto = np.concatenate(([0.0], np.cumsum(counts * values)))
    return np.diff(np.interp(np.linspace(0.0, upto[-1], SIZE_BINS + 1), upto, bytes_upto)) * SIZE_BINS / upto[-1]


def _stepped(size_bytes: int) -> int:
    step = 1 if size_bytes < FINE_BYTES else 1 << (size_bytes.bit_length() - 10)
    return size_bytes // step * step


def _requests(path: Path, left_out: LeftOut) -> Iterator[Request]:
    """The requests of the rows; blank lines are none, rows without a value and a few unreadable ones are counted."""
    lines = text_lines(path, FIELD, ALLOWED, faulty=True)
    header = read_header(lines)
    rows, last, number = _Rows(header, lines, path), -math.inf, (head := header.number)
    for number, line in enumerate(lines, head + 1):
        if number % CHECKED_LINES == 0:
            left_out.check(number - head)
        if not any(cells := cells_of(line)):
            continue
        try:
            check_text(line, number, path, FIELD, ALLOWED)
            request = rows.request(cells, f"{path}:{number}")
        except InputError as fault:
            left_out.add_unreadable(fault, f"line {number}")
            continue
        if request.seconds < last:
            allowed = f"at least {rows.shown(last)}: time does not go back; sort the trace by timestamp"
            raise InputError("timestamp", rows.shown(request.seconds), allowed, f"{path}:{number}")
        last = request.seconds
        if request.size_bytes or request.operation == "remove":
            yield request
        else:
            left_out.add(NO_SIZE, 1, f"line {number}")
    left_out.check(number - head)


class _Rows:
    """The rows below a header.

    Raises:
        InputError: for another header; the lines behind it are searched for the right one.
    """

    def __init__(self, header: Header, behind: Iterator[str], path: Path):
        cells = cells_of(header.line)
        names = [name.lower() for name in cells]
        if sorted(names) != sorted(COLUMNS):
            check_text(header.line, header.number, path, FIELD, ALLOWED)
            elsewhere = misplaced_header(header, behind, [COLUMNS])
            if not elsewhere:
                check_commas(header.line, path, FIELD)
            named = f"{FIELD}: columns" if cells else "header"
            raise InputError(named, ", ".join(cells) or None, "; ".join(filter(None, (HEADER, elsewhere))), str(path))
        self._places = [names.index(name) for name in COLUMNS]
        self._clock: _Clock | None = None  # from the first row on

    def request(self, cells: list[str], where: str) -> Request:
        """The request of a row.

        Raises:
            InputError: for a row that is none.
        """
        if len(cells) != len(COLUMNS):
            raise InputError("row", ",".join(cells), f"{len(COLUMNS)} cells", where)
        time, class_name, operation, size = (cells[k] for k in self._places)
        self._clock = self._clock or _Clock(time, where)
        return _request(self._clock.seconds(time, where), class_name, operation, size, where)

    def shown(self, seconds: float) -> str:
        """A time of these rows as the trace writes it."""
        return self._clock.shown(seconds) if self._clock else ""


class _Clock:
    """Seconds of a trace from the whole second of its first request on.

    A time since 1970 in float64 has steps of a quarter microsecond: gaps between requests would be made of these.
    """

    def __init__(self, first: str, where: str):
        self._origin = Decimal(0)
        self._origin = Decimal(math.floor(self.seconds(first, where)))

    def seconds(self, text: str, where: str) -> float:
        """Time of a row.

        Raises:
            InputError: for a text that is no time in seconds.
        """
        try:
            seconds = float(Decimal(text) - self._origin) if self._origin else float(text)
        except (ValueError, ArithmeticError):
            seconds = math.nan
        if not math.isfinite(seconds):
            raise InputError("timestamp", text, "a finite number of seconds", where)
        if abs(seconds) > MOST_SECONDS:
            allowed = "seconds, which may be those since 1970; divide milliseconds by 1,000, microseconds by 1,000,000"
            raise InputError("timestamp", text, allowed, where)
        return seconds

    def shown(self, seconds: float) -> str:
        """A time as the trace has it."""
        return str(self._origin + Decimal(repr(seconds)))


def _request(seconds: float, class_name: str, operation: str, size: str, where: str) -> Request:
    if class_name not in CLASSES:
        raise InputError("class", class_name, " or ".join(CLASSES), where)
    if operation not in NAMES:
        raise InputError("operation", operation, ", ".join(NAMES), where)
    if operation == "remove" and not size:
        size = "0"
    if not (size.isdecimal() and len(size) <= MOST_DIGITS and int(size) <= MAX_VALUE_BYTES):
        raise InputError("size", size, f"1 to {in_full(MAX_VALUE_BYTES)} bytes", where)
    return Request(seconds, CLASSES.index(class_name), NAMES[operation], int(size))
