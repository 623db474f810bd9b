"""The best numbers of logical cores near the data and far from them, by formulas: value size, mix, threads, device."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pmtwin.figures.experiments.parallel import run_tasks
from pmtwin.pipeline.step import Work
from pmtwin.scenarios.numa_threads.figures.experiments.subject import subject
from pmtwin.scenarios.numa_threads.formulas import best_cores, ops_per_s
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.workloads import Workload
from pmtwin.sim.numa.load import RANDOM

VALUES_BYTES = (200, 1024, 4096, 16_384, 65_536, 400_000)
READ_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
THREADS = (24, 48, 72)
USUAL_THREADS = 48

PROFILE, NO_DIRECTORY, DRAM = "persistent memory", "without directory", "DRAM"
DEVICES: dict[str, dict] = {PROFILE: {}, NO_DIRECTORY: {"directory_writes": False}, DRAM: {"profile": "dram-ddr4"}}
"""Name -> options that differ."""


def panels() -> list[tuple[str, int]]:
    """(device, threads) of each panel of the map."""
    return [*((PROFILE, count) for count in THREADS), *((name, USUAL_THREADS) for name in DEVICES if name != PROFILE)]


def compute(work: Work) -> dict:
    """`cells`: a row each with `device`, `threads`, `value_bytes`, `read_share`; the best `near` and `far` cores, their
    `ops_per_s`, and `all_near`: the operations/s of all threads on the cores near the data."""
    options = subject(work).options
    tasks = [
        (replace(options, **DEVICES[device]), device, threads, value)
        for device, threads in panels()
        for value in VALUES_BYTES
    ]
    with work.progress(total=len(tasks), desc="best cores") as bar:
        rows = run_tasks(_cells, tasks, work.setting.jobs, bar.update)
    return {"cells": [row for part in rows for row in part]}


def _cells(options: NumaOptions, device: str, threads: int, value_bytes: int) -> list[dict]:
    all_near = min(threads, options.machine.node_cores)
    rows = []
    for share in READ_SHARES:
        workload = Workload(share, RANDOM, value_bytes, threads)
        near, far = best_cores(options, workload)
        best, near_alone = ops_per_s(options, workload, np.array([(near, far), (all_near, 0)], float)).tolist()
        place = {"device": device, "threads": threads, "value_bytes": value_bytes, "read_share": share}
        rows.append(place | {"near": near, "far": far, "ops_per_s": best, "all_near": near_alone})
    return rows
