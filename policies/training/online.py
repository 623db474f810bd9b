"""The online stage: Algorithm 2 over the episodes of Table D.3, with checkpoints and trials of the greedy policy.

Episodes are played in rounds of `TrainingPlan.actors` (`actors`). With one actor each episode begins with the weights
learned in the one before. At `TrainingPlan.selections` points, and before the first episode, the greedy policy is tried
(`trials`). The result is the weights of the best trial; the record lists all trials.

Trials do not affect the learning. With several processes a trial runs in one of them while the next episodes are
played; the next checkpoint or trial waits for its result.
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
"""Number of last episodes per context whose settings are recorded (Figures D.1 to D.4)."""


def episode_order(plan: TrainingPlan) -> list[tuple[int | str, int]]:
    """(context, number of the episode within its context) of every episode, in the order of training."""
    places = [(context, episode) for context in plan.contexts for episode in range(plan.episodes[context])]
    if plan.order == "in-turn":
        return places
    # the sort is stable: equal keys stay in the order of the contexts
    return sorted(places, key=lambda place: (place[1] + 0.5) / plan.episodes[place[0]])


def trial_points(plan: TrainingPlan) -> set[int]:
    """Numbers of finished episodes after which the greedy policy is tried."""
    total = len(episode_order(plan))
    return (
        {0, *(round(total * (k + 1) / plan.selections) for k in range(plan.selections))} if plan.selections else set()
    )


def rounds(plan: TrainingPlan) -> list[range]:
    """Numbers of the episodes of each round: one for each actor, fewer if a trial is due earlier."""
    numbers, begin, total = [], 0, len(episode_order(plan))
    for end in sorted({*trial_points(plan), total} - {0}):
        numbers += [range(k, min(k + plan.actors, end)) for k in range(begin, end, plan.actors)]
        begin = end
    return numbers


class OnlineTraining:
    """Algorithm 2 in progress; `run` completes it, from the beginning or from a saved state.

    Attributes:
        done: number of finished episodes.
        rewards: float64, shape (episodes,): sum of the rewards of each finished episode.
        met: float64, shape (episodes,): share of the episode's windows that meet the goals.
        errors: float64, shape (episodes,): mean absolute temporal-difference error of the episode's updates.
        settings: int64, shape (contexts, LAST_EPISODES, steps, numbers of a setting): the setting after each step of
            the last episodes, -1 where unknown.
        trial_seconds: wall-clock time that this process spent on trials and on waiting for them.
        trials: float64, shape (points, contexts, 2): `trials.MEASURES` of each trial, NaN before the trial.
        best: weights of the best trial so far.
        selected: number of episodes before the best trial, after `run`; None without trials.
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
        """The state of the training, as arrays for `restore`."""
        best = {f"best_{name}": array for name, array in self.best.items()}
        history = {name: getattr(self, name) for name in self._HISTORY}
        return {"done": np.array(self.done), **history, **self.model.state(), **best}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Continue from a saved state."""
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
        """Train to the end; the model then has the weights of the best trial, or the last weights without trials.

        Args:
            make_env: returns an environment, as for `run.train`.
            save: called with `state()` at the beginning, about every `checkpoint_every` episodes, and at the end.
            progress: wraps the iterable of rounds.
            workers: number of processes for actors and trials; the result does not depend on it.

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
        """The remaining rounds, with their trials."""
        if self.done == 0:
            save(self.state())
        self._try(begin_trial)
        all_rounds = rounds(self.plan)
        remaining = [numbers for numbers in all_rounds if numbers.start >= self.done]
        finished, total = len(all_rounds) - len(remaining), len(all_rounds)
        for numbers in progress(remaining, desc="Q-learning", initial=finished, total=total, unit="round"):
            episodes = actors.play(self.model, [self.order[number] for number in numbers])
            for number, episode in zip(numbers, episodes, strict=True):
                self._learn(number, episode)
            done_before, self.done = self.done, numbers.stop
            period = self.plan.checkpoint_every
            if self.done // period > done_before // period:  # before the trial, which a resumed run then makes
                self._await_trial()
                save(self.state())
            self._try(begin_trial)
        if remaining or self._trial is not None:
            self._await_trial()
            save(self.state())

    def _learn(self, number: int, episode: Episode) -> None:
        """Learn from an episode, and note its results for the record."""
        context, episode_of_context = self.order[number]
        self.errors[number] = learn_from(self.learner, episode)
        self.model.check_finite(f"in episode {episode_of_context + 1} of {self.plan.problem.context_noun} {context}")
        self.rewards[number] = sum(episode.rewards.tolist())
        self.met[number] = np.mean(episode.rewards >= 0.0)
        settings = self._settings_of(context, episode_of_context)
        if settings is not None:
            settings[: len(episode.settings)] = episode.settings

    def _settings_of(self, context: int | str, episode: int) -> np.ndarray | None:
        """View of the row for an episode's settings; None unless it is one of the last of its context."""
        from_end = self.plan.episodes[context] - 1 - episode
        return self.settings[self.plan.contexts.index(context), -1 - from_end] if from_end < LAST_EPISODES else None

    def _try(self, begin_trial: Callable[[], Trial]) -> None:
        """Begin a trial of the greedy policy if one is due after `done` episodes and has not been made."""
        if self.done not in self.points or not np.isnan(self.trials[self.points.index(self.done)]).any():
            return
        self._await_trial()
        began = time.perf_counter()
        self._trial = begin_trial()
        self.trial_seconds += time.perf_counter() - began

    def _await_trial(self) -> None:
        """Wait for the trial in progress, note its result, and keep its weights if they are the best so far."""
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
