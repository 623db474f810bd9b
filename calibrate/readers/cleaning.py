"""Limits of bandwidths and latencies from any reader, and reasons for dropped rows that readers share."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pmtwin.calibrate.context import Latency, LoadedLatency, Mix, Peak, Varied
from pmtwin.calibrate.measurements import Dropped
from pmtwin.sim.device.cells import MAX_ACCESS_SIZE_BYTES
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, MEDIA_LINE_BYTES, MIB
from pmtwin.sim.errors import InputError

CHANNEL_CEILING_MIB_S = {"pmem": 24_414.0}
FASTEST_CHANNEL_MIB_S = 67_139.0
"""Bandwidth of one channel or module: of persistent memory that of DDR4-3200 (3200 MT/s of 8 B), the fastest channel
that took it; of other memory that of MRDIMM-8800, the fastest of today. Faster rows are served by a cache."""

CACHED = "bandwidth above what the memory channels carry: cached or unphysical"

SLOWEST_MIB_S = {"load": 250.0}
SLOWEST_WRITES_MIB_S = 75.0
"""Bandwidth that every memory exceeds, for accesses of a media line or more; for shorter accesses in proportion. It is
a quarter to an eighth of the slowest measured bandwidths, those of a single Optane module."""

SLOWEST_PEAK_MIB_S = 1000.0
"""Bandwidth that all threads of a processor together exceed on every memory."""

TOO_SLOW = "bandwidth below that of any memory: in another unit (GiB/s or GB/s?), or page faults"

SMALLEST_REGION_BYTES = 32 << 20
"""Smallest memory of all threads together; accesses to less memory are served by the caches."""

QUANTISED = "below 64 MiB/s per thread: counter quantisation"

LATENCY_CEILING_NS = 60e9
"""A minute. Larger latencies are negative differences in an unsigned counter (1.8e19)."""

LONGEST_NS = 100_000.0
"""Longest latency of a line, even under load. Longer ones have page faults in them, or another unit."""

LONGEST_IDLE_NS = 10_000.0
"""Longest latency of a line on an idle device: ten times that of the slowest remote memory."""

LATENCY_FLOOR_NS = 5.0
"""Shortest latency of a memory behind a cache; shorter ones are in another unit."""

RANDOM_LOAD_FLOOR_NS = 30.0
"""Shortest latency of a dependent random load (desktop DDR4 and DDR5: 38 ns and more); shorter ones are of a cache."""

UNDERFLOW = "latency underflowed: unphysical"
TOO_LONG = "latency above {:g} us: page faults, or not in ns"
CACHED_LATENCY = f"latency of a random load below {RANDOM_LOAD_FLOOR_NS:g} ns: of a cache, or not in ns"
REMOTE_NODE = "remote NUMA node"
COPY = "a copy of what the file has before"
"""Reason for rows of a file that was appended to itself, or to a file with the same rows."""

FENCED_WRITES = ("ntstore", "store_clwb")
"""Writes that benchmarks follow with a fence."""

FENCED = "a fence after each access of a write: the first line's issue time holds it"


class Tally:
    """Counts the dropped rows of a file by reason, so that a bad row never costs the others.

    Args:
        path: of the file.
    """

    def __init__(self, path: str):
        self.path = path
        self._reasons = Dropped()
        self._faults: dict[str, list[InputError]] = {}

    def drop(self, reason: str, rows: int = 1, place: str = "") -> None:
        """Count rows with a reason; none if the reason is empty. `place`: file and line, where they are known."""
        for _ in range(rows if reason else 0):
            self._reasons.count(reason, place)

    def fault(self, error: InputError) -> None:
        """Count a row that is broken."""
        self._faults.setdefault(error.field, []).append(error)

    @contextmanager
    def row(self, rows: int = 1) -> Iterator[None]:
        """Context manager around the reading of one row, or of `rows`: an `InputError` in it is their reason."""
        try:
            yield
        except InputError as error:
            self._faults.setdefault(error.field, []).extend([error] * rows)

    def dropped(self, usable: int) -> Dropped:
        """Reason -> number of rows. Faults of one field count together, under the text of the first.

        Raises:
            InputError: the first fault, if the file has no usable row and faults are the only reasons.
        """
        if self._faults and not usable and not self._reasons:
            raise next(iter(self._faults.values()))[0]
        counts = Dropped(self._reasons)
        for faults in self._faults.values():
            told = self._told(faults[0], others=len(faults) > 1)
            for fault in faults:
                counts.count(told, fault.where or "")
        return counts

    def _told(self, fault: InputError, others: bool) -> str:
        """The text of a fault, with the file's name in place of its path: a profile keeps no paths."""
        text = str(fault).replace(self.path, Path(self.path).name, 1)
        return f"{text} (the first of them)" if others else text


