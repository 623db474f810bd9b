"""Parameters of Algorithm 2: Table D.3, and the choices that the thesis leaves open (docs/thesis.md, docs/design.md).

- *Learning rate*: M_a is fitted to Q + 0.7 (r + gamma max Q' - Q); 1 is line 21 as printed. `eta0` is the step size of
  the gradient descent.
- *Exploration*: epsilon falls by the factor `epsilon_decay` over each `epsilon_decay_share` of a context's episodes.
- *Reward* (`rewards.py`): transformed by `log`, then multiplied by 1 - gamma.
- *Last step*: the value of the last state of an episode counts; with `time_limit_is_terminal` it is 0, line 24 as
  printed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmtwin.policies.linear_q.rewards import TRANSFORMS, scaled_reward
from pmtwin.sim.options import Options, option

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class QLearningParameters(Options):
    """Parameters of Algorithm 2."""

    gamma: float = option(0.95, "discount factor (Table D.3; smaller values: docs/validate.md)", low=0.0, high=0.9999)
    learning_rate: float = option(0.7, "learning rate (Table D.3)", low=1e-6, high=1.0)
    epsilon: float = option(1.0, "initial share of random actions (thesis text: 1; Table D.3: 0.9)", low=0.0, high=1.0)
    epsilon_decay: float = option(
        0.1, "factor on epsilon per epsilon-decay-share of the episodes", low=1e-9, high=1.0, shown=False
    )
    epsilon_decay_share: float = option(
        1.0 / 3.0, "share of a context's episodes per epsilon-decay", low=1e-3, high=1e3, shown=False
    )
    reward_transform: str = option("log", "transform of the reward", choices=TRANSFORMS, shown=False)
    reward_unit: float = option(1.0, "unit of the reward in the transform", low=1e-9, high=1e12, shown=False)
    time_limit_is_terminal: bool = option(False, "value of 0 after the last step of an episode", shown=False)

    def epsilon_at(self, episode: int, episodes: int) -> float:
        """Epsilon in episode `episode` (from 0) of the `episodes` of a context."""
        return self.epsilon * self.epsilon_decay ** (episode / episodes / self.epsilon_decay_share)

    def target_reward(self, reward: float | np.ndarray):
        """The reward in the target: transformed, times 1 - gamma."""
        return (1.0 - self.gamma) * scaled_reward(reward, self.reward_transform, self.reward_unit)
