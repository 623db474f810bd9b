"""Figure 7: the confidence bounds of the first two actions of Smart Scheduler, window by window."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np

from pmtwin.figures.experiments.parallel import environment_seed, run_tasks
from pmtwin.pipeline.step import Work
from pmtwin.policies import make_policy
from pmtwin.scenarios.numa_threads.figures.experiments.subject import subject
from pmtwin.scenarios.numa_threads.options import NORMALISED, PRINTED
from pmtwin.scenarios.numa_threads.placements import KERNEL
from pmtwin.scenarios.numa_threads.points import CORE
from pmtwin.scenarios.numa_threads.scenario import NumaThreads
from pmtwin.scenarios.numa_threads.workloads import PATTERNS

POLICY = "linucb"
WINDOWS = 40
ACTIONS = (0, 1)
"""With a thread on a core: it stays, or it goes to its data."""

FORMS = (NORMALISED, PRINTED)


def compute(work: Work) -> dict:
    """`runs`: a row for each form of the reward, workload and seed: `bounds` and `means`, shape (2, windows), and
    `decisions`, their number in each window."""
    setting = work.setting
    tasks = [
        (_rewarded(subject(work), form), form, name, number, environment_seed(setting.seed, number))
        for form in FORMS
        for name in PATTERNS
        for number in range(setting.campaign.seeds)
    ]
    with work.progress(total=len(tasks), desc="bounds") as bar:
        return {"runs": run_tasks(_run, tasks, setting.jobs, bar.update)}


def _rewarded(scenario: NumaThreads, form: str) -> NumaThreads:
    options = scenario.options
    return NumaThreads(replace(options, decisions=replace(options.decisions, reward_form=form)))


def _run(scenario: NumaThreads, form: str, workload: str, number: int, seed: int) -> dict:
    policy = make_policy(POLICY, scenario).inline[CORE]
    learned, decisions = [], []
    with closing(scenario.system(workload, seed)) as system:
        system.decide(CORE, policy, seed)
        system.start(KERNEL)
        for _ in range(WINDOWS):
            system.run_window()
            learned.append(_learned(system.deciding(CORE)[0]))
            decisions.append(system.measures()["decisions"])
    context = _mean_context(*learned[-1][::2])
    shown = np.array([_bounds(inverse, sums, context, policy.options.alpha) for inverse, sums, _ in learned])
    return {
        "form": form, "workload": workload, "seed": number, "bounds": shown[:, 0].T.tolist(),
        "means": shown[:, 1].T.tolist(), "decisions": decisions,
    }  # fmt: skip


def _learned(state: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inverses, sums and updates of the actions now."""
    inverse, sums, updates, *_ = (array[: len(ACTIONS)].copy() for array in state.arrays[:3])
    return inverse, sums, updates


def _mean_context(inverse: np.ndarray, updates: np.ndarray) -> np.ndarray:
    """Mean of the contexts of all decisions: the last column of A_a sums them, since each ends in the constant 1."""
    sums = np.linalg.inv(inverse)[:, :, -1] - np.eye(inverse.shape[1])[-1]
    return sums.sum(axis=0) / max(updates.sum(), 1)


def _bounds(inverse: np.ndarray, sums: np.ndarray, context: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """(width of the bound, expected reward) of each action in a context."""
    product = inverse @ context
    return alpha * np.sqrt(product @ context), (product * sums).sum(axis=1)