def ceiling_mib_s(media: str, dimms: float) -> float:
    """Largest bandwidth in MiB/s of so many modules. `media`: kind of memory, "" where unknown."""
    return CHANNEL_CEILING_MIB_S.get(media, FASTEST_CHANNEL_MIB_S) * dimms


def floor_mib_s(operation: str, access_size_bytes: float) -> float:
    """Bandwidth in MiB/s that accesses of this kind exceed on every memory."""
    return SLOWEST_MIB_S.get(operation, SLOWEST_WRITES_MIB_S) * min(access_size_bytes / MEDIA_LINE_BYTES, 1.0)


def bandwidth_fault(
    bandwidth_mib_s: float, access_size_bytes: float, dimms: float, media: str = "", operation: str = ""
) -> str:
    """Why the bandwidth of a row is not usable; "" if it is usable.

    Args:
        media: kind of memory, "" where unknown.
        operation: "" where unknown, and for several operations together.
    """
    if not math.isfinite(bandwidth_mib_s) or bandwidth_mib_s <= 0:
        return "bandwidth is no finite number above 0"
    if bandwidth_mib_s > ceiling_mib_s(media, dimms):
        return CACHED
    if access_size_bytes < CACHE_LINE_BYTES:
        return "access size below a cache line"
    if access_size_bytes > MAX_ACCESS_SIZE_BYTES:
        return "access size above 64 MiB: not covered by this law"
    return TOO_SLOW if bandwidth_mib_s < floor_mib_s(operation, access_size_bytes) else ""


def latency_fault(
    latency_ns: float,
    operation: str = "",
    pattern: str = "",
    access_size_bytes: float = 0.0,
    longest_ns: float = LONGEST_NS,
) -> str:
    """Why a latency is not usable; "" if it is usable.

    Args:
        operation, pattern: of the access; "" where unknown.
        longest_ns: longest latency of a line; the time of the access's bytes at the slowest bandwidth is added.
    """
    if not math.isfinite(latency_ns) or latency_ns <= 0:
        return "latency is no finite number above 0"
    if latency_ns < LATENCY_FLOOR_NS:
        return f"latency below {LATENCY_FLOOR_NS:g} ns: not of memory, or not in ns"
    if (operation, pattern) == ("load", "random") and latency_ns < RANDOM_LOAD_FLOOR_NS:
        return CACHED_LATENCY
    if latency_ns > LATENCY_CEILING_NS:
        return UNDERFLOW
    transfer_ns = access_size_bytes / MIB / SLOWEST_WRITES_MIB_S * 1e9
    return TOO_LONG.format(longest_ns / 1000.0) if latency_ns > longest_ns + transfer_ns else ""


def value_fault(value: Latency | LoadedLatency | Peak | Mix | Varied, media: str, dimms: float) -> str:
    """Why a value other than the bandwidth of a pure access is not usable; "" if it is usable.

    Args:
        dimms: modules of a node, for values that do not state them.
    """
    if isinstance(value, Latency):
        return latency_fault(value.latency_ns, value.operation, value.pattern, value.access_size_bytes, LONGEST_IDLE_NS)
    if isinstance(value, Mix | Varied):
        return bandwidth_fault(value.bandwidth_mib_s, value.access_size_bytes, value.dimms, media)
    if isinstance(value, LoadedLatency):
        return latency_fault(value.latency_ns, "load", "random")
    return peak_fault(value.bandwidth_mib_s, media, dimms)


def peak_fault(bandwidth_mib_s: float, media: str, dimms: float) -> str:
    """Why the peak bandwidth of all threads is not usable; "" if it is usable."""
    if bandwidth_mib_s < SLOWEST_PEAK_MIB_S:
        return TOO_SLOW
    return CACHED if bandwidth_mib_s > ceiling_mib_s(media, dimms) else ""


MOST_IN_ANOTHER_UNIT = 0.3
"""Largest share of rows whose bandwidth disagrees with the bytes and the time beside it. So many may have gone wrong;
if more disagree, the file is in another unit."""


def check_unit(field: str, unit: str, wrong: int, compared: int, example: str, where: str) -> None:
    """Raise `InputError` if too many of the compared rows disagree with the unit of the format."""
    if wrong > MOST_IN_ANOTHER_UNIT * compared:
        allowed = f"{unit} in every row, as the bytes over the time beside it (mixed or other units?)"
        raise InputError(field, f"{wrong} of {compared} rows impossible, such as {example}", allowed, where)
