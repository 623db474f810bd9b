"""Training of a deep Q-network: rounds of episodes, each followed by optimiser steps on replayed windows.

All episodes of a round are played with the same weights, and one process learns from them in their order, so that the
result does not depend on the number of processes. A checkpoint is written after each round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from pmtwin.policies.network.deep_q import DeepQ
from pmtwin.policies.network.files import DEEP_Q, save_network
from pmtwin.policies.network.heads import LinearHead
from pmtwin.policies.network.n_step import NStep
from pmtwin.policies.network.perceptron import Perceptron
from pmtwin.policies.network.states import joined, part_of
from pmtwin.policies.training.dqn_curves import Curves
from pmtwin.policies.training.dqn_parts import new_learner, new_replay, range_of_returns
from pmtwin.policies.training.kept_replay import KeptReplay
from pmtwin.policies.training.numbered_episodes import Player, Steps, agents_practice, agents_view, play
from pmtwin.policies.training.policy_training import Task, Trained
from pmtwin.policies.training.progress import quiet
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.checkpoint import Checkpoint

if TYPE_CHECKING:
    from pmtwin.policies.training.dqn_options import DqnTraining

STAGE = "rounds"
PLAYED, EVALUATED, WEIGHTS, MINIBATCHES = range(4)
"""First number of a spawn key: the use of the random numbers."""


def train_dqn(
    task: Task,
    training: DqnTraining,
    checkpoint: Checkpoint | None = None,
    workers: int = 1,
    progress: Callable = quiet,
) -> Trained:
    """Train; the same arguments give the same bits with any number of workers and any interruptions."""
    with (
        closing(DqnRun(task, training)) as run,
        threadpool_limits(1),
    ):  # one thread: the same sums for any number of cores
        resumed = run.resume(checkpoint)
        left, total = range(run.done, training.rounds), training.rounds
        for _ in progress(left, desc="deep Q-network", total=total, initial=run.done, unit="round"):
            run.round(workers)
            if checkpoint:
                run.save(checkpoint)
        return run.trained([STAGE] if resumed else [])


class DqnRun:
    """A training in progress.

    Attributes:
        done: number of finished rounds.
        curves: results of the finished rounds.
    """

    def __init__(self, task: Task, training: DqnTraining):
        self.task, self.training, self.done, self.curves = task, training, 0, Curves(training.rounds)
        self._interface, self._normalization = agents_view(task.context, training.seen_windows)
        self._practice = agents_practice(task, self._interface)
        self._replay = new_replay(training, self._normalization.scaling.shape[1])
        self._kept, self._gathered = KeptReplay(self._replay, training.replay_file), np.empty(0, self._replay.row)
        self._returns = np.full(2, np.nan)
        self._learner: DeepQ | None = None  # until the first round has shown returns, for a categorical head
        self._best: np.ndarray | None = None

    def round(self, workers: int) -> None:
        """Play a round, learn from it, and evaluate the weights if an evaluation is due."""
        training, number = self.training, self.done
        if self._learner is None:
            player = Player(None, LinearHead(self.task.context.action_count), 1.0, anywhere=True)
        else:
            player = Player(self._learner.layers, self._learner.head, training.exploration(number), anywhere=True)
        episodes = self._played(player, (PLAYED, number), training.together, workers)
        if self._learner is None:
            self._returns[:] = range_of_returns([episode.rewards for episode in episodes], training.discount)
            self._learner = self._new_learner()
        self._gathered = np.concatenate([self._rows(episode) for episode in episodes])
        self._replay.add(self._gathered)
        windows = sum(len(episode.actions) for episode in episodes)
        steps = max(1, round(windows * training.steps_per_window))
        loss = float(np.mean([self._learner.learn() for _ in range(steps)]))
        self.curves.note(number, windows, player.exploration, episodes, loss)
        if training.is_evaluated(number):
            self._evaluate(number, workers)
        self.done += 1

    def state(self) -> dict[str, np.ndarray]:
        """Arrays for a checkpoint."""
        run = {"done": np.array(self.done), "returns": self._returns}
        if self._best is not None:
            run["best"] = self._best
        learner = {} if self._learner is None else self._learner.state(replay=False)
        return joined({"run": run, "curves": self.curves.state(), "learner": learner, "replay": self._kept.state()})

    def save(self, checkpoint: Checkpoint) -> None:
        """Write the state after a round, and its rows for the replay."""
        self._kept.save(checkpoint, self.done - 1, self._gathered)
        checkpoint.save_arrays(STAGE, self.state())
        self._kept.clean(checkpoint)

    def resume(self, checkpoint: Checkpoint | None) -> bool:
        """Continue from a checkpoint, if it has a state; otherwise write the state before the first round.

        Returns:
            Whether finished rounds were found.

        Raises:
            InputError: if the replay file has rows of another run, or only one of the two runs has such a file.
        """
        state = checkpoint.load_arrays(STAGE) if checkpoint else None
        if checkpoint is None or state is None:
            if len(self._replay):
                allowed = "a file without windows of another run, or a path without a file"
                raise InputError("--replay-file", str(self.training.replay_file), allowed)
            if checkpoint:
                checkpoint.save_arrays(STAGE, self.state())
            return False
        run, learner = part_of(state, "run"), part_of(state, "learner")
        self.done, self._best = int(run["done"]), run.get("best")
        self._returns[:] = run["returns"]
        self.curves.restore(part_of(state, "curves"))
        self._kept.restore(checkpoint, part_of(state, "replay"), self.done)
        if self.done:
            self._learner = self._new_learner()
            self._learner.restore(learner)
        return self.done > 0

    def trained(self, resumed: Sequence[str]) -> Trained:
        """The result: the weights of the best evaluation, or the last weights if there was none."""
        learner = self._known_learner()
        layers = learner.layers.copy()
        if self._best is not None:
            layers.parameters[...] = self._best
        network = Perceptron.of(layers, self._normalization.scaling, learner.head.atoms)
        interface = self._interface.to_dict()

        def save(path: str | Path, origin: dict):
            return save_network(path, network, {**origin, "interface": interface}, DEEP_Q)

        record = self.curves.record(bool(self.task.context.goals))
        curve = "attainment" if "attainment" in record else "reward"
        summary = {"plan": self.training.plan(self.task), curve: record[curve]}
        return Trained(save, record, summary, {"curves": self.curves.to_csv()}, resumed)

    def close(self) -> None:
        """Close the replay."""
        self._replay.close()

    def _evaluate(self, number: int, workers: int) -> None:
        """Play the present weights without exploration from the scenario's initial setting; keep the best weights."""
        learner = self._known_learner()
        player = Player(learner.layers, learner.head, 0.0, anywhere=False)
        episodes = self._played(player, (EVALUATED,), self.training.evaluation_episodes, workers)
        if self.curves.note_evaluation(number, episodes):
            self._best = learner.layers.parameters.copy()

    def _played(self, player: Player, key: tuple[int, ...], count: int, workers: int) -> list[Steps]:
        seeds = [self._seed(*key, k) for k in range(count)]
        return play(self._practice, player, seeds, self.training.round_windows, workers)

    def _rows(self, episode: Steps) -> np.ndarray:
        """The rows of an episode for the replay."""
        n_step = NStep(self._replay.row, self.training.n_step, self.training.discount)
        last = len(episode.actions) - 1
        rows = [
            n_step.step(
                episode.states[k],
                action,
                episode.rewards[k],
                episode.states[k + 1],
                terminated=k == last and episode.ended,
                cut=k == last,
            )
            for k, action in enumerate(episode.actions.tolist())
        ]
        return np.concatenate(rows)

    def _known_learner(self) -> DeepQ:
        if self._learner is None:
            raise RuntimeError("no round has been played")
        return self._learner

    def _new_learner(self) -> DeepQ:
        randoms = [np.random.default_rng(self._seed(kind)) for kind in (WEIGHTS, MINIBATCHES)]
        return new_learner(self.training, self.task.context.action_count, self._replay, self._returns, *randoms)

    def _seed(self, *key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.task.seed, spawn_key=key)
