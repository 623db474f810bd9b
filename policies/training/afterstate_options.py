"""The options of the training of afterstate values, as `pmtwin train` offers them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pmtwin.sim.options import Options, option

if TYPE_CHECKING:
    from pmtwin.policies.training.practice import Outcome

GROUP = "afterstate values (--policy afterstate)"


@dataclass(frozen=True)
class AfterstateTraining(Options):
    """How much is run: rounds of episodes, each round by the policy that the rounds before have led to."""

    window_cost: ClassVar[float] = 2.8
    """Time of a window beside one of a given workload: it compares all settings, and its conditions are drawn."""

    rounds: int = option(
        5, "rounds: the first at random settings, the others by the policy so far", low=1, high=100, group=GROUP
    )
    round_episodes: int = option(40, "episodes of a round", low=1, high=10**6, metavar="N", group=GROUP)
    episode_windows: int = option(
        100,
        "windows of an episode, with a change of conditions in its middle",
        low=4,
        high=10**5,
        metavar="N",
        group=GROUP,
    )

    def windows(self) -> int:
        """Windows of the whole training."""
        return self.rounds * self.round_episodes * self.episode_windows

    def train(self, practice, policy: str, seed: int, **running) -> Outcome:
        """Train the value model; `running`: as `afterstate.train_afterstate` takes it."""
        from pmtwin.policies.training.afterstate import train_afterstate

        return train_afterstate(practice, self, seed, **running)
