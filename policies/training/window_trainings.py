"""Base class and helpers of trainings that play windows of a scenario."""

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
"""Number of windows before the measurement, in which compiled code is loaded, and in it."""


@dataclass(frozen=True)
class DrawnTraining(PolicyTraining):
    """Base class of trainings under drawn conditions (`drawn_episodes`)."""

    window_cost: ClassVar[float] = 1.0
    """Time of a window of this training, as a multiple of the time of a window with random actions."""

    def windows(self) -> int:
        """Number of windows of the whole training."""
        raise TypeError(f"{type(self).__name__} counts no windows")

    def plan(self, task: Task) -> dict:
        """The options, the number of windows, and the training contexts."""
        return {**plain(self), "windows": self.windows(), "contexts": list(task.scenario.trained_contexts)}

    def warnings(self, task: Task) -> list[str]:
        """A warning if there is only one training context and the scenario draws no conditions."""
        return [] if task.scenario.drawn_conditions(default_rng(0)) is not None else one_context(task.scenario)

    def seconds(self, task: Task, workers: int) -> float | None:
        """Estimated from the time of some windows, with all workers."""
        return self.window_cost * self.windows() / workers * window_seconds(partial(task.make_env, episode_steps=None))


def one_context(scenario: Any) -> list[str]:
    """A warning if there is only one training context, otherwise nothing."""
    if len(scenario.trained_contexts) != 1:
        return []
    noun = scenario.contexts.noun
    return [f"the training has one {noun} only: the policy does not learn changes of the {noun}"]


def window_seconds(make_env: Callable[[], Any]) -> float:
    """Mean time of a window under random actions on this machine, in seconds."""
    with closing(make_env()) as env:
        env.reset(seed=0)
        env.action_space.seed(0)
        for window in range(WARM + TIMED):
            if window == WARM:
                began = time.perf_counter()
            env.step(env.action_space.sample())
    return (time.perf_counter() - began) / TIMED
