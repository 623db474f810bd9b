"""Episodes under drawn conditions: what a policy that explores shows, window by window."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed

from pmtwin.policies.base import PolicyContext
from pmtwin.policies.training.policy_training import Task
from pmtwin.policies.value.inputs import Inputs, every_setting
from pmtwin.policies.value.model import WINDOWS, AfterstateValue
from pmtwin.sim.common.processes import processes
from pmtwin.sim.control import LOWER, Goal, Settings

DRAWN = 0.75
"""Share of blocks with conditions drawn from the ranges that the scenario states; the others are its contexts."""

BLOCKS = 2
"""Conditions of an episode: what a change leaves in the queues is seen too."""

JUMPS, NEIGHBOURS = 0.1, 0.3
"""Shares of random settings and of settings beside the best one, once there is a policy."""

REACH = 3
"""Largest distance from the best setting."""

LONGEST_HOLD = 4
"""Windows for which a random setting is kept, at most: queues that it builds are seen as well as those it meets."""

GRADED = 0.3
"""Share of a window's worth that coming near to the goals can earn."""

CHUNK = 4
"""Episodes of one piece of work."""


@dataclass(frozen=True)
class Practice:
    """Conditions under which a policy is trained.

    Args:
        make_env: returns an environment (`pmtwin.scenarios.environments.environment.ControlEnv`).
        context: the context of policies.
        draw: random numbers -> (name of a context, conditions in its place or None).
    """

    make_env: Callable[[], Any]
    context: PolicyContext
    draw: Callable[[np.random.Generator], tuple[int | str, Any]]

    @classmethod
    def of(cls, task: Task) -> Practice:
        """The contexts of the task's scenario, and what that draws."""
        draw = partial(task.scenario.drawn_context, task.scenario.trained_contexts, DRAWN)
        return cls(partial(task.make_env, episode_steps=None), task.context, draw)


class Episodes(NamedTuple):
    """Measures of episodes.

    Fields:
        windows: numbers of each window, float64, shape (episodes, n + 1, window_size); the first is the warm-up.
        settings: in force in windows 1 to n, int64, shape (episodes, n, numbers).
        payoff: of each, from 0 to 1 (`payoff`), shape (episodes, n).
        met: whether they kept all goals, shape (episodes, n).
    """

    windows: np.ndarray
    settings: np.ndarray
    payoff: np.ndarray
    met: np.ndarray


def payoff(goals: Sequence[Goal], info: Mapping[str, float]) -> float:
    """Value of a window: 1 where it keeps all goals, otherwise `GRADED` times its nearness to them.

    At random settings few windows keep the goals; nearness ranks the others.
    """
    near = 1.0
    for goal in goals:
        value, limit = info[goal.measure.name], goal.limit
        over, under = (limit, value) if goal.measure.better == LOWER else (value, limit)
        near *= min(1.0, over / under) ** 2 if under > 0.0 else 1.0
    met = all(goal.met(info[goal.measure.name]) for goal in goals)
    return 1.0 if met else GRADED * near


def play(
    practice: Practice,
    value: AfterstateValue | None,
    seeds: Sequence[np.random.SeedSequence],
    windows: int,
    workers: int,
    progress: Callable,
    title: str,
) -> Episodes:
    """An episode for each seed; the same ones on any number of workers.

    Args:
        value: of the policy that plays; None: random settings.
    """
    chunks = [seeds[first : first + CHUNK] for first in range(0, len(seeds), CHUNK)]
    work = (delayed(_chunk)(practice, value, chunk, windows) for chunk in chunks)
    done = processes(workers, "generator")(work)
    episodes = [episode for chunk in progress(done, desc=title, total=len(chunks), unit="part") for episode in chunk]
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
    seen, chosen, worth, met = [inputs.window(observation, info)], [], [], []
    for window in range(windows):
        if window and window % -(-windows // BLOCKS) == 0 and name:
            env.set_context(*practice.draw(rng))
        setting = explorer.choose(np.stack([seen[-1], seen[-WINDOWS if len(seen) > 1 else -1]]))
        observation, _, _, _, info = env.carry_out(setting)
        seen.append(inputs.window(observation, info))
        chosen.append(setting)
        worth.append(payoff(practice.context.goals, info))
        met.append(practice.context.goals_met(info))
    return Episodes(np.array(seen), np.array(chosen, dtype=np.int64), np.array(worth), np.array(met, dtype=bool))


def reset_to(
    env: Any, name: int | str, conditions: Any, setting: Sequence[int] | None, rng: np.random.Generator
) -> tuple[np.ndarray, dict]:
    """Begin an episode.

    Args:
        name, conditions: as `Practice.draw` gives them. setting: None: the scenario's own.

    Returns:
        What `reset` of the environment returns.
    """
    episode = {"context": name or None, "conditions": conditions, "setting": setting}
    given = {key: value for key, value in episode.items() if value is not None}
    return env.reset(seed=int(rng.integers(2**63)), options=given)


class Explorer:
    """Chooses the setting of the next window: random ones, or around the best by a value model."""

    def __init__(self, settings: Settings, value: AfterstateValue | None, rng: np.random.Generator):
        self._settings, self._value, self._rng = settings, value, rng
        self._every = every_setting(settings)
        self._left = 0
        self._setting: tuple[int, ...] = ()

    def choose(self, windows: np.ndarray) -> tuple[int, ...]:
        """The setting after these last two windows."""
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
    """Numbers uniform in the logarithm: few threads and many are met as often as they differ in effect."""
    widths = np.array(settings.widths)
    share = rng.random(len(widths))
    drawn = np.exp(np.log(widths + 1) * share) - 1.0  # from 0 to the width, and a fraction
    return settings.at(drawn.astype(np.int64).clip(0, widths - 1).tolist())
