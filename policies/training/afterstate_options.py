"""Options of `pmtwin train` for afterstate values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pmtwin.policies.training.policy_training import Task, Trained
from pmtwin.policies.training.window_trainings import DrawnTraining
from pmtwin.sim.options import option


@dataclass(frozen=True)
class AfterstateTraining(DrawnTraining):
    """Size of the training: rounds of episodes, each played by the policy learned in the rounds before."""

    title: ClassVar[str] = "afterstate values (--policy afterstate)"
    key: ClassVar[str] = "afterstate"
    window_cost: ClassVar[float] = 2.8
    """More than 1: each window compares all settings, and conditions are drawn."""

    rounds: int = option(
        5, "number of rounds: the first with random settings, later ones with the policy so far", low=1, high=100
    )
    round_episodes: int = option(40, "episodes per round", low=1, high=10**6, metavar="N")
    episode_windows: int = option(
        100,
        "length of an episode, in windows, with a change of conditions in the middle",
        low=4,
        high=10**5,
        metavar="N",
    )

    def windows(self) -> int:
        """Number of windows of the whole training."""
        return self.rounds * self.round_episodes * self.episode_windows

    def run(self, task: Task, *args, **kwargs) -> Trained:
        """Train the value model; further arguments: as `afterstate.train_afterstate`."""
        from pmtwin.policies.training.afterstate import train_afterstate

        return train_afterstate(task, self, *args, **kwargs)
