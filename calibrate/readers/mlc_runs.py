"""All runs of one MLC text together: the largest buffers, shares of the sockets, and runs of unlike machines."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pmtwin.calibrate.context import Latency, LoadedLatency, Peak
from pmtwin.calibrate.measurements import Dropped
from pmtwin.calibrate.readers.cells import mib_s_of
from pmtwin.calibrate.readers.mlc_header import Setting
from pmtwin.calibrate.readers.mlc_lines import values_in

SMALLER_BUFFER = "buffer below half of the largest of the text: partly served by caches"
ONE_SOCKET = "MLC's text does not tell the number of sockets: its peak bandwidths are taken to be of one"


@dataclass
class Section:
    """What the heading of rows says of them; `rows`: that were read."""

    kind: str
    ns: float | None = None
    mib_s: float | None = mib_s_of("MB/s")
    columns: tuple[str, ...] = ("ns", "mib_s")
    traffic: str | None = None
    rows: int = 0
    closed: bool = False  # behind its rows, only lines in the form of a row are taken for some


@dataclass
class Idle:
    """An idle latency in ns, with the buffer that somebody may have chosen in MiB."""

    latency: Latency
    buffer_mib: float | None


@dataclass
class Runs:
    """Results of the lines read so far, and the position of the reading.

    `of_system`: peaks and latencies under load of all sockets, with their run. `sockets`: of each run with a matrix.
    """

    path: str
    media: str
    caches: float | None
    setting: Setting = field(default_factory=Setting)
    section: Section | None = None
    run: int = 0
    node: str = ""
    idle: list[Idle] = field(default_factory=list)
    of_node: list[Peak | LoadedLatency] = field(default_factory=list)
    of_system: list[tuple[int, Peak | LoadedLatency]] = field(default_factory=list)
    sockets: dict[int, int] = field(default_factory=dict)
    dropped: Dropped = field(default_factory=Dropped)
    notes: dict[str, None] = field(default_factory=dict)

    def places(self) -> list[str]:
        """File and line of each row that was read, used or not."""
        values = [*(idle.latency for idle in self.idle), *self.of_node, *(value for _, value in self.of_system)]
        return [*(value.place for value in values), *itertools.chain.from_iterable(self.dropped.places.values())]


def copied_runs(lines: Sequence[str], title: re.Pattern) -> set[int]:
    """Numbers, from 1, of the runs in a text with the lines of one before, up to the last value."""
    begins = [number for number, line in enumerate(lines) if title.search(line)]
    known, copies = set(), set()
    for number, (begin, end) in enumerate(itertools.pairwise((*begins, len(lines))), start=1):
        last = max((place for place in range(begin + 1, end) if values_in(lines[place])), default=begin)
        content = tuple(" ".join(line.split()) for line in lines[begin : last + 1] if line.strip())
        if content in known and last > begin:
            copies.add(number)
        known.add(content)
    return copies


def of_one_node(runs: Runs, run: int, value: Peak | LoadedLatency) -> Peak | LoadedLatency:
    """A value of all sockets as that of one: as many as the matrix of its run has rows, else of the nearest run."""
    sockets = 1
    if runs.sockets:
        sockets = runs.sockets[min(runs.sockets, key=lambda other: (abs(other - run), other > run))]
    elif isinstance(value, Peak):
        runs.notes[ONE_SOCKET] = None
    if isinstance(value, Peak):
        return value.per_node(sockets)
    return replace(value, bandwidth_mib_s=value.bandwidth_mib_s / sockets)


def largest_buffers(runs: Runs) -> tuple[Latency, ...]:
    """Idle latencies but those of a chosen buffer that is far smaller than the largest."""
    largest = max((idle.buffer_mib or 0.0 for idle in runs.idle), default=0.0)
    kept = []
    for idle in runs.idle:
        if idle.buffer_mib is not None and idle.buffer_mib < largest / 2.0:
            runs.dropped.count(SMALLER_BUFFER, idle.latency.place)
        else:
            kept.append(idle.latency)
    return tuple(kept)


def warn_of_unlike(runs: Runs, latencies: Iterable[Latency], peaks: Iterable[Peak]) -> None:
    """Warn of runs that are hardly of one memory."""
    reads = [peak.bandwidth_mib_s / GIB_IN_MIB for peak in peaks if peak.read_share == 1.0]
    for what, unit, values in (
        ("idle latencies", "ns", [latency.latency_ns for latency in latencies]),
        ("read peaks of a node", "GiB/s", reads),
    ):
        if values and max(values) > UNLIKE * min(values):
            spread = f"{min(values):.4g} to {max(values):.4g} {unit}"
            runs.notes[f"warning: {what} of {spread} in one text: of several machines or nodes?"] = None


UNLIKE = 1.25
"""Ratio of idle latencies, or of peaks, from which runs are hardly of one memory."""

GIB_IN_MIB = 1024.0
