"""Reward of fixed settings in each phase (the thesis' tables of reward quartiles, as quartiles over windows)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

import numpy as np

from pmtwin.figures.parallel import Tick, environment_seed, run_tasks
from pmtwin.scenarios.nvm_middleware.figures.campaign import Campaign, Pools

SEED_KEY = 12


def run(campaign: Campaign, seed: int, jobs: int = 1, on_done: Tick | None = None) -> dict:
    """Run every setting in every phase, from an empty system and on the same requests.

    Returns:
        `pools` [[i, b], ...]; `phases`: number -> for each setting `reward` (min, q1, median, q3, max), `mean`,
        `attainment`, `p99_us` and `throughput_ops` (medians); and the same of no middleware as `none`.
    """
    from pmtwin.scenarios.nvm_middleware.phases import phase_numbers

    settings = [None, *campaign.fixed_pools]
    chunks = [(campaign, seed, phase, part) for phase in phase_numbers() for part in _chunks(settings)]
    rows = [row for part in run_tasks(_settings_results, chunks, jobs, on_done) for row in part]
    per_phase = len(settings)
    return {
        "pools": [list(pools) for pools in campaign.fixed_pools],
        "windows": campaign.fixed_windows,
        "phases": {
            str(phase): {"none": rows[n * per_phase], "fixed": rows[n * per_phase + 1 : (n + 1) * per_phase]}
            for n, phase in enumerate(phase_numbers())
        },
    }


CHUNK = 16


def _chunks(settings: list) -> list[list]:
    return [settings[k : k + CHUNK] for k in range(0, len(settings), CHUNK)]


def tasks(campaign: Campaign) -> int:
    """Number of calls of `on_done` in a run."""
    return 4 * len(_chunks([None, *campaign.fixed_pools]))


def windows(campaign: Campaign) -> int:
    """Windows that a run simulates."""
    return 4 * (1 + len(campaign.fixed_pools)) * (campaign.fixed_windows + campaign.fixed_warmup)


def _settings_results(campaign: Campaign, seed: int, phase: int, settings: Iterable[Pools | None]) -> list[dict]:
    from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv
    from pmtwin.sim.statistics import quartiles

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
            steps = [env.step(0) for _ in range(campaign.fixed_windows)]
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
