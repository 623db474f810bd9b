"""The online stage: Algorithm 2 over the episodes of Table D.3, with checkpoints and trials of the greedy policy.

At `TrainingPlan.selections` points, and before the first episode, the greedy policy is tried (`trials`); the weights of
the best trial are the result, and the record lists every trial.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import numpy as np

from pmtwin.policies.linear_q.algorithm2 import QLearner
from pmtwin.policies.linear_q.model import LinearQ
from pmtwin.policies.training import seeds
from pmtwin.policies.training.plan import TrainingPlan
from pmtwin.policies.training.progress import quiet
from pmtwin.policies.training.trials import MEASURES, best_trial, trial

LAST_EPISODES = 3
"""Episodes per context whose settings are kept (Figures D.1 to D.4)."""


def episode_order(plan: TrainingPlan) -> list[tuple[int | str, int]]:
    """(context, number of the episode within its context) of every episode, in the order of training."""
    every = [(context, episode) for context in plan.contexts for episode in range(plan.episodes[context])]
    if plan.order == "in-turn":
        return every
    return sorted(every, key=lambda each: (each[1] + 0.5) / plan.episodes[each[0]])  # stable: then as declared


def trial_points(plan: TrainingPlan) -> set[int]:
    """Numbers of finished episodes after which the greedy policy is tried."""
    total = len(episode_order(plan))
    return (
        {0, *(round(total * (k + 1) / plan.selections) for k in range(plan.selections))} if plan.selections else set()
    )


class OnlineTraining:
    """Algorithm 2 in progress; `run` takes it to the end, from the beginning or from a saved state.

    Attributes:
        done: finished episodes.
        rewards: float64, shape (episodes,): sum of the rewards of each finished episode.
        settings: int64, shape (contexts, LAST_EPISODES, steps, numbers of a setting): the setting after each step of
            the last episodes, -1 where unknown.
        trials: float64, shape (points, contexts, 2): `trials.MEASURES` of each trial, NaN where not yet made.
    """

    def __init__(self, model: LinearQ, plan: TrainingPlan):
        self.model, self.plan = model, plan
        self.learner = QLearner(model, plan.q)
        self.order, self.points = episode_order(plan), sorted(trial_points(plan))
        self.done = 0
        self.rewards = np.zeros(len(self.order))
        contexts, numbers = len(plan.contexts), plan.problem.setting_size
        self.settings = np.full((contexts, LAST_EPISODES, plan.episode_steps, numbers), -1, dtype=np.int64)
        self.trials = np.full((len(self.points), contexts, len(MEASURES)), np.nan)
        self.best = model.state()
        self.selected = None

    def state(self) -> dict[str, np.ndarray]:
        """Everything that `restore` needs to go on, as arrays."""
        best = {f"best_{name}": array for name, array in self.best.items()}
        own = {name: getattr(self, name) for name in ("rewards", "settings", "trials")}
        return {"done": np.array(self.done), **own, **self.model.state(), **best}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Go on from a saved state."""
        self.model.restore(state)
        self.best = {name: state[f"best_{name}"] for name in self.best}
        self.done = int(state["done"])
        for name in ("rewards", "settings", "trials"):
            getattr(self, name)[...] = state[name]

    def run(self, make_env: Callable, save: Callable[[dict], None] = lambda state: None, progress: Callable = quiet):
        """Train to the end; the model then has the weights of the best trial (the last ones without trials).

        Args:
            make_env: returns an environment as `train` takes it.
            save: called with `state()` every `checkpoint_every` episodes and at the end.
            progress: wraps the iterable of episodes.

        Raises:
            CheckFailedError: if the weights diverge.
        """
        with closing(make_env()) as env:
            self._finish(env, save, progress)
        if self.points:
            self.selected = self.points[best_trial(self.trials)]
            self.model.restore(self.best)

    def _finish(self, env, save: Callable[[dict], None], progress: Callable) -> None:
        """The episodes that are left, with their trials."""
        if self.done == 0:
            self._try(env)
            save(self.state())
        remaining = range(self.done, len(self.order))
        for number in progress(remaining, desc="Q-learning", initial=self.done, total=len(self.order)):
            context, episode = self.order[number]
            self.rewards[number] = self._episode(env, context, episode)
            self.model.check_finite(f"in episode {episode + 1} of {self.plan.problem.context_noun} {context}")
            self.done = number + 1
            self._try(env)
            if self.done % self.plan.checkpoint_every == 0 or self.done == len(self.order):
                save(self.state())

    def _episode(self, env, context: int | str, episode: int) -> float:
        """One episode of Algorithm 2 (lines 3 to 28); returns the sum of its rewards."""
        plan, learner = self.plan, self.learner
        random = seeds.generator(plan.seed, seeds.ONLINE, context, episode)
        state, _ = env.reset(seed=seeds.reset_seed(random), options={"context": context})
        explores = random.random(plan.episode_steps) < plan.q.epsilon_at(episode, plan.episodes[context])
        random_actions = random.integers(env.action_space.n, size=plan.episode_steps)
        seen = self._settings_of(context, episode)
        greedy, total = learner.begin(state), 0.0
        for step in range(plan.episode_steps):
            action = int(random_actions[step]) if explores[step] else greedy
            state, reward, terminated, truncated, info = env.step(action)
            ended = terminated or ((truncated or step + 1 == plan.episode_steps) and plan.q.time_limit_is_terminal)
            greedy = learner.learn(action, reward, state, ended)
            total += reward
            if seen is not None:
                seen[step] = info[plan.problem.setting_noun]
            if terminated or truncated:
                break
        return total

    def _settings_of(self, context: int | str, episode: int) -> np.ndarray | None:
        """Where the settings of an episode are kept; None if it is not one of the last of its context."""
        from_end = self.plan.episodes[context] - 1 - episode
        return self.settings[self.plan.contexts.index(context), -1 - from_end] if from_end < LAST_EPISODES else None

    def _try(self, env) -> None:
        """Run the greedy policy if this is a point of trial, and keep the weights if they are the best so far."""
        if self.done not in self.points:
            return
        point = self.points.index(self.done)
        self.trials[point] = trial(self.model, env, self.plan)
        if best_trial(self.trials) == point:
            self.best = self.model.state()
