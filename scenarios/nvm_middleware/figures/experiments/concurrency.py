"""Figure B.1: 42 combinations of pools, and no middleware, under the workload of thesis section 4.2."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.figures.experiments.parallel import Tick, environment_seed, run_tasks
from pmtwin.scenarios.nvm_middleware.campaign import Campaign
from pmtwin.scenarios.nvm_middleware.published import FIGURE_B1_POOLS
from pmtwin.scenarios.nvm_middleware.twin import TwinSettings
from pmtwin.scenarios.nvm_middleware.workloads import make_workload

WORKLOAD = "section-4.2"
COMBINATIONS = FIGURE_B1_POOLS
SEED_KEY = 11


def run(campaign: Campaign, seed: int, jobs: int = 1, on_done: Tick | None = None) -> dict:
    """Run every setting with the same seeds.

    Returns:
        `combinations` [[i, b], ...]; `none` and `pools` (one entry per combination): per seed, `p99_us` of the
        interactive class and `batch_ops` (completed operations per second of the batch class); `extrapolated`.
    """
    settings = [None, *COMBINATIONS]
    tasks = [(campaign, seed, pools, k) for pools in settings for k in range(campaign.concurrency_seeds)]
    rows = iter(run_tasks(_run_task, tasks, jobs, on_done))
    samples = [[next(rows) for _ in range(campaign.concurrency_seeds)] for _ in settings]
    runs = [{"p99_us": [row[0] for row in some], "batch_ops": [row[1] for row in some]} for some in samples]
    return {
        "workload": WORKLOAD,
        "combinations": [list(pools) for pools in COMBINATIONS],
        "none": runs[0],
        "pools": runs[1:],
        "extrapolated": any(row[2] for some in samples for row in some),
        "windows": campaign.concurrency_windows,
    }


def tasks(campaign: Campaign) -> int:
    """Number of calls of `on_done` in a run."""
    return (1 + len(COMBINATIONS)) * campaign.concurrency_seeds


def windows(campaign: Campaign) -> int:
    """Windows that a run simulates."""
    return tasks(campaign) * (campaign.concurrency_windows + campaign.concurrency_warmup)


def _run_task(campaign: Campaign, seed: int, pools: tuple[int, int] | None, k: int) -> tuple[float, float, bool]:
    return run_pools(campaign, environment_seed(seed, SEED_KEY, k), pools)


def run_pools(
    campaign: Campaign, seed: int, pools: tuple[int, int] | None, parameters: Mapping[str, float] | None = None
) -> tuple[float, float, bool]:
    """(p99 of all interactive requests in us, batch operations per second, extrapolated) of one run.

    Args:
        pools: None: no middleware.
        parameters: values of the twin's parameters that are not those of the default host.
    """
    from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware

    mode = "direct" if pools is None else "middleware"
    values = {**TwinSettings().values, **(parameters or {})}
    middleware = Middleware(make_workload(WORKLOAD), seed=seed, mode=mode, parameters=values)
    middleware.start(*(pools or (1, 1)))
    for _ in range(campaign.concurrency_warmup):
        middleware.run_window()
    interactive_us, batch, seconds = [], 0, 0.0
    for _ in range(campaign.concurrency_windows):
        stats = middleware.run_window()
        classes, latency_us = middleware.latencies()
        interactive_us.append(latency_us[classes == 0])
        batch += int((classes == 1).sum())
        seconds += stats.duration_s
    return float(np.percentile(np.concatenate(interactive_us), 99)), batch / seconds, bool(stats.extrapolated)
