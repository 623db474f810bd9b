"""The data set of transitions that a random agent gathers (thesis sections 3.4.3 and 4.3)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from pmtwin.policies.training import seeds
from pmtwin.policies.training.plan import TrainingPlan
from pmtwin.policies.training.progress import quiet
from pmtwin.sim.common.processes import processes

SHOWN = {"desc": "random agent", "unit": "part"}
"""Words of the progress display."""


@dataclass(frozen=True)
class Transitions:
    """Transitions, episode after episode, in order of time.

    Args:
        state, next_state: float64, shape (rows, columns of the state).
        action: int64, shape (rows,).
        reward: float64, shape (rows,), as the environment returned it.
        terminated: bool, shape (rows,): whether the episode terminated (it was not truncated).
        context: name of the context, shape (rows,).
        episode: int64, shape (rows,): number of the episode within the context.
    """

    state: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    next_state: np.ndarray
    terminated: np.ndarray
    context: np.ndarray
    episode: np.ndarray

    def __len__(self):
        return len(self.action)

    def to_dict(self) -> dict[str, np.ndarray]:
        """The columns by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def joined(cls, parts: list[Transitions]) -> Transitions:
        """All rows of the parts, in their order."""
        return cls(
            **{field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)}
        )


def gather(make_env: Callable, plan: TrainingPlan, workers: int = 1, progress: Callable = quiet) -> Transitions:
    """Transitions of the random agent in `plan.dataset_episodes` episodes of each context.

    Args:
        make_env: returns an environment with Gymnasium's `reset(seed=, options={"context": k})` and `step(action)`.
        plan: the plan.
        workers: number of processes; the result does not depend on it.
        progress: wraps the iterable of chunks, each with a tenth of a context's episodes.
    """
    chunks = [
        (context, list(map(int, part)))
        for context in plan.contexts
        for part in np.array_split(np.arange(plan.dataset_episodes), min(10, plan.dataset_episodes))
    ]
    if workers == 1:
        with closing(make_env()) as env:
            parts = [_episodes(env, plan, *chunk) for chunk in progress(chunks, total=len(chunks), **SHOWN)]
    else:
        from joblib import delayed

        jobs = (delayed(_episodes_of_new_env)(make_env, plan, *chunk) for chunk in chunks)
        parts = list(progress(processes(workers, "generator")(jobs), total=len(chunks), **SHOWN))
    return Transitions.joined(parts)


def _episodes_of_new_env(
    make_env: Callable, plan: TrainingPlan, context: int | str, episodes: list[int]
) -> Transitions:
    with closing(make_env()) as env:
        return _episodes(env, plan, context, episodes)


def _episodes(env: Any, plan: TrainingPlan, context: int | str, episodes: list[int]) -> Transitions:
    return Transitions.joined([_episode(env, plan, context, episode) for episode in episodes])


def _episode(env: Any, plan: TrainingPlan, context: int | str, episode: int) -> Transitions:
    random = seeds.generator(plan.seed, seeds.DATASET, context, episode)
    state, _ = env.reset(seed=seeds.reset_seed(random), options={"context": context})
    actions = random.integers(env.action_space.n, size=plan.episode_steps)
    rows = []
    for action in actions:
        next_state, reward, terminated, truncated, _ = env.step(int(action))
        rows.append((state, reward, next_state, terminated))
        state = next_state
        if terminated or truncated:
            break
    states, rewards, next_states, ended = zip(*rows, strict=True)
    count = len(rows)
    return Transitions(
        state=np.array(states, dtype=float),
        action=actions[:count],
        reward=np.array(rewards, dtype=float),
        next_state=np.array(next_states, dtype=float),
        terminated=np.array(ended, dtype=bool),
        context=np.full(count, context),
        episode=np.full(count, episode),
    )
