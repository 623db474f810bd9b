"""The options of the training of afterstate values, as `pmtwin train` offers them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pmtwin.policies.training.policy_training import Task, Trained
from pmtwin.policies.training.window_trainings import DrawnTraining
from pmtwin.sim.options import option


@dataclass(frozen=True)
class AfterstateTraining(DrawnTraining):
    """How much is run: rounds of episodes, each round by the policy that the rounds before have led to."""

    title: ClassVar[str] = "afterstate values (--policy afterstate)"
    key: ClassVar[str] = "afterstate"
    window_cost: ClassVar[float] = 2.8
    """Each window compares all settings, and its conditions are drawn."""

    rounds: int = option(5, "rounds: the first at random settings, the others by the policy so far", low=1, high=100)
    round_episodes: int = option(40, "episodes of a round", low=1, high=10**6, metavar="N")
    episode_windows: int = option(
        100,
        "windows of an episode, with a change of conditions in its middle",
        low=4,
        high=10**5,
        metavar="N",
    )

    def windows(self) -> int:
        """Windows of the whole training."""
        return self.rounds * self.round_episodes * self.episode_windows

    def run(self, task: Task, *running, **named) -> Trained:
        """Train the value model; `running`, `named`: as `afterstate.train_afterstate` takes them."""
        from pmtwin.policies.training.afterstate import train_afterstate

        return train_afterstate(task, self, *running, **named)
