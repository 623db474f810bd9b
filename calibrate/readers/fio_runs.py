"""The runs in a report of fio: which entries belong together, and which runs do not measure the memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pmtwin.calibrate.readers.cleaning import Tally
from pmtwin.calibrate.readers.document import MOST_THREADS, counter, number, require, whole
from pmtwin.sim.errors import InputError

KERNEL_PERCENT, IDLE_PERCENT = 10.0, 20.0
"""Limits in percent: of the processor time, the kernel's share (page faults); of the run's time, the share in which
other processes had the processor."""

SIDES, UNIFIED_SIDE = ("read", "write"), "mixed"
COUNTERS: tuple[str, ...] = ("bw", "bw_bytes", "io_bytes", "total_ios", "runtime", "bw_samples")
COUNTERS += ("job_runtime", "job_start", "usr_cpu", "sys_cpu")

BESIDE = "ran beside another job (no stonewall between them)"
UNIFIED = "unified_rw_reporting: reads and writes in one number; run without it"
SEVERAL_HOSTS = "of several hosts (fio --client): a profile is of one device"

ALIASES = {"blocksize": "bs", "blocksize_range": "bsrange", "readwrite": "rw"}

HELD_BACK = ("rate", "rate_iops", "rate_process", "thinktime", "latency_target")
WAITS = ("sync", "fsync", "fdatasync", "sync_file_range", "write_barrier")
BANDWIDTH_SAMPLE_MS = 500.0
"""Interval at which each thread notes its bandwidth, unless `bwavgtime` states another."""

TOGETHER = 0.9
"""Least share of a run's time in which all its threads ran."""


@dataclass
class Run:
    """A job of fio.

    Args:
        options: options of the job, and global ones that it does not set, as fio prints them (text); empty where fio
            prints none.
        reports: entries of the output: one, or one for each thread without group reporting.
        where: file and first entry, for errors.
        beside: whether another job ran at the same time.
        fault: why the entries are not usable; "" if they are usable.
    """

    options: dict
    where: str
    reports: list[dict] = field(default_factory=list)
    beside: bool = False
    fault: str = ""

    @property
    def threads(self) -> float:
        """Number of threads: the larger of `numjobs` and the number of entries."""
        jobs = whole("numjobs", self.options.get("numjobs", 1), self.where, MOST_THREADS, number)
        return max(jobs, float(len(self.reports)))

    @property
    def sides(self) -> list[dict]:
        """Counters of each direction of each entry."""
        return [report[side] for report in self.reports for side in _sides_of(report)]

    def check_counters(self) -> None:
        """Raise `InputError` for a counter that is no number; later reads of counters need no check."""
        for values in (*self.reports, *self.sides):
            for name in COUNTERS:
                counter(name, values.get(name, 0), self.where)

    def sum_of(self, name: str) -> float:
        """Sum of a counter of the entries."""
        return sum(float(report.get(name, 0)) for report in self.reports)

    def longest_ms(self) -> float:
        """Time of the longest thread."""
        return max(float(side.get("runtime", 0)) for side in self.sides)

    @property
    def is_timed(self) -> bool:
        """Whether fio (from 3.36 on) states when each entry began."""
        return all("job_start" in report for report in self.reports)

    def span_ms(self) -> tuple[float, float] | None:
        """Begin and end by the clock; None where fio does not tell."""
        if not self.is_timed:
            return None
        begin = min(float(report["job_start"]) for report in self.reports)
        return begin, begin + self.longest_ms()


def read_runs(report: dict, place: str, tally: Tally) -> list[Run]:
    """The runs of a report in the order of their first entries; entries that cannot be read are counted."""
    shared = report.get("global options", {})
    name = "jobs" if "jobs" in report else "client_stats"
    entries = report[name]
    runs: dict[tuple[str, ...], Run] = {}
    with tally.row():
        if not isinstance(entries, list) or not entries:
            raise InputError(name, entries, "a list of at least one job", place)
        hosts = {str(entry.get("hostname", "")) for entry in entries if isinstance(entry, dict)}
        for index, entry in enumerate(entries):
            with tally.row():
                run = _run(runs, entry, shared if isinstance(shared, dict) else {}, f"{place}: {name}[{index}]")
                run.fault = SEVERAL_HOSTS if len(hosts) > 1 else run.fault
    untimed = Counter(group for (group, _), run in runs.items() if not run.is_timed)
    together = Counter(group for group, _ in runs)
    for (group, _), run in runs.items():
        run.beside = untimed[group] > 0 and together[group] > 1
    return list(runs.values())


def _run(runs: dict[tuple[str, ...], Run], entry: object, shared: dict, where: str) -> Run:
    """The run to which an entry belongs; the entry is added to it."""
    job = require("job", entry, ("jobname",), where)
    options = _named(shared) | _named(require("job options", job.get("job options", {}), (), where))
    job = _split(job, options)
    sides = _sides_of(job)
    for side in sides:
        require(f"job.{side}", require("job", job, sides, where)[side], ("bw",), where)
    run = runs.setdefault((str(job.get("groupid", 0)), str(job["jobname"])), Run(options, where))
    run.fault = UNIFIED if sides != SIDES else run.fault or (BESIDE if run.options != options else "")
    run.reports.append(job)
    return run


