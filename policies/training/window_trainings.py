"""What trainings share that play the windows of a scenario."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from numpy.random import default_rng

from pmtwin.policies.training.policy_training import PolicyTraining, Task
from pmtwin.sim.options import plain

WARM, TIMED = 5, 60
"""Windows before the clock starts (what is compiled is loaded there), and windows that are timed."""


@dataclass(frozen=True)
class DrawnTraining(PolicyTraining):
    """A training under drawn conditions (`drawn_episodes`), of windows that are judged by the scenario's goals."""

    window_cost: ClassVar[float] = 1.0
    """Time of a window beside one of a given context."""

    def windows(self) -> int:
        """Windows of the whole training."""
        raise TypeError(f"{type(self).__name__} counts no windows")

    def plan(self, task: Task) -> dict:
        """The options, the windows, and the contexts that are trained."""
        return {**plain(self), "windows": self.windows(), "contexts": list(task.scenario.trained_contexts)}

    def warnings(self, task: Task) -> list[str]:
        """A single context, where no conditions are drawn beside it."""
        return [] if task.scenario.drawn_conditions(default_rng(0)) is not None else one_context(task.scenario)

    def seconds(self, task: Task, workers: int) -> float:
        """All windows, on all workers."""
        return self.window_cost * self.windows() / workers * window_seconds(partial(task.make_env, episode_steps=None))


def one_context(scenario: Any) -> list[str]:
    """The warning of a training that sees a single context; none where there are several."""
    if len(scenario.trained_contexts) != 1:
        return []
    noun = scenario.contexts.noun
    return [f"the training has one {noun} only: the policy does not learn changes of the {noun}"]


def window_seconds(make_env: Callable[[], Any]) -> float:
    """Mean time of a window under random actions."""
    with closing(make_env()) as env:
        env.reset(seed=0)
        env.action_space.seed(0)
        for window in range(WARM + TIMED):
            if window == WARM:
                began = time.perf_counter()
            env.step(env.action_space.sample())
    return (time.perf_counter() - began) / TIMED
