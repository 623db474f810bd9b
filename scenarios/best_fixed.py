"""The best fixed pools of a phase: the yardstick. All 32 x 32 settings take part, by successive halving.

Each round runs every remaining setting on the same requests (common random numbers), from an empty system, and keeps
the better part; windows grow as settings fall. The last round replicates over seeds and alone decides, so that the luck
of an earlier round does not add to the result. (Jamieson and Talwalkar, "Non-stochastic best arm identification",
AISTATS 2016.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from pmtwin.scenarios.nvm_middleware import POOL_MAX, POOL_MIN, NvmMiddlewareEnv
from pmtwin.scenarios.statistics import mean_interval
from pmtwin.sim.errors import InputError, check_range

Pools = tuple[int, int]

ALL_POOLS: tuple[Pools, ...] = tuple(product(range(POOL_MIN, POOL_MAX + 1), repeat=2))


@dataclass(frozen=True)
class SearchPlan:
    """How much the search runs.

    Args:
        rounds: (windows per setting, settings that stay) of each round but the last.
        final_windows: windows per setting and replicate of the last round.
        final_seeds: replicates of the last round.
        warmup_windows: windows before those that count, in every round.
    """

    rounds: tuple[tuple[int, int], ...] = ((2, 192), (6, 48), (16, 12))
    final_windows: int = 20
    final_seeds: int = 10
    warmup_windows: int = 1

    def __post_init__(self):
        for windows, stay in self.rounds:
            check_range("rounds", windows, 1, 10**6)
            check_range("rounds", stay, 1, len(ALL_POOLS))
        check_range("final_windows", self.final_windows, 1, 10**6)
        check_range("final_seeds", self.final_seeds, 2, 10**4)
        check_range("warmup_windows", self.warmup_windows, 0, 10**6)

    def windows(self, settings: int = len(ALL_POOLS)) -> int:
        """Windows that a search over so many settings runs, warm-up included."""
        total = 0
        for windows, stay in self.rounds:
            total += settings * (windows + self.warmup_windows)
            settings = min(settings, stay)
        return total + settings * self.final_seeds * (self.final_windows + self.warmup_windows)


def search_best_fixed(
    phase: int,
    settings: Mapping[str, Any],
    seed: np.random.SeedSequence,
    plan: SearchPlan | None = None,
    candidates: tuple[Pools, ...] = ALL_POOLS,
) -> dict:
    """The fixed pools with the highest mean reward in a phase.

    Args:
        phase: 1 to 4.
        settings: keyword arguments of `NvmMiddlewareEnv` (phase, pools, warm-up and episode are set here).
        seed: root of the search; evaluations use others.
        plan: how much is run.
        candidates: the settings that take part.

    Returns:
        `phase`, `pools`, `reward` (mean, low, high), `tied`: the finalists whose rewards are not distinguishable from
        the best (paired interval of the difference reaches zero), `finalists`: pools and mean reward, best first,
        `windows` run.
    """
    if not candidates:
        raise InputError("candidates", candidates, "at least one setting")
    plan = plan or SearchPlan()
    fixed = {"phase": phase, "mode": "middleware", "warmup_windows": plan.warmup_windows, "episode_steps": None}
    env = NvmMiddlewareEnv(**{**settings, **fixed})
    words = seed.generate_state(len(plan.rounds) + plan.final_seeds, np.uint64) >> np.uint64(1)
    round_seeds, final_seeds = words[: len(plan.rounds)], words[len(plan.rounds) :]
    remaining = list(candidates)
    for (windows, stay), round_seed in zip(plan.rounds, round_seeds, strict=True):
        means = {pools: _mean_reward(env, phase, pools, int(round_seed), windows) for pools in remaining}
        remaining = sorted(remaining, key=means.__getitem__, reverse=True)[:stay]
    rewards = {
        pools: np.array([_mean_reward(env, phase, pools, int(word), plan.final_windows) for word in final_seeds])
        for pools in remaining
    }
    ranking = sorted(remaining, key=lambda pools: rewards[pools].mean(), reverse=True)
    best = ranking[0]
    return {
        "phase": phase,
        "pools": list(best),
        "reward": mean_interval(rewards[best]),
        "tied": [list(other) for other in ranking[1:] if _indistinguishable(rewards[best], rewards[other])],
        "finalists": [{"pools": list(pools), "reward": float(rewards[pools].mean())} for pools in ranking],
        "windows": plan.windows(len(candidates)),
    }


def _mean_reward(env: NvmMiddlewareEnv, phase: int, pools: Pools, seed: int, windows: int) -> float:
    env.reset(seed=seed, options={"phase": phase, "pools": pools})
    return float(np.mean([env.step(0)[1] for _ in range(windows)]))


def _indistinguishable(ours: np.ndarray, theirs: np.ndarray) -> bool:
    return mean_interval(ours - theirs)["low"] <= 0.0
