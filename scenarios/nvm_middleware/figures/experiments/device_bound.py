"""Best fixed pools where the device decides, on four devices, and the loss by one device's pools on another."""

from __future__ import annotations

from contextlib import closing
from itertools import product

import numpy as np

from pmtwin.figures.experiments.parallel import Tick, environment_seed, run_tasks
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.nvm_middleware.campaign import Campaign, Pools
from pmtwin.scenarios.nvm_middleware.context_sets import CONTEXT_SETS
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware
from pmtwin.sim.load.workload import Workload

CONTEXTS = "device-bound"
DEVICES = {
    "Optane, 1 DIMM": ("optane-dcpmm-100", 1.0),
    "Optane, 6 DIMMs": ("optane-dcpmm-100", 6.0),
    "DRAM, 1 DIMM": ("dram-ddr4", 1.0),
    "DRAM, 6 DIMMs": ("dram-ddr4", 6.0),
}
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
GRID: tuple[Pools, ...] = tuple(product(SIZES, SIZES))
FINALISTS = 4
CHOOSING_SEEDS = 3
SEED_KEYS = 18, 19, 20
"""Seed keys of the grid, of the choice among its best, and of the comparison: none sees the requests of another."""


def run(campaign: Campaign, seed: int, jobs: int = 1, on_done: Tick | None = None) -> dict:
    """The grid, the choice, the comparison of the chosen pools.

    Returns:
        `pools` (the grid), `devices`, `goals` (`latency_us`, `throughput_ops`), `seeds`; `contexts`: number ->
        `name`; `grid` (device -> `throughput_ops` of each pools); `best` (device -> pools); `found`: [tuned device]
        [device it runs on] -> by seed `reward`, `throughput_ops`, `p99_us`, `attainment` (means over windows).
    """
    numbers, sla = CONTEXT_SETS[CONTEXTS].numbers, CONTEXT_SETS[CONTEXTS].sla
    cases = list(product(numbers, DEVICES))
    rows = run_tasks(_choose, [(campaign, seed, *case) for case in cases], jobs, on_done)
    chosen = dict(zip(cases, rows, strict=True))
    best = {number: {device: chosen[number, device]["best"] for device in DEVICES} for number in numbers}
    compared = [
        (campaign, seed, number, device, tuple(best[number].values())) for number, device in product(numbers, DEVICES)
    ]
    rewards = dict(zip(cases, run_tasks(_compare, compared, jobs, on_done), strict=True))
    return {
        "pools": [list(pools) for pools in GRID],
        "devices": list(DEVICES),
        "goals": {"latency_us": sla.latency_goal_us, "throughput_ops": sla.throughput_goal_ops},
        "seeds": campaign.device_bound_seeds,
        "contexts": {
            str(number): {
                "name": _name(CONTEXT_SETS[CONTEXTS].contexts[number].workload),
                "grid": {device: chosen[number, device]["throughput_ops"] for device in DEVICES},
                "best": {device: list(pools) for device, pools in best[number].items()},
                "found": {
                    tuned: {device: rewards[number, device][k] for device in DEVICES} for k, tuned in enumerate(DEVICES)
                },
            }
            for number in numbers
        },
    }


def _name(workload: Workload | int) -> str:
    return workload.name if isinstance(workload, Workload) else f"phase-{workload}"


def tasks(_campaign: Campaign) -> int:
    """Number of calls of `on_done` in a run."""
    return 2 * len(DEVICES) * len(CONTEXT_SETS[CONTEXTS].numbers)


def windows(campaign: Campaign) -> int:
    """Windows that a run simulates."""
    runs = FINALISTS * CHOOSING_SEEDS + len(DEVICES) * campaign.device_bound_seeds
    each = len(GRID) * 3 + runs * (campaign.device_bound_windows + 1)
    return each * tasks(campaign) // 2


def _choose(campaign: Campaign, seed: int, context: int, device: str) -> dict:
    """Throughput over the grid, and the pools with the highest mean reward."""
    runs = [_run(seed, SEED_KEYS[0], 0, context, device, pools, 2) for pools in GRID]
    order = np.argsort([-each["reward"] for each in runs])[:FINALISTS]
    again = [
        np.mean(
            [
                _run(seed, SEED_KEYS[1], k, context, device, GRID[place], campaign.device_bound_windows)["reward"]
                for k in range(CHOOSING_SEEDS)
            ]
        )
        for place in order
    ]
    return {
        "throughput_ops": [each["throughput_ops"] for each in runs],
        "best": GRID[order[int(np.argmax(again))]],
    }


def _compare(campaign: Campaign, seed: int, context: int, device: str, every: tuple[Pools, ...]) -> list[dict]:
    """Measures of each pools, by seed; all of them see the same requests."""
    rows = []
    for pools in every:
        runs = [
            _run(seed, SEED_KEYS[2], k, context, device, pools, campaign.device_bound_windows)
            for k in range(campaign.device_bound_seeds)
        ]
        rows.append({name: [each[name] for each in runs] for name in runs[0]})
    return rows


def _run(seed: int, key: int, k: int, context: int, device: str, pools: Pools, windows: int) -> dict[str, float]:
    """Means over the windows of one run, after one of warm-up."""
    profile, dimms = DEVICES[device]
    scenario = NvmMiddleware.of(contexts=CONTEXTS, profile=profile, parameters={"dimms": dimms})
    with closing(ControlEnv(scenario, context, pools, None, 1)) as env:
        env.reset(seed=environment_seed(seed, key, context, k))
        steps = [env.carry_out(pools) for _ in range(windows)]
    infos = [step[4] for step in steps]
    return {
        "reward": float(np.mean([step[1] for step in steps])),
        "throughput_ops": float(np.mean([info["throughput_ops"] for info in infos])),
        "p99_us": float(np.mean([info["p99_us"] for info in infos])),
        "attainment": float(np.mean([info["met_latency"] and info["met_throughput"] for info in infos])),
    }
