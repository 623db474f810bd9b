"""Scores of candidates that decide inside a simulation: their mean rewards on all training contexts alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from joblib import delayed

from pmtwin.policies.base import PolicyContext
from pmtwin.policies.points import policy_for
from pmtwin.policies.training.policy_training import Task
from pmtwin.sim.common.processes import processes


def mean_rewards(
    task: Task, candidates: Sequence[str], episodes: int, windows: int, stage: int, workers: int, shown: Callable
) -> np.ndarray:
    """Mean reward of each candidate: shape (n,); all run in the same episodes.

    Args:
        episodes: of each training context. windows: length of an episode. stage: number of the stage, for the seeds.
        shown: wraps the episodes, to show progress.
    """
    contexts = [name for name in task.scenario.trained_contexts for _ in range(episodes)]
    seeds = [np.random.SeedSequence(task.seed, spawn_key=(stage, 1, k)) for k in range(len(contexts))]
    tasks = [
        delayed(_episode_of_all)(task, candidates, context, seed, windows)
        for context, seed in zip(contexts, seeds, strict=True)
    ]
    results = processes(workers, "generator")(tasks)
    return np.array(list(shown(results, total=len(tasks)))).mean(axis=0)


def _episode_of_all(
    task: Task, candidates: Sequence[str], name: Any, sequence: np.random.SeedSequence, windows: int
) -> list[float]:
    """Mean reward of each candidate in the same episode."""
    play, seed = cast("Callable[..., Any]", task.play), int(sequence.generate_state(1)[0])
    context = PolicyContext.of(task.scenario, seed=sequence.spawn(1)[0])
    return [float(np.mean(play(policy_for(spec, task.scenario), context, name, windows, seed))) for spec in candidates]
