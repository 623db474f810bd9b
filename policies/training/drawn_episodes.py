"""Episodes of a policy with exploration, under conditions drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed

from pmtwin.policies.base import PolicyContext
from pmtwin.policies.training.policy_training import Task, unchecked
from pmtwin.policies.value.inputs import Inputs, every_setting
from pmtwin.policies.value.model import WINDOWS, AfterstateValue
from pmtwin.sim.common.processes import processes
from pmtwin.sim.control import LOWER, Goal, Settings

DRAWN = 0.75
"""Share of the blocks whose conditions are drawn from the ranges of the scenario; other blocks are its contexts."""

BLOCKS = 2
"""Number of blocks of an episode, each with its own conditions, so that episodes contain a change."""

JUMPS, NEIGHBOURS = 0.1, 0.3
"""Shares of random settings, and of settings near the best one, once there is a value model."""

REACH = 3
"""Largest change of a number for a setting near the best one."""

LONGEST_HOLD = 4
"""Largest number of windows for which a random setting is kept, so that the queues that it builds are seen too."""

GRADED = 0.3
"""Largest payoff of a window that misses a goal, where keeping all goals earns 1."""

CHUNK = 4
"""Number of episodes in a task of a worker."""


@dataclass(frozen=True)
class Practice:
    """Conditions under which a policy is trained.

    Args:
        make_env: returns an environment (`pmtwin.scenarios.environments.environment.ControlEnv`).
        context: context for policies.
        draw: random generator -> (name of a context, conditions that replace it or None).
        checked: puts a policy behind the action checker (`Task.checked`).
    """

    make_env: Callable[[], Any]
    context: PolicyContext
    draw: Callable[[np.random.Generator], tuple[int | str, Any]]
    checked: Callable[[Any], Any] = unchecked

    @classmethod
    def of(cls, task: Task) -> Practice:
        """The training contexts and drawn conditions of the task's scenario."""
        draw = partial(task.scenario.drawn_context, task.scenario.trained_contexts, DRAWN)
        return cls(partial(task.make_env, episode_steps=None), task.context, draw, task.checked)


class Episodes(NamedTuple):
    """Results of episodes of n windows.

    Fields:
        windows: numbers of each window (`Inputs.window`), float64, shape (episodes, n + 1, window_size); the first
            window is the warm-up.
        settings: setting in each window after the warm-up, int64, shape (episodes, n, numbers).
        payoff: payoff of each of these windows, from 0 to 1, shape (episodes, n).
        met: whether each of these windows kept all goals, shape (episodes, n).
    """

    windows: np.ndarray
    settings: np.ndarray
    payoff: np.ndarray
    met: np.ndarray


def payoff(goals: Sequence[Goal], info: Mapping[str, float]) -> float:
    """Payoff of a window: 1 if it keeps all goals, otherwise `GRADED` times its nearness to them, from 0 to 1.

    At random settings few windows keep the goals; nearness ranks the others.
    """
    nearness = 1.0
    for goal in goals:
        value, limit = info[goal.measure.name], goal.limit
        numerator, denominator = (limit, value) if goal.measure.better == LOWER else (value, limit)
        nearness *= min(1.0, numerator / denominator) ** 2 if denominator > 0.0 else 1.0
    met = all(goal.met(info[goal.measure.name]) for goal in goals)
    return 1.0 if met else GRADED * nearness


def play(
    practice: Practice,
    value: AfterstateValue | None,
    seeds: Sequence[np.random.SeedSequence],
    windows: int,
    workers: int,
    progress: Callable,
    title: str,
) -> Episodes:
    """An episode for each seed; the result does not depend on the number of workers.

    Args:
        value: value model of the policy; None: random settings.
        seeds: seeds of the episodes.
        windows: length of an episode.
        title: title of the progress display.
    """
    chunks = [seeds[first : first + CHUNK] for first in range(0, len(seeds), CHUNK)]
    tasks = (delayed(_chunk)(practice, value, chunk, windows) for chunk in chunks)
    results = processes(workers, "generator")(tasks)
    episodes = [episode for chunk in progress(results, desc=title, total=len(chunks), unit="part") for episode in chunk]
    return Episodes(*(np.array(part) for part in zip(*episodes, strict=True)))


