"""Trials of the greedy policy between episodes, without exploration and without learning; the best one is kept.

A trial is one run through changing contexts, in which each context follows each other one once: a policy that keeps the
service level in every single context may still stay where a change left it. Trials are compared by the share of windows
that meet the goals, equal ones by the mean scaled reward, both as means over contexts. All trials run on the same seed,
which is used for nothing else.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from contextlib import closing

import numpy as np

from pmtwin.policies.linear_q.model import LinearQ
from pmtwin.policies.linear_q.rewards import scaled_reward
from pmtwin.policies.training import seeds
from pmtwin.policies.training.plan import TrainingPlan
from pmtwin.sim.common.processes import processes

MEASURES = ("share_meeting_goals", "mean_scaled_reward")
"""Measures of a trial in each context, by their weight in the comparison."""


def course(contexts: Sequence[int | str], random: np.random.Generator) -> list[int | str]:
    """Contexts in an order in which each follows each other one exactly once; it ends where it began.

    This is an Eulerian circuit of the complete directed graph (Hierholzer's algorithm), n (n - 1) + 1 contexts long.
    """
    count = len(contexts)
    ahead = [[other for other in random.permutation(count).tolist() if other != k] for k in range(count)]
    trail, blocks = [int(random.integers(count))], []
    while trail:
        if ahead[trail[-1]]:
            trail.append(ahead[trail[-1]].pop())
        else:
            blocks.append(contexts[trail.pop()])
    return blocks[::-1]


def trial(model: LinearQ, env, plan: TrainingPlan) -> np.ndarray:
    """Run the greedy policy through the course of the plan's seed, `plan.selection_steps` windows a context.

    Args:
        env: with `reset(seed=, options={"context": k})`, `step(action)`, and `set_context(k)`, which goes on in a
            context; it runs on past the limit of steps of an episode.

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
    """A trial of a model as it is now; elsewhere, if there are other processes, while the model learns on.

    Args:
        model: the model to try.
        make_env: returns an environment; sent to the other process.
        env: an environment of this process.
        plan: the plan of the run.
        workers: processes; with one the trial is over when this returns.

    Attributes:
        weights: the model's state when the trial began.
    """

    def __init__(self, model: LinearQ, make_env: Callable, env, plan: TrainingPlan, workers: int):
        self.weights = model.state()
        if workers == 1:
            self._results = iter([trial(model, env, plan)])
            return
        import cloudpickle
        from joblib import delayed

        sent = cloudpickle.dumps((model, make_env, plan))  # now: joblib's thread would read them while they change
        parallel = processes(workers, "generator")
        self._results = parallel([delayed(_trial_elsewhere)(sent)])

    def result(self) -> np.ndarray:
        """Return value of `trial`; to be taken once."""
        return next(self._results)


def _trial_elsewhere(sent: bytes) -> np.ndarray:
    model, make_env, plan = pickle.loads(sent)  # of the process that began the trial, never of a file
    with closing(make_env()) as env:
        return trial(model, env, plan)


def best_trial(trials: np.ndarray) -> int:
    """Index of the best of the trials made so far; the first of equals.

    Args:
        trials: float64, shape (points, contexts, 2); NaN where not yet made.
    """
    scores = trials.mean(axis=1).tolist()
    return max((k for k, score in enumerate(scores) if not np.isnan(score).any()), key=lambda k: scores[k])
