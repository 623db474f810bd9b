"""About how long a sweep takes, before it begins: a few windows of its runs are tried out."""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pmtwin.sweep.plan import SweepPlan
from pmtwin.sweep.running import SweepRun, configuration, write_arguments

MOST_S = 20.0
"""Seconds for which runs are tried out; the others count as these do on average."""

SEED = "seed"


def seconds_of_all(plan: SweepPlan, runs: Sequence[SweepRun], workers: int) -> float | None:
    """Seconds of the runs that are not trained yet, so many at a time; None where nothing tells.

    Runs that differ in their seed alone take the same time.
    """
    known: dict[str, float | None] = {}
    left: list[str] = []
    until = time.monotonic() + MOST_S
    with TemporaryDirectory() as scratch:
        for run in runs:
            write_arguments(plan, run, Path(scratch))
            config = configuration(run, Path(scratch))
            if config.record_path.exists():
                continue
            left.append(kind := repr({name: value for name, value in run.values.items() if name != SEED}))
            if kind not in known and (not known or time.monotonic() < until):
                known[kind] = None if config.scenario.sequential else config.training_of_policy.seconds(config.task, 1)
    told = [seconds for seconds in known.values() if seconds is not None]
    if len(told) < len(known):
        return None
    usual = sum(told) / len(told) if told else 0.0
    return wall_seconds([known.get(kind) or usual for kind in left], workers)


def wall_seconds(seconds: Sequence[float], workers: int) -> float:
    """Until the last is done, where each begins as soon as a worker is free."""
    ends = [0.0] * workers
    for each in seconds:
        heapq.heapreplace(ends, ends[0] + each)
    return max(ends)
