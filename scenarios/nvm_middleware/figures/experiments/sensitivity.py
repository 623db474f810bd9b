"""Dependence of the policies' ranking on the offered load: its rate and its split between the classes.

Held fixed: the trained policy (trained at the defaults) and the best fixed pools of each phase (found at the defaults).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pmtwin.figures.experiments.parallel import Tick, environment_seed, run_tasks
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.scenarios.comparison.rollout import Block, run_policy
from pmtwin.scenarios.nvm_middleware.campaign import Campaign
from pmtwin.scenarios.nvm_middleware.phases import phase_numbers

SEED_KEY = 13
TOTAL_OPS = 300_000.0
INTERACTIVE_SHARES = (0.2, 0.35, 0.5, 0.65, 0.8)
TOTALS_OPS = (200_000.0, 250_000.0, 350_000.0, 450_000.0)


@dataclass(frozen=True)
class Variant:
    """A variant: `kind` (default, split, load), the moved quantity, its value, and the environment's settings."""

    kind: str
    name: str
    value: float | None
    settings: Mapping[str, Any] = field(default_factory=dict)


def variants() -> list[Variant]:
    """The defaults, and other offered loads."""
    entries = [Variant("default", "defaults", None)]
    for share in INTERACTIVE_SHARES:
        if share != 0.5:
            rates = {"interactive_rate_ops": share * TOTAL_OPS, "batch_rate_ops": (1.0 - share) * TOTAL_OPS}
            entries.append(Variant("split", "interactive_share", share, rates))
    for total in TOTALS_OPS:
        rates = {"interactive_rate_ops": total / 2, "batch_rate_ops": total / 2}
        entries.append(Variant("load", "offered_ops", total, rates))
    return entries


def run(
    campaign: Campaign,
    seed: int,
    policies: Sequence[str],
    best_pools: Mapping[int, tuple[int, int]],
    jobs: int = 1,
    on_done: Tick | None = None,
) -> dict:
    """Run every policy in every variant, through the four phases without a reset, on the same seeds.

    Args:
        policies: specs.
        best_pools: of the oracle `best-fixed`.

    Returns:
        `policies`; `variants`: kind, name, value and, by policy, per seed: `reward` (mean over the windows that count,
        all phases alike), `attainment`, `throughput_ops` (means) and `p99_us` (median).
    """
    chosen = variants()
    jobs_list = [(campaign, seed, tuple(policies), dict(best_pools), variant) for variant in chosen]
    rows = run_tasks(_variant_results, jobs_list, jobs, on_done)
    return {
        "policies": list(policies),
        "seeds": campaign.sensitivity_seeds,
        "windows": campaign.sensitivity_windows,
        "settling": campaign.sensitivity_settling,
        "variants": [
            {"kind": variant.kind, "name": variant.name, "value": variant.value, "results": row}
            for variant, row in zip(chosen, rows, strict=True)
        ],
    }


def tasks(campaign: Campaign) -> int:
    """Number of calls of `on_done` in a run."""
    return len(variants())


def windows(campaign: Campaign, policies: int = 5) -> int:
    """Windows that a run simulates."""
    per_phase = campaign.sensitivity_windows + campaign.sensitivity_settling
    return len(variants()) * policies * campaign.sensitivity_seeds * 4 * per_phase


def _variant_results(
    campaign: Campaign, seed: int, policies: tuple[str, ...], best_pools: dict, variant: Variant
) -> dict:
    seeds = campaign.sensitivity_seeds
    return {spec: policy_results(campaign, seed, spec, best_pools, variant.settings, seeds) for spec in policies}


def policy_results(
    campaign: Campaign, seed: int, spec: str, best_pools: dict, settings: Mapping[str, Any], seeds: int
) -> dict[str, list[float]]:
    """A policy through the four phases, without a reset.

    Args:
        best_pools: of the oracle `best-fixed`.
        settings: of the environment.

    Returns:
        per seed, `reward`, `attainment` and `throughput_ops` (means over the windows that count) and `p99_us`
        (median).
    """
    from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv

    settling, counting = campaign.sensitivity_settling, campaign.sensitivity_windows
    schedule = [Block(phase, settling + counting) for phase in phase_numbers()]
    counts = np.tile(np.arange(settling + counting) >= settling, len(schedule))
    results: dict[str, list[float]] = {"reward": [], "attainment": [], "throughput_ops": [], "p99_us": []}
    for k in range(seeds):
        policy = make_policy(spec)
        env = NvmMiddlewareEnv(mode=policy.mode, episode_steps=None, jumps=False, **settings)
        knowledge = {"context": schedule[0].context, "best": best_pools} if policy.needs_context else {}
        context = PolicyContext.of(env.scenario, seed=environment_seed(seed, SEED_KEY, 1, k), **knowledge)
        run = run_policy(policy, context, env, schedule, environment_seed(seed, SEED_KEY, 0, k))
        results["reward"].append(float(run.reward[counts].mean()))
        results["attainment"].append(float(run.met[counts].mean()))
        results["throughput_ops"].append(float(run.measures["throughput_ops"][counts].mean()))
        results["p99_us"].append(float(np.median(run.measures["p99_us"][counts])))
    return results
