"""The runs in fio's output: entries that belong together, and entries that do not measure the memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from pmtwin.calibrate.readers.document import counter, require
from pmtwin.sim.errors import InputError

OWN_WORK = "fio's own work, some hundred ns of each access, is in its bandwidths: those of short accesses are too low"

KERNEL_PERCENT, IDLE_PERCENT = 10.0, 20.0
"""Limits, in percent of a run's processor time: the kernel's share (page faults), and the share that others took."""

HELD_BACK = ("rate", "rate_iops", "rate_process", "thinktime")
WAITS = ("sync", "fsync", "fdatasync", "sync_file_range", "write_barrier")


@dataclass
class Run:
    """A job of fio.

    Args:
        options: its own over the global ones, as fio prints them (text).
        reports: entries of the output: one, or one for each thread without group reporting.
        where: file and first entry, for errors.
        beside: whether another job ran at the same time.
    """

    options: dict
    where: str
    reports: list[dict] = field(default_factory=list)
    beside: bool = False


def read_runs(output: dict, path: str, directions: tuple[str, ...]) -> list[Run]:
    """The runs in the order of the file.

    Raises:
        InputError: no list of jobs, or a job without its name or one of its directions.
    """
    jobs = output.get("jobs")
    if not isinstance(jobs, list) or not jobs:
        raise InputError("jobs", jobs, "a list of at least one job", path)
    common = require("global options", output.get("global options", {}), (), path)
    runs: dict[tuple[str, str], Run] = {}
    for index, job in enumerate(jobs):
        where = f"{path}: jobs[{index}]"
        job = require("job", job, ("jobname", *directions), where)
        options = common | require("job options", job.get("job options", {}), (), where)
        group = str(job.get("groupid", 0))
        run = runs.setdefault((group, str(job["jobname"])), Run(options, where))
        run.reports.append(job)
    groups = [group for group, _ in runs]
    for (group, _), run in runs.items():
        run.beside = groups.count(group) > 1
    return list(runs.values())


def run_fault(run: Run, threads: float) -> str:
    """Why a run does not measure the memory; "" if it does."""
    options = run.options
    if run.beside:
        return "ran beside another job (no stonewall between them)"
    if any(report.get("error", 0) for report in run.reports):
        return "the job failed"
    if any(_is_set(options, name) for name in HELD_BACK):
        return "held back by rate or thinktime"
    if options.get("ioengine") == "mmap" and any(_is_set(options, name) for name in WAITS):
        return "waits for the file system (sync): not the memory alone"
    if not str(options.get("random_distribution", "random")).startswith("random"):
        return "skewed accesses: partly served by the CPU cache"
    if str(options.get("percentage_random", "100")).split(",")[0] != "100":
        return "partly random, partly sequential"
    if ":" in str(options.get("rw", options.get("readwrite", ""))) or str(options.get("zonemode", "none")) != "none":
        return "jumps (rw=...:N or zones): neither random nor sequential"
    return _processor_fault(run, threads)


def _is_set(options: dict, name: str) -> bool:
    return str(options.get(name, "0")).strip() not in ("", "0", "none")


def _processor_fault(run: Run, threads: float) -> str:
    """Faults that the times show: jobs merged into one report, page faults, a processor that others used."""
    where = run.where
    longest = max(_time(report[side], "runtime", where) for report in run.reports for side in ("read", "write"))
    members = sum(_time(report, "job_runtime", where) for report in run.reports) / max(longest, 1.0)
    if members > threads + 0.5:
        return f"its report is of {members:.0f} threads where numjobs says {threads:.0f}: merged by group_reporting"
    if not all("usr_cpu" in report and "sys_cpu" in report for report in run.reports):
        return ""
    user, kernel = (_mean(run, name) for name in ("usr_cpu", "sys_cpu"))
    if kernel > KERNEL_PERCENT / 100.0 * (user + kernel):
        return f"more than {KERNEL_PERCENT:g} % of the processor time in the kernel: page faults"
    if 0.0 < user + kernel < 100.0 - IDLE_PERCENT:
        return f"its threads ran for less than {100 - IDLE_PERCENT:g} % of the time: others had the processor"
    return ""


def _time(report: dict, name: str, where: str) -> float:
    return counter(name, report.get(name, 0), where)


def _mean(run: Run, name: str) -> float:
    return sum(counter(name, report[name], run.where) for report in run.reports) / len(run.reports)
