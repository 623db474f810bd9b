"""fio's own work on each access: a short access takes less time than fio spends on choosing it and noting its time.

A thread's time for an access is the run's time over its number, its latency (`clat`) the part between the issue and the
end of the access. The rest is fio's: 130 to 990 ns with fio 3.33, its engine `null` alone 150 to 180 ns. A device that
is busy with other threads keeps an access waiting inside the latency, so that little of the time is left to fio.
"""

from __future__ import annotations

from collections.abc import Sequence

from pmtwin.calibrate.readers.document import counter, require
from pmtwin.calibrate.readers.fio_runs import Run

OWN_WORK = "fio's own work, some hundred ns of each access, is in its bandwidths: those of short accesses are too low"

MOST_OWN_SHARE = 0.25
OWN = f"fio's own work is more than {100 * MOST_OWN_SHARE:.0f} % of the time of a short access: not the device alone"
NOTED_SHARE = 0.1
"""Share above which a reader is warned: intervals know nothing of it."""

MOST_OWN_NS = 5000.0
"""fio does not take longer for an access: more is others' time, or a latency of something else."""

LONG_BYTES = 2048.0
"""Size from which accesses count whatever fio's share: it is stated, and no longer most of the time."""

SHORT_BYTES, USUAL_NS = 1024.0, 500.0
"""Where the latencies are no help, accesses below this size take fio longer than the device."""


def own_share(run: Run) -> float | None:
    """Share of the time of an access that is fio's own; None where the file does not tell."""
    share = _outside_latency(run)
    return share if share is not None and share * _time_ns(run) <= MOST_OWN_NS else None


def _outside_latency(run: Run) -> float | None:
    time_ns, latency_ns = _time_ns(run), _latency_ns(run)
    return 1.0 - latency_ns / time_ns if time_ns and 0.0 < latency_ns <= time_ns else None


def own_work_fault(run: Run, size_bytes: float) -> str:
    """Why the bandwidth of a run is not the device's; "" if it is."""
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
    """What a reader must know about the bandwidths of runs with these shares."""
    worst = max((share for share in shares if share is not None), default=0.0)
    if worst <= NOTED_SHARE:
        return OWN_WORK
    told = f"fio's own work is up to {100 * worst:.0f} % of the time of an access"
    return f"warning: {told}: bandwidths are too low by as much; take longer accesses, or more threads"


def _accesses(run: Run) -> float:
    return sum(float(side.get("total_ios", 0)) for side in run.sides)


def _time_ns(run: Run) -> float:
    """Time of a thread for an access; 0 where the file does not say."""
    accesses = _accesses(run)
    return 1e6 * (run.sum_of("job_runtime") or run.threads * run.longest_ms()) / accesses if accesses else 0.0


def _latency_ns(run: Run) -> float:
    """Mean completion latency of all accesses; 0 where the file does not say."""
    used = [side for side in run.sides if side.get("total_ios")]  # of none, fio 2 prints nan
    sums = (float(side["total_ios"]) * _mean_ns(side, run.where) for side in used)
    return sum(sums) / max(_accesses(run), 1.0)


def _mean_ns(side: dict, where: str) -> float:
    """Mean of `clat_ns`, or of fio 2's `clat` in us."""
    for name, ns in (("clat_ns", 1.0), ("clat", 1e3)):
        if name in side:
            return ns * counter(f"{name}.mean", require(name, side[name], (), where).get("mean", 0), where)
    return 0.0
