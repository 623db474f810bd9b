"""fio's own work on each access: choosing a short access and noting its time takes fio longer than the access.

A thread's time for an access is the run's time over the number of accesses. The latency (`clat`) is the part from the
issue to the end of the access; the rest is fio's own work: 130 to 990 ns with fio 3.33, with its engine `null` 150 to
180 ns. On a device that is busy with other threads an access waits within its latency, so that fio's share is small.
"""

from __future__ import annotations

from collections.abc import Sequence

from pmtwin.calibrate.readers.document import counter, require
from pmtwin.calibrate.readers.fio_runs import Run

OWN_WORK = "fio's own work, some hundred ns of each access, is in its bandwidths: those of short accesses are too low"

MOST_OWN_SHARE = 0.25
OWN = f"fio's own work is more than {100 * MOST_OWN_SHARE:.0f} % of the time of a short access: not the device alone"
NOTED_SHARE = 0.1
"""Share above which a note warns of it; the intervals of a profile do not include it."""

MOST_OWN_NS = 5000.0
"""Longest own work of fio for an access. More is the time of other processes, or a latency of something else."""

LONG_BYTES = 2048.0
"""Size from which accesses are used whatever fio's share, which a note then states."""

SHORT_BYTES, USUAL_NS = 1024.0, 500.0
"""Where latencies do not tell fio's share: the size below which an access may take fio longer than the device, and the
usual own work of fio for an access."""


def own_share(run: Run) -> float | None:
    """Share of fio's own work in the time of an access; None where the file does not tell."""
    share = _outside_latency(run)
    return share if share is not None and share * _time_ns(run) <= MOST_OWN_NS else None


def _outside_latency(run: Run) -> float | None:
    time_ns, latency_ns = _time_ns(run), _latency_ns(run)
    return 1.0 - latency_ns / time_ns if time_ns and 0.0 < latency_ns <= time_ns else None


def own_work_fault(run: Run, size_bytes: float) -> str:
    """Why the bandwidth of a run is not that of the device; "" if it is."""
    if size_bytes >= LONG_BYTES:
        return ""
    time_ns, share = _time_ns(run), _outside_latency(run)
    if share is not None and share > MOST_OWN_SHARE:
        return OWN
    if share is not None or not time_ns:
        return ""
    without = _latency_ns(run) == 0.0
    if (without and time_ns < USUAL_NS / MOST_OWN_SHARE) or (size_bytes < SHORT_BYTES and time_ns > USUAL_NS):
        return "short accesses without latencies that tell fio's own work from the device's (gtod_reduce?)"
    return ""


def own_work_note(shares: Sequence[float | None]) -> str:
    """Note about the bandwidths of runs with these shares of fio's own work."""
    worst = max((share for share in shares if share is not None), default=0.0)
    if worst <= NOTED_SHARE:
        return OWN_WORK
    told = f"fio's own work is up to {100 * worst:.0f} % of the time of an access"
    return f"warning: {told}: bandwidths are too low by as much; take longer accesses, or more threads"


def _accesses(run: Run) -> float:
    return sum(float(side.get("total_ios", 0)) for side in run.sides)


def _time_ns(run: Run) -> float:
    """Time of a thread for an access, in ns; 0 where the file does not say."""
    accesses = _accesses(run)
    return 1e6 * (run.sum_of("job_runtime") or run.threads * run.longest_ms()) / accesses if accesses else 0.0


def _latency_ns(run: Run) -> float:
    """Mean completion latency of all accesses, in ns; 0 where the file does not say."""
    used = [side for side in run.sides if side.get("total_ios")]  # of none, fio 2 prints nan
    sums = (float(side["total_ios"]) * _mean_ns(side, run.where) for side in used)
    return sum(sums) / max(_accesses(run), 1.0)


def _mean_ns(side: dict, where: str) -> float:
    """Mean of `clat_ns`, or of fio 2's `clat` in us."""
    for name, ns in (("clat_ns", 1.0), ("clat", 1e3)):
        if name in side:
            return ns * counter(f"{name}.mean", require(name, side[name], (), where).get("mean", 0), where)
    return 0.0
