"""A deep Q-network that chooses an action per tick and learns after it: epsilon-greedy, from a replay of ticks.

Everything follows from the seed and the ticks, so that the same ticks in the same order give the same weights again:
a run is resumed by replaying what a database holds.
"""

from __future__ import annotations

import numpy as np
from threadpoolctl import ThreadpoolController

from pmtwin.policies.network.deep_q import DeepQ
from pmtwin.policies.network.heads import LinearHead
from pmtwin.policies.network.layers import Layers
from pmtwin.policies.network.optimisers import Adam, Optimiser, RmsProp
from pmtwin.policies.network.target_copy import TargetCopy
from pmtwin.policies.online.presets import Hyperparameters
from pmtwin.policies.online.rewards import FIRST_LEVELS, Rewards
from pmtwin.policies.online.ticks import TickReplay

WEIGHTS, ACTIONS, MINIBATCHES = range(3)
"""Spawn keys of the random numbers."""

HALF = 0.5
"""The loss of `LinearHead` is half the mean squared error; so is the limit of its gradient."""


class OnlineLearner:
    """The network, its replay of ticks, and its exploration.

    Args:
        hyperparameters: of learning.
        columns: numbers of a tick.
        actions: number of actions.
        seed: root of all random numbers.

    Attributes:
        taken: number of actions so far, from which exploration follows; a new workload sets it back.
        losses: mean loss of the optimiser steps after each tick on which there were any.
    """

    def __init__(self, hyperparameters: Hyperparameters, columns: int, actions: int, seed: np.random.SeedSequence):
        self.hyperparameters, self.actions, self.taken = hyperparameters, actions, 0
        self.losses: list[float] = []
        weights, self._random, minibatches = (_generator(seed, kind) for kind in (WEIGHTS, ACTIONS, MINIBATCHES))
        self.rewards = Rewards(hyperparameters)
        self.replay = TickReplay(
            columns, hyperparameters.seen, hyperparameters.discount, hyperparameters.missing, self.rewards
        )
        inputs = columns * hyperparameters.seen
        layers = Layers.drawn((inputs, *hyperparameters.hidden(inputs), actions), "tanh", weights)
        self.deep_q = DeepQ(
            layers,
            LinearHead(actions),
            _optimiser(hyperparameters, layers.parameters),
            TargetCopy(layers.parameters, hyperparameters.target_share),
            self.replay,
            minibatches,
            batch=hyperparameters.minibatch,
            double=hyperparameters.double,
            norm=HALF * hyperparameters.norm,
            by_tensor=True,
        )
        self._threads = ThreadpoolController()

    @property
    def layers(self) -> Layers:
        """Layers of the learning network."""
        return self.deep_q.layers

    @property
    def exploration(self) -> float:
        """Share of random actions now."""
        return self.hyperparameters.exploration(self.taken)

    def workload_started(self) -> None:
        """Explore more again: a new workload runs."""
        self.taken = self.hyperparameters.bumped(self.taken)

    def choose(self, cells: np.ndarray, missing: float, level: float) -> int:
        """Add a tick, and choose the action at it.

        Args:
            cells, missing, level: as of `TickReplay.add_tick`.
        """
        self.replay.add_tick(cells, missing, level)
        explores, drawn = self._random.random() < self.exploration, int(self._random.integers(self.actions))
        self.taken += 1
        return drawn if explores else int(np.argmax(self.deep_q.values(self.replay.state_now())))

    def learn(self, action: int) -> None:
        """Enter the action that is learned from at the last tick, and make the optimiser steps of the tick."""
        self.replay.note_action(action)
        if self.rewards.mean is None:
            self.rewards.fit(self.replay.levels(2 * FIRST_LEVELS))
        if self.rewards.mean is None or self.replay.usable < self.hyperparameters.minibatch:
            return
        with self._threads.limit(limits=1, user_api="blas"):  # the same sums for any number of cores
            losses = [self.deep_q.learn() for _ in range(self.hyperparameters.steps)]
        if losses:
            self.losses.append(float(np.mean(losses)))


def _generator(seed: np.random.SeedSequence, kind: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, kind)))


def _optimiser(hyperparameters: Hyperparameters, parameters: np.ndarray) -> Optimiser:
    if hyperparameters.optimiser == "adam":
        return Adam(parameters, hyperparameters.step_size)
    return RmsProp(parameters, hyperparameters.step_size, hyperparameters.decay)