def _named(options: dict) -> dict:
    """Options by the names that fio prints; files that scripts wrote may have other names."""
    return {ALIASES.get(name, name): value for name, value in options.items()}


def _sides_of(job: dict) -> tuple[str, ...]:
    return (UNIFIED_SIDE,) if UNIFIED_SIDE in job and "read" not in job else SIDES


def _split(job: dict, options: dict) -> dict:
    """The entry; where it has one number for reads and writes, and `rw` asks for one of them, split into both."""
    kind = way_of(options).removeprefix("rand")
    if kind not in SIDES or UNIFIED_SIDE not in job or any(side in job for side in SIDES):
        return job
    return job | {side: job[UNIFIED_SIDE] if side == kind else {"bw": 0} for side in SIDES}


def mark_overlaps(runs: Sequence[Run]) -> None:
    """Mark runs of any groups that overlap by the clock for more than 1 - `TOGETHER` of the shorter run.

    Groups do not tell: `new_group` makes no job wait for another, and `wait_for` does.
    """
    spans = sorted(((*span, run) for run in runs if (span := run.span_ms())), key=lambda each: each[:2])
    for index, (_, end, run) in enumerate(spans):
        for begin, other_end, other in spans[index + 1 :]:
            if begin >= end:
                break
            shorter = min(run.longest_ms(), other.longest_ms())
            if min(end, other_end) - begin > (1.0 - TOGETHER) * shorter:
                run.beside = other.beside = True


def run_fault(run: Run) -> str:
    """Why a run does not measure the memory; "" if it does."""
    return access_fault(run) or _processor_fault(run)


def access_fault(run: Run) -> str:
    """Why the accesses of a run are not those of plain reads and writes without pause; "" if they are."""
    options = run.options
    if run.fault or run.beside:
        return run.fault or BESIDE
    if any(report.get(name, 0) for report in run.reports for name in ("error", "total_err")):
        return "the job failed"
    if not any(side.get("total_ios") or side.get("bw") for side in run.sides):
        return "no access finished"
    if any(_is_set(options, name) for name in HELD_BACK):
        return "held back by rate or thinktime"
    if _is_set(options, "verify"):
        return "verify: fio's own checks are in the time"
    if _is_set(options, "read_iolog"):
        return "accesses of a recorded log: neither random nor sequential"
    if options.get("ioengine") == "mmap" and any(_is_set(options, name) for name in WAITS):
        return "waits for the file system (sync): not the memory alone"
    if not str(options.get("random_distribution", "random")).startswith("random"):
        return "skewed accesses: partly served by the CPU cache"
    if str(options.get("percentage_random", "100")).split(",")[0] != "100":
        return "partly random, partly sequential"
    if ":" in str(options.get("rw", "")) or str(options.get("zonemode", "none")) != "none":
        return "jumps (rw=...:N or zones): neither random nor sequential"
    return _thread_fault(run)


def way_of(options: dict) -> str:
    """The value of `rw` without an offset behind a colon."""
    return str(options.get("rw", "read")).split(":")[0]


def _is_set(options: dict, name: str) -> bool:
    parts = str(options.get(name, "0")).split(",")
    return any(part.strip() not in ("", "0", "none") for part in parts)


def _thread_fault(run: Run) -> str:
    """Why the threads' times are not of one run: jobs were merged, or threads ran for a part of it; "" if they are."""
    entries, threads = len(run.reports), run.threads
    if 1 < entries < threads:
        return f"numjobs says {threads:.0f} threads, the file has reports of {entries}"
    starts = [float(report.get("job_start", 0)) for report in run.reports]
    if run.sum_of("job_runtime") and not run.longest_ms():
        return "its counters state no run time"
    longest = max(run.longest_ms(), 1.0)
    stated = run.sum_of("job_runtime") / longest
    members = stated or _sampled_ms(run) / longest
    if members > threads + 0.5:
        return f"its report is of {members:.0f} threads where numjobs says {threads:.0f}: merged by group_reporting"
    if 0.0 < stated < TOGETHER * threads or max(starts) - min(starts) > (1.0 - TOGETHER) * longest:
        return f"its threads ran together for less than {100 * TOGETHER:.0f} % of the time"
    return ""


def _sampled_ms(run: Run) -> float:
    """Run time of all threads together in ms, by the number of bandwidth samples; fio before 3.3 does not state it."""
    interval = number("bwavgtime", run.options.get("bwavgtime", BANDWIDTH_SAMPLE_MS), run.where)
    return interval * sum(max(float(report[side].get("bw_samples", 0)) for side in SIDES) for report in run.reports)


def _processor_fault(run: Run) -> str:
    """Why the processor's times are not those of memory accesses: page faults, or other processes; "" if they are."""
    if not all("usr_cpu" in report and "sys_cpu" in report for report in run.reports):
        return ""
    user, kernel = (run.sum_of(name) / len(run.reports) for name in ("usr_cpu", "sys_cpu"))
    if kernel > KERNEL_PERCENT / 100.0 * (user + kernel):
        return f"more than {KERNEL_PERCENT:g} % of the processor time in the kernel: page faults"
    if 0.0 < user + kernel < 100.0 - IDLE_PERCENT:
        return f"its threads ran for less than {100 - IDLE_PERCENT:g} % of the time: others had the processor"
    return ""
