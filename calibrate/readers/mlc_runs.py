"""The runs of one MLC text together: repeated runs, the largest buffers, values of one socket, and unlike machines."""

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
    """A section by its heading.

    Args:
        ns, mib_s: size of its units; None for units that are not known.
        columns: kinds of its columns, `ns` or `mib_s`.
        traffic: line that states the traffic.
        rows: number of rows read so far.
        closed: whether its rows have ended; later lines must have the form of its rows to be read.
    """

    kind: str
    ns: float | None = None
    mib_s: float | None = mib_s_of("MB/s")
    columns: tuple[str, ...] = ("ns", "mib_s")
    traffic: str | None = None
    rows: int = 0
    closed: bool = False


@dataclass
class Idle:
    """An idle latency, and the size in MiB of the buffer if the user may have chosen it."""

    latency: Latency
    buffer_mib: float | None


@dataclass
class Runs:
    """Results of the lines read so far, and the state of the reading.

    Args:
        caches: MiB that the text states; None where it does not.
        setting, section, run: of the present line.
        node: node of the first run.
        of_node: peaks and latencies under load of one node.
        of_system: (run, value) of peaks and latencies under load of all sockets.
        sockets: run -> number of sockets, by the rows of its matrix.
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
    """Numbers, from 1, of the runs whose lines up to the last value repeat those of an earlier run."""
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
    """A value of all sockets, divided by their number: that of the run with a matrix that is nearest, else 1."""
    sockets = 1
    if runs.sockets:
        sockets = runs.sockets[min(runs.sockets, key=lambda other: (abs(other - run), other > run))]
    elif isinstance(value, Peak):
        runs.notes[ONE_SOCKET] = None
    if isinstance(value, Peak):
        return value.per_node(sockets)
    return replace(value, bandwidth_mib_s=value.bandwidth_mib_s / sockets)


def largest_buffers(runs: Runs) -> tuple[Latency, ...]:
    """Idle latencies without those of a chosen buffer below half of the largest, which are counted."""
    largest = max((idle.buffer_mib or 0.0 for idle in runs.idle), default=0.0)
    kept = []
    for idle in runs.idle:
        if idle.buffer_mib is not None and idle.buffer_mib < largest / 2.0:
            runs.dropped.count(SMALLER_BUFFER, idle.latency.place)
        else:
            kept.append(idle.latency)
    return tuple(kept)


def warn_of_unlike(runs: Runs, latencies: Iterable[Latency], peaks: Iterable[Peak]) -> None:
    """Note a warning if the runs differ more than those of one memory."""
    reads = [peak.bandwidth_mib_s / GIB_IN_MIB for peak in peaks if peak.read_share == 1.0]
    for what, unit, values in (
        ("idle latencies", "ns", [latency.latency_ns for latency in latencies]),
        ("read peaks of a node", "GiB/s", reads),
    ):
        if values and max(values) > UNLIKE * min(values):
            spread = f"{min(values):.4g} to {max(values):.4g} {unit}"
            runs.notes[f"warning: {what} of {spread} in one text: of several machines or nodes?"] = None


UNLIKE = 1.25
"""Ratio of idle latencies, or of peaks, above which runs are hardly of one memory."""

GIB_IN_MIB = 1024.0
