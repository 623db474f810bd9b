"""The text that Intel's Memory Latency Checker (MLC, 3.x) prints: idle latencies, latency under load, peak bandwidths.

All runs of a file are read, whatever text is around them. MLC uses all threads and does not state their number: its
bandwidths are peaks (`pmtwin.calibrate.context.Peak`), no points of a sweep. They are in MB/s of 1,000,000 B, of all
sockets together except in the matrix. A profile describes the first node of a matrix. A dash marks a missing value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pmtwin.calibrate.context import Context, Latency, LoadedLatency, Peak
from pmtwin.calibrate.measurements import Measurements, from_rows
from pmtwin.calibrate.readers.cleaning import latency_fault
from pmtwin.calibrate.readers.document import Document, ReadOptions, number
from pmtwin.calibrate.readers.registry import register_document
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, MIB
from pmtwin.sim.errors import InputError

TITLE = "Intel(R) Memory Latency Checker"
IDLE, LOADED, RATIOS, MATRIX = "idle", "loaded", "ratios", "matrix"
SECTIONS = (
    (re.compile(r"Measuring idle latencies"), IDLE),
    (re.compile(r"Measuring Loaded Latencies"), LOADED),
    (re.compile(r"Measuring (Peak|Maximum)( Injection)? Memory Bandwidths"), RATIOS),
    (re.compile(r"Measuring Memory Bandwidths between nodes"), MATRIX),
    (re.compile(r"Measuring "), ""),
)
"""Headings of the sections, in any 3.x; sections on caches and the like are not read."""

DECIMAL_MB = 1e6
NOT_MEASURED = "a dash: MLC could not measure it"
OTHER_NODE = "another node than the first, or the far one"
MIXED_LOAD = "latency under a load of reads and writes: not covered by this law"
NOTHING = "a section of latencies or bandwidths with values (truncated?)"
ONE_SOCKET = "MLC's text does not tell the number of sockets: its peak bandwidths are taken to be of one"

ONE_IDLE = re.compile(r"Each iteration took .*\(\s*([\d.]+)\s*ns")
DASHES = ("-", "\N{EN DASH}", "\N{EM DASH}", "N/A")
_CELL = rf"(?:\d+(?:\.\d+)?|{'|'.join(DASHES)})"
_MATRIX_ROW = re.compile(rf"^\s*\d+(?:\s+{_CELL})+\s*$")
_DELAY = re.compile(r"^\s*\d{5}\b")
_RATIO = re.compile(r"^\s*(?:(ALL Reads)|(\d+):(\d+) Reads-Writes|(Stream-triad like))\s*:\s*(\S*)")


_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TIME = re.compile(r"^(?:\[ *\d[\d.:TZ -]*\]|(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\S*)[ \t]")
"""Time stamp before a line of a log: seconds or a date in brackets, or a date and time."""


@dataclass
class _Runs:
    """Results of the lines read so far, and the position of the reading."""

    path: str
    section: str = ""
    run: int = 0
    seen: set[str] = field(default_factory=set)
    read_only: bool = True
    latencies: list[Latency] = field(default_factory=list)
    loaded: list[LoadedLatency] = field(default_factory=list)
    peaks: list[Peak] = field(default_factory=list)
    sockets: dict[str, int] = field(default_factory=dict)
    rows: Counter = field(default_factory=Counter)
    dropped: Counter = field(default_factory=Counter)


@register_document("mlc", lambda document: TITLE in document.text, f'text with "{TITLE}"')
def read(document: Document, options: ReadOptions) -> Measurements:
    """Latencies and peak bandwidths of all runs in the text.

    Raises:
        InputError: nothing with values (cut off?), a row of another form, or another unit than ns and MB/s.
    """
    runs = _Runs(document.path)
    for line, where in _lines(document):
        _begin(runs, line, where)
        _read_line(runs, line, where)
    if not (runs.latencies or runs.loaded or runs.peaks or runs.dropped):
        raise InputError("source", document.path, NOTHING)
    sockets = runs.sockets.get(MATRIX, runs.sockets.get(IDLE, 1))
    is_system_wide = any(not peak.of_one_node for peak in runs.peaks)
    peaks = tuple(peak.per_node(sockets) for peak in runs.peaks)
    context = Context(
        options.media,
        tuple(runs.latencies),
        tuple(runs.loaded),
        peaks=peaks,
        other_rows=len(runs.latencies) + len(runs.loaded) + len(peaks),
        notes=(ONE_SOCKET,) if is_system_wide and not runs.sockets else (),
    )
    return from_rows([], runs.dropped, context)


def _lines(document: Document) -> Iterator[tuple[str, str]]:
    """(line without the additions of a terminal, a log or a quotation, file:line)."""
    for index, line in enumerate(document.text.splitlines(), start=1):
        line = _TIME.sub("", _COLOUR.sub("", line))
        yield re.sub(r"\s\|\s*$", "", re.sub(r"^\s*[>|]\s?", "", line)), f"{document.path}:{index}"


def _begin(runs: _Runs, line: str, where: str) -> None:
    """Note where a run or a section begins, and refuse units that MLC does not print."""
    if TITLE in line:
        runs.run, runs.section = runs.run + 1, ""
    section = next((section for title, section in SECTIONS if title.search(line)), None)
    if section is not None:
        runs.section, runs.read_only = section, True
        runs.rows[section] = 0
        if section == IDLE and "(in ns)" not in line:
            raise InputError("idle latencies", line.strip(), "a section in ns, as MLC prints it", where)
    if runs.section in (RATIOS, MATRIX) and re.match(r"\s*Bandwidths are in (?!MB/sec)", line):
        raise InputError("bandwidths", line.strip(), "MB/sec, as MLC prints them", where)
    if runs.section == LOADED:
        if line.strip().startswith("Using") and "traffic" in line:
            runs.read_only = "Read-only" in line
        if line.strip().startswith("Delay") and ("(ns)" not in line or "MB/sec" not in line):
            raise InputError("loaded latencies", line.strip(), "columns in ns and MB/sec, as MLC prints them", where)


def _read_line(runs: _Runs, line: str, where: str) -> None:
    single = ONE_IDLE.search(line)
    if single:
        _add_latency(runs, number("latency", single.group(1), where))
    elif runs.section in (IDLE, MATRIX) and _MATRIX_ROW.match(line):
        _read_node(runs, line.split(), where)
    elif runs.section == RATIOS and (ratio := _RATIO.match(line)):
        _read_ratio(runs, ratio, line, where)
    elif runs.section == LOADED and _DELAY.match(line):
        _read_loaded(runs, line, where)


def _value(runs: _Runs, cell: str, where: str) -> float | None:
    """The number in a cell; None for a dash, which is counted."""
    if cell in DASHES:
        runs.dropped.update([NOT_MEASURED])
        return None
    return number("value", cell, where)


def _read_node(runs: _Runs, cells: list[str], where: str) -> None:
    """A row of a matrix: the node, then its value for each node; the first node's own memory counts."""
    runs.rows[runs.section] += 1
    row = runs.rows[runs.section]
    runs.sockets[runs.section] = row
    if row > 1:
        return
    value = _value(runs, cells[1], where)
    if value is None:
        return
    if runs.section == IDLE:
        _add_latency(runs, value)
    else:
        runs.peaks.append(Peak(1.0, False, value * DECIMAL_MB / MIB, of_one_node=True))


