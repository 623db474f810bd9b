"""Reward of fixed settings in each phase (the thesis' tables of reward quartiles, as quartiles over windows)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

import numpy as np

from pmtwin.figures.experiments.parallel import Tick, environment_seed, run_tasks
from pmtwin.scenarios.nvm_middleware.campaign import Campaign, Pools
from pmtwin.scenarios.nvm_middleware.figures.experiments import published_orders
from pmtwin.scenarios.nvm_middleware.published import FIXED_POOL_REWARDS
from pmtwin.sim.numerics.statistics import quartiles

SEED_KEY = 12


def run(campaign: Campaign, seed: int, jobs: int = 1, on_done: Tick | None = None) -> dict:
    """Run every setting in every phase, from an empty system and on the same requests.

    Returns:
        `pools` [[i, b], ...]; `phases`: number -> for each setting `reward` (min, q1, median, q3, max), `mean`,
        `attainment`, `p99_us` and `throughput_ops` (medians); the same of no middleware as `none`, and of the columns
        of Tables D.4 to D.7 as `published`, by pools. `orders`: see `published_orders.orders`.
    """
    chunks = _chunks(campaign)
    rows = run_tasks(_settings_results, [(campaign, seed, *chunk) for chunk in chunks], jobs, on_done)
    results: dict[int, dict] = {phase: {} for phase in FIXED_POOL_REWARDS}
    for (phase, settings), part in zip(chunks, rows, strict=True):
        results[phase] |= dict(zip(settings, part, strict=True))
    parts = [(seed, part) for part in published_orders.tasks(campaign.published_draws)]
    rewards = run_tasks(published_orders.median_rewards, parts, jobs, on_done)
    return {
        "pools": [list(pools) for pools in campaign.fixed_pools],
        "windows": campaign.fixed_windows,
        "phases": {
            str(phase): {
                "none": shown[None],
                "fixed": [shown[pools] for pools in campaign.fixed_pools],
                "published": {f"{i},{b}": shown[i, b] for i, b in FIXED_POOL_REWARDS[phase][1]},
            }
            for phase, shown in results.items()
        },
        "orders": published_orders.orders([draw for part in rewards for draw in part]),
    }


CHUNK = 16


def _chunks(campaign: Campaign) -> list[tuple[int, list[Pools | None]]]:
    """(phase, settings) of each task."""
    return [
        (phase, settings[k : k + CHUNK])
        for phase, settings in _settings(campaign).items()
        for k in range(0, len(settings), CHUNK)
    ]


def _settings(campaign: Campaign) -> dict[int, list[Pools | None]]:
    """By phase: no middleware, those of the grid, and those of the published table."""
    return {
        phase: list(dict.fromkeys((None, *campaign.fixed_pools, *table)))
        for phase, (_, table) in FIXED_POOL_REWARDS.items()
    }


def tasks(campaign: Campaign) -> int:
    """Number of calls of `on_done` in a run."""
    return len(_chunks(campaign)) + len(published_orders.tasks(campaign.published_draws))


WINDOWS_A_DRAW = 120
"""Work of one draw of the host, in windows of the grid: 21 settings of 19 windows, each with 1,500 requests."""


def windows(campaign: Campaign) -> int:
    """Windows that a run simulates."""
    settings = sum(map(len, _settings(campaign).values()))
    grid = settings * (campaign.fixed_windows + campaign.fixed_warmup)
    return grid + WINDOWS_A_DRAW * campaign.published_draws


def _settings_results(campaign: Campaign, seed: int, phase: int, settings: Iterable[Pools | None]) -> list[dict]:
    from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv

    results = []
    for pools in settings:
        env = NvmMiddlewareEnv(
            phase=phase,
            mode="direct" if pools is None else "middleware",
            initial_pools=pools or (1, 1),
            warmup_windows=campaign.fixed_warmup,
            episode_steps=None,
        )
        with closing(env):
            env.reset(seed=environment_seed(seed, SEED_KEY, phase))
            steps = [env.carry_out(0) for _ in range(campaign.fixed_windows)]
        rewards = np.array([step[1] for step in steps])
        infos = [step[4] for step in steps]
        results.append(
            {
                "reward": quartiles(rewards),
                "mean": float(rewards.mean()),
                "attainment": float(np.mean([info["met_latency"] and info["met_throughput"] for info in infos])),
                "p99_us": float(np.median([info["p99_us"] for info in infos])),
                "throughput_ops": float(np.median([info["throughput_ops"] for info in infos])),
            }
        )
    return results
