"""Measurements of a device as evidence for the Gaussian process of its family: bandwidths, peaks and idle latencies.

MLC's peaks are the bandwidth of all threads together with sequential accesses. They are compared with the fastest
configurations of the operation. A cached store reads each line before it writes it, so half of its traffic is reads.
The reads and writes of a mix are taken to share the time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmtwin.calibrate.context import Context, Latency, Peak
from pmtwin.calibrate.latencies import shortest_accesses
from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.prior.family import Family, joined
from pmtwin.calibrate.prior.process import Known
from pmtwin.sim.device.geometry import MIB, cache_lines
from pmtwin.sim.device.law import OPERATIONS
from pmtwin.sim.device.profile import Profile

PEAK_SD, DERIVED_SD, LATENCY_SD = 0.15, 0.35, 0.3
"""Standard deviations of log bandwidth that is derived from a peak of reads; for writes, from peaks of mixes; for one
thread, from the idle latency. Assumed: fewer than five devices have both figures."""

SATURATED = 0.2
"""Distance in log bandwidth below the fastest configuration of the kind, within which configurations are compared with
a peak. Each is expected as far below the peak as it lies below the fastest configuration."""

WRITES = tuple(name for name in OPERATIONS if name != "load")
PEAK_THREADS = (1, 2, 4, 8, 16, 24, 32)
PEAK_BYTES = (256, 1024, 4096, 16384)


def grid(
    operations: Sequence[str],
    patterns: Sequence[str],
    sizes: Sequence[float],
    threads: Sequence[float],
    dimms: float,
    power_w: float = 15.0,
) -> Configurations:
    """All configurations of these values; bandwidths of 1 MiB/s are placeholders."""
    mesh = np.meshgrid(np.array(operations), np.array(patterns), sizes, threads, indexing="ij")
    operation, pattern, size, thread = (axis.ravel() for axis in mesh)
    same = np.ones(operation.size)
    return Configurations(
        operation=operation,
        pattern=pattern,
        dimms=same * dimms,
        power_w=same * power_w,
        threads=thread.astype(float),
        access_size_bytes=size.astype(float),
        bandwidth_mib_s=same,
        effective_write_ratio=same * np.nan,
        replicates=same.astype(int),
    )


def known_of(family: Family, kind: str, c: Configurations, context: Context, dimms: float) -> Known:
    """All evidence on a device, at points seen from one kind of memory: bandwidths first, then peaks and latencies."""
    measured = np.log(c.bandwidth_mib_s), np.zeros(len(c)), np.ones(len(c), dtype=bool)
    parts = [(family.points(c, kind), *measured)]
    for operation, bandwidth, sd in peaks_of(context):
        parts.append(_at_peak(family, kind, operation, bandwidth, sd, dimms))
    if idle := random_read_ns(context):
        parts.append(_latency_evidence(family, kind, *idle, dimms))
    for operation in WRITES:
        if rows := shortest_accesses(context, operation, "random") or shortest_accesses(
            context, operation, "sequential"
        ):
            parts.append(_write_latency_evidence(family, kind, rows, dimms))
    return Known(
        joined([part[0] for part in parts]), *(np.concatenate([part[index] for part in parts]) for index in (1, 2, 3))
    )


def peaks_of(context: Context) -> list[tuple[str, float, float]]:
    """Peaks of sequential accesses: (operation, bandwidth in MiB/s, standard deviation of log bandwidth) each.

    Without a peak of reads alone, the highest bandwidth of the loaded latencies takes its place.
    """
    reads = [peak.bandwidth_mib_s for peak in context.peaks if peak.read_share == 1.0]
    reads = reads or [
        each.bandwidth_mib_s for each in sorted(context.loaded, key=lambda each: -each.bandwidth_mib_s)[:1]
    ]
    if not reads:
        return []
    fastest = float(np.median(reads))
    peaks = [("load", fastest, PEAK_SD)]
    for operation, non_temporal in (("store", False), ("ntstore", True)):
        of_kind = (_writes(peak, fastest) for peak in context.peaks if peak.non_temporal == non_temporal)
        bandwidths = [bandwidth for bandwidth in of_kind if bandwidth]
        if bandwidths:
            peaks.append((operation, float(np.exp(np.median(np.log(bandwidths)))), DERIVED_SD))
    return peaks


def _writes(peak: Peak, reads_mib_s: float) -> float | None:
    """Bandwidth in MiB/s of a mix's writes in the time that its reads, at `reads_mib_s`, leave to them.

    None for a mix without writes, and where the reads leave less than 5 % of the time.
    """
    writes = 1.0 - peak.read_share
    if writes <= 0.0:
        return None
    plain_reads = peak.read_share if peak.non_temporal else max(peak.read_share - writes, 0.0)
    left = 1.0 / peak.bandwidth_mib_s - plain_reads / reads_mib_s
    return writes / left if left > 0.05 / peak.bandwidth_mib_s else None


def _at_peak(family: Family, kind: str, operation: str, bandwidth: float, sd: float, dimms: float) -> tuple:
    points = family.points(grid((operation,), ("sequential",), PEAK_BYTES, PEAK_THREADS, dimms), kind)
    fastest = points.take(points.mean >= points.mean.max() - SATURATED)
    below = fastest.mean - points.mean.max()
    return fastest, np.log(bandwidth) + below, np.full(below.size, sd), np.arange(below.size) == np.argmax(below)


def random_read_ns(context: Context) -> tuple[float, float] | None:
    """(median latency in ns, access size in bytes) of the shortest random reads of one thread; None if not measured."""
    shortest = shortest_accesses(context, "load", "random")
    if not shortest:
        return None
    return float(np.median([each.latency_ns for each in shortest])), shortest[0].access_size_bytes


def idle_read_ns(profile: Profile, access_size_bytes: float) -> float:
    """Latency in ns of a random read of one thread, computed from a profile."""
    further = float(cache_lines(access_size_bytes)) - 1.0
    return profile.idle_latency_ns["load", "random"] + further * profile.parameters["load"]["further_line_ns"]


def _latency_evidence(family: Family, kind: str, idle_ns: float, access_size_bytes: float, dimms: float) -> tuple:
    """Evidence of a read latency.

    The bandwidth of one thread's short random reads is taken to exceed the mean of the kind by the factor by which the
    latency is shorter than the kind's.
    """
    points = family.points(grid(("load",), ("random",), (64,), (1,), dimms), kind)
    logs = [np.log(idle_read_ns(each, access_size_bytes)) for each in family.kinds[kind]]
    return points, points.mean + np.mean(logs) - np.log(idle_ns), np.array([LATENCY_SD]), np.array([True])


def _write_latency_evidence(family: Family, kind: str, rows: Sequence[Latency], dimms: float) -> tuple:
    """Evidence of a write latency: one thread completes about one write in that time."""
    operation, pattern, size = rows[0].operation, rows[0].pattern, rows[0].access_size_bytes
    points = family.points(grid((operation,), (pattern,), (size,), (1,), dimms), kind)
    bandwidth_mib_s = size / (np.median([each.latency_ns for each in rows]) * 1e-9) / MIB
    return points, np.log([bandwidth_mib_s]), np.array([LATENCY_SD]), np.array([False])
