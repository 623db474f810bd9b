"""The online stage: Algorithm 2 over the episodes of Table D.3, with checkpoints and trials of the greedy policy.

Episodes are played in rounds of `TrainingPlan.actors` (`actors`). One actor is the chain: each episode begins with what
the one before has learnt. At `TrainingPlan.selections` points, and before the first episode, the greedy policy is tried
(`trials`); the weights of the best trial are the result, and the record lists every trial.

A trial does not change the learning. With other processes it runs on one of them while the next episodes are played,
and is awaited before the next checkpoint or trial.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing, nullcontext

import numpy as np

from pmtwin.policies.linear_q.algorithm2 import QLearner
from pmtwin.policies.linear_q.model import LinearQ
from pmtwin.policies.training.actors import Actors, Episode, learn_from
from pmtwin.policies.training.plan import TrainingPlan
from pmtwin.policies.training.progress import quiet
from pmtwin.policies.training.trials import MEASURES, Trial, best_trial
from pmtwin.sim.common.processes import processes

LAST_EPISODES = 3
"""Episodes per context whose settings are kept (Figures D.1 to D.4)."""


def episode_order(plan: TrainingPlan) -> list[tuple[int | str, int]]:
    """(context, number of the episode within its context) of every episode, in the order of training."""
    every = [(context, episode) for context in plan.contexts for episode in range(plan.episodes[context])]
    if plan.order == "in-turn":
        return every
    return sorted(every, key=lambda place: (place[1] + 0.5) / plan.episodes[place[0]])  # stable: then as declared


def trial_points(plan: TrainingPlan) -> set[int]:
    """Numbers of finished episodes after which the greedy policy is tried."""
    total = len(episode_order(plan))
    return (
        {0, *(round(total * (k + 1) / plan.selections) for k in range(plan.selections))} if plan.selections else set()
    )


def rounds(plan: TrainingPlan) -> list[range]:
    """Numbers of the episodes of each round: as many as there are actors, fewer where a trial comes before."""
    numbers, begin, total = [], 0, len(episode_order(plan))
    for end in sorted({*trial_points(plan), total} - {0}):
        numbers += [range(k, min(k + plan.actors, end)) for k in range(begin, end, plan.actors)]
        begin = end
    return numbers


class OnlineTraining:
    """Algorithm 2 in progress; `run` takes it to the end, from the beginning or from a saved state.

    Attributes:
        done: finished episodes.
        rewards, met, errors: float64, shape (episodes,), of each finished episode: the sum of its rewards, the share of
            its windows that meet the goals, the mean absolute temporal-difference error of its updates.
        settings: int64, shape (contexts, LAST_EPISODES, steps, numbers of a setting): the setting after each step of
            the last episodes, -1 where unknown.
        trial_seconds: wall-clock time that this process spent on trials, or waited for them.
        trials: float64, shape (points, contexts, 2): `trials.MEASURES` of each trial, NaN where not yet made.
    """

    _HISTORY = ("rewards", "met", "errors", "settings", "trials")

    def __init__(self, model: LinearQ, plan: TrainingPlan):
        self.model, self.plan = model, plan
        self.learner = QLearner(model, plan.q)
        self.order, self.points = episode_order(plan), sorted(trial_points(plan))
        self.done = 0
        self.trial_seconds = 0.0
        self.rewards, self.met, self.errors = (np.zeros(len(self.order)) for _ in range(3))
        contexts, numbers = len(plan.contexts), plan.problem.setting_size
        self.settings = np.full((contexts, LAST_EPISODES, plan.episode_steps, numbers), -1, dtype=np.int64)
        self.trials = np.full((len(self.points), contexts, len(MEASURES)), np.nan)
        self.best = model.state()
        self.selected: int | None = None
        self._trial: Trial | None = None

    def state(self) -> dict[str, np.ndarray]:
        """State for `restore`, as arrays."""
        best = {f"best_{name}": array for name, array in self.best.items()}
        history = {name: getattr(self, name) for name in self._HISTORY}
        return {"done": np.array(self.done), **history, **self.model.state(), **best}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Go on from a saved state."""
        self.model.restore(state)
        self.best = {name: state[f"best_{name}"] for name in self.best}
        self.done = int(state["done"])
        for name in self._HISTORY:
            getattr(self, name)[...] = state[name]

    def run(
        self,
        make_env: Callable,
        save: Callable[[dict], None] = lambda state: None,
        progress: Callable = quiet,
        workers: int = 1,
    ):
        """Train to the end; the model then has the weights of the best trial (the last ones without trials).

        Args:
            make_env: returns an environment as `train` takes it.
            save: called with `state()` every `checkpoint_every` episodes, after the round, and at the end.
            progress: wraps the iterable of rounds.
            workers: processes for the actors and the trials; the result does not depend on it.

        Raises:
            CheckFailedError: if the weights diverge.
        """
        shares = min(workers, self.plan.actors)
        with closing(make_env()) as env, _processes(workers if shares > 1 else 1) as parallel:
            actors = Actors(make_env, env, self.plan, parallel, shares)
            self._finish(actors, lambda: Trial(self.model, make_env, env, self.plan, workers), save, progress)
        if self.points:
            self.selected = self.points[best_trial(self.trials)]
            self.model.restore(self.best)

    def _finish(self, actors: Actors, begin_trial: Callable[[], Trial], save: Callable, progress: Callable) -> None:
        """The rounds that are left, with their trials."""
        if self.done == 0:
            save(self.state())
        self._try(begin_trial)
        every = rounds(self.plan)
        left = [numbers for numbers in every if numbers.start >= self.done]
        for numbers in progress(
            left, desc="Q-learning", initial=len(every) - len(left), total=len(every), unit="round"
        ):
            episodes = actors.play(self.model, [self.order[number] for number in numbers])
            for number, episode in zip(numbers, episodes, strict=True):
                self._learn(number, episode)
            before, self.done = self.done, numbers.stop
            period = self.plan.checkpoint_every
            if self.done // period > before // period:  # before the trial: whoever resumes here makes it
                self._await_trial()
                save(self.state())
            self._try(begin_trial)
        if left or self._trial is not None:
            self._await_trial()
            save(self.state())

    def _learn(self, number: int, episode: Episode) -> None:
        """Learn from an episode, and keep its numbers for the record."""
        context, episode_of_context = self.order[number]
        self.errors[number] = learn_from(self.learner, episode)
        self.model.check_finite(f"in episode {episode_of_context + 1} of {self.plan.problem.context_noun} {context}")
        self.rewards[number] = sum(episode.rewards.tolist())
        self.met[number] = np.mean(episode.rewards >= 0.0)
        settings = self._settings_of(context, episode_of_context)
        if settings is not None:
            settings[: len(episode.settings)] = episode.settings

    def _settings_of(self, context: int | str, episode: int) -> np.ndarray | None:
        """Storage of an episode's settings; None if it is not one of the last of its context."""
        from_end = self.plan.episodes[context] - 1 - episode
        return self.settings[self.plan.contexts.index(context), -1 - from_end] if from_end < LAST_EPISODES else None

    def _try(self, begin_trial: Callable[[], Trial]) -> None:
        """Begin a trial of the greedy policy if this is a point of one that has not been made."""
        if self.done not in self.points or not np.isnan(self.trials[self.points.index(self.done)]).any():
            return
        self._await_trial()
        began = time.perf_counter()
        self._trial = begin_trial()
        self.trial_seconds += time.perf_counter() - began

    def _await_trial(self) -> None:
        """Note the result of the trial in progress, and keep its weights if they are the best so far."""
        if self._trial is None:
            return
        began = time.perf_counter()
        point = int(np.isnan(self.trials[:, 0, 0]).argmax())  # trials are made in the order of the points
        self.trials[point] = self._trial.result()
        if best_trial(self.trials) == point:
            self.best = self._trial.weights
        self._trial = None
        self.trial_seconds += time.perf_counter() - began


def _processes(workers: int):
    """A `joblib.Parallel` whose processes stay until the end of the block; None for one worker."""
    if workers == 1:
        return nullcontext()

    return processes(workers)