def _add_latency(runs: _Runs, latency_ns: float) -> None:
    reason = latency_fault(latency_ns)
    if reason:
        runs.dropped.update([reason])
    else:
        runs.latencies.append(Latency("load", "random", CACHE_LINE_BYTES, latency_ns, f"{runs.path}: run {runs.run}"))


def _read_ratio(runs: _Runs, ratio: re.Match, line: str, where: str) -> None:
    if not ratio.group(5):
        raise InputError("line", line.strip(), "a bandwidth behind the colon (truncated?)", where)
    value = _value(runs, ratio.group(5), where)
    if value is None:
        return
    if value <= 0:
        raise InputError("bandwidth", value, "MB/sec above 0", where)
    reads, writes = (2.0, 1.0) if ratio.group(4) else (1.0, 0.0) if ratio.group(1) else map(float, ratio.group(2, 3))
    runs.peaks.append(Peak(reads / (reads + writes), bool(ratio.group(4)), value * DECIMAL_MB / MIB))


def _read_loaded(runs: _Runs, line: str, where: str) -> None:
    cells = line.split()
    if len(cells) < 3 or not all(re.fullmatch(_CELL, cell) for cell in cells[:3]):
        raise InputError("line", line.strip(), "at least 3 numbers: delay, ns, MB/sec (truncated?)", where)
    latency, bandwidth = (_value(runs, cell, where) for cell in cells[1:3])
    if latency is None or bandwidth is None:
        return
    reason = latency_fault(latency) or ("" if runs.read_only else MIXED_LOAD)
    if reason:
        runs.dropped.update([reason])
    else:
        runs.loaded.append(LoadedLatency(latency, bandwidth * DECIMAL_MB / MIB))