def _chunk(
    practice: Practice, value: AfterstateValue | None, seeds: Sequence[np.random.SeedSequence], windows: int
) -> list[Episodes]:
    with closing(practice.make_env()) as env:
        return [_episode(env, practice, value, seed, windows) for seed in seeds]


def _episode(
    env: Any, practice: Practice, value: AfterstateValue | None, seed: np.random.SeedSequence, windows: int
) -> Episodes:
    inputs, settings, rng = Inputs.of(practice.context), practice.context.controlled, np.random.default_rng(seed)
    explorer = Explorer(settings, value, rng)
    name, conditions = practice.draw(rng)
    observation, info = reset_to(env, name, conditions, random_setting(settings, rng), rng)
    numbers, chosen, payoffs, met = [inputs.window(observation, info)], [], [], []
    for window in range(windows):
        if window and window % -(-windows // BLOCKS) == 0 and name:
            env.set_context(*practice.draw(rng))
        setting = explorer.choose(np.stack([numbers[-1], numbers[-WINDOWS if len(numbers) > 1 else -1]]))
        observation, _, _, _, info = env.carry_out(setting)
        numbers.append(inputs.window(observation, info))
        chosen.append(env.setting)  # rules may have kept it from the one that was chosen
        payoffs.append(payoff(practice.context.goals, info))
        met.append(practice.context.goals_met(info))
    return Episodes(np.array(numbers), np.array(chosen, dtype=np.int64), np.array(payoffs), np.array(met, dtype=bool))


def reset_to(
    env: Any, name: int | str, conditions: Any, setting: Sequence[int] | None, rng: np.random.Generator
) -> tuple[np.ndarray, dict]:
    """Begin an episode.

    Args:
        name, conditions: return value of `Practice.draw`.
        setting: first setting; None: the scenario's initial setting.

    Returns:
        Return value of the environment's `reset`.
    """
    episode = {"context": name or None, "conditions": conditions, "setting": setting}
    options = {key: value for key, value in episode.items() if value is not None}
    return env.reset(seed=int(rng.integers(2**63)), options=options)


class Explorer:
    """Chooses the setting of the next window: at random, or by a value model with exploration."""

    def __init__(self, settings: Settings, value: AfterstateValue | None, rng: np.random.Generator):
        self._settings, self._value, self._rng = settings, value, rng
        self._every = every_setting(settings)
        self._left = 0
        self._setting: tuple[int, ...] = ()

    def choose(self, windows: np.ndarray) -> tuple[int, ...]:
        """The next setting; windows: numbers of the last window, then of the one before it."""
        draw = self._rng.random()
        if self._value is not None and draw >= JUMPS:
            best = self._every[int(np.argmax(self._value.values(windows, self._every)))]
            if draw < JUMPS + NEIGHBOURS:
                settings, change = self._settings, self._rng.integers(-REACH, REACH, size=len(best), endpoint=True)
                moved = np.clip(settings.places(best.tolist()) + change, 0, np.array(settings.widths) - 1)
                return settings.at(moved.tolist())
            return tuple(best.tolist())
        if self._value is not None or not self._left:
            self._setting = random_setting(self._settings, self._rng)
            self._left = int(self._rng.integers(1, LONGEST_HOLD, endpoint=True))
        self._left -= 1
        return self._setting


def random_setting(settings: Settings, rng: np.random.Generator) -> tuple[int, ...]:
    """A setting with numbers drawn uniformly in the logarithm, since a thread more matters less among many."""
    widths = np.array(settings.widths)
    share = rng.random(len(widths))
    places = np.exp(np.log(widths + 1) * share) - 1.0  # real numbers from 0 to the width
    return settings.at(places.astype(np.int64).clip(0, widths - 1).tolist())
