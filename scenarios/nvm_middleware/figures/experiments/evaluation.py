"""The long run of thesis section 4.3: policies over phases that change, in order and at random."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pmtwin.scenarios.comparison.evaluation import EvaluationPlan, evaluate
from pmtwin.scenarios.comparison.series import write_series
from pmtwin.scenarios.comparison.summary import summarise
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.campaign import Campaign
from pmtwin.scenarios.nvm_middleware.model.pools import POOLS

ORACLE = "best-fixed"
UNTRAINED = ("none", "fixed:15,15", "threshold")
SERIES_FILE = "series.npz"


def policies_of(policy_file: Path, schedule: str) -> tuple[str, ...]:
    """Specs that take part; the oracle only at random, where the comparison is made."""
    specs = (*UNTRAINED, f"q-learning:{policy_file}")
    return (*specs, ORACLE) if schedule == "random" else specs


def run(
    campaign: Campaign,
    seed: int,
    schedule: str,
    policy_file: Path,
    folder: Path,
    jobs: int = 1,
    progress: Callable | None = None,
):
    """Evaluate, and write every step to `series.npz` in `folder`.

    Returns:
        What `pmtwin.scenarios.comparison.evaluation.summarise` returns, and `configuration`.
    """
    plan = EvaluationPlan(
        scenario=NvmMiddleware(),
        policies=policies_of(policy_file, schedule),
        schedule=schedule,
        steps=campaign.steps,
        context_steps=campaign.phase_steps,
        seeds=campaign.seeds,
        seed=seed,
        search=campaign.search,
    )
    evaluation = evaluate(plan, jobs, progress)
    write_series(folder / SERIES_FILE, evaluation)
    sizes = {name: plan.record()[name] for name in ("schedule", "steps", "phase_steps", "seeds", "seed")}
    return {"configuration": sizes, **summarise(evaluation)}


def windows(campaign: Campaign, schedule: str) -> int:
    """Windows that a run simulates, those of the search included."""
    with_oracle = schedule == "random"
    runs = (len(UNTRAINED) + 1 + with_oracle) * campaign.seeds * campaign.steps
    return runs + (4 * campaign.search.windows(len(POOLS)) if with_oracle else 0)
