"""The thesis' training campaign, or a share of it, as `pmtwin train` runs it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from pmtwin.policies.linear_q.files import save_model
from pmtwin.policies.training import Problem, TrainingPlan
from pmtwin.policies.training.progress import quiet
from pmtwin.policies.training.run import train
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.nvm_middleware.campaign import Campaign
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware
from pmtwin.sim.files.checkpoint import Checkpoint

POLICY_FILE = "q-learning.npz"
CHECKPOINT = "checkpoint"


def plan_of(campaign: Campaign, seed: int):
    """The training plan of a campaign."""
    plan = TrainingPlan.from_training(Problem.from_scenario(NvmMiddleware), NvmMiddleware.training, seed=seed)
    return plan.reduced(campaign.training_share)


def run(campaign: Campaign, seed: int, folder: Path, jobs: int = 1, progress: Callable | None = None) -> dict:
    """Train, with checkpoints in `folder`, and save the policy there.

    Returns:
        `plan`, `selection` (rows of Table D.2), `phases`, `episodes` [[phase, episode], ...] with their `rewards`
        (sums), `settings` (phases x last episodes x steps x 2), `trial_points` with `trials` (points x phases: share
        of windows that meet the goals) and the one `selected`, `policy`: name of the file.
    """
    plan = plan_of(campaign, seed)
    checkpoint = Checkpoint(folder / CHECKPOINT, {"plan": plan.to_dict()})
    result = train(partial(ControlEnv, NvmMiddleware()), plan, checkpoint, jobs, progress or quiet)
    save_model(
        folder / POLICY_FILE, result.model, {"scenario": NvmMiddleware.name, "seed": seed, "plan": plan.to_dict()}
    )
    checkpoint.remove()
    online = result.online
    return {
        "plan": plan.to_dict(),
        "selection": [row.to_dict() for row in result.selection],
        "phases": list(plan.contexts),
        "episodes": [list(pair) for pair in online.order],
        "rewards": online.rewards.tolist(),
        "settings": online.settings.tolist(),
        "trial_points": [int(point) for point in online.points],
        "trials": online.trials[:, :, 0].tolist(),
        "selected": None if online.selected is None else int(online.selected),
        "policy": POLICY_FILE,
    }


def windows(campaign: Campaign, seed: int = 0) -> int:
    """Windows that a run simulates."""
    return sum(plan_of(campaign, seed).steps().values())
