"""Options of `pmtwin train` for a deep Q-network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from pmtwin.policies.network.activations import ACTIVATIONS
from pmtwin.policies.network.limits import MOST_ATOMS, MOST_UNITS
from pmtwin.policies.training.policy_training import Table, Task, Trained
from pmtwin.policies.training.window_trainings import DrawnTraining, window_seconds
from pmtwin.sim.errors import InputError, check_range
from pmtwin.sim.options import option

HEADS = ("linear", "categorical")
OPTIMISERS = ("adam", "rmsprop")


@dataclass(frozen=True)
class DqnTraining(DrawnTraining):
    """Rounds of episodes, each round played with the same weights; then optimiser steps on replayed windows."""

    title: ClassVar[str] = "deep Q-network (--policy dqn)"
    key: ClassVar[str] = "dqn"
    window_cost: ClassVar[float] = 1.1
    """More than 1: conditions are drawn."""
    tables: ClassVar[Mapping[str, Table]] = MappingProxyType(
        {"curves": Table("learning curves", ("windows", "exploration", "mean_reward"))}
    )

    training_windows: int = option(
        20_000, "number of windows of the training, without evaluations", low=100, high=10**9, metavar="N"
    )
    units: tuple[int, ...] = option((64, 64), "units of each hidden layer", metavar="N")
    activation: str = option("relu", "activation of the hidden layers", choices=ACTIVATIONS)
    head: str = option(
        "linear", "outputs: linear (a value per action), or categorical (a distribution per action: C51)", choices=HEADS
    )
    atoms: int = option(51, "atoms of the categorical head", low=2, high=MOST_ATOMS)
    discount: float = option(0.9, "discount factor of a window", low=0.0, high=0.9999, metavar="X")
    n_step: int = option(3, "number of windows in a return", low=1, high=100, metavar="N")
    single_q: bool = option(False, "let the target network choose the action that it values (default: double Q)")
    step_size: float = option(5e-4, "learning rate of the optimiser", low=1e-9, high=1.0, metavar="X")
    optimiser: str = option("adam", "optimiser", choices=OPTIMISERS)
    minibatch: int = option(64, "windows per optimiser step", low=1, high=10**5, metavar="N")
    steps_per_window: float = option(1.0, "optimiser steps per window played", low=0.001, high=1000.0, metavar="X")
    target_share: float = option(
        0.01,
        "share of the learning network's weights in an update of the target network; 1 copies them",
        low=1e-6,
        high=1.0,
    )
    target_every: int = option(
        1, "optimiser steps between updates of the target network", low=1, high=10**9, metavar="N"
    )
    replay_windows: int = option(50_000, "number of windows in the replay", low=1, high=10**8, metavar="N")
    replay_file: Path | None = option(
        None, "SQLite file of the replay (default: in memory)", metavar="FILE", recorded=False
    )
    exploration_share: float = option(
        0.5,
        "share of the training during which exploration falls from 1 to --last-exploration",
        low=0.0,
        high=1.0,
        metavar="X",
    )
    last_exploration: float = option(
        0.05, "share of random actions at the end of the training", low=0.0, high=1.0, metavar="X"
    )
    seen_windows: int = option(2, "number of last windows that the network sees", low=1, high=100, metavar="N")
    evaluations: int = option(
        8,
        "number of evaluations during training; the best weights are kept; 0: keep the last weights",
        low=0,
        high=10**4,
        metavar="N",
    )
    round_windows: int = option(100, "length of an episode, in windows", low=4, high=10**5, shown=False)
    together: int = option(8, "episodes per round", low=1, high=1000, shown=False)
    evaluation_episodes: int = option(8, "episodes per evaluation", low=1, high=10**4, shown=False)
    norm: float = option(10.0, "largest length of a gradient", low=1e-6, high=1e9, shown=False)

    def __post_init__(self):
        super().__post_init__()
        for units in self.units:
            check_range("units", units, 1, MOST_UNITS)

    @property
    def rounds(self) -> int:
        """Number of rounds; the last one may exceed `training_windows`."""
        return -(-self.training_windows // (self.together * self.round_windows))

    def windows(self) -> int:
        """Number of windows of the whole training, evaluations included."""
        evaluated = min(self.evaluations, self.rounds) * self.evaluation_episodes
        return (self.rounds * self.together + evaluated) * self.round_windows

    def exploration(self, number: int) -> float:
        """Share of random actions in round `number`, from 0; 1 in the first round."""
        falling = max(1.0, self.exploration_share * self.rounds)
        return 1.0 + min(1.0, number / falling) * (self.last_exploration - 1.0)

    def is_evaluated(self, number: int) -> bool:
        """Whether an evaluation follows round `number`, from 0."""
        count = min(self.evaluations, self.rounds)
        return (number + 1) * count // self.rounds > number * count // self.rounds

    def check(self, task: Task) -> None:
        """Check the scenario, and that the folder of the replay file exists.

        Raises:
            InputError: if the policy cannot serve the scenario, or there is no such folder.
        """
        super().check(task)
        if self.replay_file is not None and not self.replay_file.parent.is_dir():
            raise InputError("--replay-file", str(self.replay_file), "a file in an existing folder")

    def plan(self, task: Task) -> dict:
        """The plan without the replay file, which does not change the policy."""
        plan = super().plan(task)
        del plan["replay_file"]
        return plan

    def seconds(self, task: Task, workers: int) -> float:
        """Time of the windows on all workers, and of the optimiser steps on one."""
        from pmtwin.policies.training.dqn_parts import step_seconds

        steps = self.rounds * self.together * self.round_windows * self.steps_per_window
        played = (
            self.window_cost * self.windows() / workers * window_seconds(partial(task.make_env, episode_steps=None))
        )
        return played + steps * step_seconds(task, self)

    def run(self, task: Task, *args, **kwargs) -> Trained:
        """Train the network; further arguments: as `dqn.train_dqn`."""
        from pmtwin.policies.training.dqn import train_dqn

        return train_dqn(task, self, *args, **kwargs)
