"""Regret over time: operations that the best placement would have done more, on a mixture and on changing workloads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from pmtwin.pipeline.step import Work
from pmtwin.scenarios.comparison.evaluation import EvaluationPlan, evaluate
from pmtwin.scenarios.numa_threads.figures.experiments.subject import subject
from pmtwin.scenarios.numa_threads.workloads import FAMILY

POLICIES = ("none", "rule", "linucb", "gp-ucb", "best-constant")
SCHEDULES = {"mixed-50": 60, FAMILY: 240}
"""Workload -> windows."""

BLOCK = 30
"""Windows until another workload is drawn."""


def compute(work: Work) -> dict:
    """`rewards`: workload -> policy -> a row for each seed with the reward of each window: operations/s over those of
    the best placement, by formulas. `constant`: workload -> the best constant setting."""
    setting, campaign = work.setting, work.setting.campaign
    rewards, constant = {}, {}
    for name, windows in SCHEDULES.items():
        plan = EvaluationPlan(
            subject(work), POLICIES, steps=windows, context_steps=BLOCK, seeds=campaign.regret_seeds,
            seed=setting.seed, contexts=(name,),
        )  # fmt: skip

        evaluation = evaluate(plan, setting.jobs, partial(_progress, work))
        rewards[name] = {spec: [run.reward.tolist() for run in runs] for spec, runs in evaluation.runs.items()}
        assert evaluation.best_constant is not None  # a policy of the plan
        constant[name] = list(evaluation.best_constant[plan.scenario.settings.noun])
    return {"rewards": rewards, "constant": constant}


def _progress(work: Work, description: str, total: int, results: Iterator) -> Iterator:
    return work.progress(results, desc=description, total=total)
