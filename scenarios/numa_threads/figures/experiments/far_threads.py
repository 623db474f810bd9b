"""Table 1: the time of a program whose threads all stay where they are, some of them far from the data."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pmtwin.figures.experiments.parallel import environment_seed, run_tasks
from pmtwin.pipeline.step import Work
from pmtwin.scenarios.numa_threads.figures.experiments.subject import subject
from pmtwin.scenarios.numa_threads.model import Model
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.placements import cores_of_threads
from pmtwin.scenarios.numa_threads.published import TABLE_1
from pmtwin.scenarios.numa_threads.workloads import PATTERNS
from pmtwin.sim.numa.running import ANALYTIC

THREADS, REQUESTS_OF_THREAD = 72, 20_000
WORKLOAD = PATTERNS["fillrandom"]
"""Assumed: the paper does not say what the threads of Table 1 do."""

NEVER_S = 1e9


def compute(work: Work) -> dict:
    """`runs`: a row for each number of far threads, seed and sampled system (None: the profile itself): `real_s`.

    Programs on sampled systems are computed by mean values, which here agree with simulated ones to a thousandth.
    """
    setting, campaign = work.setting, work.setting.campaign
    scenario = subject(work)
    sampled = scenario.sampled_systems(campaign.far_samples)
    by_mean_values = replace(program_options(sampled.options), engine=ANALYTIC)
    tasks: list[tuple] = [(program_options(scenario.options), None, setting.seed, campaign.seeds)]
    tasks += [(by_mean_values, sample, setting.seed, 1) for sample in range(sampled.devices)]
    with work.progress(total=len(tasks), desc="programs") as bar:
        rows = run_tasks(_programs, tasks, setting.jobs, bar.update)
    return {"runs": [row for part in rows for row in part]}


def far_threads() -> list[int]:
    """Whole numbers of threads around each published share of 72."""
    wanted = [THREADS * percent / 100.0 for percent in TABLE_1]
    return sorted({number for each in wanted for number in (math.floor(each), math.ceil(each))})


def program_options(options: NumaOptions) -> NumaOptions:
    """Programs of Table 1."""
    return replace(options, threads=THREADS, requests=THREADS * REQUESTS_OF_THREAD)


def _programs(options: NumaOptions, sample: int | None, seed: int, seeds: int) -> list[dict]:
    system = {} if sample is None else {"sample": sample}
    model = Model(options, WORKLOAD, **system)
    return [
        {
            "far": far, "seed": number, "sample": sample,
            "real_s": real_s(options, model, far, environment_seed(seed, far, number)),
        }
        for number in range(seeds)
        for far in far_threads()
    ]  # fmt: skip


def real_s(options: NumaOptions, model: Model, far: int, seed: int, data: np.ndarray | None = None) -> float:
    """Time until all threads are done: two on each logical core near the data, the far ones alone on theirs.

    Args:
        data: shares of the nodes in each thread's operations; None: all on the pool's.
    """
    machine = options.machine
    setting = (THREADS - far, machine.node_cores, machine.node_cores)
    cores = cores_of_threads(machine, options.pool_node, setting, THREADS)
    assert cores is not None  # the setting has cores
    run = model.started(options.engine, (seed, 0), data)
    run.set_affinities([(core,) for core in cores])
    run.advance(NEVER_S)
    return run.now_s
