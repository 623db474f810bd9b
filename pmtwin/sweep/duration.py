"""Estimated duration of a sweep, from a few windows of its runs."""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pmtwin.sweep.plan import SweepPlan
from pmtwin.sweep.running import SweepRun, configuration, write_arguments

MOST_S = 20.0
"""Seconds for measuring runs; each further run counts as the mean of the measured ones."""

SEED = "seed"


def seconds_of_all(plan: SweepPlan, runs: Sequence[SweepRun], workers: int) -> float | None:
    """Wall-clock seconds of the runs that are not trained yet, `workers` at a time.

    Runs that differ only in their seed count the same.

    Returns:
        Seconds, or None if a run gives no estimate, as on a scenario that measures real hardware.
    """
    estimates: dict[str, float | None] = {}
    pending: list[str] = []
    until = time.monotonic() + MOST_S
    with TemporaryDirectory() as scratch:
        for run in runs:
            write_arguments(plan, run, Path(scratch))
            config = configuration(run, Path(scratch))
            if config.record_path.exists():
                continue
            pending.append(kind := repr({name: value for name, value in run.values.items() if name != SEED}))
            if kind not in estimates and (not estimates or time.monotonic() < until):
                sequential = config.scenario.sequential
                estimates[kind] = None if sequential else config.training_of_policy.seconds(config.task, 1)
    durations = [seconds for seconds in estimates.values() if seconds is not None]
    if len(durations) < len(estimates):
        return None
    mean = sum(durations) / len(durations) if durations else 0.0
    return wall_seconds([estimates.get(kind) or mean for kind in pending], workers)


def wall_seconds(seconds: Sequence[float], workers: int) -> float:
    """Seconds until the last run ends; each run starts, in order, as soon as a worker is free."""
    ends = [0.0] * workers
    for duration in seconds:
        heapq.heapreplace(ends, ends[0] + duration)
    return max(ends)
