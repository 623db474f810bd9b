"""`pmtwin bench selection`: successive halving against the cross-validation of every eligible configuration.

Both select models from the same data, with all values of Table D.1. Scoring the eligible configurations selects the
models of the whole grid, so that the loss of halving against them is its loss against the grid.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from pmtwin.bench import Request
from pmtwin.console.output import print_table
from pmtwin.console.progress import progress
from pmtwin.policies.linear_q.features import FeatureMap
from pmtwin.policies.training import Problem, TrainingPlan
from pmtwin.policies.training.selection import ActionSelection, select_models
from pmtwin.policies.training.transitions import gather
from pmtwin.scenarios import load_scenario
from pmtwin.scenarios.environments.environment import ControlEnv

KINDS = "halving", "eligible"


def measure(request: Request, share: float, jobs: int) -> dict:
    """Select models by both methods.

    Args:
        request: not used; each method runs once.
        share: share of the data set of the thesis' campaign, 0.0005 to 1.
        jobs: number of processes.

    Returns:
        `campaign`, `jobs`, `samples` (size of the data set); `seconds` of each method; `loss_cv_r2`, `loss_test_r2`:
        mean and largest difference, over actions, between the scores without and with halving; `same_choice`: number of
        actions with the same configuration; `actions`: for each action, degree and scores of both methods.
    """
    scenario = _scenario()
    plan = TrainingPlan.from_training(Problem.from_scenario(scenario), scenario.training)
    plan = replace(plan, dataset_episodes=max(2, round(share * plan.dataset_episodes)))
    make_env = partial(ControlEnv, scenario, episode_steps=plan.episode_steps)
    data = gather(make_env, plan, jobs, progress)
    features = FeatureMap.fit(data.state, max(plan.grid["degree"]), plan.problem.log_columns)
    rows, seconds, actions = {}, {}, int(scenario.action_space.n)
    for kind in KINDS:
        began = time.perf_counter()
        rows[kind] = select_models(data, features, replace(plan, tried=kind), actions, jobs, progress)
        seconds[kind] = round(time.perf_counter() - began, 3)
    pairs = list(zip(*(rows[kind] for kind in KINDS), strict=True))
    return {
        "campaign": share,
        "jobs": jobs,
        "samples": len(data),
        "seconds": seconds,
        "loss_cv_r2": _loss([whole.cv_score - halved.cv_score for halved, whole in pairs]),
        "loss_test_r2": _loss([whole.test_score - halved.test_score for halved, whole in pairs]),
        "same_choice": sum(halved.choice == whole.choice for halved, whole in pairs),
        "actions": [{kind: _row(row) for kind, row in zip(KINDS, pair, strict=True)} for pair in pairs],
    }


def _scenario():
    return load_scenario("nvm-middleware").of()


def _loss(differences: list[float]) -> dict[str, float]:
    return {"mean": round(sum(differences) / len(differences), 6), "largest": round(max(differences), 6)}


def _row(row: ActionSelection) -> dict:
    names = "degree", "loss", "penalty", "alpha", "cv_r2", "cv_r2_standard_error", "test_r2"
    return {name: row.to_dict()[name] for name in names}


def show(report: dict) -> None:
    """Print the results of both methods for each action, and the loss of halving."""
    rows = [
        (action, kind, *row.values()) for action, pair in enumerate(report["actions"]) for kind, row in pair.items()
    ]
    print_table(rows, ("action", "selection", *next(iter(report["actions"][0].values()))))
    seconds, loss = report["seconds"], report["loss_test_r2"]
    print(
        f"halving {seconds['halving']:.0f} s, all eligible {seconds['eligible']:.0f} s, {report['samples']:,} samples; "
        f"same choice for {report['same_choice']} of {len(report['actions'])} actions; "
        f"halving loses {loss['mean']:.5f} of R2 on the part kept aside on average, {loss['largest']:.5f} at most"
    )
