"""The text that Intel's Memory Latency Checker prints: idle latencies, latency under load, peak bandwidths.

MLC does not say how many threads made a bandwidth, so that no point of the law comes out of it: it gives the idle
latency of a random load (its chain of dependent reads, own node) and the latency under load. Bandwidths are in MB/s
of 1,000,000 B. The first matrix row and column is the node that a profile is for.
"""

from __future__ import annotations

import re
from collections import Counter

from pmtwin.calibrate.context import Context, Latency, LoadedLatency
from pmtwin.calibrate.measurements import Measurements, from_rows
from pmtwin.calibrate.readers.cleaning import latency_fault
from pmtwin.calibrate.readers.document import Document, ReadOptions, number
from pmtwin.calibrate.readers.registry import register_document
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, MIB
from pmtwin.sim.errors import InputError

TITLE = "Intel(R) Memory Latency Checker"
IDLE = "Measuring idle latencies"
LOADED = "Measuring Loaded Latencies"
BANDWIDTHS = ("Measuring Peak Injection Memory Bandwidths", "Measuring Memory Bandwidths between nodes")
DECIMAL_MB = 1e6

ONE_IDLE = re.compile(r"^Each iteration took .*\(\s*([\d.]+)\s*ns\)")
"""What `--idle_latency` alone prints instead of a matrix."""

NO_LATENCY = (
    f"a section {IDLE!r} or {LOADED!r} with values (truncated?): MLC's bandwidths are of an unknown number of threads"
)

_SECTION = re.compile(r"^(Measuring|Using buffer size|Intel\(R\))")
_NUMBERS = re.compile(r"^\s*[\d.]+(?:\s+(?:[\d.]+|-))+\s*$")


@register_document("mlc", lambda document: TITLE in document.text, f'text with "{TITLE}"')
def read(document: Document, options: ReadOptions) -> Measurements:
    """Latencies; no bandwidth of a known number of threads.

    Raises:
        InputError: no section of latencies (cut off?), a line of another form, or another unit than ns and MB/s.
    """
    sections = _sections(document)
    _check_units(sections, document.path)
    latencies, dropped = [], Counter()
    for line, where in _lines(sections, IDLE):
        cells = _numbers(line, 2, where)
        reason = latency_fault(cells[1])
        dropped.update([reason] if reason else [])
        latencies += [] if reason else [Latency("load", "random", CACHE_LINE_BYTES, cells[1])]
        break  # the first row is node 0, its first value node 0 as seen from itself
    for line_number, line in enumerate(document.text.splitlines(), start=1):
        single = ONE_IDLE.match(line)
        if single and not latencies:
            latency = number("latency", single.group(1), f"{document.path}:{line_number}")
            latencies.append(Latency("load", "random", CACHE_LINE_BYTES, latency))
    loaded = []
    for line, where in _lines(sections, LOADED):
        _, latency, bandwidth = _numbers(line, 3, where)[:3]
        reason = latency_fault(latency)
        dropped.update([reason] if reason else [])
        loaded += [] if reason else [LoadedLatency(latency, bandwidth * DECIMAL_MB / MIB)]
    if not latencies and not loaded:
        raise InputError("source", document.path, NO_LATENCY)
    notes = ("MLC's bandwidths are of an unknown number of threads: only its latencies are used",)
    context = Context("", tuple(latencies), tuple(loaded), other_rows=len(latencies) + len(loaded), notes=notes)
    return from_rows([], dropped, context)


def _sections(document: Document) -> dict[str, list[tuple[str, str]]]:
    """Title -> (line, file:line) of what stands below it."""
    sections: dict[str, list[tuple[str, str]]] = {}
    current: list[tuple[str, str]] = []
    for index, line in enumerate(document.text.splitlines(), start=1):
        if _SECTION.match(line):
            current = sections.setdefault(line.strip(), [])
        else:
            current.append((line, f"{document.path}:{index}"))
    return sections


def _lines(sections: dict[str, list[tuple[str, str]]], title: str) -> list[tuple[str, str]]:
    """The lines of numbers in the section whose title begins so; headers of nodes are left out."""
    for name, lines in sections.items():
        if name.startswith(title):
            below = [i for i, (line, _) in enumerate(lines) if line.startswith(("Numa node", "====", "Delay"))]
            start = below[-1] + 1 if below else 0
            return [(line, where) for line, where in lines[start:] if line.strip() and not line.startswith("Using")]
    return []


def _numbers(line: str, least: int, where: str) -> list[float]:
    if not _NUMBERS.match(line):
        raise InputError("line", line.strip(), f"at least {least} numbers", where)
    cells = [number("value", cell, where) for cell in line.split() if cell != "-"]
    if len(cells) < least:
        raise InputError("line", line.strip(), f"at least {least} numbers (truncated?)", where)
    return cells


def _check_units(sections: dict[str, list[tuple[str, str]]], where: str) -> None:
    for title, lines in sections.items():
        if title.startswith(IDLE) and "(in ns)" not in title:
            raise InputError("idle latencies", title, "a section in ns, as MLC prints it", where)
        if title.startswith(BANDWIDTHS):
            for line, place in lines:
                if line.startswith("Bandwidths are in") and not line.startswith("Bandwidths are in MB/sec"):
                    raise InputError("bandwidths", line.strip(), "MB/sec, as MLC prints them", place)
        if title.startswith(LOADED):
            heads = [line for line, _ in lines if line.startswith("Delay")]
            if heads and ("(ns)" not in heads[0] or "MB/sec" not in heads[0]):
                raise InputError("loaded latencies", heads[0], "columns in ns and MB/sec, as MLC prints them", where)
