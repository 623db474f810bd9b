"""The recommended policy, trained as `pmtwin train nvm-middleware` trains it, beside the yardsticks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pmtwin.policies.training.progress import quiet
from pmtwin.scenarios.comparison.evaluation import EvaluationPlan, evaluate
from pmtwin.scenarios.comparison.summary import summarise
from pmtwin.scenarios.nvm_middleware.campaign import Campaign
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware
from pmtwin.sim.files.checkpoint import Checkpoint
from pmtwin.training.task import task_of

STEP, TRAINING = "yardsticks", "training-recommended"
POLICY_FILE = "recommended.npz"
CHECKPOINT = "checkpoint"
SETS = ("phases", "contended")
"""Context sets of the comparison: what the thesis has, and what no constant can serve."""

CLAIRVOYANT, UNFORESEEING = "clairvoyant", "clairvoyant:foresight=no"
UNTRAINED = ("fixed:15,15", "threshold", "best-constant", CLAIRVOYANT, UNFORESEEING)


def train(campaign: Campaign, seed: int, folder: Path, jobs: int = 1, progress: Callable | None = None) -> dict:
    """Train, with checkpoints in `folder`, and save the policy there.

    Returns:
        `windows` of the training, `attainment` of each round, `policy`: name of the file.
    """
    training, policy = campaign.recommended, NvmMiddleware.recommended
    checkpoint = Checkpoint(folder / CHECKPOINT, {"policy": policy, "seed": seed, "windows": training.windows()})
    trained = training.run(task_of(NvmMiddleware(), policy, seed), checkpoint, jobs, progress or quiet)
    trained.save(folder / POLICY_FILE, origin={"scenario": NvmMiddleware.name, "seed": seed})
    checkpoint.remove()
    return {"windows": training.windows(), "attainment": trained.record["attainment"], "policy": POLICY_FILE}


def policies_of(q_learning: str | Path, recommended: str | Path) -> tuple[str, ...]:
    """Specs that take part."""
    return (*UNTRAINED, f"q-learning:{q_learning}", f"{NvmMiddleware.recommended}:{recommended}")


def compare(
    campaign: Campaign, seed: int, policies: tuple[str, ...], jobs: int = 1, progress: Callable | None = None
) -> dict:
    """The policies on each of `SETS`.

    Returns:
        Name of the set -> what `pmtwin.scenarios.comparison.leaderboard.leaderboard` returns, and `best_constant`.
    """
    compared = {}
    for name in SETS:
        plan = EvaluationPlan(
            scenario=NvmMiddleware.of(contexts=name),
            policies=policies,
            steps=campaign.yardstick_steps,
            context_steps=campaign.yardstick_phase_steps,
            seeds=campaign.yardstick_seeds,
            seed=seed,
            survey=campaign.survey,
        )
        summary = summarise(evaluate(plan, jobs, progress))
        compared[name] = {key: summary[key] for key in ("leaderboard", "yardsticks", "best_constant")}
    return compared


def windows(campaign: Campaign) -> int:
    """Windows that the comparison simulates, those of the surveys included, roughly."""
    runs = (len(UNTRAINED) + 2) * campaign.yardstick_seeds * campaign.yardstick_steps
    return len(SETS) * (runs + SURVEYED)


SURVEYED = 20_000
"""Windows of a survey of four contexts, roughly: how many settings its rounds leave depends on what they show."""
