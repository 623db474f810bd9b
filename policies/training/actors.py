"""Episodes of Algorithm 2, played by several actors from the same weights, and the merge of their updates.

Each actor of a round plays one episode and learns on a copy of the weights. The merge repeats the updates of all
episodes in their order, starting from the weights before the round. With one actor that equals learning episode by
episode, bit for bit (docs/design.md, "Several actors, one order of learning").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pmtwin.policies.linear_q.algorithm2 import QLearner
from pmtwin.policies.linear_q.model import LinearQ
from pmtwin.policies.training import seeds
from pmtwin.policies.training.plan import TrainingPlan

if TYPE_CHECKING:
    from joblib import Parallel


Place = tuple[int | str, int]
"""Context, and number of the episode within the context."""


class Episode(NamedTuple):
    """Record of one episode.

    Fields:
        states: float64, shape (steps + 1, columns): the first state, and the state after each step.
        actions: int64, shape (steps,).
        rewards: float64, shape (steps,), as the environment returned them.
        ended: bool, shape (steps,): whether the state after the step has no value.
        settings: int64, shape (steps, numbers of a setting): the setting after each step.
    """

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    ended: np.ndarray
    settings: np.ndarray


class Actors:
    """Actors that play the episodes of a round.

    Args:
        make_env: returns an environment; sent to other processes if there are any.
        env: environment of this process.
        plan: plan of the run.
        parallel: a `joblib.Parallel` with `workers` processes; None: this process plays.
    """

    def __init__(
        self, make_env: Callable, env: Any, plan: TrainingPlan, parallel: Parallel | None = None, workers: int = 1
    ):
        self.make_env, self.env, self.plan, self.parallel, self.workers = make_env, env, plan, parallel, workers

    def play(self, model: LinearQ, places: Sequence[Place]) -> list[Episode]:
        """The episodes at these places, each played from the model's present weights, which do not change."""
        if self.parallel is None or len(places) == 1:
            return _play_each(self.env, model, self.plan, places)
        from joblib import delayed

        shares = [list(places[k :: self.workers]) for k in range(min(self.workers, len(places)))]
        parts = list(
            self.parallel(delayed(_play_in_worker)(self.make_env, model, self.plan, share) for share in shares)
        )
        return [parts[k % len(shares)][k // len(shares)] for k in range(len(places))]


def learn_from(learner: QLearner, episode: Episode) -> float:
    """Repeat the updates of an episode; returns the mean absolute temporal-difference error."""
    learner.begin(episode.states[0])
    total = 0.0
    for step, action in enumerate(episode.actions.tolist()):
        learner.learn(action, episode.rewards[step], episode.states[step + 1], bool(episode.ended[step]))
        total += abs(learner.last_error)
    return total / len(episode.actions)


def _play_in_worker(make_env: Callable, model: LinearQ, plan: TrainingPlan, places: Sequence[Place]) -> list[Episode]:
    with closing(make_env()) as env:
        return _play_each(env, model, plan, places)


def _play_each(env: Any, model: LinearQ, plan: TrainingPlan, places: Sequence[Place]) -> list[Episode]:
    """The episodes at these places, each from the model's present weights, which are restored."""
    weights = model.state()
    episodes = []
    for context, number in places:
        episodes.append(_play(env, QLearner(model, plan.q), plan, context, number))
        model.restore(weights)
    return episodes


def _play(env: Any, learner: QLearner, plan: TrainingPlan, context: int | str, number: int) -> Episode:
    """Play an episode of Algorithm 2 (lines 3 to 28)."""
    random = seeds.generator(plan.seed, seeds.ONLINE, context, number)
    state, _ = env.reset(seed=seeds.reset_seed(random), options={"context": context})
    explores = random.random(plan.episode_steps) < plan.q.epsilon_at(number, plan.episodes[context])
    random_actions = random.integers(env.action_space.n, size=plan.episode_steps)
    states, rows, greedy = [state], [], learner.begin(state)
    for step in range(plan.episode_steps):
        action = int(random_actions[step]) if explores[step] else greedy
        state, reward, terminated, truncated, info = env.step(action)
        ended = terminated or ((truncated or step + 1 == plan.episode_steps) and plan.q.time_limit_is_terminal)
        greedy = learner.learn(action, reward, state, ended)
        states.append(state)
        rows.append((action, reward, ended, info.get(plan.problem.setting_noun, ())))
        if terminated or truncated:
            break
    actions, rewards, ends, settings = zip(*rows, strict=True)
    return Episode(
        states=np.array(states, dtype=float),
        actions=np.array(actions),
        rewards=np.array(rewards, dtype=float),
        ended=np.array(ends, dtype=bool),
        settings=np.array(settings, dtype=np.int64).reshape(len(rows), plan.problem.setting_size),
    )
