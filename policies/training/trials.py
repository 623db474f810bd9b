"""Trials of the greedy policy between episodes, without exploration and learning; the weights of the best one are kept.

A trial is one run through changing contexts, in which each context follows each other context once. Changes matter: a
policy that keeps the service level in every context may fail to adapt after a change. Trials are compared by the share
of windows that meet the goals, then by the mean scaled reward, both averaged over contexts. All trials use the same
seed, which is used for nothing else.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from pmtwin.policies.linear_q.model import LinearQ
from pmtwin.policies.linear_q.rewards import scaled_reward
from pmtwin.policies.training import seeds
from pmtwin.policies.training.plan import TrainingPlan
from pmtwin.sim.common.processes import processes

MEASURES = ("share_meeting_goals", "mean_scaled_reward")
"""Measures of a trial in each context, in the order of the comparison."""


def course(contexts: Sequence[int | str], random: np.random.Generator) -> list[int | str]:
    """A sequence of contexts in which each context follows each other one exactly once; it ends where it began.

    This is an Eulerian circuit of the complete directed graph (Hierholzer's algorithm), n (n - 1) + 1 contexts long.
    """
    count = len(contexts)
    successors = [[k for k in random.permutation(count).tolist() if k != context] for context in range(count)]
    trail, blocks = [int(random.integers(count))], []
    while trail:
        if successors[trail[-1]]:
            trail.append(successors[trail[-1]].pop())
        else:
            blocks.append(contexts[trail.pop()])
    return blocks[::-1]


def trial(model: LinearQ, env: Any, plan: TrainingPlan) -> np.ndarray:
    """Run the greedy policy through a `course` of contexts, with `plan.selection_steps` windows in each block.

    Args:
        env: environment with `reset(seed=, options={"context": k})`, `step(action)`, and `set_context(k)`, which
            continues in another context; it must be usable beyond the length of an episode.

    Returns:
        float64, shape (contexts, 2): `MEASURES` of each context. A window meets the goals if its reward is not negative
        (Algorithm 1).
    """
    q = plan.q
    random = seeds.generator(plan.seed, seeds.SELECTION)
    reset_seed, blocks = seeds.reset_seed(random), course(plan.contexts, random)
    state, _ = env.reset(seed=reset_seed, options={"context": blocks[0]})
    rows: dict[int | str, list] = {context: [] for context in plan.contexts}
    for number, context in enumerate(blocks):
        if number:
            env.set_context(context)
        for _ in range(plan.selection_steps):
            state, reward, terminated, _, _ = env.step(model.greedy(state))
            rows[context].append((reward >= 0.0, scaled_reward(float(reward), q.reward_transform, q.reward_unit)))
            if terminated:
                state, _ = env.reset(options={"context": context})
    return np.array([np.mean(windows, axis=0) for windows in rows.values()])


class Trial:
    """A trial of a model's present weights, in another process if there are several, while the model learns on.

    Args:
        model: model to try.
        make_env: returns an environment; sent to the other process.
        env: environment of this process.
        plan: plan of the run.
        workers: number of processes; with one the constructor runs the trial.

    Attributes:
        weights: state of the model when the trial began.
    """

    def __init__(self, model: LinearQ, make_env: Callable, env: Any, plan: TrainingPlan, workers: int):
        self.weights = model.state()
        if workers == 1:
            self._results = iter([trial(model, env, plan)])
            return
        import cloudpickle
        from joblib import delayed

        pickled = cloudpickle.dumps((model, make_env, plan))  # at once: joblib's thread would read the changing weights
        parallel = processes(workers, "generator")
        self._results = parallel([delayed(_trial_in_worker)(pickled)])

    def result(self) -> np.ndarray:
        """Wait for the return value of `trial`; to be called once."""
        return next(self._results)


def _trial_in_worker(pickled: bytes) -> np.ndarray:
    model, make_env, plan = pickle.loads(pickled)  # from the process that began the trial, never from a file
    with closing(make_env()) as env:
        return trial(model, env, plan)


def best_trial(trials: np.ndarray) -> int:
    """Index of the best of the trials made so far; the first of equals.

    Args:
        trials: float64, shape (points, contexts, 2); NaN for trials not yet made.
    """
    scores = trials.mean(axis=1).tolist()
    return max((k for k, score in enumerate(scores) if not np.isnan(score).any()), key=lambda k: scores[k])
